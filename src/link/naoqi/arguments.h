/// Arguments of calls: numbers, texts and lists that are checked before they are used.
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gradus::naoqi {

using nlohmann::json;

/// What is wrong with a call; the program is told.
struct CallFault {
  std::string text;
};

inline double number(const json& j) {
  if (j.is_boolean()) return j.get<bool>();
  if (!j.is_number() || !std::isfinite(j.get<double>())) throw CallFault{"a number is due, not " + j.dump()};
  return j.get<double>();
}

inline int whole(const json& j) {
  const double x = number(j);
  if (!(std::fabs(x) <= 1e9)) throw CallFault{"a whole number is due, not " + j.dump()};
  return static_cast<int>(x);
}

/// The i-th argument, or what stands for it.
inline double number(const json& a, std::size_t i, double otherwise) { return i < a.size() ? number(a[i]) : otherwise; }

inline const json& argument(const json& a, std::size_t i) {
  if (i >= a.size()) throw CallFault{fmt::format("argument {} is missing", i + 1)};
  return a[i];
}

inline std::string text(const json& j) {
  if (!j.is_string()) throw CallFault{"a text is due, not " + j.dump()};
  return j.get<std::string>();
}

}  // namespace gradus::naoqi
