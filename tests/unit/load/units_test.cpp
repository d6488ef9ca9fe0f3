#include "load/units.h"

#include <gtest/gtest.h>

#include <numbers>

namespace gradus {
namespace {

using namespace dimension;

double value(const char* text, Dimension due) {
  double x = -12345;
  const auto fault = parse_quantity(text, due, x);
  EXPECT_FALSE(fault) << text << ": " << (fault ? fault->text : "");
  return x;
}

std::string fault(const char* text, Dimension due) {
  double x = 0;
  const auto f = parse_quantity(text, due, x);
  return f ? f->text + "; " + f->suggestion : "";
}

TEST(Units, are_converted_to_si) {
  EXPECT_EQ(value("1 ms", kTime), 0.001);
  EXPECT_EQ(value("-0.4 m", kLength), -0.4);
  EXPECT_EQ(value("90 deg", kAngle), std::numbers::pi / 2);
  EXPECT_EQ(value("1 rad", kAngle), 1);
  EXPECT_EQ(value("60 N m/rad", kAngularStiffness), 60);
  EXPECT_EQ(value("1.5 N m s/rad", kAngularDamping), 1.5);
  EXPECT_EQ(value("12 kg", kMass), 12);
  EXPECT_EQ(value("1.5e-3 kg m^2", kInertia), 1.5e-3);
  EXPECT_EQ(value("1.5e-3 kg m²", kInertia), 1.5e-3);
  EXPECT_EQ(value("100 Hz", kFrequency), 100);
  EXPECT_EQ(value("9.81 m/s^2", kAcceleration), 9.81);
  EXPECT_EQ(value("9.81 m/s/s", kAcceleration), 9.81);
  EXPECT_EQ(value("36 km/h", kSpeed), 10);
  EXPECT_EQ(value("3 cm", kLength), 0.03);
  EXPECT_EQ(value("250 g cm^2", kInertia), 250.0 / (1000.0 * 100 * 100));
  EXPECT_DOUBLE_EQ(value("60 rpm", kAngularSpeed), 2 * std::numbers::pi);
  EXPECT_EQ(value("  +2.5e1mm ", kLength), 0.025);
  EXPECT_EQ(value("3.7 Nm", kTorque), 3.7);
}

TEST(Units, give_the_double_nearest_to_the_decimal_number) {
  for (int i = 1; i < 1000; ++i) {
    EXPECT_EQ(value((std::to_string(i) + " mm").c_str(), kLength), i / 1000.0);
  }
}

TEST(Units, say_what_is_wrong) {
  EXPECT_EQ(fault("0.3", kLength), "a length is due here, and 0.3 has no unit; write \"0.3 m\"");
  EXPECT_EQ(fault("90 deg", kLength), "a length is due here, and '90 deg' is an angle; give it in m");
  EXPECT_EQ(fault("1 N m", kAngularStiffness),
            "an angular stiffness is due here, and '1 N m' is a torque; give it in N m/rad");
  EXPECT_EQ(fault("1 dge", kAngle), "unknown unit 'dge'; did you mean 'deg'?");
  EXPECT_EQ(fault("1 furlong", kLength),
            "unknown unit 'furlong'; units are m mm cm km s ms us min rad deg rev kg g N Hz rpm W V A ohm H and products "
            "of them");
  EXPECT_EQ(fault("nan m", kLength), "'nan m' is not a finite number; write a number that a double can hold");
  EXPECT_EQ(fault("-inf m", kLength), "'-inf m' is not a finite number; write a number that a double can hold");
  EXPECT_EQ(fault("1e400 m", kLength), "'1e400 m' is not a finite number; write a number that a double can hold");
  EXPECT_EQ(fault("1e308 km", kLength), "'1e308 km' is not a finite number; write a number that a double can hold");
  EXPECT_EQ(fault("", kLength), "'' does not begin with a number; write e.g. \"0.3 m\"");
  EXPECT_EQ(fault("+-1 m", kLength), "'+-1 m' does not begin with a number; write e.g. \"0.3 m\"");
  EXPECT_EQ(fault("1 m!", kLength), "'!' is not a unit; write units as in \"3 m\", \"60 N m/rad\", \"2 kg m^2\"");
  EXPECT_EQ(fault("1 kg/m s", kDamping), "a factor after '/' is ambiguous; write products first, e.g. \"N m s/rad\"");
  EXPECT_EQ(fault("1 m^99", kLength), "the power of a unit must be a small whole number; write e.g. \"kg m^2\"");
  EXPECT_EQ(fault("3 m", kNumber), "a plain number is due here, and '3 m' is a length; write the bare number");
}

TEST(Units, every_named_dimension_accepts_its_own_unit) {
  for (const Dimension d : {kLength, kMass, kTime, kAngle, kFrequency, kSpeed, kAngularSpeed, kAcceleration, kForce,
                            kTorque, kInertia, kStiffness, kDamping, kAngularStiffness, kAngularDamping}) {
    EXPECT_EQ(value(("2 " + unit_of(d)).c_str(), d), 2) << name_of(d);
  }
}

}  // namespace
}  // namespace gradus
