#include "contact/ground_points.inl"

namespace gradus {

namespace {

struct KnownFrames {
  const Frame* frames;
  const Frame& operator()(int i) const { return frames[i]; }
};

/// Poses are known, velocities are made for the links that are near and those between them and the root, each once.
struct PosedFrames {
  const Link* links;
  const double* v;
  Frame* frames;
  std::uint64_t moved = 1;  // links 0 … 63 that have theirs; the root always has
  const Frame& operator()(int i) const { return frames[i]; }
  void move(int i) {
    if (i < 64 && (moved >> i & 1)) return;
    move(links[i].parent);
    move_out(links[i], v[i - 1], frames[links[i].parent], frames[i]);
    if (i < 64) moved |= std::uint64_t{1} << i;
  }
};

}  // namespace

void GroundPoints::find(View<access> view, double h) {
  const RootMotionT<double> root{base_position(view.q()), base_velocity(view.v())};
  auto find = [&](auto frame_of) {
    return find_ground_points<double, double>(arrays_of(view.kind()), view.ground(), view.gravity(), h, root, frame_of,
                                              view.memory(), view.contacts_out(), view.contact_begin_out());
  };
  if (view.poses_only()) view.contact_count() = find(PosedFrames{view.kind().links.data(), view.v() + 6, view.frames_out()});
  else view.contact_count() = find(KnownFrames{view.frames()});
}

}  // namespace gradus
