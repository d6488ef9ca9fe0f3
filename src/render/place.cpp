#include "render/place.h"

#include <algorithm>

#include "shape/geometry.h"

namespace gradus {
namespace {

using render::FlatKind;
using render::FlatShape;
using render::kChunk;
using render::kPad;

constexpr double kNearest = 1e-4;  // [m] nothing nearer to the eye is seen
constexpr double kEverywhere = 1e15;

float f32(double x) { return static_cast<float>(x); }
void put(float* to, Vec3 a) { to[0] = f32(a.x), to[1] = f32(a.y), to[2] = f32(a.z); }
std::size_t padded(std::size_t n) { return (n + kPad - 1) / kPad * kPad + kPad; }

/// What rays from the eye need of a capsule along z of S.
void set_capsule(FlatShape& f, const Pose& X, double r, double half) {
  const Vec3 a = X.p - X.R.z * half, b = X.p + X.R.z * half, w = b - a;
  const double ww = dot(w, w), wo = -dot(w, a), aa = dot(a, a);
  put(f.a, a), put(f.b, b), put(f.w, w);
  f.ww = f32(ww), f.wo = f32(wo), f.q = f32(ww * aa - wo * wo - r * r * ww);
  f.ca = f32(aa - r * r), f.cb = f32(dot(b, b) - r * r);
}

/// Long shapes as a string of spheres: radius of one, and along which axis how far from the next.
struct Beads {
  float radius = 0;
  int axis = 0;
  double step = 0;  // [m]
};
Beads beads_of(const DrawnShape& s) {
  double half[3] = {s.half.x, s.half.y, s.half.z};
  if (s.kind == FlatKind::capsule) half[0] = half[1] = s.radius, half[2] += s.radius;
  if (s.kind == FlatKind::cylinder) half[0] = half[1] = s.radius;
  const int k = half[0] > half[1] && half[0] > half[2] ? 0 : half[1] > half[2] ? 1 : 2;
  const double a = half[(k + 1) % 3], b = half[(k + 2) % 3];
  const double across = s.kind == FlatKind::box ? square_root(a * a + b * b) : a, piece = half[k] / render::kBeads;
  const bool short_one = s.kind == FlatKind::sphere || s.kind == FlatKind::mesh || s.kind == FlatKind::plane;
  if (short_one || half[k] < 3 * across) return {};
  return {f32(1.001 * square_root(across * across + piece * piece) + 1e-3), k, 2 * piece};
}

void set_flat(FlatShape& f, const DrawnShape& s, const Pose& X, Vec3 middle) {
  const double away = norm(middle) - s.bound;
  f.near = f32(std::max(kNearest, away - 1e-4 - 1e-6 * (away + 2 * s.bound)));  // rounding of the kernels included
  f.bound = f32(s.bound), f.r = f32(s.radius);
  put(f.p, X.p), put(f.u, X.R.x), put(f.v, X.R.y), put(f.w, X.R.z), put(f.h, s.half);
  put(f.o, {-dot(X.R.x, X.p), -dot(X.R.y, X.p), -dot(X.R.z, X.p)});
  const double pp = dot(X.p, X.p), pw = dot(X.p, X.R.z);
  switch (s.kind) {
    case FlatKind::sphere:
      f.c = f32(pp - s.radius * s.radius);
      break;
    case FlatKind::cylinder:
      f.c = f32(pp - pw * pw - s.radius * s.radius);
      break;
    case FlatKind::capsule:
      set_capsule(f, X, s.radius, s.half.z);
      break;
    case FlatKind::plane:
      f.h[2] = f32(pw), f.near = f32(kNearest);
      break;
    default:
      break;
  }
}

double bounded(double x, double by) { return std::clamp(x, -by, by); }

/// Back from what set_flat wrote; capsules keep their ends alone.
Pose pose_of(const FlatShape& f) {
  const auto v = [](const float* a) { return Vec3{a[0], a[1], a[2]}; };
  const Vec3 w = f.kind == FlatKind::capsule ? v(f.w) * (1 / norm(v(f.w))) : v(f.w);
  return {{v(f.u), v(f.v), w}, v(f.p)};
}

/// Point of a convex shape nearest to the eye, as a vector from the eye; zero: the eye is inside.
Vec3 nearest_point(const DrawnShape& s, const Pose& X) {
  const Vec3 o{-dot(X.R.x, X.p), -dot(X.R.y, X.p), -dot(X.R.z, X.p)};  // the eye in the shape's axes
  Vec3 n{0, 0, 0};                                                     // the nearest point there
  double r = s.radius;
  if (s.kind == FlatKind::box) {
    n = {bounded(o.x, s.half.x), bounded(o.y, s.half.y), bounded(o.z, s.half.z)}, r = 0;
  } else if (s.kind == FlatKind::capsule) {
    n.z = bounded(o.z, s.half.z);
  } else if (s.kind == FlatKind::cylinder) {
    const double away = square_root(o.x * o.x + o.y * o.y), k = away > r ? r / away : 1;
    n = {o.x * k, o.y * k, bounded(o.z, s.half.z)}, r = 0;
  }
  const Vec3 to = X.R * (n - o);
  const double length = norm(to);
  return length > r ? to * ((length - r) / length) : Vec3{0, 0, 0};
}

/// Has a closed mesh around the eye (its own housing) a triangle that faces it and lies in sight?
bool mesh_in_sight(const render::Tree& tree, const Pose& X, const ViewCone& sight) {
  if (!tree.solid || sight.cosine < 0) return true;
  const Vec3 o = transpose_times(X.R, -X.p), axis = transpose_times(X.R, sight.axis);
  const auto v = [](const float* a) { return Vec3{a[0], a[1], a[2]}; };
  for (int i = 0; i < tree.count; ++i) {
    const render::TreeTriangle& t = tree.triangles[i];
    const Vec3 ab = v(t.ab), ac = v(t.ac), a = v(t.a) - o;
    if (dot(cross(ab, ac), a) >= 0) continue;
    const Vec3 c = a + (ab + ac) * (1.0 / 3);
    const double r = square_root(std::max(dot(ab, ab), dot(ac, ac))), along = dot(c, axis);
    const double across = square_root(std::max(0.0, dot(c, c) - along * along));
    if (across * sight.cosine - along * sight.sine <= r) return true;
  }
  return false;
}

/// Rays from inside never enter a convex shape; and a shape lies behind the plane through its nearest point n across n,
/// so rays with n · d ≤ 0 never meet it. No ray of the sight does if its axis is more than a right angle and the
/// sight's own away from n.
bool in_sight(const DrawnShape& s, const Pose& X, const ViewCone& sight) {
  const Vec3 n = nearest_point(s, X);
  const double length = norm(n);
  if (length < 1e-7) return length > 0;
  return sight.cosine < 0 || dot(n, sight.axis) > -(sight.sine + 1e-3) * length;
}

}  // namespace

Pose after(const Pose& X, Vec3 v, Vec3 w, double dt) {
  if (dt == 0) return X;
  if (w.x == 0 && w.y == 0 && w.z == 0) return {X.R, X.p + v * dt};  // most links of a world that stands or slides
  return {to_matrix(exponential(w * dt)) * X.R, X.p + v * dt};
}

PlacedRoom::PlacedRoom(const DrawnScene& scene) {
  const std::size_t n = scene.shapes.size(), m = padded(n),
                    links = static_cast<std::size_t>(scene.link_first.back()) + 1;
  X_WL_.resize(links), X_CL_.resize(links);
  unsorted_.resize(n), shapes_.resize(n), order_.resize(n), place_of_.resize(n), middle_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    order_[i] = static_cast<std::int32_t>(i);
    const DrawnShape& s = scene.shapes[i];
    FlatShape& f = unsorted_[i];
    f = FlatShape{};
    f.kind = s.kind, f.drawn = static_cast<std::int32_t>(i), f.segment = s.segment, f.tree = s.tree,
    f.pattern = s.pattern;
    put(f.rgb, s.albedo);
    const Beads beads = beads_of(s);
    f.bead = beads.radius, bead_axis_.push_back(beads.axis), bead_step_.push_back(beads.step);
  }
  for (auto* v : {&cx_, &cy_, &cz_, &cr_, &c2_, &shade_x_, &shade_y_, &shade_r_}) v->assign(m, 0.0f);
  std::fill(cr_.begin(), cr_.end(), -1e30f), std::fill(shade_r_.begin(), shade_r_.end(), -1e30f);
  for (auto* v : {&chunk_x0_, &chunk_x1_, &chunk_y0_, &chunk_y1_}) v->resize(n / kChunk + 1);
  for (const render::Paint& p : scene.paint) {
    const float c = std::abs(p.c), s = std::abs(p.s), rx = p.disc ? p.hx : c * p.hx + s * p.hy,
                ry = p.disc ? p.hx : s * p.hx + c * p.hy;
    paint_x0_.push_back(p.x - rx), paint_x1_.push_back(p.x + rx), paint_y0_.push_back(p.y - ry),
        paint_y1_.push_back(p.y + ry);
  }
  for (auto* v : {&paint_x0_, &paint_x1_, &paint_y0_, &paint_y1_}) v->resize(padded(scene.paint.size()), 1e30f);
  placed_.shapes = shapes_.data(), placed_.count = placed_.drawn_count = static_cast<std::int32_t>(n);
  placed_.cx = cx_.data(), placed_.cy = cy_.data(), placed_.cz = cz_.data(), placed_.cr = cr_.data(),
  placed_.c2 = c2_.data();
  placed_.paint = scene.paint.data(), placed_.paint_count = static_cast<std::int32_t>(scene.paint.size());
  placed_.paint_x0 = paint_x0_.data(), placed_.paint_x1 = paint_x1_.data();
  placed_.paint_y0 = paint_y0_.data(), placed_.paint_y1 = paint_y1_.data();
  placed_.place_of = place_of_.data(), placed_.trees = scene.trees.data();
  placed_.shade_x = shade_x_.data(), placed_.shade_y = shade_y_.data(), placed_.shade_r = shade_r_.data();
  placed_.chunk_x0 = chunk_x0_.data(), placed_.chunk_x1 = chunk_x1_.data();
  placed_.chunk_y0 = chunk_y0_.data(), placed_.chunk_y1 = chunk_y1_.data();
}

void PlacedRoom::place_links(const DrawnScene& scene, const Poses& poses, const Pose& X_CW, double dt) {
  const std::size_t links = poses.links.size();
  for (std::size_t i = 0; i < links; ++i) {
    const LinkMotion& m = poses.links[i];
    X_WL_[i] = after(m.X_WL, m.v, m.w, dt), X_CL_[i] = X_CW * X_WL_[i];
  }
  X_WL_[links] = identity_pose(), X_CL_[links] = X_CW;
  for (std::size_t i = 0; i < scene.shapes.size(); ++i) {
    const DrawnShape& s = scene.shapes[i];
    const std::size_t link =
        s.robot < 0 ? links : static_cast<std::size_t>(scene.link_first[static_cast<std::size_t>(s.robot)] + s.link);
    place_shape(scene, i, link);
  }
}

/// Into the eye's axes, as its link is placed.
void PlacedRoom::place_shape(const DrawnScene& scene, std::size_t i, std::size_t link) {
  const DrawnShape& s = scene.shapes[i];
  middle_[i] = X_WL_[link] * s.middle;
  const Pose X_CS = X_CL_[link] * s.X_LS;
  set_flat(unsorted_[i], s, X_CS, X_CL_[link] * s.middle);
  if (unsorted_[i].bead > 0) {
    const int k = bead_axis_[i];
    put(unsorted_[i].string, (k == 0 ? X_CS.R.x : k == 1 ? X_CS.R.y : X_CS.R.z) * bead_step_[i]);
  }
}

void PlacedRoom::place_few(const DrawnScene& scene, const Poses& poses, const Pose& X_WC, std::span<const int> shapes) {
  const Pose X_CW = inverse(X_WC);
  const std::size_t links = poses.links.size();
  X_WL_[links] = identity_pose(), X_CL_[links] = X_CW;
  few_.clear();
  std::size_t last = links;  // shapes of a link follow each other
  for (const int n : shapes) {
    const DrawnShape& s = scene.shapes[static_cast<std::size_t>(n)];
    const std::size_t link =
        s.robot < 0 ? links : static_cast<std::size_t>(scene.link_first[static_cast<std::size_t>(s.robot)] + s.link);
    if (link != last && link != links) {
      const LinkMotion& m = poses.links[link];
      X_WL_[link] = after(m.X_WL, m.v, m.w, 0), X_CL_[link] = X_CW * X_WL_[link];
    }
    last = link;
    place_shape(scene, static_cast<std::size_t>(n), link);
    few_.push_back(n);
  }
  std::sort(few_.begin(), few_.end(), [&](std::int32_t a, std::int32_t b) {
    const float x = unsorted_[static_cast<std::size_t>(a)].near, y = unsorted_[static_cast<std::size_t>(b)].near;
    return x < y || (x == y && a < b);
  });
  for (std::size_t i = 0; i < few_.size(); ++i) {
    const auto from = static_cast<std::size_t>(few_[i]);
    const Vec3 c = X_CW * middle_[from];
    const double cc = dot(c, c);
    put_at(i, from, c, cc, 1.001 * scene.shapes[from].bound + 1e-5 * square_root(cc));
  }
  placed_.count = static_cast<std::int32_t>(few_.size());
  place_ground(scene, X_WC);
}

/// A shape among those that rays meet, with the sphere around it.
void PlacedRoom::put_at(std::size_t i, std::size_t from, Vec3 c, double cc, double r) {
  const FlatShape& f = unsorted_[from];
  shapes_[i] = f, place_of_[from] = static_cast<std::int32_t>(i);
  cx_[i] = f32(c.x), cy_[i] = f32(c.y), cz_[i] = f32(c.z), c2_[i] = f32(cc), cr_[i] = f32(r);
  if (f.kind == FlatKind::plane) cx_[i] = cy_[i] = cz_[i] = c2_[i] = 0, cr_[i] = f32(kEverywhere);
}

/// Nearest first, the lower number first among equals. The order of the last placing is nearly right: insertion.
void PlacedRoom::sort_by_distance() {
  const auto before = [&](std::int32_t a, std::int32_t b) {
    const float x = unsorted_[static_cast<std::size_t>(a)].near, y = unsorted_[static_cast<std::size_t>(b)].near;
    return x < y || (x == y && a < b);
  };
  std::size_t moves = 0;
  const std::size_t n = order_.size(), patience = 8 * n;
  for (std::size_t i = 1; i < n; ++i) {
    const std::int32_t own = order_[i];
    std::size_t k = i;
    for (; k > 0 && before(own, order_[k - 1]); --k, ++moves) order_[k] = order_[k - 1];
    order_[k] = own;
    if (moves > patience) return std::sort(order_.begin(), order_.end(), before);
  }
}

void PlacedRoom::place(const DrawnScene& scene, const Poses& poses, const MovingFrame& eye, double dt,
                       std::span<const std::uint8_t> hidden, const ViewCone& sight) {
  const Pose X_WC = after(eye.X_WC, eye.v, eye.w, dt), X_CW = inverse(X_WC);
  place_links(scene, poses, X_CW, dt);
  sort_by_distance();
  put_seen(scene, X_CW, hidden, sight);
  place_ground(scene, X_WC);
  place_shadows(scene);
  put(placed_.light, transpose_times(X_WC.R, scene.to_light));
  put(placed_.sky_up, transpose_times(X_WC.R, Vec3{0, 0, 1}));
  put(placed_.sky_low, {0.50, 0.52, 0.55}), put(placed_.sky_high, {0.16, 0.26, 0.50});
}

/// Shapes in their order, those that cannot be seen behind the others.
void PlacedRoom::put_seen(const DrawnScene& scene, const Pose& X_CW, std::span<const std::uint8_t> hidden,
                          const ViewCone& sight) {
  std::size_t seen = 0, unseen = order_.size();
  for (const std::int32_t number : order_) {
    const auto from = static_cast<std::size_t>(number);
    const DrawnShape& s = scene.shapes[from];
    FlatShape& f = unsorted_[from];
    const Vec3 c = X_CW * middle_[from];
    const double cc = dot(c, c), r = 1.001 * s.bound + 1e-5 * square_root(cc), along = dot(c, sight.axis);
    const double across = square_root(std::max(0.0, cc - along * along));
    const bool endless = f.kind == FlatKind::plane;
    const bool off =
        (!hidden.empty() && hidden[from] != 0) ||
        (!endless && sight.cosine > 0 && across * sight.cosine - along * sight.sine > r) ||
        (!endless && cc < r * r &&
         !(f.kind == FlatKind::mesh ? mesh_in_sight(scene.trees[static_cast<std::size_t>(f.tree)], pose_of(f), sight)
                                    : in_sight(s, pose_of(f), sight)));
    put_at(off ? --unseen : seen++, from, c, cc, r);
  }
  placed_.count = static_cast<std::int32_t>(seen);
}

void PlacedRoom::place_ground(const DrawnScene& scene, const Pose& X_WC) {
  render::GroundFlat& g = placed_.ground;
  const Plane& plane = scene.ground;
  const double height = dot(plane.n, X_WC.p) - plane.offset;
  g.present = plane.present && height > kNearest;
  if (!g.present) return;
  put(g.up, transpose_times(X_WC.R, plane.n)), put(g.e1, transpose_times(X_WC.R, plane.t1)),
      put(g.e2, transpose_times(X_WC.R, plane.t2));
  g.height = f32(height), g.x = f32(dot(plane.t1, X_WC.p)), g.y = f32(dot(plane.t2, X_WC.p));
  put(g.rgb, scene.ground_albedo);
  g.grain = f32(scene.ground_grain), g.lit = f32(std::max(0.0, dot(plane.n, scene.to_light)));
}

/// The shadow of a ball of radius r whose centre is h above the ground: centre moved by h/(n · l) against the light,
/// radius r/(n · l).
void PlacedRoom::place_shadows(const DrawnScene& scene) {
  const Plane& plane = scene.ground;
  const double lit = dot(plane.n, scene.to_light);
  if (!placed_.ground.present || lit <= 1e-3) return;
  for (std::size_t i = 0; i < middle_.size(); ++i) {
    const double h = dot(plane.n, middle_[i]) - plane.offset, r = scene.shapes[i].bound;
    const Vec3 foot = middle_[i] - scene.to_light * (h / lit);
    shade_x_[i] = f32(dot(plane.t1, foot)), shade_y_[i] = f32(dot(plane.t2, foot));
    const bool none = h < -r || scene.shapes[i].kind == FlatKind::plane;
    shade_r_[i] = none ? -1e30f : f32(1.001 * r / lit + 1e-4);
  }
  for (std::size_t c = 0; c * kChunk < middle_.size(); ++c) {
    float x0 = 1e30f, x1 = -1e30f, y0 = 1e30f, y1 = -1e30f;
    for (std::size_t i = c * kChunk; i < std::min(middle_.size(), (c + 1) * kChunk); ++i) {
      x0 = std::min(x0, shade_x_[i] - shade_r_[i]), x1 = std::max(x1, shade_x_[i] + shade_r_[i]);
      y0 = std::min(y0, shade_y_[i] - shade_r_[i]), y1 = std::max(y1, shade_y_[i] + shade_r_[i]);
    }
    chunk_x0_[c] = x0, chunk_x1_[c] = x1, chunk_y0_[c] = y0, chunk_y1_[c] = y1;
  }
}

Blockers::Blockers(const DrawnScene& scene)
    : balls_(scene.shapes.size()), chunks_(scene.shapes.size() / kChunk + 1), first_(scene.shapes.size() + 1) {
  list_.resize(std::min(scene.shapes.size() * scene.shapes.size(), scene.shapes.size() * 256));
}

/// Is any of the other ball in the column of the receiver towards the light?
bool Blockers::may_shade(const Ball& receiver, const Ball& other, Vec3 to_light) const {
  const Vec3 d = other.c - receiver.c;
  const double along = dot(d, to_light), reach = receiver.r + other.r;
  return along > -reach && dot(d, d) - along * along < reach * reach;
}

void Blockers::find(const DrawnScene& scene, const Poses& poses, double time) {
  const std::size_t n = balls_.size();
  for (std::size_t i = 0; i < n; ++i) {
    const DrawnShape& s = scene.shapes[i];
    balls_[i] = {s.middle, s.bound};
    if (s.robot < 0) continue;
    const LinkMotion& m =
        poses.links[static_cast<std::size_t>(scene.link_first[static_cast<std::size_t>(s.robot)] + s.link)];
    const Vec3 arm = m.X_WL.R * s.middle;
    balls_[i] = {m.X_WL.p + arm, s.bound + time * (norm(m.v) + norm(m.w) * norm(arm))};
  }
  for (std::size_t c = 0; c * kChunk < n; ++c) {
    Box3 box = empty_box();
    for (std::size_t i = c * kChunk; i < std::min(n, (c + 1) * kChunk); ++i) {
      const Vec3 r{balls_[i].r, balls_[i].r, balls_[i].r};
      include(box, Box3{balls_[i].c - r, balls_[i].c + r});
    }
    chunks_[c] = {(box.lo + box.hi) * 0.5, norm(box.hi - box.lo) * 0.5};
  }
  std::size_t count = 0;
  dropped_ = 0;
  for (std::size_t i = 0; i < n; ++i) {
    first_[i] = static_cast<std::int32_t>(count);
    if (scene.shapes[i].kind == FlatKind::plane) continue;
    for (std::size_t c = 0; c * kChunk < n; ++c) {
      if (!may_shade(balls_[i], chunks_[c], scene.to_light)) continue;
      for (std::size_t k = c * kChunk; k < std::min(n, (c + 1) * kChunk); ++k) {
        const bool itself = k == i && scene.shapes[i].kind != FlatKind::mesh;  // what is convex does not shade itself
        if (itself || scene.shapes[k].kind == FlatKind::plane || !may_shade(balls_[i], balls_[k], scene.to_light))
          continue;
        if (count == list_.size())
          ++dropped_;
        else
          list_[count++] = static_cast<std::int32_t>(k);
      }
    }
  }
  first_[n] = static_cast<std::int32_t>(count);
}

}  // namespace gradus
