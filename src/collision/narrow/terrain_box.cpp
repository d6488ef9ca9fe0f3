#include "collision/narrow/terrain_box.h"

#include <cmath>

namespace gradus {
namespace {

constexpr double kEqual = 1e-12;  // [m] heights that differ less are equal
constexpr double kUpward = 1e-9;  // a face that looks up (z of its normal) is no way out of the ground

class BoxOnTerrain {
 public:
  BoxOnTerrain(const HeightField& field, Vec3 half, const Pose& X_AB, double margin, Candidates& out)
      : f_(field), g_(field.grid()), half_(half), X_(X_AB), margin_(margin), out_(out) {
    const Vec3 r = magnitude(X_.R.x) * half.x + magnitude(X_.R.y) * half.y + magnitude(X_.R.z) * half.z;
    lo_ = X_.p - r, hi_ = X_.p + r;
  }

  bool run() {
    if (lo_.z > f_.highest() + margin_) return true;
    nodes();
    corners();
    edges();
    return out_.count > 0 || !overlap_;
  }

 private:
  Vec3 node(int i, int j) const { return {g_.x0 + i * g_.dx, g_.y0 + j * g_.dy, z(i, j)}; }
  double z(int i, int j) const {
    return g_.z[static_cast<std::size_t>(j) * static_cast<std::size_t>(g_.nx) + static_cast<std::size_t>(i)];
  }
  bool solid(int i, int j) const {
    return i >= 0 && j >= 0 && i < f_.cells_x() && j < f_.cells_y() && !f_.is_hole(i, j);
  }
  std::uint32_t feature(int i, int j, std::uint32_t kind) const {
    return static_cast<std::uint32_t>(j * g_.nx + i) * 64 + kind;
  }
  static int limited(double x, int lo, int hi) {
    return static_cast<int>(clamped(x, static_cast<double>(lo), static_cast<double>(hi)));
  }

  /// Nodes under the box, whose place in the box grows by a constant from node to node.
  void nodes() {
    const int i0 = limited(std::ceil((lo_.x - g_.x0) / g_.dx), 0, g_.nx),
              i1 = limited(std::floor((hi_.x - g_.x0) / g_.dx), -1, g_.nx - 1);
    const int j0 = limited(std::ceil((lo_.y - g_.y0) / g_.dy), 0, g_.ny),
              j1 = limited(std::floor((hi_.y - g_.y0) / g_.dy), -1, g_.ny - 1);
    const Vec3 grow{half_.x + margin_, half_.y + margin_, half_.z + margin_};
    const Vec3 up{X_.R.x.z, X_.R.y.z, X_.R.z.z}, along = Vec3{X_.R.x.x, X_.R.y.x, X_.R.z.x} * g_.dx;
    for (int j = j0; j <= j1; ++j) {
      const Vec3 start = transpose_times(X_.R, Vec3{g_.x0, g_.y0 + j * g_.dy, 0} - X_.p);
      for (int i = i0; i <= i1; ++i) {
        const double h = z(i, j);
        if (!(h >= lo_.z - margin_)) continue;  // unknown ones leave here too
        const Vec3 l = start + along * static_cast<double>(i) + up * h;
        if (std::abs(l.x) > grow.x || std::abs(l.y) > grow.y || std::abs(l.z) > grow.z) continue;
        if (!solid(i, j) && !solid(i - 1, j) && !solid(i, j - 1) && !solid(i - 1, j - 1)) continue;
        leave_by_face(i, j, l);
      }
    }
  }

  /// Is d a direction in which the terrain ends at its node (i, j): do all edges from there lead away from d, and not
  /// all along a flat? Inside flats the corners of the box and of the flat speak.
  bool points_out(int i, int j, Vec3 d) const {
    static constexpr int kTo[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
    const Vec3 q = node(i, j);
    bool slopes = false;
    for (const auto& to : kTo) {
      const int u = i + to[0], v = j + to[1];
      if (u < 0 || v < 0 || u >= g_.nx || v >= g_.ny || std::isnan(z(u, v))) {
        slopes = true;  // a border
        continue;
      }
      const double rise = dot(d, node(u, v) - q);
      if (rise > kEqual) return false;
      slopes |= rise < -kEqual;
    }
    return slopes;
  }

  /// Node (i, j), at l in the box's frame, leaves the box through its nearest face against which the terrain points;
  /// not if straight up is shorter, then it is no corner of what they share.
  void leave_by_face(int i, int j, Vec3 l) {
    double depth = 1e9, straight = 1e9;
    Vec3 n{0, 0, 0};
    for (int a = 0; a < 3; ++a)
      for (const double sign : {-1.0, 1.0}) {
        const double d = component(half_, a) - sign * component(l, a), down = -sign * axis(a).z;
        if (down < -kUpward) continue;
        if (down > kUpward) straight = std::min(straight, d / down);
        if (d < depth && points_out(i, j, -axis(a) * sign)) depth = d, n = axis(a) * sign;
      }
    overlap_ |= straight > 0;
    if (depth > straight + kEqual || depth < -margin_) return;
    out_.add({node(i, j) + n * (0.5 * depth), n, -depth, feature(i, j, 40)});
  }

  void corners() {
    for (int k = 0; k < 8; ++k) {
      const Vec3 p = X_ * Vec3{k & 1 ? half_.x : -half_.x, k & 2 ? half_.y : -half_.y, k & 4 ? half_.z : -half_.z};
      double h;
      if (p.z > f_.highest() + margin_ || !f_.height(p.x, p.y, h)) continue;
      const double D = h - p.z;
      if (D < -margin_ * 8) continue;  // steeper walls are found when they touch
      overlap_ |= D > 0;
      const int t = triangle_at(p.x, p.y);
      Vec3 n = f_.normal(t);
      double depth = D * n.z;
      if (depth > 0.5 * std::min(g_.dx, g_.dy)) nearer_exit(p, depth, n);
      if (depth >= -margin_)
        out_.add({p + n * (0.5 * depth), -n, -depth,
                  static_cast<std::uint32_t>(t / 2) * 64 + 48 + static_cast<std::uint32_t>(k)});
    }
  }

  int triangle_at(double x, double y) const {
    const double u = (x - g_.x0) / g_.dx, v = (y - g_.y0) / g_.dy;
    const int i = limited(std::floor(u), 0, f_.cells_x() - 1), j = limited(std::floor(v), 0, f_.cells_y() - 1);
    return 2 * (j * f_.cells_x() + i) + (u - i >= v - j ? 0 : 1);
  }

  /// Deep corners may have a shorter way out than straight over them.
  void nearer_exit(Vec3 p, double& depth, Vec3& n) const {
    SurfacePoint q;
    if (!f_.closest(p, depth, q) || q.distance >= depth || q.distance <= 0) return;
    depth = q.distance;
    n = (q.p - p) * (1 / q.distance);
  }

  /// The twelve edges, those of lower faces only (1).
  void edges() {
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      const Vec3 ea = axis(a) * component(half_, a), eb = axis(b) * component(half_, b),
                 ec = axis(c) * component(half_, c);
      for (const double sb : {-1.0, 1.0})
        for (const double sc : {-1.0, 1.0}) {
          if (sb * axis(b).z >= 0 && sc * axis(c).z >= 0) continue;
          const Vec3 p = X_.p - ea + eb * sb + ec * sc, e = ea * 2.0;
          if (std::min(p.z, p.z + e.z) > f_.highest() + margin_) continue;
          edge(p, e, static_cast<std::uint32_t>(a * 4 + (sb > 0 ? 2 : 0) + (sc > 0 ? 1 : 0)));
        }
    }
  }
  const Vec3& axis(int a) const { return a == 0 ? X_.R.x : a == 1 ? X_.R.y : X_.R.z; }

  /// Crossings of p + t e with lines u = k, v = k and u − v = k of the grid, u and v counted in cells.
  void edge(Vec3 p, Vec3 e, std::uint32_t id) {
    const double u = (p.x - g_.x0) / g_.dx, v = (p.y - g_.y0) / g_.dy, du = e.x / g_.dx, dv = e.y / g_.dy;
    lines(u, du, [&](double t, int k) { crossing(p, e, t, k, v + t * dv, 0, id); });
    lines(v, dv, [&](double t, int k) { crossing(p, e, t, k, u + t * du, 1, id); });
    lines(u - v, du - dv, [&](double t, int k) { crossing(p, e, t, k, u + t * du, 2, id); });
  }

  template <class Visit>
  void lines(double from, double by, const Visit& visit) const {
    if (std::abs(by) < 1e-9) return;
    const double most = g_.nx + g_.ny + 2, lo = std::max(std::min(from, from + by), -most),
                 hi = std::min(std::max(from, from + by), most);
    for (int k = static_cast<int>(std::ceil(lo)); k <= hi; ++k) visit((k - from) / by, k);
  }

  /// kind 0: on the line u = k at v = w; 1: on v = k at u = w; 2: on the diagonal u − v = k at u = w.
  void crossing(Vec3 p, Vec3 e, double t, int k, double w, int kind, std::uint32_t id) {
    const double floor_w = std::floor(w);
    if (!(floor_w >= 0 && floor_w < (kind == 0 ? g_.ny : g_.nx) - 1)) return;
    const int m = static_cast<int>(floor_w);
    const int i = kind == 0 ? k : m, j = kind == 0 ? m : kind == 1 ? k : m - k;
    const int di = kind == 0 ? 0 : 1, dj = kind == 1 ? 0 : 1;
    if (i < 0 || j < 0 || i + di >= g_.nx || j + dj >= g_.ny) return;
    const double za = z(i, j), zb = z(i + di, j + dj), h = za + (w - floor_w) * (zb - za), D = h - (p.z + t * e.z);
    if (!(D >= -2 * margin_)) return;
    const bool ground = kind == 2 ? solid(i, j) : solid(i, j) || (kind == 0 ? solid(i - 1, j) : solid(i, j - 1));
    if (!ground) return;
    overlap_ |= D > 0;
    if (D > height_of_box_over(p + e * t) + margin_ || !is_ridge(p, e, t, D)) return;
    const Vec3 q{p.x + t * e.x, p.y + t * e.y, h};
    Vec3 n = cross(e, Vec3{di * g_.dx, dj * g_.dy, zb - za});
    const double size = norm(n);
    if (size < 1e-6 * norm(e) * (g_.dx + g_.dy)) return;  // along the line: its ends speak for it
    n = n * ((n.z < 0 ? -1 : 1) / size);
    const double depth = D * n.z;
    if (depth >= -margin_)
      out_.add({q - n * (0.5 * depth), -n, -depth, feature(i, j, static_cast<std::uint32_t>(kind)) + 4 + id * 3});
  }

  /// From a point of an edge straight up to the faces beyond it: terrain above them is a wall, where the corners speak.
  double height_of_box_over(Vec3 p) const {
    const Vec3 l = transpose_times(X_.R, p - X_.p);
    double height = 1e9;
    for (int a = 0; a < 3; ++a)
      for (const double sign : {-1.0, 1.0}) {
        const double up = sign * axis(a).z, d = component(half_, a) - sign * component(l, a);
        if (up > kUpward && d > kUpward) height = std::min(height, d / up);
      }
    return height;
  }

  /// Is D largest there along the edge? Not in hollows, nor on flat ground, where nodes and corners speak.
  bool is_ridge(Vec3 p, Vec3 e, double t, double D) const {
    const double step = 1e-3 * std::min(g_.dx, g_.dy) / norm(e);
    double before = -1e9, after = -1e9;
    if (f_.height(p.x + (t - step) * e.x, p.y + (t - step) * e.y, before)) before -= p.z + (t - step) * e.z;
    if (f_.height(p.x + (t + step) * e.x, p.y + (t + step) * e.y, after)) after -= p.z + (t + step) * e.z;
    return D >= before - kEqual && D >= after - kEqual && (D > before + kEqual || D > after + kEqual);
  }

  const HeightField& f_;
  const HeightGrid& g_;
  Vec3 half_;
  const Pose& X_;
  double margin_;
  Candidates& out_;
  Vec3 lo_, hi_;
  bool overlap_ = false;
};

}  // namespace

bool field_against_box(const HeightField& field, Vec3 half, const Pose& X_AB, double margin, Candidates& out) {
  return BoxOnTerrain(field, half, X_AB, margin, out).run();
}

}  // namespace gradus
