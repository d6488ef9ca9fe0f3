/// Plays a key-frame motion file. A pure function of time: no state to save, the same targets after any rewind.
///
/// Between frames a cubic through values and slopes (Catmull–Rom slopes on uneven times: (q₊ − q₋)/(t₊ − t₋); zero at
/// the ends of a motion that is not looped), or straight lines. The first half second leads from the start posture to
/// the first frame. A loop plays the frames before `loop_from` once, then those after it again and again.
#pragma once
#include "load/motion_toml.h"
#include "state/controller.h"

namespace gradus {

class Keyframes : public Controller {
 public:
  static constexpr double kLeadIn = 0.5;  // [s]
  /// start: simulated time of the first call. Joints that the motion does not name keep their targets.
  /// It is played in a loop if both the file and `loop` say so.
  Keyframes(const MotionFile& motion, const RobotKind& kind, bool loop, double start);
  void control(const RobotOutput& output, RobotCommand& command) override;
  /// Joint `column` of the motion at time t since the end of the lead-in.
  double value(double t, std::size_t column) const;

 private:
  struct Place {
    std::ptrdiff_t frame;  // the frame at or before t; in later passes of a loop counted on beyond the last
    double t;              // time within the motion, folded into the first or second pass of the loop
  };
  Place place_of(double t) const;
  double slope(std::ptrdiff_t frame, std::size_t column) const;
  const MotionFile::Frame& frame(std::ptrdiff_t i, double& t) const;  // beyond the ends: wrapped or held
  std::ptrdiff_t frame_count() const { return static_cast<std::ptrdiff_t>(motion_.frames.size()); }

  MotionFile motion_;
  bool loop_;
  double start_;
  double from_;                  // time at which the loop begins
  std::ptrdiff_t first_ = 0;     // frame at which the loop begins
  std::vector<int> joint_;       // (columns) joint number
  std::vector<double> initial_;  // (columns) start posture
};

}  // namespace gradus
