/// Description of one joint's actuator chain, as servo files (`servos/*.toml`) carry it [docs/actuators.md]:
///
///   command → delay → position controller → motor → friction → gear → joint
///
/// Every stage may be left out: its defaults do nothing. Angles, speeds and torques are those of the joint, figures of
/// the motor its own; the gear's ratio stands between them. The compiled form is in drive/chain.h.
#pragma once
#include <limits>
#include <string>

namespace gradus {

/// Output of the position controller: volts at the motor's terminals if the motor has a resistance, else the torque
/// itself.
struct ControllerStageSpec {
  double kp = 0;                                           // [V/rad] or [N m/rad]
  double ki = 0;                                           // [V/rad/s] or [N m/rad/s]
  double kd = 0;                                           // [V s/rad] or [N m s/rad]
  double limit = std::numeric_limits<double>::infinity();  // of the output                       [V] or [N m]
  double stiffness = 1;     // share of the output that is used, 0 … 1; 0 releases the motor
  bool error_rate = false;  // kd acts on the rate of the error, not on the speed alone
  bool motor_side = false;  // closes the loop over the rotor's encoder, not the joint's
  bool operator==(const ControllerStageSpec&) const = default;
};

struct MotorStageSpec {
  double resistance = 0;       // 0: ideal, the controller's output is the joint torque             [ohm]
  double inductance = 0;       //                                                                   [H]
  double torque_constant = 0;  //                                                                   [N m/A]
  double back_emf = 0;         // of an ideal machine equal to the torque constant                  [V s/rad]
  double inertia = 0;          // of the rotor, without the gear                                    [kg m²]
  // ideal ones only, at the joint; a motor with a resistance has both from its supply
  double speed = std::numeric_limits<double>::infinity();  // beyond which it does not drive       [rad/s]
  double power = std::numeric_limits<double>::infinity();  // most that it gives                   [W]
  bool operator==(const MotorStageSpec&) const = default;
};

/// Budget of the friction at the gear's input, all at the joint.
struct FrictionStageSpec {
  double coulomb = 0;         //                                                                   [N m]
  double viscous = 0;         //                                                                   [N m s/rad]
  double stribeck = 0;        // added at rest                                                     [N m]
  double stribeck_speed = 1;  // at which half of it is left                                       [rad/s]
  double load = 0;            // share of the torque that the gear transmits                       [-]
  double load_stribeck = 0;   // added to that share at rest                                       [-]
  bool operator==(const FrictionStageSpec&) const = default;
};

enum class GearModel { rigid, elastic, motoflex };
const char* to_string(GearModel model);

struct GearStageSpec {
  GearModel model = GearModel::rigid;
  double ratio = 1;
  double efficiency = 1;  // of the turning, loaded gear, motor driving                        [-]
  double play = 0;        // full width at the joint                                           [rad]
  double stiffness = 0;   // of the teeth at the joint; elastic, motoflex                      [N m/rad]
  double damping = 0;     // elastic: of the teeth; motoflex: of the gear's mass               [N m s/rad]
  double inertia = 0;     // motoflex: of the gear's mass                                      [kg m²]
  bool operator==(const GearStageSpec&) const = default;
};

/// What the recordings covered that a chain was fitted to; beyond it nobody has compared it with the real servo.
struct DriveRange {
  double speed = std::numeric_limits<double>::infinity();   // largest, of the joint                [rad/s]
  double torque = std::numeric_limits<double>::infinity();  // largest, on the joint                [N m]
  bool operator==(const DriveRange&) const = default;
};

struct DriveSpec {
  std::string name, about;
  std::string source;  // where the numbers come from
  std::string valid;   // range in which they were checked
  std::string notes;
  std::string file;  // it was loaded from; "" for inline ones
  double delay = 0;  // between command and controller, any number of steps               [s]
  ControllerStageSpec controller;
  MotorStageSpec motor;
  FrictionStageSpec friction;
  GearStageSpec gear;
  DriveRange range;  // of its passport

  bool operator==(const DriveSpec&) const = default;
  bool electrical() const { return motor.resistance > 0; }
  bool has_rotor() const { return gear.model == GearModel::elastic; }               // as a body of its own
  double rotor_inertia() const { return motor.inertia * gear.ratio * gear.ratio; }  // at the joint  [kg m²]
  /// Joint torque per volt at rest (or per N m), and torque lost per speed: back EMF and viscous friction.
  double torque_gain() const { return electrical() ? gear.ratio * motor.torque_constant / motor.resistance : 1; }
  double speed_loss() const {
    return friction.viscous + (electrical() ? torque_gain() * gear.ratio * motor.back_emf : 0);
  }
};

}  // namespace gradus
