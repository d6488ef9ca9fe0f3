#include "base/dimension.h"

namespace gradus {
namespace {

using namespace dimension;

struct Named {
  Dimension dimension;
  const char *name, *unit;
};
constexpr Named kNames[] = {
    {kNumber, "a plain number", ""},
    {kLength, "a length", "m"},
    {kMass, "a mass", "kg"},
    {kTime, "a time", "s"},
    {kAngle, "an angle", "rad"},
    {kFrequency, "a rate", "Hz"},
    {kSpeed, "a speed", "m/s"},
    {kAngularSpeed, "an angular speed", "rad/s"},
    {kAcceleration, "an acceleration", "m/s^2"},
    {kSlowness, "a time per length", "s/m"},
    {kLengthTime, "a length times time", "m s"},
    {kForce, "a force", "N"},
    {kTorque, "a torque", "N m"},
    {kPower, "a power", "W"},
    {kInertia, "a moment of inertia", "kg m^2"},
    {kStiffness, "a stiffness", "N/m"},
    {kDamping, "a damping", "N s/m"},
    {kAngularStiffness, "an angular stiffness", "N m/rad"},
    {kAngularDamping, "an angular damping", "N m s/rad"},
    {kAngularStiffness / kTime, "an integral gain", "N m/rad/s"},
    {kCurrent, "a current", "A"},
    {kVoltage, "a voltage", "V"},
    {kCurrent * kTime, "a charge", "A s"},
    {kResistance, "a resistance", "ohm"},
    {kInductance, "an inductance", "H"},
    {kTorque / kCurrent, "a torque constant", "N m/A"},
    {kVoltage / kAngle, "a gain", "V/rad"},
    {kVoltage / kAngle / kTime, "an integral gain", "V/rad/s"},
    {kVoltage * kTime / kAngle, "a voltage per speed", "V s/rad"},
};

}  // namespace

std::string name_of(Dimension d) {
  for (const Named& n : kNames) {
    if (n.dimension == d) return n.name;
  }
  return "another quantity";
}

std::string unit_of(Dimension d) { return unit_text(d); }

const char* unit_text(Dimension d) {
  for (const Named& n : kNames) {
    if (n.dimension == d) return n.unit;
  }
  return "?";
}

}  // namespace gradus
