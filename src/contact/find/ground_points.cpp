#include "contact/find/ground_points.inl"
#include "base/clones.h"

namespace gradus {

GRADUS_CLONES void GroundPoints::find(View<access> view, double h) {
  const RootMotionT<double> root{base_position(view.q()), base_velocity(view.v())};
  const Frame* frames = view.frames();
  view.contact_count() = find_ground_points<double, double>(
      arrays_of(view.kind()), view.ground(), view.gravity(), h, root,
      [frames](int i) -> const Frame& { return frames[i]; }, view.memory(), view.contacts_out(),
      view.contact_begin_out());
}

}  // namespace gradus
