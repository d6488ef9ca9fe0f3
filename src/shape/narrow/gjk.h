/// Distance and depth of convex cores (shape.h) from their support functions alone.
///
/// The Minkowski difference A ⊖ B = {a − b} holds the origin exactly if the cores overlap; its point v nearest to the
/// origin is the separation, pointing from B to A. Separated cores: GJK [Gilbert, Johnson, Keerthi 1988; van den Bergen
/// 2003]. Overlapping ones: the expanding polytope [van den Bergen 2001], which grows a polyhedron inside A ⊖ B until
/// its face nearest to the origin lies on the boundary. Distances to planes are signed in it, so cores that just touch
/// need no special case.
#pragma once
#include "shape/shape.h"

namespace gradus {

/// Two cores in one frame, that of A.
struct CorePair {
  const Shape& a;
  const Shape& b;
  Pose X_AB;
};

/// A point of A ⊖ B and where it comes from, all in A.
struct MinkowskiPoint {
  Vec3 w, p_a, p_b;
};
struct Simplex {
  int count = 0;
  MinkowskiPoint v[4];
};

/// Nearest (or deepest) points of two shapes.
struct Deepest {
  Vec3 n{0, 0, 1};                  // unit, from b to a, in A
  double gap = 0;                   // negative: depth                                    [m]
  Vec3 p_a{0, 0, 0}, p_b{0, 0, 0};  // on a and on b, in A                         [m]
};

enum class GjkAnswer { apart, beyond, overlap };

/// `beyond`: farther apart than `limit`, nothing else is computed. `overlap` leaves the simplex for deepest_overlap.
GjkAnswer core_distance(const CorePair& pair, double limit, Deepest& out, Simplex& simplex);
/// Shortest translation that parts two overlapping (or touching) cores; one of them must have a volume.
void core_depth(const CorePair& pair, const Simplex& start, Deepest& out);

/// Both together, for shapes with their balls; false if farther apart than margin.
bool convex_deepest(const CorePair& pair, double margin, Deepest& out);
/// Turns the answer for cores into that for shapes: both surfaces move towards each other by their radii.
void add_radii(double radius_a, double radius_b, Deepest& d);

}  // namespace gradus
