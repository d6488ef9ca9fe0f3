#include "link/dynamixel/servo.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

namespace gradus::dynamixel {
namespace {

constexpr std::uint8_t kAlert = 0x80;  // of protocol 2.0's error byte
constexpr double kFullPwm = 885, kFullTorque = 1023;
constexpr double kInPosition = 20;                 // pulses beside the goal [assumption]
constexpr double kFollowing = 200;                 // pulses behind the profile [assumption]
constexpr double kWatch = 0.02;                    // unit of the bus watchdog     [s]
constexpr std::int32_t kBitten = 0xff;             // −1: the watchdog has stopped the servo
constexpr double kStrain = 0.95, kStrainTime = 1;  // output and time of an overload; the maker gives none [s]
constexpr double kMostPull = 1;                    // that the I gain may add  [rad]
constexpr double kGravity = 9.80665, kDigitsOfG = 128, kMiddle = 512;    // of a sub-controller: 4 g are 512 digits
constexpr double kDigitsOfTurn = 512 / (1600 * std::numbers::pi / 180);  // and so are 1600°/s  [s]

/// 10 bits about the middle.
double digits(double x, double unit) { return std::clamp(std::round(kMiddle + x * unit), 0.0, 1023.0); }

/// Magnitude and a sign in bit 10, as protocol 1.0's speeds and loads are.
std::int32_t signed_by_bit(double x) {
  const auto size = static_cast<std::int32_t>(std::min(1023.0, std::round(std::fabs(x))));
  return x < 0 ? 1024 + size : size;
}

std::int32_t clamped(double x, double size) {
  return static_cast<std::int32_t>(std::clamp(std::round(x), -size, size));
}

}  // namespace

std::uint8_t error_byte(Protocol protocol, Fault fault) {
  constexpr std::uint8_t kOne[] = {0, 1 << 3, 1 << 6, 1 << 4, 1 << 3, 1 << 3, 1 << 1, 1 << 3};
  return protocol == Protocol::two ? static_cast<std::uint8_t>(fault) : kOne[static_cast<int>(fault)];
}

Servo::Servo(const Model& model, std::uint8_t id, std::int32_t baud_value)
    : model_(&model), table_(model.size, 0), items_(model.size, nullptr) {
  for (const Item& item : model.items) {
    for (std::uint16_t i = 0; i < item.size; ++i) items_[static_cast<std::size_t>(item.address + i)] = &item;
    if (item.meaning != Register::none) by_meaning_[static_cast<std::size_t>(item.meaning)] = &item;
    store(item, item.initial);
  }
  for (const Indirect& x : model.indirect)
    for (std::uint16_t i = 0; i < x.count; ++i) {
      const auto address = static_cast<std::uint16_t>(x.data + i);
      table_[static_cast<std::size_t>(x.addresses + 2 * i)] = static_cast<std::uint8_t>(address);
      table_[static_cast<std::size_t>(x.addresses + 2 * i + 1)] = static_cast<std::uint8_t>(address >> 8);
    }
  set(Register::id, id);
  set(Register::baud_rate, baud_value);
  if (model.gain_of_file > 0) set(Register::position_p_gain, model.gain_of_file);
  begin_mode();
}

const Item* Servo::item_at(std::uint16_t address) const { return address < items_.size() ? items_[address] : nullptr; }

std::int32_t Servo::value(const Item& item) const {
  std::uint32_t x = 0;
  for (int i = item.size - 1; i >= 0; --i) x = x << 8 | table_[static_cast<std::size_t>(item.address + i)];
  // Items that may be negative are two's complement of their own size.
  const bool may_be_negative = item.lower < 0 || (!item.writable && !model_->signed_by_bit);
  if (may_be_negative && item.size == 2) return static_cast<std::int16_t>(x);
  return static_cast<std::int32_t>(x);
}

void Servo::store(const Item& item, std::int32_t x) {
  for (int i = 0; i < item.size; ++i)
    table_[static_cast<std::size_t>(item.address + i)] =
        static_cast<std::uint8_t>(static_cast<std::uint32_t>(x) >> (8 * i));
}

std::int32_t Servo::get(Register meaning) const {
  const Item* item = item_of(meaning);
  return item == nullptr ? 0 : value(*item);
}

void Servo::set(Register meaning, double x) {
  if (const Item* item = item_of(meaning)) store(*item, static_cast<std::int32_t>(x));
}

std::int32_t Servo::mode() const {
  if (model_->protocol == Protocol::two) return get(Register::operating_mode);
  // Protocol 1.0: both angle limits 0 make it a wheel, both 4095 let it turn many times.
  if (get(Register::min_position) == 0 && get(Register::max_position) == 0)
    return model_->wheel_is_output ? kPwmMode : kVelocityMode;
  return has_turns() ? kExtendedMode : kPositionMode;
}

bool Servo::has_turns() const {
  return item_of(Register::turns_divider) != nullptr && get(Register::min_position) == 4095 &&
         get(Register::max_position) == 4095;
}

double Servo::sign() const { return get(Register::drive_mode) & 1 ? -1 : 1; }
bool Servo::has_time_profile() const { return get(Register::drive_mode) & 4; }

bool Servo::is_read_by(std::uint8_t shadow) const {
  const std::int32_t second = get(Register::secondary_id);
  return item_of(Register::secondary_id) != nullptr && second == shadow && second <= 252 && shadow != id();
}

/// Protocol 2.0 says that there is an alarm, 1.0 which; hardware_error is kept there too, outside the table.
std::uint8_t Servo::alert() const {
  if (model_->protocol == Protocol::one) return alarms_;
  return get(Register::hardware_error) != 0 ? kAlert : 0;
}

/// An indirect data byte is the byte that its address names.
std::uint16_t Servo::redirected(std::uint16_t address) const {
  for (const Indirect& x : model_->indirect) {
    if (address < x.data || address >= x.data + x.count) continue;
    const auto at = static_cast<std::size_t>(x.addresses + 2 * (address - x.data));
    const auto to = static_cast<std::uint16_t>(table_[at] | table_[at + 1] << 8);
    return item_at(to) != nullptr ? to : address;
  }
  return address;
}

bool Servo::is_known(std::uint16_t address) const {
  if (item_at(address) != nullptr) return true;
  for (const Indirect& x : model_->indirect)
    if ((address >= x.addresses && address < x.addresses + 2 * x.count) ||
        (address >= x.data && address < x.data + x.count))
      return true;
  return false;
}

/// Reads may cross addresses that mean nothing: they are 0, as on the servo.
Fault Servo::read(std::uint16_t address, std::uint16_t length, Data& out) const {
  if (length == 0 || address + length > static_cast<int>(table_.size())) return Fault::access;
  for (std::uint16_t i = 0; i < length; ++i) out.push_back(table_[redirected(static_cast<std::uint16_t>(address + i))]);
  return Fault::none;
}

bool Servo::is_read_only_now(const Item& item) const {
  return item.address < model_->ram && (is_on() || get(Register::lock) != 0);
}

Fault Servo::check(const Item& item, std::int32_t x) const {
  if (!item.writable || is_read_only_now(item)) return Fault::access;
  if (item.upper >= item.lower && (x < item.lower || x > item.upper)) return Fault::range;
  const bool goal = item.meaning >= Register::goal_pwm && item.meaning <= Register::goal_position;
  if (goal && has_stopped()) return Fault::range;  // until 0 is written to the watchdog
  if (item.meaning == Register::torque_enable && x != 0 && is_shut_) return Fault::result;  // until it is rebooted
  const auto beyond = [&](Register limit) { return item_of(limit) != nullptr && std::abs(x) > get(limit); };
  if (item.meaning == Register::goal_position && model_->protocol == Protocol::one && !has_turns() &&
      (x < 0 || x > 4095))
    return Fault::range;
  if (item.meaning == Register::goal_position && mode() == kPositionMode &&
      (x < get(Register::min_position) || x > get(Register::max_position)))
    return Fault::limit;
  if (item.meaning == Register::goal_velocity && beyond(Register::velocity_limit)) return Fault::limit;
  if (item.meaning == Register::profile_velocity && !has_time_profile() && beyond(Register::velocity_limit))
    return Fault::limit;
  if (item.meaning == Register::goal_pwm && beyond(Register::pwm_limit)) return Fault::limit;
  if (item.meaning == Register::goal_current && beyond(Register::current_limit)) return Fault::limit;
  if (item.meaning == Register::operating_mode) {
    const bool known =
        x == kCurrentMode || x == kVelocityMode || (x >= kPositionMode && x <= kCurrentPositionMode) || x == kPwmMode;
    const bool measured = model_->current > 0 || (x != kCurrentMode && x != kCurrentPositionMode);
    if (!known || !measured) return Fault::range;
  }
  return Fault::none;
}

Fault Servo::write(std::uint16_t address, std::span<const std::uint8_t> data) {
  if (data.empty()) return Fault::length;
  std::map<std::uint16_t, std::uint8_t> bytes;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto at = static_cast<std::uint16_t>(address + i);
    if (!is_known(at)) return Fault::access;
    bytes[redirected(at)] = data[i];
  }
  std::vector<std::pair<const Item*, std::int32_t>> items;
  for (const auto& [at, byte] : bytes) {
    const Item* item = item_at(at);
    if (item == nullptr || (!items.empty() && items.back().first == item)) continue;
    std::uint32_t x = 0;
    for (int i = item->size - 1; i >= 0; --i) {
      const auto it = bytes.find(static_cast<std::uint16_t>(item->address + i));
      if (it == bytes.end()) return Fault::length;  // a part of an item
      x = x << 8 | it->second;
    }
    auto number = static_cast<std::int32_t>(x);
    if (item->lower < 0 && item->size == 2) number = static_cast<std::int16_t>(x);
    if (const Fault fault = check(*item, number); fault != Fault::none) return fault;
    items.emplace_back(item, number);
  }
  for (const auto& [at, byte] : bytes)
    if (item_at(at) == nullptr) table_[at] = byte;  // indirect addresses, and data that point nowhere
  for (const auto& [item, number] : items) store(*item, number), after_write(*item);
  return Fault::none;
}

void Servo::after_write(const Item& item) {
  const bool one = model_->protocol == Protocol::one;
  if (item.meaning == Register::torque_enable && is_on()) {  // it holds where it is until it hears of a goal
    target_ = sight_.position, target_speed_ = 0;
    set(Register::goal_position, pulses(sight_.position));
  }
  if (item.meaning == Register::operating_mode) begin_mode();
  // Protocol 1.0: a new torque limit ends a shutdown.
  if (item.meaning == Register::torque_limit && one) is_shut_ = false, strain_ = 0, alarms_ &= ~kOverloadAlarm;
  const bool goal = item.meaning == Register::goal_pwm || item.meaning == Register::goal_current ||
                    item.meaning == Register::goal_velocity || item.meaning == Register::goal_position;
  if (goal) after_goal();
  if (item.meaning == Register::goal_position && has_time_profile()) plan();
}

/// A goal switches torque on: protocol 1.0 when it is a position, 2.0 when bit 3 of the drive mode says so.
void Servo::after_goal() {
  const bool one = model_->protocol == Protocol::one;
  if (is_on() || is_shut_ || (!one && !(get(Register::drive_mode) & 8))) return;
  target_ = sight_.position, target_speed_ = 0;
  set(Register::torque_enable, 1);
}

/// What the registers of goals and profiles begin with: the goal of its own kind is at rest, others are limits.
void Servo::begin_mode() {
  set(Register::profile_velocity, 0);
  set(Register::profile_acceleration, 0);
  set(Register::goal_pwm, mode() == kPwmMode ? 0 : get(Register::pwm_limit));
  set(Register::goal_current, mode() == kCurrentMode ? 0 : get(Register::current_limit));
  set(Register::goal_velocity, 0);
}

/// A profile by times: the whole one takes as many milliseconds as "profile velocity" says, its beginning and its end
/// as many as "profile acceleration", at most half of it:  way = v (T − T_a), v = a T_a.
void Servo::plan() {
  const double whole = 1e-3 * get(Register::profile_velocity),
               part = std::min(1e-3 * get(Register::profile_acceleration), 0.5 * whole),
               way = std::fabs(angle(get(Register::goal_position)) - target_);
  planned_speed_ = whole > 0 ? std::max(way / (whole - part), 1e-9) : 0;
  planned_acceleration_ = part > 0 ? planned_speed_ / part : 0;
}

Fault Servo::register_write(std::uint16_t address, std::span<const std::uint8_t> data) {
  Servo trial = *this;
  if (const Fault fault = trial.write(address, data); fault != Fault::none) return fault;
  pending_ = Pending{address, Data(data.begin(), data.end())};
  set(Register::registered, 1);
  return Fault::none;
}

Fault Servo::action() {
  if (!pending_) return Fault::instruction;
  const Pending p = *pending_;
  pending_.reset();
  set(Register::registered, 0);
  return write(p.address, p.data);
}

void Servo::reboot() {
  pending_.reset();
  is_shut_ = false, strain_ = 0, pull_ = 0, alarms_ = 0;
  set(Register::hardware_error, 0);
  for (const Item& item : model_->items)
    if (item.address >= model_->ram && item.writable) store(item, item.initial);
  if (model_->gain_of_file > 0) set(Register::position_p_gain, model_->gain_of_file);
  if (item_of(Register::max_torque)) set(Register::torque_limit, get(Register::max_torque));
  begin_mode();
  set(Register::registered, 0);
  set(Register::goal_position, pulses(sight_.position));
  target_ = sight_.position, target_speed_ = 0;
  if (get(Register::startup) & 1) set(Register::torque_enable, 1);
}

void Servo::factory_reset() {
  const std::uint8_t kept = id();
  const std::int32_t rate = get(Register::baud_rate);
  JointSight sight = sight_;
  sight.position *= sign(), sight.velocity *= sign();
  const std::vector<Failure> failures = failures_;
  *this = Servo(*model_, kept, rate);
  failures_ = failures;
  if (!model_->is_board) see(sight, tick_, 0);
}

std::int32_t Servo::pulses(double a) const {
  if (has_turns()) {
    const double raw = model_->zero + a / model_->pulse;
    return static_cast<std::int32_t>(std::floor(raw / get(Register::turns_divider) + 0.5)) + get(Register::turns_offset);
  }
  return model_->zero + get(Register::homing_offset) + static_cast<std::int32_t>(std::lround(a / model_->pulse));
}

double Servo::angle(std::int32_t p) const {
  if (has_turns())
    return ((p - get(Register::turns_offset)) * get(Register::turns_divider) - model_->zero) * model_->pulse;
  return (p - model_->zero - get(Register::homing_offset)) * model_->pulse;
}

double Servo::fastest() const {
  if (has_time_profile()) return planned_speed_;
  return (get(Register::profile_velocity) & (model_->signed_by_bit ? 1023 : 0x7fffffff)) * model_->speed;
}
double Servo::harshest() const {
  if (has_time_profile() && mode() != kVelocityMode) return planned_acceleration_;
  return get(Register::profile_acceleration) * model_->acceleration;
}

/// The profile from where the target is to the goal: speed and acceleration at most as set, 0 means no limit.
void Servo::follow(double h) {
  const double before = target_speed_;
  if (is_on() && mode() == kVelocityMode) return follow_speed(h);
  if (!is_on() || mode() == kCurrentMode || mode() == kPwmMode) {
    target_ = sight_.position, target_speed_ = pull_ = feed_ = 0;
    return;
  }
  integrate(h);
  const double goal = angle(get(Register::goal_position)), way = goal - target_, most = harshest();
  double top = fastest();
  if (top == 0 && most == 0) {
    target_speed_ = feed_ = 0, target_ = goal;
    return;
  }
  if (top == 0) top = 1e9;
  double speed = std::copysign(std::min(top, std::fabs(way) / h), way);
  if (most > 0) {
    // Not faster than braking at the goal allows, in steps of h: v h + v²/2a = way; nor than a h since the last step.
    const double half = 0.5 * most * h, braking = std::sqrt(half * half + 2 * most * std::fabs(way)) - half;
    speed = std::copysign(std::min(std::fabs(speed), braking), way);
    speed = std::clamp(speed, target_speed_ - most * h, target_speed_ + most * h);
    if (std::fabs(way) <= most * h * h && std::fabs(target_speed_) <= 2 * most * h) speed = way / h;
  }
  target_ += speed * h;
  target_speed_ = speed;
  feed_forward(before, h);
}

/// Velocity mode: towards the goal by the profile's acceleration; 0: at once.
void Servo::follow_speed(double h) {
  const double most = harshest() * h, goal = goal_of_wheel();
  target_speed_ = most > 0 ? target_speed_ + std::clamp(goal - target_speed_, -most, most) : goal;
  target_ = sight_.position, pull_ = feed_ = 0;
}

/// Feed-forward gains as a pull on the target, as the I gain is one: Kp (g + (Kv ġ + Ka g̈)/Kp − x).
void Servo::feed_forward(double before, double h) {
  const double p = get(Register::position_p_gain) * model_->gains.p;
  const double output = get(Register::velocity_feed) * model_->gains.velocity * target_speed_ +
                        get(Register::acceleration_feed) * model_->gains.acceleration * (target_speed_ - before) / h;
  feed_ = p > 0 ? std::clamp(output / p, -kMostPull, kMostPull) : 0;
}

/// An AX-12 does nothing about errors within its margins.
double Servo::target() const {
  double goal = target_ + pull_ + feed_;
  if (const Item* margin = item_of(Register::clockwise_margin))
    goal = std::clamp(sight_.position, goal - value(*margin) * model_->pulse,
                      goal + get(Register::counter_margin) * model_->pulse);
  return sign() * goal;
}

void Servo::see(const JointSight& seen, double t, double h) {
  const double last = sight_.position;
  JointSight sight = seen;
  for (double* x : {&sight.position, &sight.velocity, &sight.torque, &sight.current, &sight.voltage}) *x *= sign();
  for (const Failure& f : failures_)
    if (f.fault == kEncoderAlarm && t >= f.since) sight.position = last, sight.velocity = 0;
  sight_ = sight;
  tick_ = t;
  if (!seen_) target_ = sight.position, set(Register::goal_position, pulses(sight.position));
  seen_ = true;
  if (h > 0) follow(h);
  const bool bits = model_->signed_by_bit;
  const std::int32_t position = pulses(sight.position);
  set(Register::present_position, bits && !has_turns() ? position & (model_->zero == 512 ? 1023 : 4095) : position);
  const double speed = sight.velocity / model_->speed;
  set(Register::present_velocity, bits ? signed_by_bit(speed) : clamped(speed, 1e9));
  set(Register::present_load,
      bits ? signed_by_bit(1023 * sight.torque / model_->stall) : clamped(1000 * sight.torque / model_->stall, 1000));
  if (model_->current > 0) set(Register::present_current, clamped(sight.current / model_->current, 32767));
  const double supply = sight.supply > 0 ? sight.supply : model_->supply;
  set(Register::present_pwm, clamped(kFullPwm * sight.voltage / supply, kFullPwm));
  set(Register::present_voltage, std::round(10 * supply));
  set(Register::present_temperature, std::clamp(std::round(sight.temperature), 0.0, 127.0));
  set(Register::realtime_tick, static_cast<double>(static_cast<std::int64_t>(std::floor(1000 * t + 1e-6)) % 32768));
  set(Register::velocity_trajectory, std::round(target_speed_ / model_->speed));
  set(Register::position_trajectory, pulses(target_));
  const double threshold = item_of(Register::moving_threshold) != nullptr ? get(Register::moving_threshold) : 10;
  set(Register::moving, std::fabs(speed) > threshold);
  report_motion();
  watch_bus(t);
  watch_health(h);
}

void Servo::see(const BoardSight& sight) {
  const double supply = sight.supply > 0 ? sight.supply : model_->supply;
  set(Register::present_voltage, std::round(10 * supply));
  // The gyroscope's axes are forward, left, up; those of the accelerometer right, forward, up.
  set(Register::gyro_x, digits(sight.gyro[0], kDigitsOfTurn));
  set(Register::gyro_y, digits(sight.gyro[1], kDigitsOfTurn));
  set(Register::gyro_z, digits(sight.gyro[2], kDigitsOfTurn));
  set(Register::acceleration_x, digits(-sight.acceleration[1], kDigitsOfG / kGravity));
  set(Register::acceleration_y, digits(sight.acceleration[0], kDigitsOfG / kGravity));
  set(Register::acceleration_z, digits(sight.acceleration[2], kDigitsOfG / kGravity));
}

/// In position, on its way, far behind, and which profile: none, rectangle, triangle, trapezium.
void Servo::report_motion() {
  const double goal = angle(get(Register::goal_position)), near = kInPosition * model_->pulse;
  const bool moves_to_goal = is_on() && target_speed_ != 0;
  std::int32_t status = std::fabs(goal - sight_.position) <= near ? 1 : 0;
  if (moves_to_goal && mode() != kVelocityMode) status |= 2;
  if (is_on() && std::fabs(target_ - sight_.position) > kFollowing * model_->pulse) status |= 8;
  if (moves_to_goal) status |= harshest() == 0 ? 0x10 : fastest() == 0 ? 0x20 : 0x30;
  set(Register::moving_status, status);
}

bool Servo::has_stopped() const { return get(Register::bus_watchdog) == kBitten; }

/// Without instructions for the time that was set it stops where it is.
void Servo::watch_bus(double t) {
  const std::int32_t limit = get(Register::bus_watchdog);
  if (limit == 0 || limit == kBitten || !is_on() || t - heard_ < limit * kWatch) return;
  set(Register::bus_watchdog, kBitten);
  target_ = sight_.position, target_speed_ = 0;
  set(Register::goal_velocity, 0);
  if (mode() == kPwmMode) set(Register::goal_pwm, 0);
  if (mode() == kCurrentMode) set(Register::goal_current, 0);
  set(Register::goal_position, pulses(sight_.position));
}

/// Alarms: protocol 2.0 keeps them until it is rebooted, 1.0 while they last, but for overload.
void Servo::watch_health(double h) {
  const double supply = 10 * (sight_.supply > 0 ? sight_.supply : model_->supply);
  const bool stalls = is_on() && sight_.effort >= kStrain && !moves();
  strain_ = stalls ? strain_ + h : 0;
  std::uint8_t now = 0;
  if (supply > get(Register::max_voltage) || supply < get(Register::min_voltage)) now |= kVoltageAlarm;
  if (sight_.temperature > get(Register::temperature_limit)) now |= kHeatAlarm;
  if (strain_ > kStrainTime) now |= kOverloadAlarm;
  const bool two = model_->protocol == Protocol::two;
  // The maker: the power that comes in does not suffice to drive the motor. Taken as half of the least voltage.
  if (two && 2 * supply < get(Register::min_voltage)) now |= kShockAlarm;
  for (const Failure& f : failures_)
    if (two && tick_ >= f.since) now |= f.fault;
  const std::uint8_t kept = two ? 0xff : kOverloadAlarm;
  alarms_ = static_cast<std::uint8_t>((alarms_ & kept) | now);
  set(Register::hardware_error, alarms_);
  if (alarms_ & get(Register::shutdown)) switch_off();
}

void Servo::switch_off() {
  is_shut_ = true;
  set(Register::torque_enable, 0);
  set(Register::torque_limit, 0);
}

double Servo::goal_of_wheel() const {
  if (model_->protocol == Protocol::two) return get(Register::goal_velocity) * model_->speed;
  const std::int32_t x = get(Register::profile_velocity);  // "moving speed" of a wheel
  return (x & 1024 ? -(x & 1023) : x & 1023) * model_->speed;
}
double Servo::wanted_velocity() const { return sign() * (harshest() > 0 ? target_speed_ : goal_of_wheel()); }
double Servo::wanted_current() const { return sign() * get(Register::goal_current) * model_->current; }

double Servo::wanted_pwm() const {
  if (model_->protocol == Protocol::two) return sign() * get(Register::goal_pwm) / kFullPwm;
  const std::int32_t x = get(Register::profile_velocity);
  return (x & 1024 ? -(x & 1023) : x & 1023) / kFullTorque;
}

/// Protocol 2.0: the PWM limit, and the goal PWM where it is not the goal; 1.0: the torque limit.
double Servo::most_output() const {
  if (model_->protocol == Protocol::one) return get(Register::torque_limit) / kFullTorque;
  const std::int32_t limit = get(Register::pwm_limit);
  return (mode() == kPwmMode ? limit : std::min(limit, std::abs(get(Register::goal_pwm)))) / kFullPwm;
}

/// The maker: the current limit holds in current and in current-based position mode, there the goal current too.
double Servo::most_current() const {
  const bool holds = model_->current > 0 && (mode() == kCurrentMode || mode() == kCurrentPositionMode);
  if (!holds) return std::numeric_limits<double>::infinity();
  return std::min(get(Register::current_limit), std::abs(get(Register::goal_current))) * model_->current;
}

double Servo::velocity_gain() const {
  const Item* gain = item_of(Register::velocity_p_gain);
  return gain != nullptr && gain->initial > 0 ? static_cast<double>(value(*gain)) / gain->initial : 1;
}

/// An AX-12 has no gains, but pulses over which its output grows: powers of two, 32 at first.
double Servo::gain() const {
  if (const Item* slope = item_of(Register::clockwise_slope)) {
    const auto unsigned_slope = static_cast<unsigned>(std::max(value(*slope), get(Register::counter_slope)));
    return 32.0 / std::max(2u, std::bit_floor(unsigned_slope));
  }
  return model_->gain_of_file > 0 ? static_cast<double>(get(Register::position_p_gain)) / model_->gain_of_file : 1;
}

double Servo::damping() const {
  const double p = model_->gain_of_file * model_->gains.p;
  return p > 0 ? get(Register::position_d_gain) * model_->gains.d / p : 0;
}

/// The I gain as a pull on the target: Kp (g + ∫e Ki/Kp − x) = Kp e + Ki ∫e. It stands still at full output.
void Servo::integrate(double h) {
  const double p = get(Register::position_p_gain) * model_->gains.p;
  const double rate = p > 0 ? get(Register::position_i_gain) * model_->gains.i / p : 0;
  if (rate == 0) pull_ = 0;
  if (sight_.effort < 1) pull_ = std::clamp(pull_ + h * rate * (target_ - sight_.position), -kMostPull, kMostPull);
}

}  // namespace gradus::dynamixel
