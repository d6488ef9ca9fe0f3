/// Outlines: a robot is a star-shaped polygon about its axle mid-point, cut into convex pieces; an obstacle is a convex
/// piece fixed to the world. A ball guide (concave front) is therefore exact and needs no special case.
#pragma once
#include <array>
#include <span>
#include <string>
#include <vector>

#include "wheels/vec2.h"

namespace gradus::wheels {

inline constexpr int kMaxVertices = 12;  // of one convex piece

/// Convex polygon, counter-clockwise, in the frame of its body. Face i runs from vertex i to vertex i + 1.
struct ConvexPiece {
  int count = 0;
  std::array<Vec2, kMaxVertices> vertex{};    // [m]
  std::array<Vec2, kMaxVertices> normal{};    // outward, unit, of face i
  std::array<double, kMaxVertices> offset{};  // normal · vertex                                   [m]
  double radius = 0;                          // farthest vertex from the body's origin            [m]
};

/// Completes normals, offsets and radius. `vertices` must be convex and counter-clockwise.
ConvexPiece make_piece(std::span<const Vec2> vertices);

/// Nearest place of a piece to a point, in the frame of the piece. distance < 0: the point is inside.
struct Nearest {
  double distance = 0;
  Vec2 normal;  // from the piece to the point, unit
  Vec2 point;   // on the piece
  bool corner = false;
};
Nearest nearest_to(const ConvexPiece& piece, Vec2 p);

/// Cuts a star-shaped, counter-clockwise outline into convex pieces: the fan of triangles about the origin, neighbours
/// merged while they stay convex. Returns an empty list and says why if the outline is not star-shaped.
std::vector<ConvexPiece> convex_pieces(std::span<const Vec2> outline, std::string& problem);

/// Where the centre of a ball of radius r_b is when the ball is rolled round the robot [Klančar 2007, sec. 4.3]: the
/// outline grown by r_b, as the distance r(φ) from the robot's centre in body direction φ and the direction of the
/// tangent there. The engine computes contacts from the pieces; the table is the same curve for those who plan with it.
struct RimPoint {
  double radius = 0;   // r(φ)                                                                      [m]
  double tangent = 0;  // direction of the rim, counter-clockwise, body axes                        [rad]
};
RimPoint rim_point(std::span<const ConvexPiece> pieces, double ball_radius, double phi);
std::vector<RimPoint> rim_table(std::span<const ConvexPiece> pieces, double ball_radius, int count);

/// The square of side L, and one with a concave front (a ball guide of given depth and width).
std::vector<Vec2> square_outline(double side);
std::vector<Vec2> guide_outline(double side, double guide_width, double guide_depth);

/// Outline of the union of convex, counter-clockwise polygons: their corners and crossings that no other covers, by
/// angle. Empty if the union is not star-shaped about the origin (or does not hold it).
std::vector<Vec2> union_outline(std::span<const std::vector<Vec2>> parts);
/// Counter-clockwise convex hull.
std::vector<Vec2> convex_hull(std::vector<Vec2> points);

}  // namespace gradus::wheels
