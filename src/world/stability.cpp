#include "world/stability.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "contact/contact_set.h"


namespace gradus {
namespace {

/// A point with its coordinates seen along u.
struct Seen {
  double x, y;
  Vec3 p;
};

double turn(const Seen& a, const Seen& b, const Seen& c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

/// Convex hull, counter-clockwise [Andrew 1979].
std::vector<Seen> hull_of(std::vector<Seen> points) {
  std::sort(points.begin(), points.end(), [](const Seen& a, const Seen& b) { return std::array{a.x, a.y, a.p.z} < std::array{b.x, b.y, b.p.z}; });
  const auto same = [](const Seen& a, const Seen& b) { return a.x == b.x && a.y == b.y; };
  points.erase(std::unique(points.begin(), points.end(), same), points.end());
  if (points.size() < 3) return points;
  std::vector<Seen> hull;
  for (int half = 0; half < 2; ++half) {
    const std::size_t first = hull.size();
    for (const Seen& p : points) {
      while (hull.size() >= first + 2 && turn(hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();  // it begins the other half
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

double distance(const Seen& c, const Seen& a, const Seen& b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;
  const double s = length2 > 0 ? std::clamp(((c.x - a.x) * dx + (c.y - a.y) * dy) / length2, 0.0, 1.0) : 0;
  return std::hypot(c.x - a.x - s * dx, c.y - a.y - s * dy);
}

}  // namespace

Stability stability_of(std::span<const Vec3> points, Vec3 c, double m, Vec3 g) {
  Stability out;
  const double size = norm(g);
  if (points.empty() || !(size > 0)) return out;
  const Vec3 u = g * (-1 / size), side = std::fabs(u.x) < 0.7 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 across = cross(u, side), t2 = across * (1 / norm(across)), t1 = cross(t2, u);
  const auto seen = [&](Vec3 p) { return Seen{dot(t1, p), dot(t2, p), p}; };
  std::vector<Seen> all;
  for (const Vec3& p : points) all.push_back(seen(p));
  const std::vector<Seen> hull = hull_of(std::move(all));
  for (const Seen& p : hull) out.polygon.push_back(p.p);
  const Seen centre = seen(c);
  bool inside = hull.size() >= 3;
  double nearest = std::numeric_limits<double>::infinity(), least = nearest;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Seen &a = hull[i], &b = hull[(i + 1) % hull.size()];
    inside = inside && turn(a, b, centre) > 0;
    nearest = std::min(nearest, distance(centre, a, b));
    const Vec3 edge = b.p - a.p;
    const double length = norm(edge);
    if (!(length > 0)) continue;
    const Vec3 e = edge * (1 / length), R = (c - a.p) - e * dot(c - a.p, e);
    const double up = dot(e, u);
    least = std::min(least, m * size * (norm(R) * std::sqrt(std::max(0.0, 1 - up * up)) - dot(R, u)));  // (4)
  }
  out.margin = inside ? nearest : -nearest;
  out.energy = inside ? least : 0;
  return out;
}

Stability stability_of(const World& w, int robot) {
  std::vector<Vec3> points;
  w.contacts().on(robot, [&](const Touch& t) {
    if (t.other_robot < 0 && t.normal_force > 0) points.push_back(t.point);
  });
  return stability_of(points, w.centre_of_mass(robot), w.model().robots[static_cast<std::size_t>(robot)].kind->mass, w.model().gravity);
}

}  // namespace gradus
