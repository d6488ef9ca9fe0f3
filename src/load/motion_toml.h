/// Key-frame motions. Two forms, for hands and for programs:
///
///   [motion]                                            [motion]
///   name = "wave"                                       name = "walk"
///   robot = "kidsize"                                   columns = ["time", "left_knee", "right_knee"]
///   interpolation = "cubic"                             units   = ["s", "deg", "deg"]
///   loop = false                                        rows = [
///   [[frame]]                                             [0.00, 10.0, 12.5],
///   time = "0.4 s"                                        [0.01, 10.4, 12.1],
///   joints = { left_knee = "30 deg" }                   ]
///
/// In frames, a joint that is not mentioned keeps its last value; the first frame mentions all that are used.
/// A loop goes from `loop_from` (by default 0; there is a frame at that time) to loop_from + period; what is before is
/// played once, as a start from rest. `period` is by default the time from there to the last frame.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/spec.h"

namespace gradus {

struct MotionFile {
  enum class Interpolation { cubic, linear };
  struct Frame {
    double t = 0;           // since the start of the motion                       [s]
    std::vector<double> q;  // (joints) joint coordinates                          [rad] or [m]
  };
  std::string name, about, file;
  std::string robot;                // the kind of robot it is for; "" for any
  std::vector<std::string> joints;  // names
  std::vector<ObjectKind> kinds;    // (joints) revolute or prismatic, told by their units
  std::vector<Frame> frames;        // at least one, times rise
  double loop_from = 0;             // time of the frame where a loop begins; 0: of the first frame         [s]
  double period = 0;                // length of one loop, reaches to the last frame or beyond; > 0         [s]
  bool loop = true;                 // begins again at the end, unless the controller says otherwise
  Interpolation interpolation = Interpolation::cubic;
  Place place;
};

inline constexpr std::size_t kMaxMotionValues = 4'000'000;  // frames times joints

Result<MotionFile> load_motion(const std::string& path);
Result<MotionFile> parse_motion(std::string_view text, const std::string& path);

/// Does the robot have these joints, of these kinds, and do the values respect their limits? Reported at `mentioned`.
Diagnostics check_motion(const MotionFile& motion, const RobotSpec& robot, const Place& mentioned);

}  // namespace gradus
