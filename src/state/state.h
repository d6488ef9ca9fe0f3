/// What changes while a simulation runs, in the three kinds of DESIGN.md section 3.
///   State    exactly what a snapshot holds: q v z r of every robot in one slab, robot after robot
///   Input    what controllers asked for: read once a step, part of a snapshot because targets are held
///   Scratch  everything that may be lost between steps
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "model/model.h"
#include "tree/frames.h"

namespace gradus {

/// Numbers of one contact point that survive a step.
struct ContactMemory {
  double s1, s2;   // deflection of the sticking spring along the ground's tangents   [m]
  double fn;       // normal force of the last step                                   [N]
  double sliding;  // 1 while the point slides
};

/// Where a robot's numbers lie in the slabs.
struct RobotLayout {
  int q, v;             // State: 7 + njoint coordinates, 6 + njoint velocities
  int contact;          // State: ContactMemory of each contact point
  int z;                // State: the owning motion's private numbers (room for the most demanding motion)
  int r;                // State: results of the last step: joint forces (njoint), base acceleration (6)
  int target;           // Input: joint targets (njoint), due (1), push (7)
  int z_size;
};
constexpr int kDue = 0;       // offset behind the targets: number of the step at which they are to be reached
constexpr int kPushLink = 1;  // link that is pushed (−1: none), then the force (3) and the point in the link's frame (3)
constexpr int kInputTail = 8;

struct Layout {
  std::vector<RobotLayout> robots;
  int state_size = 0, input_size = 0;
};
/// z_size: room for private numbers, per robot.
Layout make_layout(const Model& model, std::span<const int> z_size);

struct State {
  std::int64_t k = 0;             // step number; time = k · step
  std::vector<double> slab;
};
struct Input {
  std::vector<double> slab;
};

/// Coordinates of a robot: q = p_WB (3), q_WB (4: w x y z), joints;  v = w_WB (3), v_WB (3), joints.
inline Vec3 base_position(const double* q) { return {q[0], q[1], q[2]}; }
inline Quat base_orientation(const double* q) { return {q[3], q[4], q[5], q[6]}; }
inline Vec3 base_angular_velocity(const double* v) { return {v[0], v[1], v[2]}; }
inline Vec3 base_velocity(const double* v) { return {v[3], v[4], v[5]}; }
inline void set_base_pose(double* q, Vec3 p, const Quat& r) {
  q[0] = p.x; q[1] = p.y; q[2] = p.z;
  q[3] = r.w; q[4] = r.x; q[5] = r.y; q[6] = r.z;
}
inline void set_base_twist(double* v, Vec3 w, Vec3 l) {
  v[0] = w.x; v[1] = w.y; v[2] = w.z;
  v[3] = l.x; v[4] = l.y; v[5] = l.z;
}

/// A point of a robot near the static world, and the law's present opinion of it. Lives in Scratch for one step.
struct StaticContact {
  int point, link;
  bool active;       // pushes in this step
  bool barred;       // was found to pull: stays off for the rest of the step
  bool sliding;
  Vec3 r;            // from the root's origin, world axes                                  [m]
  double gap;        // negative: penetration                                               [m]
  Vec3 u;            // velocity of the point at the start of the step                      [m/s]
  double fn;         // normal force expected in this step: bounds friction                 [N]
  Vec3 d;            // direction of sliding
  Vec3 f;            // force at the start of the step, world axes                          [N]
  Sym3 W;            // implicit share h (D + h K)                                          [N s²/m]
};

/// Force of one joint with its implicit share [tree/dynamics.h], and what the drive must check afterwards.
struct DriveForce {
  double tau, e;       // total, as the motion takes it
  double servo_tau;    // share of the servo's position term, bounded                     [N m]
  double servo_slope;  // h² kp of the position term; 0 when held at its limit
  double low, high;    // its bounds in this step
};

/// Per-robot scratch, made once at compile.
struct RobotScratch {
  std::vector<Frame> frames;             // (nlink) A1: poses and velocities of State[k]
  std::vector<StaticContact> contacts;   // capacity npoint; A2 and B2
  int contact_count = 0;
  std::vector<int> contact_begin;        // (nlink + 1) contacts of each link
  std::vector<DriveForce> drive;         // (njoint) B1
  std::vector<Vec6> acc;                 // (nlink) B3: link accelerations minus gravity
  std::vector<double> a;                 // (njoint) B3: joint accelerations
  std::vector<Vec6> impulse, dV;         // (nlink) B4: impulses on links, and their effect
  std::vector<double> dv;                // (njoint) B4
  std::vector<std::byte> own;            // the motion's own scratch
};

}  // namespace gradus
