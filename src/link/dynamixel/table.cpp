#include "link/dynamixel/table.h"

#include <array>
#include <cmath>
#include <numbers>

namespace gradus::dynamixel {
namespace {

using R = Register;

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kRpm = kTurn / 60;
constexpr std::int32_t kFirmware = 45;
constexpr std::int32_t kFree = 0, kNone = -1;  // lower, upper of items without bounds

/// What differs between servos of the X series; all other items are the same.
struct XSeries {
  std::int32_t model_number, bauds, protocol_lower, protocol_upper, hottest, most_volts, least_volts, volts_from;
  std::int32_t current, velocity, fastest, shutdown, velocity_i, velocity_p, position_p;
  Register at_126 = R::present_current;  // MX: the load, since they measure no current
};

constexpr auto x_series(const XSeries& x) {
  return std::array{
      Item{0, 2, false, x.model_number, kFree, kNone, R::model_number},
      Item{2, 4, false, 0, kFree, kNone},
      Item{6, 1, false, kFirmware, kFree, kNone, R::firmware},
      Item{7, 1, true, 1, 0, 252, R::id},
      Item{8, 1, true, 1, 0, x.bauds, R::baud_rate},
      Item{9, 1, true, 250, 0, 254, R::return_delay},
      Item{10, 1, true, 0, 0, 13, R::drive_mode},
      Item{11, 1, true, 3, 0, 16, R::operating_mode},
      Item{12, 1, true, 255, 0, 255, R::secondary_id},
      Item{13, 1, true, 2, x.protocol_lower, x.protocol_upper},
      Item{20, 4, true, 0, -1044479, 1044479, R::homing_offset},
      Item{24, 4, true, 10, 0, 1023, R::moving_threshold},
      Item{31, 1, true, x.hottest, 0, 100, R::temperature_limit},
      Item{32, 2, true, x.most_volts, x.volts_from, x.most_volts, R::max_voltage},
      Item{34, 2, true, x.least_volts, x.volts_from, x.most_volts, R::min_voltage},
      Item{36, 2, true, 885, 0, 885, R::pwm_limit},
      Item{38, 2, x.current > 0, x.current, 0, x.current, R::current_limit},
      Item{44, 4, true, x.velocity, 0, x.fastest, R::velocity_limit},
      Item{48, 4, true, 4095, 0, 4095, R::max_position},
      Item{52, 4, true, 0, 0, 4095, R::min_position},
      Item{60, 1, true, 0, 0, 3, R::startup},
      Item{62, 1, true, 140, 1, 255},  // PWM slope: of the XL330 only, without effect
      Item{63, 1, true, x.shutdown, 0, 63, R::shutdown},
      Item{64, 1, true, 0, 0, 1, R::torque_enable},
      Item{65, 1, true, 0, 0, 1, R::led},
      Item{68, 1, true, 2, 0, 2, R::status_return_level},
      Item{69, 1, false, 0, kFree, kNone, R::registered},
      Item{70, 1, false, 0, kFree, kNone, R::hardware_error},
      Item{76, 2, true, x.velocity_i, 0, 16383},
      Item{78, 2, true, x.velocity_p, 0, 16383, R::velocity_p_gain},
      Item{80, 2, true, 0, 0, 16383, R::position_d_gain},
      Item{82, 2, true, 0, 0, 16383, R::position_i_gain},
      Item{84, 2, true, x.position_p, 0, 16383, R::position_p_gain},
      Item{88, 2, true, 0, 0, 16383, R::acceleration_feed},
      Item{90, 2, true, 0, 0, 16383, R::velocity_feed},
      Item{98, 1, true, 0, 0, 127, R::bus_watchdog},
      Item{100, 2, true, 885, -885, 885, R::goal_pwm},
      Item{102, 2, x.current > 0, x.current, -x.current, x.current, R::goal_current},
      Item{104, 4, true, 0, -x.fastest, x.fastest, R::goal_velocity},
      Item{108, 4, true, 0, 0, 32767, R::profile_acceleration},
      Item{112, 4, true, 0, 0, 32767, R::profile_velocity},
      Item{116, 4, true, 0, -1048575, 1048575, R::goal_position},
      Item{120, 2, false, 0, kFree, kNone, R::realtime_tick},
      Item{122, 1, false, 0, kFree, kNone, R::moving},
      Item{123, 1, false, 0, kFree, kNone, R::moving_status},
      Item{124, 2, false, 0, kFree, kNone, R::present_pwm},
      Item{126, 2, false, 0, kFree, kNone, x.at_126},
      Item{128, 4, false, 0, kFree, kNone, R::present_velocity},
      Item{132, 4, false, 0, kFree, kNone, R::present_position},
      Item{136, 4, false, 0, kFree, kNone, R::velocity_trajectory},
      Item{140, 4, false, 0, kFree, kNone, R::position_trajectory},
      Item{144, 2, false, 0, kFree, kNone, R::present_voltage},
      Item{146, 1, false, 0, kFree, kNone, R::present_temperature},
      Item{147, 1, false, 0, kFree, kNone},
  };
}
constexpr auto kXm430 = x_series({1030, 7, 1, 2, 80, 160, 95, 95, 1193, 330, 1023, 52, 1920, 100, 800});
constexpr auto kXl330 = x_series({1200, 6, 2, 22, 70, 70, 35, 31, 1750, 445, 2047, 53, 1600, 180, 400});
constexpr auto kMx28Two = x_series({30, 7, 1, 2, 80, 160, 95, 95, 0, 230, 1023, 52, 1920, 100, 850, R::present_load});
constexpr Indirect kXm430Indirect[] = {{168, 224, 28}, {578, 634, 28}};
constexpr Indirect kXl330Indirect[] = {{168, 208, 20}};

constexpr Item kMx28[] = {
    {0, 2, false, 29, kFree, kNone, R::model_number},
    {2, 1, false, 41, kFree, kNone, R::firmware},
    {3, 1, true, 1, 0, 253, R::id},
    {4, 1, true, 34, 0, 252, R::baud_rate},
    {5, 1, true, 250, 0, 254, R::return_delay},
    {6, 2, true, 0, 0, 4095, R::min_position},
    {8, 2, true, 4095, 0, 4095, R::max_position},
    {11, 1, true, 80, 0, 99, R::temperature_limit},
    {12, 1, true, 60, 50, 160, R::min_voltage},
    {13, 1, true, 160, 50, 160, R::max_voltage},
    {14, 2, true, 1023, 0, 1023, R::max_torque},
    {16, 1, true, 2, 0, 2, R::status_return_level},
    {17, 1, true, 36, 0, 127},
    {18, 1, true, 36, 0, 127, R::shutdown},
    {20, 2, true, 0, -24576, 24576, R::turns_offset},
    {22, 1, true, 1, 1, 4, R::turns_divider},
    {24, 1, true, 0, 0, 1, R::torque_enable},
    {25, 1, true, 0, 0, 1, R::led},
    {26, 1, true, 0, 0, 254, R::position_d_gain},
    {27, 1, true, 0, 0, 254, R::position_i_gain},
    {28, 1, true, 32, 0, 254, R::position_p_gain},
    {30, 2, true, 0, -28672, 28672, R::goal_position},
    {32, 2, true, 0, 0, 2047, R::profile_velocity},
    {34, 2, true, 1023, 0, 1023, R::torque_limit},
    {36, 2, false, 0, kFree, kNone, R::present_position},
    {38, 2, false, 0, kFree, kNone, R::present_velocity},
    {40, 2, false, 0, kFree, kNone, R::present_load},
    {42, 1, false, 0, kFree, kNone, R::present_voltage},
    {43, 1, false, 0, kFree, kNone, R::present_temperature},
    {44, 1, false, 0, kFree, kNone, R::registered},
    {46, 1, false, 0, kFree, kNone, R::moving},
    {47, 1, true, 0, 0, 1, R::lock},
    {48, 2, true, 0, 0, 1023},
    {50, 2, false, 0, kFree, kNone, R::realtime_tick},
    {73, 1, true, 0, 0, 254, R::profile_acceleration},
};

constexpr Item kAx12[] = {
    {0, 2, false, 12, kFree, kNone, R::model_number},
    {2, 1, false, 24, kFree, kNone, R::firmware},
    {3, 1, true, 1, 0, 253, R::id},
    {4, 1, true, 1, 0, 254, R::baud_rate},
    {5, 1, true, 250, 0, 254, R::return_delay},
    {6, 2, true, 0, 0, 1023, R::min_position},
    {8, 2, true, 1023, 0, 1023, R::max_position},
    {11, 1, true, 70, 0, 99, R::temperature_limit},
    {12, 1, true, 60, 50, 250, R::min_voltage},
    {13, 1, true, 140, 50, 250, R::max_voltage},
    {14, 2, true, 1023, 0, 1023, R::max_torque},
    {16, 1, true, 2, 0, 2, R::status_return_level},
    {17, 1, true, 36, 0, 127},
    {18, 1, true, 36, 0, 127, R::shutdown},
    {24, 1, true, 0, 0, 1, R::torque_enable},
    {25, 1, true, 0, 0, 1, R::led},
    {26, 1, true, 1, 0, 255, R::clockwise_margin},
    {27, 1, true, 1, 0, 255, R::counter_margin},
    {28, 1, true, 32, 1, 254, R::clockwise_slope},
    {29, 1, true, 32, 1, 254, R::counter_slope},
    {30, 2, true, 0, 0, 1023, R::goal_position},
    {32, 2, true, 0, 0, 2047, R::profile_velocity},
    {34, 2, true, 1023, 0, 1023, R::torque_limit},
    {36, 2, false, 0, kFree, kNone, R::present_position},
    {38, 2, false, 0, kFree, kNone, R::present_velocity},
    {40, 2, false, 0, kFree, kNone, R::present_load},
    {42, 1, false, 0, kFree, kNone, R::present_voltage},
    {43, 1, false, 0, kFree, kNone, R::present_temperature},
    {44, 1, false, 0, kFree, kNone, R::registered},
    {46, 1, false, 0, kFree, kNone, R::moving},
    {47, 1, true, 0, 0, 1, R::lock},
    {48, 2, true, 32, 0, 1023},
};

/// The sub-controller of Darwin-class robots, CM-730. Gyroscope and accelerometer have 10 bits about 512.
constexpr Item kCm730[] = {
    {0, 2, false, 0x7300, kFree, kNone, R::model_number},
    {2, 1, false, 0x13, kFree, kNone, R::firmware},
    {3, 1, true, kBoardId, 0, 253, R::id},
    {4, 1, true, 1, 0, 254, R::baud_rate},
    {5, 1, true, 0, 0, 254, R::return_delay},
    {16, 1, true, 2, 0, 2, R::status_return_level},
    {24, 1, true, 0, 0, 1, R::servo_power},
    {25, 1, true, 0, 0, 7, R::panel_lights},
    {26, 2, true, 0, 0, 0x7fff, R::head_light},
    {28, 2, true, 0, 0, 0x7fff, R::eye_light},
    {30, 1, false, 0, kFree, kNone, R::button},
    {38, 2, false, 512, kFree, kNone, R::gyro_z},
    {40, 2, false, 512, kFree, kNone, R::gyro_y},
    {42, 2, false, 512, kFree, kNone, R::gyro_x},
    {44, 2, false, 512, kFree, kNone, R::acceleration_x},
    {46, 2, false, 512, kFree, kNone, R::acceleration_y},
    {48, 2, false, 512, kFree, kNone, R::acceleration_z},
    {50, 1, false, 120, kFree, kNone, R::present_voltage},
};

/// Protocol 2.0: P / 128, I / 65536, D / 16, both feed-forward gains / 4, per cycle of the controller; its length is not published. [assumption]
constexpr double kCycle = 1e-3;  // [s]
constexpr GainUnits kGainsOfTwo{1.0 / 128, 1.0 / 65536 / kCycle, kCycle / 16, kCycle / 4, kCycle* kCycle / 4};
constexpr GainUnits kGainsOfMx{1.0 / 8, 1000.0 / 2048, 4.0 / 1000};  // MX, protocol 1.0

constexpr double kProfile = 214.577 * kRpm / 60;  // rev/min² in rad/s²
constexpr Model kModels[] = {
    {"xm430", "XM430-W210", Protocol::two, kXm430, kXm430Indirect, 662, 64, kTurn / 4096, 2048, 0.229 * kRpm, kProfile,
     2.69e-3, 12.0, 3.0, 2.3, 800, false, kGainsOfTwo},
    {"xl330", "XL330-M288", Protocol::two, kXl330, kXl330Indirect, 228, 64, kTurn / 4096, 2048, 0.229 * kRpm, kProfile,
     1e-3, 5.0, 0.52, 1.47, 100, false, kGainsOfTwo},
    {"mx28-2", "MX-28(2.0)", Protocol::two, kMx28Two, kXm430Indirect, 662, 64, kTurn / 4096, 2048, 0.229 * kRpm,
     kProfile, 0, 12.0, 2.5, 1.4, 850, false, kGainsOfTwo},
    {"mx28",
     "MX-28",
     Protocol::one,
     kMx28,
     {},
     74,
     24,
     kTurn / 4096,
     2048,
     0.114 * kRpm,
     8.583 * kTurn / 360,
     0,
     12.0,
     2.5,
     1.4,
     32,
     true,
     kGainsOfMx},
    {"ax12",
     "AX-12",
     Protocol::one,
     kAx12,
     {},
     50,
     24,
     300.0 / 1023 * kTurn / 360,
     512,
     0.111 * kRpm,
     0,
     0,
     12.0,
     1.5,
     1.5,
     0,
     true,
     {},
     false,
     true},
};
constexpr Model kBoard{"cm730", "CM-730", Protocol::one, kCm730, {}, 70, 24,   kTurn / 4096, 2048, 0.114 * kRpm,
                       0,       0,        12.0,          1,      1,  0,  true, {},           true};

constexpr double kBaudsOfTwo[] = {9600, 57600, 115200, 1e6, 2e6, 3e6, 4e6, 4.5e6};

}  // namespace

std::span<const Model> all_models() { return kModels; }

const Model* find_model(std::string_view name) {
  for (const Model& m : kModels)
    if (m.name == name) return &m;
  return nullptr;
}

const Model* find_board(std::string_view name) { return name == kBoard.name ? &kBoard : nullptr; }

double baud_of(Protocol protocol, std::int32_t value) {
  if (protocol == Protocol::two) return value >= 0 && value < 8 ? kBaudsOfTwo[value] : 0;
  if (value >= 250) return value == 250 ? 2.25e6 : value == 251 ? 2.5e6 : value == 252 ? 3e6 : 0;
  return value >= 0 ? 2e6 / (value + 1) : 0;
}

std::int32_t value_of_baud(Protocol protocol, double baud) {
  for (std::int32_t v = 0; v < 255; ++v)
    if (const double b = baud_of(protocol, v); b > 0 && std::fabs(b - baud) < 0.03 * baud) return v;
  return -1;
}

}  // namespace gradus::dynamixel
