#include "collision/narrow/terrain_cylinder.h"

#include "collision/narrow/terrain_mantle.h"

namespace gradus {
namespace {

/// A cylinder with its axis turned upwards.
struct Upright {
  Vec3 c, a;            // middle, and axis                          [m]
  Vec3 x, y;            // two directions across it, fixed to the shape
  double radius, half;  //                                         [m]
  Vec3 low() const { return c - a * half; }
  Vec3 high() const { return c + a * half; }
  double sine() const { return square_root(std::max(0.0, 1 - a.z * a.z)); }  // of the angle between axis and vertical
};

template <bool Plain>
class CylinderOnTerrain : MantleOnTerrain<Plain> {
  using Base = MantleOnTerrain<Plain>;
  using Base::f_, Base::g_, Base::radius_, Base::margin_, Base::out_;
  using typename Base::Cone;

 public:
  CylinderOnTerrain(const HeightField& field, const HeightField::Window& w, const Upright& s, double margin,
                    Candidates& out)
      : Base(field, w, s.low(), s.a * (2 * s.half), s.radius, margin, out), s_(s) {}

  bool run() {
    const double sine = s_.sine();
    // all of it is above the plane of its lower end, and above the plane along its mantle's lowest line
    const Vec3 up = (Vec3{0, 0, 1} - s_.a * s_.a.z) * (sine > 1e-9 ? 1 / sine : 0);
    if (s_.a.z >= sine)
      this->set_sole(s_.low(), s_.a);
    else
      this->set_sole(s_.c - up * radius_, up);
    cap_ = this->cone_of(-s_.a);
    cap_meets_nodes_ = !this->is_too_steep(-s_.a.z), mantle_meets_crests_ = !this->is_too_steep(-sine);
    this->sweep(
        mantle_meets_crests_, [&](int i, int j) { node(i, j); },
        [&](Vec3 q) { return straight_down(q) + terrain::kEqual; });
    if (!this->is_near_) return true;
    rim(s_.low(), 0);
    for (int k = 0; k < 4; ++k) {
      const Vec3 p = s_.low() + (k < 2 ? s_.x : s_.y) * (k % 2 ? -radius_ : radius_);
      if (!this->is_over_all(p)) this->corner(p, static_cast<std::uint32_t>(4 + k));
    }
    if (!this->is_over_all(s_.high() - up * radius_)) rim(s_.high(), 1);
    return this->finish();
  }

 private:
  /// A node leaves by the end or the mantle, whichever is nearer of those against which the terrain points. Not if
  /// straight up is shorter: then it is no corner of what they share.
  void node(int i, int j) {
    const Vec3 q = this->place(i, j), from = q - s_.low();
    const double height = dot(s_.a, from);
    if (height < -margin_ || height > 2 * s_.half + margin_) return;
    const Vec3 across = from - s_.a * height;
    const double beside2 = dot(across, across), reach = radius_ + margin_;
    if (beside2 > reach * reach) return;
    double depth = straight_down(height, across);
    this->overlap_ |= depth > 0;
    depth += terrain::kEqual;
    Vec3 n{0, 0, 0};
    if (cap_meets_nodes_ && height < depth && this->points_out(i, j, cap_)) depth = height, n = -s_.a;
    Vec3 outward;
    double distance;
    if (mantle_meets_crests_ && this->faces_node(i, j, q, outward, distance) && radius_ - distance < depth)
      depth = radius_ - distance, n = -outward;
    if (dot(n, n) > 0) out_.add({q + n * (0.5 * depth), n, -depth, this->feature(i, j, 40)});
  }
  /// From a point in or above the cylinder straight down to its lower end or mantle: height over the lower end, and the
  /// way from the axis.
  double straight_down(double height, Vec3 across) const {
    const Vec3 down = s_.a * s_.a.z - Vec3{0, 0, 1};  // the part of "down" that is across the axis
    const double to_end = s_.a.z > terrain::kUpward ? height / s_.a.z : 1e9, w = dot(down, down), b = dot(across, down);
    if (w < 1e-18) return to_end;
    const double root = b * b + w * (radius_ * radius_ - dot(across, across));
    return std::min(to_end, root > 0 ? (square_root(root) - b) / w : 0);
  }
  double straight_down(Vec3 q) const {
    const Vec3 from = q - s_.low();
    const double height = dot(s_.a, from);
    return straight_down(height, from - s_.a * height);
  }

  void rim(Vec3 c, std::uint32_t id) {
    slopes(c, id);
    rim_lines<0>(c, {f_.inv_dx(), 0, 0}, id);
    rim_lines<1>(c, {0, f_.inv_dy(), 0}, id);
    rim_lines<2>(c, {f_.inv_dx(), -f_.inv_dy(), 0}, id);
  }

  /// Lowest points (1) over the slopes of all cells that the rim may pass; both triangles of a cell at once.
  void slopes(Vec3 c, std::uint32_t id) {
    const double rx = radius_ * square_root(std::max(0.0, 1 - s_.a.x * s_.a.x)),
                 ry = radius_ * square_root(std::max(0.0, 1 - s_.a.y * s_.a.y));
    const HeightField::Window w = f_.window(c.x - rx, c.x + rx, c.y - ry, c.y + ry);
    const double lowest = c.z - radius_ * s_.sine() - this->reach_;
    for (int j = w.j0; j <= w.j1; ++j)
      for (int i = w.i0; i <= w.i1; ++i) {
        const double* r = this->at(i, j);
        if (std::max(std::max(r[0], r[1]), std::max(r[g_.nx], r[g_.nx + 1])) < lowest) continue;
        slope_of_cell(i, j, c, id);
      }
  }
  void slope_of_cell(int i, int j, Vec3 c, std::uint32_t id) {
    const SlopePair g = f_.slopes(i, j);  // of holes not a number: compares false
    const Two along = Two(s_.a.z) - g.gx * Two(s_.a.x) - g.gy * Two(s_.a.y);
    const Two x = g.gx + Two(s_.a.x) * along, y = g.gy + Two(s_.a.y) * along,
              z = Two(s_.a.z) * along - Two(1.0);  // −n_⊥
    const Two size2 = x * x + y * y + z * z, by = Two(radius_) / square_root(size2);
    const Two sx = Two(c.x) + x * by, sy = Two(c.y) + y * by, sz = Two(c.z) + z * by;
    const Two u = (sx - Two(g_.x0)) * Two(f_.inv_dx()) - Two(static_cast<double>(i));
    const Two v = (sy - Two(g_.y0)) * Two(f_.inv_dy()) - Two(static_cast<double>(j));
    const Two side = (u - v) * two(1, -1), zero(0.0), one(1.0);  // the first triangle has u ≥ v
    const unsigned hit =
        lane_bits((u >= zero) & (u <= one) & (v >= zero) & (v <= one) & (side >= zero) & (size2 > Two(1e-18)));
    for (int k = 0; k < 2; ++k)
      if (hit >> k & 1) this->corner({sx.v[k], sy.v[k], sz.v[k]}, 2 * id + static_cast<std::uint32_t>(k));
  }

  /// Crossings (2) with the ridges of one kind.
  template <int kind>
  void rim_lines(Vec3 c, Vec3 g, std::uint32_t id) {
    const Vec3 across = g - s_.a * dot(s_.a, g);
    const double size2 = dot(across, across), size = square_root(size2), reach = radius_ * size;
    if (reach < 1e-9) return;
    const Vec3 U = across * (1 / size), V = cross(s_.a, U);
    const double u = f_.u_of(c.x), v = f_.v_of(c.y), w = kind == 0 ? u : kind == 1 ? v : u - v;
    int k = static_cast<int>(w - reach), last = static_cast<int>(w + reach);
    k += k<w - reach, last -= last> w + reach;
    for (const double inverse = 1 / reach; k <= last; ++k) {
      const double cosine = (k - w) * inverse, sine = square_root(std::max(0.0, 1 - cosine * cosine));
      const Vec3 x = U * (radius_ * cosine), y = V * (radius_ * sine);
      cross_rim<kind>(c + x + y, V * cosine - U * sine, k, id);
      cross_rim<kind>(c + x - y, V * cosine + U * sine, k, id);
    }
  }
  /// The rim at p, on line k, along the unit vector e.
  template <int kind>
  void cross_rim(Vec3 p, Vec3 e, int k, std::uint32_t id) {
    const double w = kind == 0 ? f_.v_of(p.y) : f_.u_of(p.x);
    if (!Plain && !(w >= 0 && w < (kind == 0 ? g_.ny : g_.nx) - 1)) return;
    const int m = static_cast<int>(w), i = kind == 0 ? k : m, j = kind == 0 ? m : kind == 1 ? k : m - k;
    constexpr int di = terrain::di<kind>, dj = terrain::dj<kind>;
    if (!Plain && (i < 0 || j < 0 || i + di >= g_.nx || j + dj >= g_.ny)) return;
    const double *r = this->at(i, j), h = r[0] + (w - m) * (r[dj * g_.nx + di] - r[0]), D = h - p.z;
    if (((f_.crests(j)[i] & terrain::crest<kind>) != 0) & (D >= -2 * margin_))
      this->template crossing<kind>(this->heading(e), p.x, p.y, h, D, most(), i, j, 8 + 3 * id);
  }
  /// Terrain that is higher than the whole cylinder over a rim is a wall, where corners speak.
  double most() const { return 2 * s_.half * s_.a.z + 2 * radius_ * s_.sine() + margin_; }

  const Upright& s_;
  Cone cap_;
  bool cap_meets_nodes_ = true, mantle_meets_crests_ = true;
};

}  // namespace

bool field_against_cylinder(const HeightField& field, const Shape& cylinder, const Pose& X_AB, double margin,
                            Candidates& out) {
  const double sign = X_AB.R.z.z < 0 ? -1 : 1;
  const Upright s{X_AB.p, X_AB.R.z * sign, X_AB.R.x, X_AB.R.y, cylinder.radius, cylinder.half.z};
  const Box3 box = grown(moved(X_AB, bounds(cylinder)), margin);
  const HeightField::Window w = field.window(box.lo.x, box.hi.x, box.lo.y, box.hi.y);
  if (w.i1 < w.i0 || w.j1 < w.j0 || box.lo.z > field.highest() + field.steepness() * margin) return true;
  field.prefetch(w);
  return is_plain(field, w) ? CylinderOnTerrain<true>(field, w, s, margin, out).run()
                            : CylinderOnTerrain<false>(field, w, s, margin, out).run();
}

}  // namespace gradus
