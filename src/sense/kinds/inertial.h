/// Sensors of motion: gyroscope, accelerometer, and the orientation that a robot's own filter makes of both.
#pragma once
#include "sense/sense.h"

namespace gradus::sense {

/// Angular velocity in the sensor's axes.
struct Gyroscope {
  static constexpr std::string_view name = "gyroscope", about = "angular velocity in its own axes";
  static constexpr Dimension unit = dimension::kAngularSpeed;
  static constexpr Feeds feeds = Feeds::gyro;
  static constexpr std::span<const Key> keys{};
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
};

/// Specific force at the sensor's place, in its axes: R_SW (u̇ − g), u̇ the change of the place's velocity over the last
/// step. So lever arms (ω̇ × r + ω × (ω × r)) and impacts are in it, at every level of detail; its direction is that of the
/// end of the step, off by ω h/2.
struct Accelerometer {
  static constexpr std::string_view name = "accelerometer", about = "specific force at its place, in its own axes";
  static constexpr Dimension unit = dimension::kAcceleration;
  static constexpr Feeds feeds = Feeds::accelerometer;
  static constexpr std::span<const Key> keys{};
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
};

/// Roll, pitch and yaw of its axes, R = Rz(yaw) Ry(pitch) Rx(roll).
struct Orientation {
  static constexpr std::string_view name = "orientation", about = "roll, pitch and yaw, as a robot's own filter says";
  static constexpr Dimension unit = dimension::kAngle;
  static constexpr std::span<const Key> keys{};
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
};

}  // namespace gradus::sense
