/// Gaps between convex pieces, discs and walls, and certificates of when a gap can first close.
///
/// A gap is measured along a direction fixed to one of the two bodies (a face's normal, or the line to the nearest
/// corner), f = n · r − offset with r from the face's body R to the other body's point. For trajectories with known
/// bounds
///   |f̈| ≤ B = a_R + a_I + (w_I² + α_I) ρ_I + 2 w_R |ṙ| + (α_R + w_R²) |r|                             (10)
/// so f(t + s) ≥ f + ḟ s − ½ B s², and the bodies are apart at least until that parabola's root (11).
/// Jumping from root to root never oversteps a contact and converges to it like Newton's method from one side.
#pragma once
#include "wheels/piece.h"
#include "wheels/shape.h"

namespace gradus::wheels {

inline constexpr int kMaxAxes = 2 * kMaxVertices;

/// Bounds of a body's motion over a piece.
struct MotionBounds {
  double a = 0, w = 0, alpha = 0;
};

/// A body at one instant of its piece.
struct Placed {
  Vec2 p, v;
  Rot2 R;
  double w = 0;
  MotionBounds bounds;
};

/// Corners of a resting pair that contact rows keep apart: left out of the certificate. Chosen at its first evaluation.
struct Held {
  bool fresh = true;
  int axis = -1;      // the face that separates the pair
  unsigned mask = 0;  // corners (of the other body) held; disc: 1
};

/// How long a certificate may look ahead, and the limits inside which a corner counts as held.
struct Lookahead {
  double horizon = 0;  // to the end of the shorter of the two pieces [s]
  double band = 0, slack = 0;
};

/// Gaps of all faces of A (first) and B against the other's corners; the largest is the separating one.
struct Separation {
  double gap = 0;
  int axis = 0;                        // < count of A: face of A
  std::array<double, kMaxAxes> all{};  // gap of each face
};
Separation separation(const ConvexPiece& A, const Placed& a, const ConvexPiece& B, const Placed& b);

/// Certified time without contact between two pieces; 0 where they touch.
double certify_pieces(const ConvexPiece& A, const Placed& a, const ConvexPiece& B, const Placed& b,
                      const Lookahead& look, Held* held);
/// Disc b of given radius against piece A.
double certify_disc(const ConvexPiece& A, const Placed& a, double disc_radius, const Placed& b, const Lookahead& look,
                    Held* held);
/// Piece or disc against a fixed wall.
double certify_piece_wall(const ConvexPiece& A, const Placed& a, Vec2 normal, double offset, const Lookahead& look,
                          Held* held);
double certify_disc_wall(double disc_radius, const Placed& a, Vec2 normal, double offset, const Lookahead& look,
                         Held* held);

}  // namespace gradus::wheels
