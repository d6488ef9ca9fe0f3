/// Sensors of joints and motors: encoders, torque, current, temperature, and the battery that feeds them all. Each has a
/// channel for every joint that `joints` names.
#pragma once
#include "sense/sense.h"

namespace gradus::sense {

inline constexpr Key kJointsKey{"joints", dimension::kNumber, false, 0, 0, 0, "which joints; all if not given"};

/// Joint coordinates, or rotor angles at the joint: what play and yielding gears hide.
struct Encoder {
  static constexpr std::string_view name = "encoder", about = "joint angles, on the joint's or the motor's side of the gear";
  static constexpr Dimension unit = dimension::kAngle;
  static constexpr Feeds feeds = Feeds::joints;  // or motors, by `side`
  static constexpr Key keys[] = {
      kJointsKey, {"side", dimension::kNumber, false, 0, 0, 0, "joint, or motor: before the gear"}};
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
};

/// Marks that have passed an incremental encoder on a motor's shaft, forwards less backwards: ⌊angle · gear · marks/2π⌋. It
/// does not know where a turn begins: it counts from the start.
struct WheelEncoder {
  static constexpr std::string_view name = "wheel_encoder", about = "marks that passed an encoder on the motor's shaft";
  static constexpr Dimension unit = dimension::kNumber;
  static constexpr Key keys[] = {kJointsKey,
                                 {"marks", dimension::kNumber, false, 1, 1, 1e6, "in a turn of the motor; 512 if not given"},
                                 {"gear", dimension::kNumber, false, 1, 1e-3, 1e4, "turns of the motor in a turn of the wheel; 1 if not given"}};
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
};

/// Force of the drive in the last step.
struct JointTorque {
  static constexpr std::string_view name = "joint_torque", about = "torque of the joints' drives in the last step";
  static constexpr Dimension unit = dimension::kTorque;
  static constexpr Key keys[] = {kJointsKey};
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
};

/// Current of the motors of actuator chains.
struct Current {
  static constexpr std::string_view name = "current", about = "of the joints' motors";
  static constexpr Dimension unit = dimension::kCurrent;
  static constexpr Feeds feeds = Feeds::current;
  static constexpr Key keys[] = {kJointsKey};
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
};

/// Winding and housing as two bodies [facts/sensors.md 8]:
///   C_w T_w' = R i² − (T_w − T_h)/R_wh,   C_h T_h' = (T_w − T_h)/R_wh − (T_h − T_a)/R_ha
/// by the implicit rule, so that no step is too long. Shows the housing, above 0 °C.
struct Temperature {
  static constexpr std::string_view name = "temperature", about = "of the motors' housings, in degrees Celsius";
  static constexpr Dimension unit = dimension::kNumber;
  static constexpr Key keys[] = {
      kJointsKey,
      {"ambient", dimension::kNumber, false, 1, -100, 200, "of the air, in degrees Celsius; 25 if not given"},
      {"winding_resistance", dimension::kResistance, false, 1, 0, 1e6, "that heats; the motor's own if not given"},
      {"to_housing", dimension::kNumber, false, 1, 1e-6, 1e6, "from winding to housing, K/W; 5 if not given"},
      {"to_air", dimension::kNumber, false, 1, 1e-6, 1e6, "from housing to air, K/W; 18 if not given"},
      {"winding_time", dimension::kTime, false, 1, 1e-3, 1e6, "time constant of the winding; 8 s if not given"},
      {"housing_time", dimension::kTime, false, 1, 1e-3, 1e6, "time constant of the housing; 600 s if not given"}};
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
};

/// Q' = −i,  U = U_0(Q) − R_i i,  i = electronics + Σ u_j i_j/U  [facts/sensors.md 8]. U_0 falls in a line from `full` to
/// `empty`. On request it feeds the motors: in the next step their voltages are U/`nominal` of what their chains name,
/// and nothing once U was below `cutoff`, as the circuit that protects a pack has it.
struct Battery {
  static constexpr std::string_view name = "battery", about = "voltage, current and charge of the robot's battery, which may feed its motors";
  static constexpr Dimension unit = dimension::kNumber;
  static constexpr Key keys[] = {
      {"capacity", dimension::kCurrent * dimension::kTime, false, 1, 1e-3, 1e9, "in ampere seconds: \"2.9 A h\""},
      {"full", dimension::kVoltage, false, 1, 1e-3, 1e5, "open voltage when full; 25.2 V if not given"},
      {"empty", dimension::kVoltage, false, 1, 0, 1e5, "open voltage when empty; 18 V if not given"},
      {"resistance", dimension::kResistance, false, 1, 0, 1e3, "inside; 0.15 ohm if not given"},
      {"electronics", dimension::kCurrent, false, 1, 0, 1e3, "that is always drawn; 1 A if not given"},
      {"charge", dimension::kNumber, false, 1, 0, 1, "at the start; 1 if not given"},
      {"feeds", dimension::kNumber, false, 0, 0, 0, "motors: their voltage rises and falls with its own; else nothing"},
      {"nominal", dimension::kVoltage, false, 1, 1e-3, 1e5, "at which motors have the voltage that their files name; 21.6 V if not given"},
      {"cutoff", dimension::kVoltage, false, 1, 0, 1e5, "below it the motors are switched off; 0: never"}};
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
};

/// Share of their files' voltage that the motors get in the next step: 1 unless a battery feeds them.
double supply(const Senses& senses, const double* memory);

}  // namespace gradus::sense
