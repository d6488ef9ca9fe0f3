#include "shape/narrow/terrain_cylinder.h"

#include "shape/narrow/terrain_mantle.h"

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
                 ry = radius_ * square_root(std::max(0.0, 1 - s_.a.y * s_.a.y)),
                 lowest = c.z - radius_ * s_.sine() - this->reach_;
    const HeightField::Window w = f_.window(c.x - rx, c.x + rx, c.y - ry, c.y + ry);
    const Two ax(s_.a.x), ay(s_.a.y), az(s_.a.z), u0(f_.u_of(c.x)), v0(f_.v_of(c.y));
    const Two ru(radius_ * f_.inv_dx()), rv(radius_ * f_.inv_dy()), one(1.0), zero(0.0), tiny(1e-18);
    const Two turn = two(1, -1);  // the first triangle has u ≥ v
    for (int j = w.j0; j <= w.j1; ++j)
      for (int i = w.i0; i <= w.i1; ++i) {
        const double *r = this->at(i, j), *s = r + this->nx_;
        if (std::max(std::max(r[0], r[1]), std::max(s[0], s[1])) < lowest) continue;
        const SlopePair g = f_.slopes(i, j);  // of holes not a number: compares false
        const Two along = az - g.gx * ax - g.gy * ay, x = g.gx + ax * along, y = g.gy + ay * along,
                  z = az * along - one;
        const Two size2 = x * x + y * y + z * z, by = one / square_root(size2);  // x, y, z: −n_⊥
        const Two u = u0 - Two(static_cast<double>(i)) + x * by * ru,
                  v = v0 - Two(static_cast<double>(j)) + y * by * rv;
        const unsigned hit =
            lane_bits((u >= zero) & (u <= one) & (v >= zero) & (v <= one) & ((u - v) * turn >= zero) & (size2 > tiny));
        if (hit == 0) continue;
        for (int k = 0; k < 2; ++k)
          if (const double by_r = by.v[k] * radius_; hit >> k & 1)
            this->corner(c + Vec3{x.v[k] * by_r, y.v[k] * by_r, z.v[k] * by_r}, 2 * id + static_cast<std::uint32_t>(k));
      }
  }

  /// A rim and lines of one kind (2): crossings of line k are x U ± y V from its centre c, at m ± n along the line.
  struct Lines {
    Vec3 c, U, V;
    double w, by;              // x = (k − w) by
    double other, by_U, by_V;  // the place along the line, x by_U ± y by_V from other on
    std::uint32_t id;
  };
  template <int kind>
  void rim_lines(Vec3 c, Vec3 g, std::uint32_t id) {
    const Vec3 across = g - s_.a * dot(s_.a, g);
    const double size = norm(across), reach = radius_ * size;
    if (reach < 1e-9) return;
    const Vec3 U = across * (1 / size), V = cross(s_.a, U);
    const double u = f_.u_of(c.x), v = f_.v_of(c.y), w = kind == 0 ? u : kind == 1 ? v : u - v;
    const double du = f_.inv_dx(), dv = f_.inv_dy();
    const Lines l{c,
                  U,
                  V,
                  w,
                  radius_ / reach,
                  kind == 0 ? v : u,
                  kind == 0 ? U.y * dv : U.x * du,
                  kind == 0 ? V.y * dv : V.x * du,
                  id};
    double lo = w - reach, hi = w + reach;
    const HeightGrid& grid = f_.grid();
    if (!Plain) lo = std::max(lo, -1.0 - grid.ny), hi = std::min(hi, 1.0 + grid.nx + grid.ny);
    if (!(lo <= hi)) return;  // beside the grid, perhaps farther than an integer counts; or not a number
    int k = static_cast<int>(lo), last = static_cast<int>(hi);
    k += static_cast<int>(k < lo);
    last -= static_cast<int>(last > hi);
    for (; k <= last; k += 32)
      for (std::uint64_t found = ridges_above<kind>(l, k, std::min(32, last - k + 1)); found != 0; found &= found - 1) {
        const int bit = std::countr_zero(found);
        cross_rim<kind>(l, k + bit / 2, bit % 2 == 0 ? 1 : -1);
      }
  }
  double y_at(double x) const { return square_root(std::max(0.0, radius_ * radius_ - x * x)); }

  /// Bits 2n and 2n + 1: the rim crosses line k + n at +y, and at −y, on a ridge that is not too low. All of them
  /// before any is looked at closer, so that there are no branches to guess.
  template <int kind>
  std::uint64_t ridges_above(const Lines& l, int k, int count) const {
    std::uint64_t found = 0;
    for (int n = 0; n < count; ++n) {
      const double x = (k + n - l.w) * l.by, y = y_at(x), middle = l.other + x * l.by_U,
                   z = l.c.z + x * l.U.z - 2 * margin_;
      const bool plus = is_ridge_above<kind>(k + n, middle + y * l.by_V, z + y * l.V.z),
                 minus = is_ridge_above<kind>(k + n, middle - y * l.by_V, z - y * l.V.z);
      found |= static_cast<std::uint64_t>(plus) << (2 * n) | static_cast<std::uint64_t>(minus) << (2 * n + 1);
    }
    return found;
  }
  template <int kind>
  bool is_ridge_above(int k, double w, double low) const {
    if (!Plain && !this->template on_grid<kind>(k, w)) return false;
    const auto [i, j, h] = this->template on_line<kind>(k, w);
    return ((f_.crests(j)[i] & terrain::crest<kind>) != 0) & (h >= low);
  }
  template <int kind>
  void cross_rim(const Lines& l, int k, double side) {
    const double x = (k - l.w) * l.by, y = side * y_at(x);
    const auto [i, j, h] = this->template on_line<kind>(k, l.other + x * l.by_U + y * l.by_V);
    const Vec3 p = l.c + l.U * x + l.V * y, along = (l.V * x - l.U * y) * (1 / radius_);
    this->template crossing<kind>(this->heading(along), p.x, p.y, h, h - p.z, most(), i, j, 8 + 3 * l.id);
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
