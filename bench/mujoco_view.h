/// The shapes of a scene as MuJoCo sees them: its rays and its renderer, as witness and as peer of src/render.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "render/drawn.h"
#include "render/place.h"

namespace gradus::bench {

/// Everything that is drawn, at one instant, as static geoms (meshes and paint are left out).
std::string to_mjcf(const DrawnScene& scene, const Poses& poses);

class MujocoView {
 public:
  /// Null where MuJoCo is not installed or refuses the text.
  static std::unique_ptr<MujocoView> make(const std::string& mjcf);
  ~MujocoView();
  /// Distance along the unit vector d from p; below 0: nothing.
  double cast(Vec3 p, Vec3 d) const;
  /// A context without window (EGL) for images of this size; false: there is none here.
  bool open(int width, int height, bool shadows);
  /// One image of a camera that looks along z of C, y down.
  void render(const Pose& X_WC, double vertical_view, std::vector<unsigned char>& rgb);

 private:
  MujocoView();
  struct Data;
  std::unique_ptr<Data> d_;
};

}  // namespace gradus::bench
