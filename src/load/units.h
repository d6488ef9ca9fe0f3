/// Numbers with units, as files and the command line carry them: "1 ms", "90 deg", "60 N m/rad", "1.5e-3 kg m^2".
///
///   quantity = number unit                     the blank between them may be missing
///   unit     = factor { factor } { "/" factor }      "N m s/rad", "m/s/s"; nothing is multiplied after a "/"
///   factor   = name [ "^" integer | "²" | "³" ]
///
/// Angles are a dimension of their own, so that degrees where metres are due are noticed.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dimension.h"

namespace gradus {

struct UnitFault {
  std::string text, suggestion;
};

/// A value in SI units and its dimension, or what is wrong.
struct Quantity {
  double value = 0;
  Dimension dimension;
};
std::optional<UnitFault> parse_quantity(std::string_view text, Quantity& out);

/// The same where a certain dimension is due.
std::optional<UnitFault> parse_quantity(std::string_view text, Dimension due, double& out);

/// A unit alone ("deg"): value is what one of it measures in SI.
std::optional<UnitFault> parse_unit(std::string_view text, Quantity& out);

/// What to say about a bare number where a unit is due: write "0.3 m".
UnitFault missing_unit(const std::string& number, Dimension due);

}  // namespace gradus
