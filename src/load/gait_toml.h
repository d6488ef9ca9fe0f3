/// Gaits of robots with many legs: how legs take turns, how long and how high they step [control/gait/gait.h].
///
///   [gait]
///   order  = "tripod"       # tripod | trot | wave | walk | ripple
///   period = "1 s"          # of a whole stride
///   duty   = 0.6            # share of it in which a foot is on the ground
///   lift   = "4 cm"         # of a swinging foot
///   height = "16 cm"        # of the base above the feet; as at the start unless given
///   spread = "0 cm"         # feet farther out (+) or in (−) than at the start
///   level  = 0.5            # how strongly the base is kept level, 0 … 1
///   feel   = true           # feet stop where they meet the ground, and reach down where they do not
#pragma once
#include <span>
#include <string>

#include "base/dimension.h"
#include "base/result.h"

namespace gradus {

struct GaitFile {
  std::string order = "tripod";
  double period = 1, duty = 0.6, lift = 0.04, height = 0, spread = 0, level = 0.5;
  bool feel = true;
};

/// The numbers of a gait that can be set by path: "robot.gait.period".
struct GaitNumber {
  const char* name;
  Dimension unit;
  double low, high;
  double GaitFile::*at;
};
std::span<const GaitNumber> gait_numbers();

Result<GaitFile> load_gait(const std::string& path);
/// Settings after it: "period=0.8,lift=0.05", in SI units. "" or what is wrong.
std::string apply_gait_settings(GaitFile& gait, const std::string& settings);

}  // namespace gradus
