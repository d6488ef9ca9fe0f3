/// Places where bodies touch or nearly touch, with what a contact row needs to know about them.
#pragma once
#include "wheels/gap.h"
#include "wheels/model.h"
#include "wheels/smooth_motion.h"

namespace gradus::wheels {

/// Whose face the contact lies on; it decides how the gap curves when the bodies turn, eq. (15).
enum class Face { fixed, of_a, of_b, corner_on_disc, fixed_corner_on_disc };

struct Contact {
  int a = -1, b = -1;    // bodies; b < 0: an obstacle
  int obstacle = -1;     // walls first, then blocks
  Vec2 n;                // unit, from b (or the obstacle) to a
  Vec2 p;                // place of contact
  double gap = 0;        // [m]
  double speed = 0;      // n · relative velocity, > 0 opening
  double curvature = 0;  // second derivative of the gap for constant twists
  Face face = Face::fixed;
  int point = 0;     // number of this contact within its pair
  bool row = false;  // takes part in the slice as a velocity constraint
};

/// A body as contacts see it: a robot's pieces, or (robot == nullptr) the ball.
struct BodyShape {
  const RobotModel* robot = nullptr;
  double radius = 0;  // bounding circle
};

/// Writes contacts closer than `band` to `out`; returns their number (at most `room`).
int collect_pair(const BodyShape& A, const Placed& a, const BodyShape& B, const Placed& b, double ball_radius,
                 double band, Contact* out, int room);
int collect_wall(const BodyShape& A, const Placed& a, const Wall& wall, double ball_radius, double band, Contact* out,
                 int room);
int collect_block(const BodyShape& A, const Placed& a, const ConvexPiece& block, double ball_radius, double band,
                  Contact* out, int room);

/// Smallest gap between two bodies, a body and a wall, a body and a block (negative: overlap).
double pair_gap(const BodyShape& A, const Placed& a, const BodyShape& B, const Placed& b, double ball_radius);
double wall_gap(const BodyShape& A, const Placed& a, const Wall& wall, double ball_radius);
double block_gap(const BodyShape& A, const Placed& a, const ConvexPiece& block, double ball_radius);

/// Velocity of the place p of a body (its face or, for the ball, its centre).
Vec2 point_velocity(const BodyShape& shape, const Placed& body, Vec2 p);
/// Second derivative of the gap for constant twists, eq. (15).
double gap_curvature(const Contact& c, const BodyShape& A, const Placed& a, const BodyShape* B, const Placed* b,
                     double ball_radius);

}  // namespace gradus::wheels
