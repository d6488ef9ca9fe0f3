// What is wrong with the numbers of an actuator chain.
#include <fmt/format.h>

#include <cmath>

#include "model/check.h"

namespace gradus {
namespace {

constexpr double kLongestDelay = 1;  // [s] bounds the ring of commands

/// Collects faults; a number that is fine says nothing.
class DriveCheck {
 public:
  explicit DriveCheck(const DriveSpec& drive) : d_(drive) {}
  std::vector<DriveFault> run() {
    if (!(d_.delay >= 0 && d_.delay <= kLongestDelay))
      wrong("delay", d_.delay, fmt::format("it lies between 0 and {} s", kLongestDelay));
    check_controller();
    check_motor();
    check_friction();
    check_gear();
    return std::move(out_);
  }

 private:
  void wrong(const char* key, double x, std::string suggestion) {
    out_.push_back({key, fmt::format("{} is {:.6g}", key, x), std::move(suggestion), false});
  }
  void missing(const char* key, std::string text, std::string suggestion) {
    out_.push_back({key, std::move(text), std::move(suggestion), true});
  }
  void not_negative(const char* key, double x) {
    if (!(x >= 0 && std::isfinite(x))) wrong(key, x, "it must be finite and not negative");
  }
  void positive(const char* key, double x) {
    if (!(x > 0 && std::isfinite(x))) wrong(key, x, "it must be finite and greater than 0");
  }

  void check_controller() {
    const ControllerStageSpec& c = d_.controller;
    not_negative("controller.kp", c.kp);
    not_negative("controller.ki", c.ki);
    not_negative("controller.kd", c.kd);
    if (!(c.limit > 0)) wrong("controller.limit", c.limit, "it must be greater than 0");
    if (!(c.stiffness >= 0 && c.stiffness <= 1)) wrong("controller.stiffness", c.stiffness, "it lies between 0 and 1");
  }

  void check_motor() {
    const MotorStageSpec& m = d_.motor;
    not_negative("motor.resistance", m.resistance);
    not_negative("motor.inductance", m.inductance);
    not_negative("motor.torque_constant", m.torque_constant);
    not_negative("motor.back_emf", m.back_emf);
    not_negative("motor.inertia", m.inertia);
    if (!(m.speed > 0)) wrong("motor.speed", m.speed, "it must be greater than 0");
    if (!(m.power > 0)) wrong("motor.power", m.power, "it must be greater than 0");
    if (d_.electrical() && (std::isfinite(m.speed) || std::isfinite(m.power)))
      missing("motor", "speed and power of a motor with a resistance follow from its supply", "take away speed and power, or the resistance");
    if (d_.electrical() && m.torque_constant == 0)
      missing("motor", "a motor with a resistance needs a torque constant", "add torque_constant to [motor]");
    if (m.resistance == 0 && (m.torque_constant > 0 || m.back_emf > 0 || m.inductance > 0))
      missing("motor", "the motor has electrical numbers but no resistance", "add resistance to [motor]");
  }

  void check_friction() {
    const FrictionStageSpec& f = d_.friction;
    not_negative("friction.coulomb", f.coulomb);
    not_negative("friction.viscous", f.viscous);
    not_negative("friction.stribeck", f.stribeck);
    positive("friction.stribeck_speed", f.stribeck_speed);
    not_negative("friction.load", f.load);
    not_negative("friction.load_stribeck", f.load_stribeck);
  }

  void check_gear() {
    const GearStageSpec& g = d_.gear;
    positive("gear.ratio", g.ratio);
    if (!(g.efficiency > 0 && g.efficiency <= 1)) wrong("gear.efficiency", g.efficiency, "it lies between 0 and 1");
    not_negative("gear.play", g.play);
    not_negative("gear.stiffness", g.stiffness);
    not_negative("gear.damping", g.damping);
    not_negative("gear.inertia", g.inertia);
    if (g.model == GearModel::rigid && g.play > 0)
      missing("gear.play", "a rigid gear has no play", "give the stiffness of its teeth");
    if (g.model != GearModel::rigid && g.stiffness == 0)
      missing("gear", fmt::format("the {} gear needs a stiffness", to_string(g.model)), "add stiffness to [gear]");
    if (g.model == GearModel::elastic && d_.motor.inertia == 0)
      missing("gear", "behind an elastic gear the rotor moves by itself", "add its inertia to [motor]");
    if (g.model == GearModel::motoflex && g.inertia == 0)
      missing("gear", "the motoflex gear needs the inertia of its mass", "add inertia to [gear]");
  }

  const DriveSpec& d_;
  std::vector<DriveFault> out_;
};

}  // namespace

std::vector<DriveFault> drive_faults(const DriveSpec& drive) { return DriveCheck(drive).run(); }

}  // namespace gradus
