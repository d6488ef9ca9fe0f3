#include "link/seats.h"

#include <fmt/format.h>

#include <algorithm>

#include "link/items.h"

namespace gradus {
namespace {

constexpr double kAdmission = 0.02;  // wall time between two looks for new connections  [s]
constexpr double kHello = 5;         // that a guest may take to say who it is           [s]
constexpr std::size_t kMostGuests = 32;
constexpr int kMostMessages = 64;  // of one program, taken at once
constexpr double kSpin = 30e-6;    // an answer is mostly there sooner than a process wakes up  [s]

}  // namespace

std::string SeatOptions::take(const std::string& key, const std::string& value, bool& known) {
  known = true;
  if (key == "free" && value.empty()) return lockstep = false, "";
  if (key == "patience") return read_time(value, patience);
  if (key == "wait") return read_time(value, wait);
  known = false;
  return "";
}

SeatLink::Seat& SeatLink::add_seat(World& world, int robot, double period, double start) {
  /// Hands the standing orders to the robot.
  class Driver : public Controller {
   public:
    explicit Driver(const Seat& seat) : seat_(seat) {}
    void control(const RobotOutput&, RobotCommand& command) override {
      if (seat_.spoke) seat_.orders.write(command);
    }

   private:
    const Seat& seat_;
  };
  seats_.push_back(std::make_unique<Seat>());
  Seat& s = *seats_.back();
  s.number = seats_.size() - 1;
  s.robot = robot;
  s.name = world.model().robots[static_cast<std::size_t>(robot)].name;
  s.rate = Rate(period, start, world.model().step);
  s.period = period;
  s.orders = Orders::of(world.command(robot));
  s.since = wall_time();
  world.output(robot, s.room);  // makes room
  world.add_controller(robot, std::make_unique<Driver>(s), period, start);
  return s;
}

bool SeatLink::any_due(const World& world) const {
  return std::any_of(seats_.begin(), seats_.end(), [&](const auto& s) { return s->rate.due(world.k()); });
}

void SeatLink::admit(const World& world) {
  next_admission_ = wall_time() + kAdmission;
  for (std::size_t i = 0; i < listeners_.size(); ++i)  // who finds no room waits at the door
    while (guests_.size() < kMostGuests) {
      Wire wire = listeners_[i].accept();
      if (!wire.open()) break;
      ++connections_;
      guests_.push_back({std::move(wire), i, wall_time()});
    }
  for (Guest& g : guests_) {
    const bool there = g.wire.fill();
    std::string refusal;
    const int number = seat_of(g, refusal);
    if (number < 0 && refusal.empty() && there && wall_time() < g.since + kHello) continue;
    if (number >= 0 && seats_[static_cast<std::size_t>(number)]->wire.open()) refusal = "another program sits here";
    if (number >= 0 && refusal.empty()) {
      seat(world, g, *seats_[static_cast<std::size_t>(number)]);
    } else {
      ++refused_;
      refuse(g.wire, refusal.empty() ? "nothing was said" : refusal);
    }
    g.wire.close();
  }
  std::erase_if(guests_, [](const Guest& g) { return !g.wire.open(); });
}

void SeatLink::seat(const World& world, Guest& guest, Seat& s) {
  s.wire = std::move(guest.wire);
  guest.wire = Wire();
  tell_people(s, s.came ? "its program is back" : "its program has come");
  s.came = s.waited_for = true;
  s.owes = false;
  welcome(world, s);
  if (s.rate.due(world.k())) tell_seat(world, s);
}

void SeatLink::tell_seat(const World& world, Seat& s) {
  if (!s.wire.open() || (options_.lockstep && s.owes)) return;
  if (tell(world, s)) {
    ++told_;
    s.owes = true;
    s.since = options_.lockstep ? wall_time() : 0;
  } else {
    ++missed_;
    hear_seat(world, s);  // it reads too slowly, or it has gone
  }
}

void SeatLink::lose(Seat& s, const std::string& why) {
  s.wire.close();
  s.owes = false;
  s.since = wall_time();
  ++lost_;
  tell_people(s, "its program " + why + "; it keeps its last targets");
}

void SeatLink::hear_seat(const World& world, Seat& s) {
  if (!s.wire.open()) return;
  s.wire.flush();
  const bool there = s.wire.fill();
  bool all_heard = false;
  for (int i = 0; i < kMostMessages && !all_heard; ++i) {
    std::string fault;
    const Heard heard = hear(world, s, fault);
    if (heard == Heard::fault) {
      refuse(s.wire, fault);
      return lose(s, fault);
    }
    all_heard = heard == Heard::nothing;
    if (all_heard && s.wire.full()) return lose(s, "sent a megabyte that is no message");
    if (heard != Heard::answer) continue;
    ++answers_;
    if (!s.waited_for) tell_people(s, "its program answers again");
    s.waited_for = s.spoke = true;
    s.owes = false;
  }
  if (!there && all_heard) lose(s, "has gone");  // with half a message, perhaps
}

void SeatLink::hear_all(const World& world) {
  for (auto& s : seats_)
    if (!options_.lockstep || s->owes || !s->waited_for) hear_seat(world, *s);
}

bool SeatLink::is_missing(const World& world, const Seat& s) const {
  return s.waited_for && s.rate.due(world.k()) && (!s.wire.open() || s.owes);
}

void SeatLink::give_up(Seat& s) {
  s.waited_for = false;
  ++impatient_;
  tell_people(
      s, s.wire.open()
             ? fmt::format("its program gave no answer for {:g} s; the run goes on without it", options_.patience)
         : s.came
             ? fmt::format("its program did not come back for {:g} s; the run goes on without it", options_.patience)
             : fmt::format("no program has come for {:g} s; the run goes on without one", options_.wait));
}

void SeatLink::wait_for_answers(const World& world) {
  double spin_until = 0;
  for (;;) {
    hear_all(world);
    const double now = wall_time();
    if (spin_until == 0) spin_until = now + kSpin;
    double left = 0;
    waiting_.clear();
    for (auto& s : seats_) {
      if (!is_missing(world, *s)) continue;
      if (now >= deadline(*s)) {
        give_up(*s);
        continue;
      }
      left = std::max(left, deadline(*s) - now);
      if (s->wire.open()) waiting_.push_back(s->wire.fd());
    }
    if (left <= 0) return;
    if (now < spin_until) continue;
    if (now >= next_admission_) admit(world);
    for (const Listener& l : listeners_) waiting_.push_back(l.fd());
    for (const Guest& g : guests_) waiting_.push_back(g.wire.fd());
    // In slices: a seat's own deadline may come sooner than the last one's.
    if (wait_readable(waiting_, std::min(left, 0.05)) == Woken::signal) return;
  }
}

std::span<const Command> SeatLink::receive(const World& world) {
  commands_.clear();
  if (!any_due(world)) return commands_;
  if (options_.lockstep)
    wait_for_answers(world);
  else
    hear_all(world);
  return commands_;
}

void SeatLink::publish(const World& world) {
  if (!any_due(world)) return;
  if (wall_time() >= next_admission_) admit(world);
  for (auto& s : seats_)
    if (s->rate.due(world.k())) tell_seat(world, *s);
}

ProtocolLink::Figures SeatLink::figures() const {
  return {{"connections", connections_}, {"told", told_}, {"answers", answers_},
          {"missed", missed_},           {"lost", lost_}, {"refused", refused_},
          {"impatient", impatient_}};
}

std::vector<std::string> SeatLink::summary() const {
  std::vector<std::string> out{
      fmt::format("{}: {} connections, {} states told, {} answers", label_, connections_, told_, answers_)};
  if (missed_ + lost_ + refused_ + impatient_ > 0)
    out.push_back(fmt::format(
        "  {} states missed by slow programs, {} programs lost, {} refused, {} times not waited for any longer",
        missed_, lost_, refused_, impatient_));
  return out;
}

}  // namespace gradus
