/// Links in which every robot has a program of its own at the other end of a stream. A robot's place at such a link is
/// a seat: its standing orders, and the connection of the program that gives them, if there is one.
///
///   publish   at the robot's rate: the program is told what the robot sees
///   receive   lock-step: waits for the answers of all robots that were told, together; free: takes what is there
///
/// Lock-step waits for a program to come for `wait`, for its answer and for its return for `patience` of wall time;
/// then the run goes on without it, and says so, until it is heard again. Meanwhile the robot keeps its last targets.
/// Free waits for nobody: a program that reads too slowly misses states, whole ones.
///
/// A protocol says how a program is seated and welcomed, what it is told, and what its bytes mean. Reads are bounded,
/// so a program can neither fill the memory nor hold up a step.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/rate.h"
#include "link/link.h"
#include "link/program/orders.h"
#include "link/stream/stream.h"
#include "world/world.h"

namespace gradus {

struct SeatOptions {
  bool lockstep = true;
  double patience = 10;  // lock-step: for an answer   [s]
  double wait = 60;      // and for a program's first coming  [s]
  /// free, patience=TIME, wait=TIME. "" if taken, else what is wrong; known: false if it is none of them.
  std::string take(const std::string& key, const std::string& value, bool& known);
};

class SeatLink : public ProtocolLink {
 public:
  std::span<const Command> receive(const World& world) override;
  void publish(const World& world) override;
  bool wants_real_time() const override { return !options_.lockstep; }
  bool keeps_programs() const override { return true; }
  std::string failure() const override { return ended_; }
  Figures figures() const override;
  std::vector<std::string> summary() const override;
  std::vector<LinkNotice> take_notices() override { return std::exchange(notices_, {}); }

 protected:
  struct Seat {
    std::size_t number = 0;  // of the seat
    int robot = 0;
    std::string name;  // of the robot
    Rate rate{0.01, 0, 0.001};
    double period = 0.01;  // [s]
    Orders orders;
    bool spoke = false;  // orders are a program's
    Wire wire;
    bool came = false;  // was there ever a program?
    bool owes = false;  // it was told, and has not answered
    bool waited_for = true;
    double since = 0;  // wall time at which waiting for it began   [s]
    OutputRoom room;
    int form = 0;  // the protocol's own
    NoticeLimit limit;
  };
  /// A connection that has not been seated yet.
  struct Guest {
    Wire wire;
    std::size_t listener;
    double since;  // [s]
  };
  enum class Heard { nothing, message, answer, fault };

  SeatLink(std::string label, const SeatOptions& options) : label_(std::move(label)), options_(options) {}
  void add_listener(Listener l) { listeners_.push_back(std::move(l)); }
  const std::vector<Listener>& listeners() const { return listeners_; }
  /// Gives the robot to the program that will sit there.
  Seat& add_seat(World& world, int robot, double period, double start);
  std::vector<std::unique_ptr<Seat>>& seats() { return seats_; }
  const SeatOptions& options() const { return options_; }
  void tell_people(Seat& seat, std::string what) {
    if (seat.limit.allows()) notices_.push_back({seat.name, "link", std::move(what)});
  }
  void tell_people(const Seat& seat, std::string kind, std::string what) {
    notices_.push_back({seat.name, std::move(kind), std::move(what)});
  }
  std::vector<LinkNotice>& notices() { return notices_; }
  void end_run(const std::string& why) { ended_ = why; }

  /// Number of the seat that the guest gets; −1: not known yet, or `refusal` says why it gets none.
  virtual int seat_of(Guest& guest, std::string& refusal) = 0;
  virtual void refuse(Wire&, const std::string& /*why*/) {}  // tells it, before it is closed
  virtual void welcome(const World&, Seat&) {}
  /// What the program gets to see of the state. False: it did not fit.
  virtual bool tell(const World& world, Seat& seat) = 0;
  /// Takes one message off seat.wire, if there is a whole one.
  virtual Heard hear(const World& world, Seat& seat, std::string& fault) = 0;

  std::vector<Command> commands_;  // for the next step

 private:
  void admit(const World& world);
  void seat(const World& world, Guest& guest, Seat& at);
  void tell_seat(const World& world, Seat& s);
  void hear_all(const World& world);
  void hear_seat(const World& world, Seat& s);
  void lose(Seat& s, const std::string& why);
  void wait_for_answers(const World& world);
  bool is_missing(const World& world, const Seat& s) const;
  double deadline(const Seat& s) const { return s.since + (s.came ? options_.patience : options_.wait); }
  void give_up(Seat& s);
  bool any_due(const World& world) const;

  std::string label_, ended_;
  SeatOptions options_;
  std::vector<Listener> listeners_;
  std::vector<std::unique_ptr<Seat>> seats_;
  std::vector<Guest> guests_;
  std::vector<LinkNotice> notices_;
  std::vector<int> waiting_;  // descriptors
  double next_admission_ = 0;
  std::int64_t told_ = 0, answers_ = 0, missed_ = 0, lost_ = 0, refused_ = 0, impatient_ = 0, connections_ = 0;
};

}  // namespace gradus
