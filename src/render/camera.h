/// What a camera is: size, lens, shutter and sensor. Plain numbers, checked once; the file syntax lives in load/.
///
/// The lens is OpenCV's (Bouguet's toolbox, the sixth-order polynomial of MuRoSimF 2009). With x = X/Z, y = Y/Z in the
/// camera's frame C (x right, y down, z forward) and r² = x² + y²:
///
///   g  = 1 + k₁ r² + k₂ r⁴ + k₃ r⁶                                                        (1)
///   x' = x g + 2 p₁ x y + p₂ (r² + 2 x²)      y' = y g + p₁ (r² + 2 y²) + 2 p₂ x y        (2)
///   u  = fx x' + cx                           v  = fy y' + cy                             (3)
///
/// Pixel (i, j) has its centre at u = i, v = j. Sensor: linear light of 12 bits, p = 4095 E, then
///
///   p ← p + w √(p a + b),   a = 4095/N_full,   b = (4095 N_read/N_full)²                  (4)   shot and read noise
///   R, G, B = 255 (p/4095)^(1/2.2)                                                        (5)
///   Y = (77 R + 150 G + 29 B + 128) >> 8 and so on, BT.601 full range                     (6)
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "math/vec.h"

namespace gradus {

struct LensSpec {
  double k1 = 0, k2 = 0, k3 = 0;  // radial
  double p1 = 0, p2 = 0;          // tangential
  double blur = 0;                // standard deviation of the optical blur                     [pixel]
  bool operator==(const LensSpec&) const = default;
  bool distorts() const { return k1 != 0 || k2 != 0 || k3 != 0 || p1 != 0 || p2 != 0; }
};

struct CameraSpec {
  int width = 640, height = 480;  // [pixel]
  double fx = 0, fy = 0;          // focal lengths [pixel]; 0: from `view`
  double cx = -1, cy = -1;        // principal point [pixel]; −1: the middle
  double view = 0.98262;          // horizontal angle of view without distortion, 56.3 deg       [rad]
  LensSpec lens;
  double readout = 0;    // from the first row to the last; 0: all rows at once           [s]
  double exposure = 0;   // of a row; more than 0: things in motion are blurred           [s]
  double full_well = 0;  // electrons at full light; 0: no noise
  double read = 0;       // read noise in electrons
  double gain = 1;       // of the light
  bool operator==(const CameraSpec&) const = default;
};

inline constexpr int kPixelLimit = 1 << 26;  // of one image: 8192 × 8192
/// Size, angles, a lens that folds: all problems, not the first.
Diagnostics check(const CameraSpec& camera, const Place& place = {});

/// The camera with focal lengths and principal point filled in.
CameraSpec resolved(const CameraSpec& camera);
/// (1) to (3): where the direction (x, y, 1) is seen, in pixels.
struct ImagePoint {
  double u, v;
};
ImagePoint project(const CameraSpec& resolved_camera, double x, double y);
/// The inverse: direction (x, y, 1) that is seen at a pixel (x in `u`, y in `v`). Newton's method on (2), going out
/// from the middle.
ImagePoint unproject(const CameraSpec& resolved_camera, double u, double v);
/// The same from the direction of a pixel near by: many times faster.
ImagePoint unproject_near(const CameraSpec& resolved_camera, double u, double v, ImagePoint near_by);

/// A camera of a scene: what it is and what it sits on.
struct CameraMount {
  std::string name;
  int robot = -1;                    // −1: fixed in the world
  int link = 0;                      // that it moves with
  Pose X_LC;                         // camera frame C in the link's (or the world's)
  std::vector<std::uint8_t> hidden;  // (drawn shapes) 1: it does not see it; empty: sees all
};
/// C from a frame whose x axis is the line of sight and whose z axis is up.
Mat3 camera_axes_from(const Mat3& R_forward);
/// A free camera at `eye` that looks at `target`, upright.
Pose look_at(Vec3 eye, Vec3 target);

}  // namespace gradus
