#include "shape/narrow/terrain_capsule.h"

#include "shape/narrow/terrain_mantle.h"

namespace gradus {
namespace {

template <bool Plain>
class CapsuleOnTerrain : MantleOnTerrain<Plain> {
  using Base = MantleOnTerrain<Plain>;
  using Base::f_, Base::g_, Base::p_, Base::e_, Base::radius_, Base::margin_;

 public:
  CapsuleOnTerrain(const HeightField& field, const HeightField::Window& w, Vec3 p, Vec3 e, double radius, double margin,
                   Candidates& out)
      : Base(field, w, p, e, radius, margin, out) {}

  void run() {
    // all of it is above the plane along the segment, or above its lowest point
    const Vec3 up = Vec3{0, 0, 1} - e_ * (e_.z * this->inv_ee_);
    const double steep = up.z;  // |up|²
    const Vec3 low = e_.z < 0 ? p_ + e_ : p_;
    const Vec3 n = steep > 0.5 ? up * (1 / square_root(steep)) : Vec3{0, 0, 1};
    this->set_sole(low - n * radius_, n);
    if (this->w_.i0 <= this->w_.i1 && this->w_.j0 <= this->w_.j1)
      this->sweep(
          true, [&](int i, int j) { node(i, j); }, [](Vec3) { return 1e9; });
    end(p_, 0);
    end(p_ + e_, 1);
  }

 private:
  void node(int i, int j) {
    const Vec3 q = this->place(i, j);
    Vec3 n;
    double distance;
    if (this->faces_node(i, j, q, n, distance)) this->add(q, n, distance - radius_, this->feature(i, j, 40));
  }

  /// The ball at an end of the segment.
  void end(Vec3 c, std::uint32_t number) {
    double height;
    SurfacePoint q;
    if (f_.height(c.x, c.y, height) && c.z < height) {
      const double cells = 64 * std::max(g_.dx, g_.dy);  // straight up will do from deeper ones
      if (!f_.closest(c, std::min(height - c.z, cells), q) || q.distance <= 0)
        return this->add({c.x, c.y, height}, {0, 0, 1}, c.z - height - radius_, number);
      return this->add(q.p, (q.p - c) * (1 / q.distance), -q.distance - radius_, feature_of(q.triangle, number));
    }
    if (!f_.closest(c, radius_ + margin_, q)) return;
    const Vec3 n = q.distance > terrain::kEqual ? (c - q.p) * (1 / q.distance) : f_.normal(q.triangle);
    this->add(q.p, n, q.distance - radius_, feature_of(q.triangle, number));
  }
  std::uint32_t feature_of(int triangle, std::uint32_t end) const {
    return static_cast<std::uint32_t>(triangle / 2) * 64 + 60 + end;
  }
};

}  // namespace

void field_against_capsule(const HeightField& field, const Shape& capsule, const Pose& X_AB, double margin,
                           Candidates& out) {
  const Vec3 axis = X_AB.R.z, e = axis * (2 * capsule.half.z), p = X_AB.p - e * 0.5;
  const double reach = capsule.radius + margin;
  if (std::min(p.z, p.z + e.z) - reach > field.highest()) return;
  // the round side alone: the balls look for themselves
  const double x = reach * square_root(std::max(0.0, 1 - axis.x * axis.x)) + 0.5 * std::abs(e.x),
               y = reach * square_root(std::max(0.0, 1 - axis.y * axis.y)) + 0.5 * std::abs(e.y);
  const HeightField::Window w = field.window(X_AB.p.x - x, X_AB.p.x + x, X_AB.p.y - y, X_AB.p.y + y);
  field.prefetch(w);
  if (is_plain(field, w))
    CapsuleOnTerrain<true>(field, w, p, e, capsule.radius, margin, out).run();
  else
    CapsuleOnTerrain<false>(field, w, p, e, capsule.radius, margin, out).run();
}

}  // namespace gradus
