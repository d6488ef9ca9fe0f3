#include "link/dynamixel/servo.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace gradus::dynamixel {
namespace {

constexpr std::uint8_t kOverheating = 1 << 2;  // of the hardware error, and of protocol 1.0's error byte
constexpr std::uint8_t kAlert = 0x80;          // of protocol 2.0's error byte
constexpr double kFullPwm = 885;

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

Servo::Servo(const Model& model, std::uint8_t id, std::int32_t baud_value, bool only_positions)
    : model_(&model), only_positions_(only_positions), table_(model.size, 0), items_(model.size, nullptr) {
  for (const Item& item : model.items) {
    for (std::uint16_t i = 0; i < item.size; ++i) items_[static_cast<std::size_t>(item.address + i)] = &item;
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
}

const Item* Servo::item_of(Register meaning) const {
  for (const Item& item : model_->items)
    if (item.meaning == meaning) return &item;
  return nullptr;
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
  // Protocol 1.0: both angle limits 0 make it a wheel.
  return get(Register::min_position) == 0 && get(Register::max_position) == 0 ? kVelocityMode : kPositionMode;
}

std::uint8_t Servo::alert() const {
  const std::int32_t hot = get(Register::temperature_limit);
  const bool alarm = hot > 0 && sight_.temperature > hot;
  if (!alarm) return 0;
  return model_->protocol == Protocol::two ? kAlert : kOverheating;
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
  const auto beyond = [&](Register limit) { return item_of(limit) != nullptr && std::abs(x) > get(limit); };
  if (item.meaning == Register::goal_position && mode() == kPositionMode &&
      (x < get(Register::min_position) || x > get(Register::max_position)))
    return Fault::limit;
  if (item.meaning == Register::goal_velocity && beyond(Register::velocity_limit)) return Fault::limit;
  if (item.meaning == Register::goal_current && beyond(Register::current_limit)) return Fault::limit;
  if (item.meaning == Register::operating_mode) {
    const bool known =
        x == kCurrentMode || x == kVelocityMode || (x >= kPositionMode && x <= kCurrentPositionMode) || x == kPwmMode;
    if (!known) return Fault::range;
    if (only_positions_ && (x == kCurrentMode || x == kPwmMode)) return Fault::result;
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
  const bool on = item.meaning == Register::torque_enable && is_on();
  if (on) {  // it holds where it is until it hears of a goal
    target_ = sight_.position, target_speed_ = 0;
    set(Register::goal_position, pulses(sight_.position));
  }
  // Protocol 1.0: a goal switches torque on.
  if (item.meaning == Register::goal_position && model_->protocol == Protocol::one && !is_on()) {
    target_ = sight_.position, target_speed_ = 0;
    set(Register::torque_enable, 1);
  }
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
  for (const Item& item : model_->items)
    if (item.address >= model_->ram && item.writable) store(item, item.initial);
  if (model_->gain_of_file > 0) set(Register::position_p_gain, model_->gain_of_file);
  set(Register::registered, 0);
  set(Register::goal_position, pulses(sight_.position));
}

void Servo::factory_reset() {
  const std::uint8_t kept = id();
  const std::int32_t rate = get(Register::baud_rate);
  const JointSight sight = sight_;
  *this = Servo(*model_, kept, rate, only_positions_);
  see(sight, tick_, 0);
}

std::int32_t Servo::pulses(double a) const {
  return model_->zero + get(Register::homing_offset) + static_cast<std::int32_t>(std::lround(a / model_->pulse));
}

double Servo::angle(std::int32_t p) const { return (p - model_->zero - get(Register::homing_offset)) * model_->pulse; }

/// The profile from where the target is to the goal: speed and acceleration at most as set, 0 means no limit.
void Servo::follow(double h) {
  if (!is_on() || mode() == kVelocityMode || mode() == kCurrentMode || mode() == kPwmMode) {
    target_ = sight_.position, target_speed_ = 0;
    return;
  }
  const double goal = angle(get(Register::goal_position)), way = goal - target_;
  double fastest = (get(Register::profile_velocity) & (model_->signed_by_bit ? 1023 : 0x7fffffff)) * model_->speed;
  const double harshest = get(Register::profile_acceleration) * model_->acceleration;
  if (fastest == 0 && harshest == 0) {
    target_speed_ = 0, target_ = goal;
    return;
  }
  if (fastest == 0) fastest = 1e9;
  double speed = std::copysign(std::min(fastest, std::fabs(way) / h), way);
  if (harshest > 0) {
    // Not faster than braking at the goal allows, in steps of h: v h + v²/2a = way; nor than a h since the last step.
    const double half = 0.5 * harshest * h, braking = std::sqrt(half * half + 2 * harshest * std::fabs(way)) - half;
    speed = std::copysign(std::min(std::fabs(speed), braking), way);
    speed = std::clamp(speed, target_speed_ - harshest * h, target_speed_ + harshest * h);
    if (std::fabs(way) <= harshest * h * h && std::fabs(target_speed_) <= 2 * harshest * h) speed = way / h;
  }
  target_ += speed * h;
  target_speed_ = speed;
}

void Servo::see(const JointSight& sight, double t, double h) {
  sight_ = sight;
  tick_ = t;
  if (!seen_) target_ = sight.position, set(Register::goal_position, pulses(sight.position));
  seen_ = true;
  if (h > 0) follow(h);
  const bool bits = model_->signed_by_bit;
  set(Register::present_position,
      bits ? pulses(sight.position) & (model_->zero == 512 ? 1023 : 4095) : pulses(sight.position));
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
  const bool hot = alert() != 0;
  if (hot) {
    set(Register::hardware_error, get(Register::hardware_error) | kOverheating);
    if (get(Register::shutdown) & kOverheating) set(Register::torque_enable, 0);
  }
}

double Servo::wanted_velocity() const {
  if (model_->protocol == Protocol::two) return get(Register::goal_velocity) * model_->speed;
  const std::int32_t x = get(Register::profile_velocity);  // "moving speed" of a wheel
  return (x & 1024 ? -(x & 1023) : x & 1023) * model_->speed;
}
double Servo::wanted_current() const { return get(Register::goal_current) * model_->current; }
double Servo::wanted_pwm() const { return get(Register::goal_pwm) / kFullPwm; }
double Servo::gain() const {
  return model_->gain_of_file > 0 ? static_cast<double>(get(Register::position_p_gain)) / model_->gain_of_file : 1;
}

}  // namespace gradus::dynamixel
