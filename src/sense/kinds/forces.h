/// Sensors of contact: pads under a foot, touch, and forces through a link's attachment.
#pragma once
#include "sense/sense.h"

namespace gradus::sense {

/// Load on the four pads under a foot, front left, front right, rear left, rear right, each contact force shared among them
/// bilinearly, so that the pads' sum is the load and their centre the centre of pressure [facts/sensors.md 8]. The force
/// counts along the sensor's z axis. Pads need not lie on a rectangle: each row has its own y.
struct Pads {
  static constexpr std::string_view name = "pads", about = "load on four pads under a foot";
  static constexpr Dimension unit = dimension::kForce;
  static constexpr Feeds feeds = Feeds::feet;
  static constexpr Key keys[] = {{"pads", dimension::kLength, false, 8, -10, 10,
                                  "x and y of front left, front right, rear left, rear right"}};
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
};

/// 1 while the force on its link, or within `radius` of its place, has been above the threshold for a while.
struct Touch {
  static constexpr std::string_view name = "touch", about = "1 while something presses on it";
  static constexpr Dimension unit = dimension::kNumber;
  static constexpr Key keys[] = {
      {"threshold", dimension::kForce, false, 1, 0, 1e6, "force above which it answers; 1 N if not given"},
      {"hold", dimension::kTime, false, 1, 0, 10, "for so long; 2 ms if not given"},
      {"radius", dimension::kLength, false, 1, 0, 100, "around its place; the whole link if not given"}};
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
};

/// What a link and all that hangs on it are held by: the change of their momentum over the last step, less gravity and
/// contact forces. In the sensor's axes; torque about its place. A push by hand counts as if it came through.
struct ForceThrough {
  static constexpr std::string_view name = "force", about = "force through the attachment of its link";
  static constexpr Dimension unit = dimension::kForce;
  static constexpr std::span<const Key> keys{};
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
};
struct TorqueThrough {
  static constexpr std::string_view name = "torque", about = "torque through the attachment of its link";
  static constexpr Dimension unit = dimension::kTorque;
  static constexpr std::span<const Key> keys{};
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
};

}  // namespace gradus::sense
