#include "motion/planar_wheels/shape.h"

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
    turn += std::atan2(cross(a, b), dot(a, b));
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
  return {r, std::atan2(normal.x, -normal.y)};
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

}  // namespace gradus::wheels
