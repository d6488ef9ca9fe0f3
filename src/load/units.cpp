#include "load/units.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/result.h"
#include "load/source_text.h"

namespace gradus {
namespace {

using namespace dimension;

/// One of the unit is num/den in SI. Two numbers, because "16 mm" must be the double nearest to 0.016: 16/1000 is,
/// 16·0.001 need not be.
struct Unit {
  std::string_view name;
  double num, den;
  Dimension dimension;
};

constexpr double kPi = std::numbers::pi;
constexpr Unit kUnits[] = {
    {"m", 1, 1, kLength},         {"mm", 1, 1000, kLength},     {"cm", 1, 100, kLength},
    {"km", 1000, 1, kLength},     {"um", 1, 1e6, kLength},      {"s", 1, 1, kTime},
    {"ms", 1, 1000, kTime},       {"us", 1, 1e6, kTime},        {"min", 60, 1, kTime},
    {"h", 3600, 1, kTime},        {"rad", 1, 1, kAngle},        {"mrad", 1, 1000, kAngle},
    {"deg", kPi, 180, kAngle},    {"rev", 2 * kPi, 1, kAngle},  {"kg", 1, 1, kMass},
    {"g", 1, 1000, kMass},        {"N", 1, 1, kForce},          {"mN", 1, 1000, kForce},
    {"kN", 1000, 1, kForce},      {"Nm", 1, 1, kTorque},        {"mNm", 1, 1000, kTorque},
    {"Hz", 1, 1, kFrequency},     {"kHz", 1000, 1, kFrequency}, {"rpm", kPi, 30, kAngularSpeed},
    {"A", 1, 1, kCurrent},        {"mA", 1, 1000, kCurrent},    {"V", 1, 1, kVoltage},
    {"mV", 1, 1000, kVoltage},    {"ohm", 1, 1, kResistance},   {"H", 1, 1, kInductance},
    {"mH", 1, 1000, kInductance}, {"uH", 1, 1e6, kInductance},  {"W", 1, 1, kPower},
    {"kW", 1000, 1, kPower},
};

/// Reads from the front of a text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}
  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }
  void skip_blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t')) rest_.remove_prefix(1);
  }
  bool take(std::string_view word) {
    if (rest_.substr(0, word.size()) != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string_view take_letters() {
    std::size_t n = 0;
    while (n < rest_.size() && ((rest_[n] >= 'a' && rest_[n] <= 'z') || (rest_[n] >= 'A' && rest_[n] <= 'Z'))) ++n;
    const std::string_view word = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return word;
  }
  template <class T>
  std::errc take_number(T& out) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (error != std::errc::invalid_argument) rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return error;
  }

 private:
  std::string_view rest_;
};

struct Scale {
  double num = 1, den = 1;
  Dimension dimension;
};

void multiply(Scale& scale, const Unit& u, int power) {
  for (int i = 0; i < std::abs(power); ++i) {
    scale.num *= power > 0 ? u.num : u.den;
    scale.den *= power > 0 ? u.den : u.num;
  }
  scale.dimension.m += power * u.dimension.m;
  scale.dimension.kg += power * u.dimension.kg;
  scale.dimension.s += power * u.dimension.s;
  scale.dimension.rad += power * u.dimension.rad;
  scale.dimension.A += power * u.dimension.A;
}

/// What people write in full, by its beginning.
std::string short_form(std::string_view name) {
  constexpr std::pair<std::string_view, const char*> kLongForms[] = {
      {"degree", "deg"}, {"radian", "rad"}, {"millim", "mm"}, {"centim", "cm"}, {"kilog", "kg"}, {"met", "m"},
      {"sec", "s"},      {"millis", "ms"},  {"gram", "g"},    {"newton", "N"},  {"hertz", "Hz"},
  };
  for (const auto& [beginning, unit] : kLongForms) {
    if (name.starts_with(beginning)) return unit;
  }
  return "";
}

UnitFault unknown_unit(std::string_view name) {
  std::vector<std::string> names;
  for (const Unit& u : kUnits) names.emplace_back(u.name);
  const std::string full = short_form(name), best = full.empty() ? nearest(std::string(name), names) : full;
  return {"unknown unit " + in_quotes(name),
          best.empty() ? "units are m mm cm km s ms us min rad deg rev kg g N Hz rpm W V A ohm H and products of them"
                       : "did you mean '" + best + "'?"};
}

std::optional<UnitFault> take_factor(Cursor& at, Scale& scale, int sign) {
  const std::string_view name = at.take_letters();
  if (name.empty()) {
    return UnitFault{in_quotes(at.rest()) + " is not a unit",
                     "write units as in \"3 m\", \"60 N m/rad\", \"2 kg m^2\""};
  }
  const Unit* unit = nullptr;
  for (const Unit& u : kUnits) {
    if (u.name == name) unit = &u;
  }
  if (unit == nullptr) return unknown_unit(name);
  int power = 1;
  if (at.take("²")) {
    power = 2;
  } else if (at.take("³")) {
    power = 3;
  } else if (at.take("^") && (at.take_number(power) != std::errc() || power == 0 || std::abs(power) > 6)) {
    return UnitFault{"the power of a unit must be a small whole number", "write e.g. \"kg m^2\""};
  }
  multiply(scale, *unit, sign * power);
  return std::nullopt;
}

std::optional<UnitFault> take_unit(Cursor& at, Scale& scale) {
  at.skip_blanks();
  bool divided = false;
  while (!at.at_end()) {
    const bool slash = at.take("/");
    at.skip_blanks();
    if (divided && !slash) {
      return UnitFault{"a factor after '/' is ambiguous", "write products first, e.g. \"N m s/rad\""};
    }
    divided = slash;
    if (auto fault = take_factor(at, scale, slash ? -1 : 1)) return fault;
    at.skip_blanks();
  }
  return std::nullopt;
}

}  // namespace

UnitFault missing_unit(const std::string& number, Dimension due) {
  return {fmt::format("{} is due here, and {} has no unit", name_of(due), number),
          fmt::format("write \"{} {}\"", number, due == kAngle ? "deg" : unit_of(due))};
}

std::optional<UnitFault> parse_unit(std::string_view text, Quantity& out) {
  Cursor at(text);
  Scale scale;
  if (auto fault = take_unit(at, scale)) return fault;
  out = {scale.num / scale.den, scale.dimension};
  return std::nullopt;
}

namespace {

/// `example` is a good quantity to show to those who wrote no number.
std::optional<UnitFault> parse(std::string_view text, const std::string& example, Quantity& out) {
  Cursor at(text);
  at.skip_blanks();
  const bool plus = at.take("+");  // from_chars takes no plus
  double number = 0;
  const std::errc error = plus && at.rest().substr(0, 1) == "-" ? std::errc::invalid_argument : at.take_number(number);
  if (error == std::errc::invalid_argument) {
    return UnitFault{in_quotes(text) + " does not begin with a number", "write e.g. \"" + example + "\""};
  }
  Scale scale;
  if (error != std::errc() || !std::isfinite(number)) {
    return UnitFault{in_quotes(text) + " is not a finite number", "write a number that a double can hold"};
  }
  if (auto fault = take_unit(at, scale)) return fault;
  out = {number * scale.num / scale.den, scale.dimension};
  if (!std::isfinite(out.value)) {
    return UnitFault{in_quotes(text) + " is not a finite number", "write a number that a double can hold"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<UnitFault> parse_quantity(std::string_view text, Quantity& out) { return parse(text, "0.3 m", out); }

std::optional<UnitFault> parse_quantity(std::string_view text, Dimension due, double& out) {
  Quantity q;
  if (auto fault = parse(text, due == kNumber ? "0.3" : "0.3 " + unit_of(due), q)) return fault;
  if (q.dimension == due) {
    out = q.value;
    return std::nullopt;
  }
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  text = text.substr(first, last - first + 1);
  if (q.dimension == kNumber) return missing_unit(std::string(text), due);
  return UnitFault{fmt::format("{} is due here, and {} is {}", name_of(due), in_quotes(text), name_of(q.dimension)),
                   due == kNumber ? "write the bare number" : fmt::format("give it in {}", unit_of(due))};
}

}  // namespace gradus
