/// One servo on the bus: a control table with the manual's rules of access, and what it wants of its joint. Knows no
/// world: it is told what its joint does, and asked where it wants it.
#pragma once
#include <array>
#include <optional>

#include "link/dynamixel/table.h"

namespace gradus::dynamixel {

/// Errors of a status packet. Protocol 2.0 has numbers, 1.0 bits.
enum class Fault { none, result, instruction, crc, range, length, limit, access };
std::uint8_t error_byte(Protocol protocol, Fault fault);

/// What the joint does, as its sensors show it.
struct JointSight {
  double position = 0, velocity = 0, torque = 0;  // [rad], [rad/s], [N m]
  double current = 0, voltage = 0;                // of the motor [A], [V]
  double temperature = 25, supply = 0;            // [°C], [V]; supply 0: as the model says
  double effort = 0;                              // share of the largest output that is being given, 0 … 1
};

/// What a sub-controller's sensors show, x forward, y left, z up.
struct BoardSight {
  std::array<double, 3> gyro{}, acceleration{};  // [rad/s], [m/s²]: +9.81 along z upright
  double supply = 0;                             // [V]; 0: as the model says
};

/// Bits of the hardware error status and, where they exist there, of protocol 1.0's error byte.
enum Alarm : std::uint8_t {
  kVoltageAlarm = 1 << 0,
  kHeatAlarm = 1 << 2,
  kEncoderAlarm = 1 << 3,
  kShockAlarm = 1 << 4,
  kOverloadAlarm = 1 << 5
};

/// Operating modes of the X series.
enum Mode : std::int32_t {
  kCurrentMode = 0,
  kVelocityMode = 1,
  kPositionMode = 3,
  kExtendedMode = 4,
  kCurrentPositionMode = 5,
  kPwmMode = 16
};

class Servo {
 public:
  Servo(const Model& model, std::uint8_t id, std::int32_t baud_value);

  const Model& model() const { return *model_; }
  std::uint8_t id() const { return static_cast<std::uint8_t>(get(Register::id)); }
  double baud() const { return baud_of(model_->protocol, get(Register::baud_rate)); }
  double return_delay() const { return 2e-6 * get(Register::return_delay); }  // [s]
  int return_level() const { return get(Register::status_return_level); }
  std::uint8_t alert() const;  // what every status says beside its own error

  Fault read(std::uint16_t address, std::uint16_t length, Data& out) const;
  Fault write(std::uint16_t address, std::span<const std::uint8_t> data);
  Fault register_write(std::uint16_t address, std::span<const std::uint8_t> data);  // for action()
  Fault action();
  void reboot();         // volatile items as at the start; torque is off
  void factory_reset();  // all but the id

  /// From time t on it has this fault: kEncoderAlarm, whose position then stands still, or kShockAlarm.
  void fail(Alarm fault, double t) { failures_.push_back({fault, t}); }

  /// The state of the joint at time t, h after the last one; moves the trajectory on.
  void see(const JointSight& sight, double t, double h);
  void see(const BoardSight& sight);
  /// An instruction was heard on the bus at time t.
  void hear(double t) { heard_ = t; }

  /// What it wants: nothing while torque is off.
  bool is_on() const { return get(Register::torque_enable) != 0; }
  std::int32_t mode() const;
  double target() const;                                 // along the profile, and what the gains add to it  [rad]
  double wanted_velocity() const;                        // in velocity mode              [rad/s]
  double wanted_current() const;                         // in current mode                [A]
  double wanted_pwm() const;                             // in PWM mode                       −1 … 1
  double gain() const;                                   // P gain over that of the servo's file
  double damping() const;                                // D gain over the P gain of the servo's file   [s]
  double velocity_gain() const;                          // P gain of velocity mode over the maker's
  double target_speed() const { return sign() * target_speed_; }  // of the profile       [rad/s]
  double most_output() const;                            // that its limits allow, 0 … 1
  double most_current() const;                           // the same, in modes that look at it; infinite in others  [A]
  bool is_read_by(std::uint8_t shadow) const;            // is this its secondary id?
  std::int32_t get(Register meaning) const;
  bool moves() const { return get(Register::moving) != 0; }

 private:
  const Item* item_of(Register meaning) const { return by_meaning_[static_cast<std::size_t>(meaning)]; }
  const Item* item_at(std::uint16_t address) const;
  std::int32_t value(const Item& item) const;
  void store(const Item& item, std::int32_t value);
  void set(Register meaning, double value);
  std::uint16_t redirected(std::uint16_t address) const;
  bool is_known(std::uint16_t address) const;
  Fault check(const Item& item, std::int32_t value) const;
  void after_write(const Item& item);
  void after_goal();
  void begin_mode();
  void plan();
  void follow(double h);
  void follow_speed(double h);
  void integrate(double h);
  void feed_forward(double before, double h);
  void report_motion();
  double goal_of_wheel() const;
  double fastest() const;    // of the profile; 0: no limit  [rad/s]
  double harshest() const;   // the same                     [rad/s²]
  bool has_time_profile() const;
  double sign() const;       // −1: it turns the other way round
  bool has_turns() const;    // MX-28, protocol 1.0: many turns
  void watch_bus(double t);
  void watch_health(double h);
  void switch_off();
  bool has_stopped() const;  // by its watchdog
  std::int32_t pulses(double angle) const;
  double angle(std::int32_t pulses) const;
  bool is_read_only_now(const Item& item) const;

  const Model* model_;
  Data table_;
  std::vector<const Item*> items_;  // by address
  std::array<const Item*, kRegisters> by_meaning_{};
  struct Pending {
    std::uint16_t address;
    Data data;
  };
  std::optional<Pending> pending_;
  JointSight sight_;                      // in its own direction
  double target_ = 0, target_speed_ = 0;  // of the profile  [rad], [rad/s]
  bool seen_ = false;
  double tick_ = 0;
  double pull_ = 0;       // what the I gain adds to the target  [rad]
  double feed_ = 0;       // and the feed-forward gains          [rad]
  double planned_speed_ = 0, planned_acceleration_ = 0;  // of a profile whose times are given  [rad/s], [rad/s²]
  struct Failure {
    Alarm fault;
    double since;  // [s]
  };
  std::vector<Failure> failures_;
  double strain_ = 0;     // time at full output without moving  [s]
  double heard_ = 0;      // the last instruction on the bus     [s]
  bool is_shut_ = false;  // by an alarm: torque stays off
  std::uint8_t alarms_ = 0;
};

}  // namespace gradus::dynamixel
