#include "shape/narrow/manifold.h"

namespace gradus {
namespace {

constexpr double kSame = 1e-4;    // points closer than this are one                                     [m]
constexpr double kDeeper = 1e-9;  // how much deeper counts as deeper: rounding must not choose           [m]
constexpr double kAsDeep = 1e-8;  // equally deep                                                        [m]
constexpr double kLevel = 1e-5;   // points whose gaps differ by less are chosen by their spread alone      [m]
constexpr double kFacing = 0.96;  // cosine: a face within 16 degrees of the normal may clip

struct Corner {
  Vec3 p;
  std::uint32_t id;
};
struct Polygon {
  static constexpr int kCapacity = 2 * kFeatureMax + 8;
  int count = 0;
  Corner c[kCapacity];
  void add(Vec3 p, std::uint32_t id) {
    if (count < kCapacity) c[count++] = {p, id};
  }
};

/// Part of the polygon (or line) on the inner side of the plane through q with outward normal m [Sutherland, Hodgman
/// 1974].
void clip(const Polygon& in, Vec3 q, Vec3 m, std::uint32_t edge, Polygon& out) {
  out.count = 0;
  const int last = in.count > 2 ? in.count : in.count - 1;  // a line has one edge, a polygon as many as corners
  if (in.count == 1 && dot(in.c[0].p - q, m) <= 0) out.add(in.c[0].p, in.c[0].id);
  for (int i = 0; i < last; ++i) {
    const Corner &s = in.c[i], &e = in.c[(i + 1) % in.count];
    const double ds = dot(s.p - q, m), de = dot(e.p - q, m);
    if (ds <= 0) out.add(s.p, s.id);
    if ((ds < 0 && de > 0) || (ds > 0 && de < 0))
      out.add(s.p + (e.p - s.p) * (ds / (ds - de)),
              (std::min(s.id, e.id) * 31 + std::max(s.id, e.id) * 7 + edge * 131) & 0xffff);
    if (in.count == 2 && de <= 0) out.add(e.p, e.id);
  }
}

/// Index that maximises value(i); ties to rounding go to the first.
template <class Value>
int first_largest(int n, Value&& value) {
  int best = -1;
  double most = 0;
  for (int i = 0; i < n; ++i)
    if (const double v = value(i); v > most * (1 + 1e-9) + 1e-30) most = v, best = i;
  return best;
}

/// How much area p adds outside the triangle a, b, c (normal n gives the turn).
double outside(Vec3 p, Vec3 a, Vec3 b, Vec3 c, Vec3 n) {
  if (dot(n, cross(b - a, c - a)) < 0) std::swap(b, c);
  return -std::min({dot(n, cross(b - a, p - a)), dot(n, cross(c - b, p - b)), dot(n, cross(a - c, p - c))});
}

struct Facing {
  SurfaceFeature f;  // in A
  double cosine;     // of its normal to the direction it should face; 0 unless a polygon
};

void face(const Shape& s, const Pose& X_AS, Vec3 d_A, Facing& out) {
  facing_feature(s, transpose_times(X_AS.R, d_A), out.f);
  for (int i = 0; i < out.f.count; ++i) out.f.p[i] = X_AS * out.f.p[i];
  out.f.normal = X_AS.R * out.f.normal;
  out.cosine = out.f.count > 2 ? dot(out.f.normal, d_A) : 0;
}

/// Clips `feature` by the walls that stand on the edges of `walls` along n, and measures gaps to its plane.
/// side: +1 if walls belong to a (its normal is about −n), −1 if to b.
void clip_and_measure(const Facing& walls, const Facing& feature, Vec3 n, double side, double margin,
                      std::uint32_t base, Candidates& out, double& least) {
  Polygon a, b, *in = &a, *next = &b;
  for (int i = 0; i < feature.f.count; ++i) in->add(feature.f.p[i], static_cast<std::uint32_t>(feature.f.id[i] + 1));
  const SurfaceFeature& w = walls.f;
  for (int i = 0; i < w.count && in->count > 0; ++i) {
    const Vec3 p = w.p[i], e = w.p[(i + 1) % w.count] - p;
    const Vec3 m = cross(e, n) * -side;  // outward of a polygon that runs counter-clockwise about −side n
    clip(*in, p, m, static_cast<std::uint32_t>(w.id[i] + 1), *next);
    std::swap(in, next);
  }
  const double lean = dot(n, w.normal);
  for (int i = 0; i < in->count; ++i) {
    const Vec3 p = in->c[i].p;
    // walls on a: the point p of b rises by gap along n to the face of a; walls on b: p of a sinks by gap to the face
    // of b
    const double gap = dot(w.p[0] - p, w.normal) / (side * lean);
    least = std::min(least, gap);
    if (gap <= margin) out.add({p + n * (side * 0.5 * gap), n, gap, base + in->c[i].id});
  }
}

/// Two mantles (capsules, cylinders) side by side: the ends of their common stretch. Each end has its own gap and
/// normal, from axis to axis, so that rods that cross at a small angle rest on their crossing and not on ends that are
/// in truth apart.
void pair_mantles(const Shape& a, const Shape& b, const Pose& X_AB, Vec3 n, double deepest, double margin,
                  std::uint32_t base, Candidates& out, double& least) {
  const double ra = a.radius, rb = b.radius;
  const Vec3 u{0, 0, 2 * a.half.z}, v = X_AB.R.z * (2 * b.half.z), origin_a = u * -0.5, origin_b = X_AB.p - v * 0.5;
  const double uu = dot(u, u), vv = dot(v, v);
  if (norm(cross(u, v)) > 0.09 * square_root(uu * vv)) return;  // more than 5 degrees: they cross in one point
  const double t0 = dot(origin_b - origin_a, u) / uu, t1 = dot(origin_b + v - origin_a, u) / uu;
  const double ends[2] = {std::max(0.0, std::min(t0, t1)), std::min(1.0, std::max(t0, t1))};
  if (ends[0] > ends[1]) return;
  for (int end = 0; end < 2; ++end) {
    const Vec3 axis_a = origin_a + u * ends[end];
    const Vec3 axis_b = origin_b + v * clamped(dot(axis_a - origin_b, v) / vv, 0.0, 1.0);
    const Vec3 d =
        (axis_a - axis_b) - u * (dot(axis_a - axis_b, u) / uu);  // square to the axis, so that flat ends do not count
    const double apart = norm(d);
    const Vec3 m = direction(d, n);
    const bool parallel = dot(m, n) > 1 - 1e-12;  // then the ends are as deep as anything; else the crossing is
    const double gap = std::max(apart - ra - rb, deepest + (parallel ? 0 : 10 * kDeeper));
    if (dot(d, n) <= 0 || gap > margin) continue;
    if (parallel) least = std::min(least, gap);
    out.add({(axis_a - m * ra + axis_b + m * rb) * 0.5, m, gap, base + 1 + static_cast<std::uint32_t>(end)});
  }
}

}  // namespace

void Candidates::add(const Contact& k) {
  for (int i = 0; i < count; ++i) {
    const Vec3 d = c[i].point - k.point;
    if (dot(d, d) > kSame * kSame || dot(c[i].normal, k.normal) < 0.99) continue;
    if (k.gap < c[i].gap - kDeeper) c[i] = k;
    return;
  }
  if (count == kCapacity) thin();
  c[count++] = k;
}

/// The point that matters most beside those picked, of which it is `distance(i)` away; −1: none is away from them.
/// Tilting by gap/distance brings a point into contact, and the one that needs the least is wanted most. Points that
/// are inside need none: left out, their springs would come and go with what they hold.
template <class Distance>
int Candidates::wanted(Distance&& distance, double deepest) const {
  const double touch = std::max(0.0, deepest);
  return first_largest(count, [&](int i) { return distance(i) / (std::max(0.0, c[i].gap - touch) + kLevel); });
}

/// Of points that are equally deep the outermost: one on an edge between two others would take the place of a corner.
int Candidates::deepest() const {
  double least = c[0].gap;
  Vec3 sum{0, 0, 0};
  for (int i = 0; i < count; ++i) least = std::min(least, c[i].gap), sum += c[i].point;
  const Vec3 middle = sum * (1.0 / count);
  return first_largest(count,
                       [&](int i) { return c[i].gap <= least + kAsDeep ? kSame + norm(c[i].point - middle) : 0; });
}

void Candidates::thin() {
  if (count <= kContactMax) return;
  int pick[kContactMax] = {deepest(), -1, -1, -1};
  const Contact& deep = c[pick[0]];
  const Vec3 a = deep.point;
  pick[1] = wanted([&](int i) { return norm(c[i].point - a); }, deep.gap);
  if (pick[1] >= 0)
    pick[2] = wanted([&](int i) { return norm(cross(c[i].point - a, c[pick[1]].point - a)); }, deep.gap);
  if (pick[2] >= 0)
    pick[3] = wanted([&](int i) { return outside(c[i].point, a, c[pick[1]].point, c[pick[2]].point, deep.normal); },
                     deep.gap);
  bool chosen[kCapacity] = {};
  for (int p : pick)
    if (p >= 0) chosen[p] = true;
  int n = 0;
  for (int i = 0; i < count; ++i)
    if (chosen[i]) c[n++] = c[i];
  count = n;
}

void add_manifold(const Shape& a, const Shape& b, const Pose& X_AB, const Deepest& deep, double margin,
                  bool with_witness, std::uint32_t feature_base, Candidates& out) {
  Facing fa, fb;
  face(a, identity_pose(), -deep.n, fa);
  face(b, X_AB, deep.n, fb);
  double least = std::numeric_limits<double>::infinity();
  if (std::max(fa.cosine, fb.cosine) >= kFacing) {
    // the face that looks straighter along the normal has the walls; a tie goes to a
    if (fa.cosine >= fb.cosine - 1e-9)
      clip_and_measure(fa, fb, deep.n, 1, margin, feature_base, out, least);
    else
      clip_and_measure(fb, fa, deep.n, -1, margin, feature_base, out, least);
  } else if (fa.f.count == 2 && fb.f.count == 2) {
    pair_mantles(a, b, X_AB, deep.n, deep.gap, margin, feature_base, out, least);
  }
  if (with_witness && least > deep.gap + kDeeper && deep.gap <= margin)
    out.add({(deep.p_a + deep.p_b) * 0.5, deep.n, deep.gap, feature_base});
}

}  // namespace gradus
