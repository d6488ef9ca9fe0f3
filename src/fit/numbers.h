/// The numbers of an actuator chain, by name: where they are, how servo files write them, between which bounds a fit
/// looks for them.
#pragma once
#include <span>
#include <string>

#include "model/drive_spec.h"

namespace gradus::fit {

struct Number {
  const char *table, *key;  // of a servo file; table "": at its top
  const char* unit;         // {}: V or N m, the controller's output
  double& (*at)(DriveSpec&);
  double low, high;         // of a fit; by powers, low > 0
};
std::span<const Number> numbers();
const Number& number(const std::string& name);  // "controller.kp"
std::string name_of(const Number& n);
std::string unit_of(const Number& n, const DriveSpec& d);

/// As servo files are written [load/servo_toml.h]. passport: text of the table [passport]; "": none.
std::string to_toml(DriveSpec d, const std::string& passport);

}  // namespace gradus::fit
