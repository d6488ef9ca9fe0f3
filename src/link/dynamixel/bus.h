/// The wire and the servos on it: instructions in, statuses out, each with the time that its bytes take. Time is
/// simulated; no sockets, no world, so that it can be tested alone.
#pragma once
#include "link/dynamixel/servo.h"

namespace gradus::dynamixel {

/// A status that is on its way; the last of its bytes arrives at `due`.
struct Reply {
  double due;  // [s]
  Data bytes;
};

struct BusCounters {
  std::int64_t instructions = 0, statuses = 0, damaged = 0, refused = 0, unheard = 0;
  std::int64_t wrong_speed = 0;  // bytes
};

class Bus {
 public:
  Bus(Protocol protocol, double baud) : protocol_(protocol), baud_(baud), reader_(protocol) {}
  std::vector<Servo>& servos() { return servos_; }
  const std::vector<Servo>& servos() const { return servos_; }

  /// Bytes that a program sent, at time t. Half a packet is forgotten when its rest does not follow soon.
  void receive(ByteView bytes, double t);
  /// The program's line has this speed from now on; servos of another hear noise. [Bd]
  void set_speed(double baud) { baud_ = baud; }
  double speed() const { return baud_; }
  bool anybody_hears() const;
  bool is_powered() const;                                     // are the servos? Always without a sub-controller
  bool has_room() const { return reader_.waiting() < kRoom; }  // for more bytes
  /// Carries out the next whole instruction that begins not before t; statuses are appended. False: there is none.
  bool serve(double t, std::vector<Reply>& out);
  double busy_until() const { return busy_until_; }  // end of the last byte     [s]
  const BusCounters& counters() const { return counters_; }
  std::int64_t noise() const { return reader_.skipped(); }

 private:
  void carry_out(const Packet& p, std::vector<Reply>& out);
  bool shadows(const Packet& p);
  void one_servo(const Packet& p, Servo& servo, std::vector<Reply>& out);
  void answer(const Servo& servo, Fault fault, const Data& data, std::vector<Reply>& out);
  void read(const Servo& servo, std::uint16_t address, std::uint16_t length, std::vector<Reply>& out);
  void sync_write(const Packet& p);
  void sync_read(const Packet& p, std::vector<Reply>& out);
  void bulk_write(const Packet& p);
  void bulk_read(const Packet& p, std::vector<Reply>& out);
  void fast_read(const Packet& p, std::vector<Reply>& out);
  Servo* find(std::uint8_t id);
  bool hears(const Servo& servo) const;
  double seconds(std::size_t bytes) const { return static_cast<double>(bytes) * 10 / baud_; }  // 8 bits, start, stop

  static constexpr std::size_t kRoom = 1 << 16;  // bytes
  static constexpr double kPause = 0.01;         // within a packet, at most  [s]
  Protocol protocol_;
  double baud_, last_byte_ = 0;
  PacketReader reader_;
  std::vector<Servo> servos_;
  bool has_whole_ = false;  // packets may wait to be served
  double busy_until_ = 0;
  BusCounters counters_;
};

}  // namespace gradus::dynamixel
