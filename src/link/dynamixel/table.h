/// Control tables of servos, as their maker publishes them, and what their numbers mean. Each item has an address, a
/// size, a first value and bounds; its meaning, where it has one here, is a Register.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "link/dynamixel/packets.h"

namespace gradus::dynamixel {

/// What an item means to the simulation. Items that mean nothing here are kept as they are written.
enum class Register : std::uint8_t {
  none,
  model_number,
  firmware,
  id,
  baud_rate,
  return_delay,
  drive_mode,
  operating_mode,
  secondary_id,
  startup,
  homing_offset,
  moving_threshold,
  temperature_limit,
  max_voltage,
  min_voltage,
  max_torque,  // protocol 1.0: torque limit at the start
  pwm_limit,
  current_limit,
  velocity_limit,
  max_position,
  min_position,
  shutdown,
  turns_offset,  // MX-28, protocol 1.0: of many turns, in pulses; and how many pulses of the encoder are one
  turns_divider,
  torque_enable,
  led,
  status_return_level,
  registered,
  hardware_error,
  velocity_p_gain,
  acceleration_feed,  // feed-forward gains
  velocity_feed,
  position_d_gain,
  position_i_gain,
  position_p_gain,
  clockwise_margin,  // AX-12: pulses of error that it does nothing about, each way
  counter_margin,
  clockwise_slope,  // pulses over which the output grows, the same
  counter_slope,
  torque_limit,
  bus_watchdog,
  goal_pwm,
  goal_current,
  goal_velocity,
  profile_acceleration,
  profile_velocity,
  goal_position,
  realtime_tick,
  moving,
  moving_status,
  present_pwm,
  present_current,
  present_load,
  present_velocity,
  present_position,
  velocity_trajectory,
  position_trajectory,
  present_voltage,
  present_temperature,
  lock,
  // of a sub-controller
  servo_power,
  panel_lights,
  head_light,
  eye_light,
  button,
  gyro_x,
  gyro_y,
  gyro_z,
  acceleration_x,
  acceleration_y,
  acceleration_z,
};
inline constexpr std::size_t kRegisters = static_cast<std::size_t>(Register::acceleration_z) + 1;

struct Item {
  std::uint16_t address;
  std::uint8_t size;  // bytes
  bool writable;
  std::int32_t initial, lower, upper;  // upper < lower: no bounds
  Register meaning = Register::none;
};

/// Indirect addresses: `count` 16-bit addresses from `addresses`, whose bytes are seen from `data` on.
struct Indirect {
  std::uint16_t addresses, data, count;
};

/// What the gain registers mean: K = register · unit, in outputs per pulse, per pulse and second, per pulse a second.
struct GainUnits {
  double p = 0, i = 0, d = 0;          // 0: there is no such gain  [1], [1/s], [s]
  double velocity = 0, acceleration = 0;  // feed forward, of the profile's speed and acceleration  [s], [s²]
};

struct Model {
  std::string_view name, about;
  Protocol protocol;
  std::span<const Item> items;
  std::span<const Indirect> indirect;
  std::uint16_t size;         // of the table
  std::uint16_t ram;          // first address that may be written while torque is on
  double pulse;               // of positions        [rad]
  std::int32_t zero;          // pulses at joint angle 0
  double speed;               // unit of velocities  [rad/s]
  double acceleration;        // unit of profiles    [rad/s²]
  double current;             // unit                [A]; 0: it measures none
  double supply;              // volts that it shows where there is no battery  [V]
  double stall;               // torque that a load of 100 % means  [N m]
  double stall_current;       // at that torque                     [A]
  std::int32_t gain_of_file;  // position P gain at which servos/*.toml were recorded
  bool signed_by_bit;         // speeds and loads: bit 10 is the sign, instead of two's complement
  GainUnits gains;
  bool is_board = false;         // no servo, but a sub-controller with inertial sensors
  bool wheel_is_output = false;  // as a wheel its speed register is a share of its output
};

std::span<const Model> all_models();             // of servos
const Model* find_model(std::string_view name);  // null: unknown
const Model* find_board(std::string_view name);  // null: unknown
inline constexpr std::uint8_t kBoardId = 200;

/// Bits a second of a value of the baud rate item; 0: none such.
double baud_of(Protocol protocol, std::int32_t value);
/// The value whose baud is nearest; −1: none within 3 %.
std::int32_t value_of_baud(Protocol protocol, double baud);

}  // namespace gradus::dynamixel
