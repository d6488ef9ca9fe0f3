#include "wheels/shape.h"
#include "math/angle.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradus::wheels {

ConvexPiece make_piece(std::span<const Vec2> vertices) {
  ConvexPiece piece;
  piece.count = static_cast<int>(std::min<std::size_t>(vertices.size(), kMaxVertices));
  for (int i = 0; i < piece.count; ++i) piece.vertex[i] = vertices[i];
  for (int i = 0; i < piece.count; ++i) {
    const Vec2 edge = piece.vertex[(i + 1) % piece.count] - piece.vertex[i];
    piece.normal[i] = (-1 / norm(edge)) * perp(edge);
    piece.offset[i] = dot(piece.normal[i], piece.vertex[i]);
    piece.radius = std::max(piece.radius, norm(piece.vertex[i]));
  }
  return piece;
}

Nearest nearest_to(const ConvexPiece& piece, Vec2 p) {
  // The face with the largest distance, or one of its ends, is nearest: the direction to the nearest point lies between
  // the normals of two neighbouring faces, so no other normal is closer to it.
  int best = 0;
  double top = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < piece.count; ++i) {
    const double d = dot(piece.normal[i], p) - piece.offset[i];
    if (d > top) top = d, best = i;
  }
  const Vec2 n = piece.normal[best], a = piece.vertex[best], b = piece.vertex[(best + 1) % piece.count];
  const bool before = dot(perp(n), p - a)<0, after = dot(perp(n), p - b)> 0;
  if (top > 0 && (before || after)) {
    const Vec2 corner = before ? a : b, d = p - corner;
    const double length = norm(d);
    return {length, (1 / length) * d, corner, true};
  }
  return {top, n, p - top * n, false};
}

namespace {

bool is_convex_at(Vec2 before, Vec2 at, Vec2 after) { return cross(at - before, after - at) > 1e-12; }

/// Can the fan [first, last] of outline vertices (with the origin) be one convex polygon?
bool is_convex_fan(std::span<const Vec2> outline, int first, int count) {
  const int n = static_cast<int>(outline.size());
  auto at = [&](int k) { return outline[(first + k) % n]; };
  for (int k = 1; k + 1 < count; ++k)
    if (!is_convex_at(at(k - 1), at(k), at(k + 1))) return false;
  const Vec2 origin{};
  return is_convex_at(at(count - 2), at(count - 1), origin) && is_convex_at(at(count - 1), origin, at(0)) &&
         is_convex_at(origin, at(0), at(1));
}

bool is_convex_outline(std::span<const Vec2> outline) {
  const std::size_t n = outline.size();
  for (std::size_t i = 0; i < n; ++i)
    if (!is_convex_at(outline[i], outline[(i + 1) % n], outline[(i + 2) % n])) return false;
  return n <= kMaxVertices;
}

std::string star_problem(std::span<const Vec2> outline) {
  if (outline.size() < 3) return "an outline needs at least three corners";
  if (outline.size() > 64) return "an outline has at most 64 corners";
  double turn = 0;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Vec2 a = outline[i], b = outline[(i + 1) % outline.size()];
    if (!std::isfinite(a.x) || !std::isfinite(a.y)) return "a corner is not finite";
    if (!(cross(a, b) > 0)) return "the outline is not star-shaped about the axle mid-point (or runs clockwise)";
    turn += arc_tangent(cross(a, b), dot(a, b));
  }
  return std::fabs(turn - 2 * M_PI) < 1e-6 ? "" : "the outline does not go round the axle mid-point exactly once";
}

}  // namespace

std::vector<ConvexPiece> convex_pieces(std::span<const Vec2> outline, std::string& problem) {
  problem = star_problem(outline);
  if (!problem.empty()) return {};
  if (is_convex_outline(outline)) return {make_piece(outline)};
  const int n = static_cast<int>(outline.size());
  int start = 0;  // begin behind a reflex corner, so that no convex run is cut at the list's seam
  for (int i = 0; i < n; ++i)
    if (!is_convex_at(outline[(i + n - 1) % n], outline[i], outline[(i + 1) % n])) start = i;
  std::vector<ConvexPiece> pieces;
  for (int first = 0; first < n;) {
    int count = 2;
    while (first + count <= n && count + 1 < kMaxVertices && is_convex_fan(outline, start + first, count + 1)) ++count;
    std::vector<Vec2> vertices;
    for (int k = 0; k < count; ++k) vertices.push_back(outline[(start + first + k) % n]);
    vertices.push_back({});
    pieces.push_back(make_piece(vertices));
    first += count - 1;
  }
  return pieces;
}

RimPoint rim_point(std::span<const ConvexPiece> pieces, double ball_radius, double phi) {
  const Vec2 direction{std::cos(phi), std::sin(phi)};
  auto distance = [&](double r, Vec2* normal) {
    double least = std::numeric_limits<double>::infinity();
    for (const ConvexPiece& piece : pieces) {
      const Nearest near = nearest_to(piece, r * direction);
      if (near.distance < least) {
        least = near.distance;
        if (normal) *normal = near.normal;
      }
    }
    return least - ball_radius;
  };
  double far = ball_radius;
  for (const ConvexPiece& piece : pieces) far = std::max(far, piece.radius + ball_radius);
  // From outside inwards: the distance is a lower bound of the way, so no part of the rim is jumped over.
  double r = far + 1e-3;
  for (int i = 0; i < 200; ++i) {
    const double d = distance(r, nullptr);
    if (d < 1e-15) break;
    Vec2 n;
    distance(r, &n);
    const double slope = dot(n, direction);  // Newton where it is safe: the distance to one piece is convex
    r -= pieces.size() == 1 && slope > 1e-3 ? d / slope : d;
  }
  Vec2 normal;
  distance(r, &normal);
  return {r, arc_tangent(normal.x, -normal.y)};
}

std::vector<RimPoint> rim_table(std::span<const ConvexPiece> pieces, double ball_radius, int count) {
  std::vector<RimPoint> table;
  for (int i = 0; i < count; ++i) table.push_back(rim_point(pieces, ball_radius, 2 * M_PI * i / count));
  return table;
}

std::vector<Vec2> square_outline(double side) {
  const double a = side / 2;
  return {{a, a}, {-a, a}, {-a, -a}, {a, -a}};
}

std::vector<Vec2> guide_outline(double side, double guide_width, double guide_depth) {
  const double a = side / 2, w = guide_width / 2;
  return {{a, w}, {a, a}, {-a, a}, {-a, -a}, {a, -a}, {a, -w}, {a - guide_depth, -w / 2}, {a - guide_depth, w / 2}};
}

std::vector<Vec2> convex_hull(std::vector<Vec2> p) {
  std::sort(p.begin(), p.end(), [](Vec2 a, Vec2 b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  std::vector<Vec2> hull;  // lower, then upper chain [Andrew 1979]
  for (int chain = 0; chain < 2; ++chain) {
    const std::size_t first = hull.size();
    for (const Vec2 q : p) {
      while (hull.size() >= first + 2 && !(cross(hull.back() - hull[hull.size() - 2], q - hull.back()) > 1e-15))
        hull.pop_back();
      hull.push_back(q);
    }
    if (!hull.empty()) hull.pop_back();  // the first of the other chain
    std::reverse(p.begin(), p.end());
  }
  return hull;
}

namespace {

constexpr double kSame = 1e-9;  // closer points are one [m]

/// By at least `depth`.
bool inside(const std::vector<Vec2>& part, Vec2 p, double depth) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    const Vec2 a = part[i], e = part[(i + 1) % part.size()] - a;
    if (!(cross(e, p - a) > depth * norm(e))) return false;
  }
  return true;
}
bool any_holds(std::span<const std::vector<Vec2>> parts, Vec2 p, double depth) {
  return std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return inside(part, p, depth); });
}

/// Does every edge run along the parts' surface, and round the origin? Sorting by angle alone would cut across a bay.
bool follows_surface(std::span<const Vec2> outline, std::span<const std::vector<Vec2>> parts) {
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Vec2 a = outline[i], b = outline[(i + 1) % outline.size()], middle = 0.5 * (a + b);
    if (!(cross(a, b) > 0) || any_holds(parts, middle, 10 * kSame) || !any_holds(parts, middle, -10 * kSame))
      return false;
  }
  return true;
}

/// Where the edges a–b and c–d cross, if they do.
bool crossing(Vec2 a, Vec2 b, Vec2 c, Vec2 d, Vec2& out) {
  const double det = cross(b - a, d - c);
  if (std::fabs(det) < 1e-15) return false;
  const double s = cross(c - a, d - c) / det, t = cross(c - a, b - a) / det;
  out = a + s * (b - a);
  return s >= 0 && s <= 1 && t >= 0 && t <= 1;
}

}  // namespace

std::vector<Vec2> union_outline(std::span<const std::vector<Vec2>> parts) {
  std::vector<Vec2> points;
  const auto keep = [&](Vec2 p) {
    const auto near = [&](Vec2 q) { return norm(p - q) < kSame; };
    if (!any_holds(parts, p, kSame) && std::none_of(points.begin(), points.end(), near)) points.push_back(p);
  };
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t k = 0; k < parts[i].size(); ++k) {
      const Vec2 a = parts[i][k], b = parts[i][(k + 1) % parts[i].size()];
      keep(a);
      for (std::size_t j = i + 1; j < parts.size(); ++j)
        for (std::size_t l = 0; l < parts[j].size(); ++l) {
          Vec2 x;
          if (crossing(a, b, parts[j][l], parts[j][(l + 1) % parts[j].size()], x)) keep(x);
        }
    }
  std::sort(points.begin(), points.end(), [](Vec2 a, Vec2 b) { return arc_tangent(a.y, a.x) < arc_tangent(b.y, b.x); });
  std::vector<Vec2> out;
  for (std::size_t i = 0; i < points.size(); ++i) {  // points in the middle of a straight edge say nothing
    const Vec2 a = points[(i + points.size() - 1) % points.size()], b = points[i], c = points[(i + 1) % points.size()];
    if (std::fabs(cross(b - a, c - b)) > kSame * norm(c - a)) out.push_back(b);
  }
  return follows_surface(out, parts) ? out : std::vector<Vec2>{};
}

}  // namespace gradus::wheels
