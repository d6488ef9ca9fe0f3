/// What changes while a simulation runs, in the three kinds of DESIGN.md section 3.
///   State    exactly what a snapshot holds: q v z r of every robot in one slab, robot after robot
///   Input    what controllers asked for: read once a step, part of a snapshot because targets are held
///   Scratch  everything that may be lost between steps
#pragma once
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "model/model.h"
#include "tree/dynamics.h"

namespace gradus {

/// Numbers of one contact point that survive a step.
template <class T>
struct ContactMemoryT {
  T s1, s2;   // deflection of the sticking spring along the ground's tangents   [m]
  T fn;       // normal force of the last step                                   [N]
  T sliding;  // 1 while the point slides
};
using ContactMemory = ContactMemoryT<double>;

/// What survives a step of a contact between two shapes [contact/records.h].
struct ContactRecord {
  double pair;     // which shapes
  double feature;  // which features of them: it is found again by these, or
  Vec3 place;      // on the robot's link by the place                                                       [m]
  Vec3 stick;      // what keeps it from creeping: deflection of the sticking spring [m], of moving bodies the impulse [N s], W
  Vec3 turn;       // moment of rolling friction, W; of moving bodies                                        [N m s]
  double fn;       // normal force of the last step                                                          [N]
  double sliding;  // 1 while it slides, of the field
  double held;     // what its normal spring may hold at the start of the next step [contact/law/held.h]     [J]
  double slack;    // of moving bodies: compliance of what they stick by, (21) of docs/couple.md             [1/kg]
};
inline constexpr int kContactRecord = 15;  // numbers of it
static_assert(sizeof(ContactRecord) == kContactRecord * sizeof(double));
/// Numbers of a section of State with room for so many records.
constexpr int section_size(int room) { return room > 0 ? 1 + kContactRecord * room : 0; }

/// Where a robot's numbers lie in the slabs.
struct RobotLayout {
  int q, v;     // State: 7 + njoint coordinates, 6 + njoint velocities
  int contact;  // State: ContactMemory of each contact point
  int field;    // State: records of contacts with the field, room for field_size [contact/records.h]
  int field_size;
  int z;          // State: the owning motion's private numbers (room for the most demanding motion)
  int drive;      // State: the actuator chains' numbers
  int sense;      // State: what its sensors remember
  int r;          // State: results of the last step: joint forces (njoint), base acceleration (6)
  int target;     // Input: joint targets (njoint), due (1), push (7)
  int stiffness;  // Input: stiffness of each joint's chain (njoint), only in robots with chains
  int impedance;  // Input: speeds, torques, kp and kd (njoint each), only in robots that are commanded so; −1: none
  int z_size, drive_size;
};
// Offsets behind the targets.
constexpr int kDue = 0;       // number of the step at which the targets are to be reached
constexpr int kPushLink = 1;  // link that is pushed (−1: none), then the force (3) and the point in its frame (3)
constexpr int kInputTail = 8;

struct Layout {
  std::vector<RobotLayout> robots;
  int coupling = 0;  // State: records of contacts between moving bodies [contact/records.h]
  int state_size = 0, input_size = 0;
};
/// z_size, drive_size, sense_size: room for private numbers, actuator chains and sensors, per robot; coupling: numbers of
/// that memory.
Layout make_layout(const Model& model, std::span<const int> z_size, std::span<const int> drive_size,
                   std::span<const int> sense_size, int coupling);

/// How many contacts with static objects a robot of this kind may have at once.
int field_contact_room(const Model& model, const RobotKind& kind);

struct State {
  std::int64_t k = 0;  // step number; time = k · step
  std::vector<double> slab;
};
/// An impulse on a link, given in world axes at a point of the link's frame. Taken once, in the next step (B4).
struct Impulse {
  int robot, link;
  Vec3 p_L;      // where, in the link's frame        [m]
  Vec3 impulse;  // world axes                        [N s]
};
inline constexpr std::size_t kMaxImpulses = 64;  // that may wait for a step
struct Input {
  std::vector<double> slab;
  std::vector<Impulse> impulses;
};

/// Coordinates of a robot: q = p_WB (3), q_WB (4: w x y z), joints;  v = w_WB (3), v_WB (3), joints.
template <class T>
GRADUS_INLINE Vec3T<T> base_position(const T* q) {
  return {q[0], q[1], q[2]};
}
template <class T>
GRADUS_INLINE QuatT<T> base_orientation(const T* q) {
  return {q[3], q[4], q[5], q[6]};
}
template <class T>
GRADUS_INLINE Vec3T<T> base_angular_velocity(const T* v) {
  return {v[0], v[1], v[2]};
}
template <class T>
GRADUS_INLINE Vec3T<T> base_velocity(const T* v) {
  return {v[3], v[4], v[5]};
}
template <class T>
GRADUS_INLINE CoordinatesT<T> coordinates_of(const T* q, const T* v) {
  return {base_orientation(q), base_angular_velocity(v), q + 7, v + 6};
}
template <class T>
GRADUS_INLINE void set_base_pose(T* q, std::type_identity_t<Vec3T<T>> p, const std::type_identity_t<QuatT<T>>& r) {
  q[0] = p.x;
  q[1] = p.y;
  q[2] = p.z;
  q[3] = r.w;
  q[4] = r.x;
  q[5] = r.y;
  q[6] = r.z;
}
template <class T>
GRADUS_INLINE void set_base_twist(T* v, std::type_identity_t<Vec3T<T>> w, std::type_identity_t<Vec3T<T>> l) {
  v[0] = w.x;
  v[1] = w.y;
  v[2] = w.z;
  v[3] = l.x;
  v[4] = l.y;
  v[5] = l.z;
}

/// A point of a robot near the static world, and the law's present opinion of it. Lives in Scratch for one step.
template <class T>
struct StaticContactT {
  int point, link;
  MaskOf<T> near;    // may touch in this step: what pulls and goes off may come back
  MaskOf<T> active;  // pushes in this step
  MaskOf<T> sliding;
  Vec3T<T> r;  // from the root's origin, world axes                                  [m]
  T gap;       // negative: penetration                                               [m]
  Vec3T<T> u;  // velocity of the point at the start of the step                      [m/s]
  T fn;        // normal force expected in this step: bounds friction                 [N]
  Vec3T<T> d;  // direction of sliding
  Vec3T<T> f;  // force at the start of the step, world axes                          [N]
  Sym3T<T> W;  // implicit share h (D + h K)                                          [N s²/m]
};
using StaticContact = StaticContactT<double>;

/// What every contact between two shapes has, as it was found.
struct FoundContact {
  double pair;      // which shapes [contact/records.h]
  double stiffness; // of its normal spring                                                [N/m]
  double gap;       // negative: penetration                                                [m]
  double felt;      // gap that its spring feels: less deep where geometry alone made it deep [contact/law/held.h]  [m]
  double unfelt;    // what its spring would hold more if it felt all of the depth           [J]
};

/// The other side of a contact with a static object: its axes, the numbers of the pair, and what the last step left.
struct FieldContact : FoundContact {
  Vec3 p_L;          // place on the link                                                   [m]
  Vec3 n, t1, t2;    // out of the object, and tangents; n = t1 × t2
  ContactPoint law;  // friction, stiffness and damping of the two surfaces
  double restitution;
  ContactMemory m;
};

/// Force of one joint with its implicit share [tree/dynamics.h], and what the drive must check afterwards.
template <class T>
struct DriveForceT {
  T tau, e;       // total, as the motion takes it
  T servo_tau;    // share of the servo's position term, bounded                     [N m]
  T servo_slope;  // its share in e: h² kp, or that of the bound that holds it
  T held;         // 1 at the upper bound, −1 at the lower, 0 between
  T stop_tau;     // joint stop, as it is in tau                                     [N m]
  T stop_slope;   // its share in e; 0 while it is off
  T rub_tau;      // joint friction, as it is in tau                                 [N m]
  T rub_slope;    // its share in e while it sticks; 0 while it slides
};
using DriveForce = DriveForceT<double>;

/// Numbers that half B needs while it goes over a robot, in one block. Robots that go alone use their thread's, so that a thousand of
/// them need one; those of an island or a group, which go together, have their own.
struct alignas(64) CacheLine {
  std::byte bytes[64];
};
using Block = std::vector<CacheLine>;

/// Per-robot scratch, made once at compile.
struct RobotScratch {
  std::vector<Frame> frames;  // (nlink) A1: poses and velocities of State[k]
  std::vector<StaticContact>
      contacts;  // capacity npoint + field_size; A2 and B2. point ≥ npoint: of field[point − npoint]
  std::vector<FieldContact> field;  // capacity field_size; A2
  bool velocities = false;         // A1: frames have velocities
  std::vector<Frame> frames_next;  // (nlink) of State[k+1], if B5 had to make them
  bool flew = false;               // it had
  int field_count = 0;
  std::int64_t field_dropped = 0;  // contacts that did not fit
  int contact_count = 0;
  std::vector<double> spin;  // (nlink) B2, law spring: moment of contacts per rate of turning [N m s]; empty: none
  std::vector<int> contact_begin;    // (nlink + 1) contacts of each link
  bool exact = false;                // B3: its static contacts are solved, not reviewed [contact/solve/own_points.h]
  bool renewed = true;               // B3: predicted in this pass of its island; else as in the pass before
  int impulses_alone = 0;            // B4: before couple
  int impulses = 0;                  // B4: how often some were taken since the prediction
  bool rests = false;                // B4: a contact of couple that is no impact acted [docs/couple.md (13)]
  Vec6 kick = zero6<double>();       // B4: change of the root's twist by impacts with moving bodies, else 0 (13)
  ResponseRoom response;             // B4
  std::vector<double> sense;         // A3: what sensors remember once they have looked at State[k]
  std::vector<std::byte> drive_own;  // the drives' own: constants of the chains for this step length, and B1

  // in a block
  std::span<DriveForce> drive;     // (njoint) B1
  std::span<Vec6> acc;             // (nlink) B3: link accelerations minus gravity
  std::span<double> a;             // (njoint) B3: joint accelerations
  std::span<double> d_inv;         // (njoint) B3: 1/(articulated inertia + e), of joints with actuator chains
  std::span<Vec6> impulse, dV;     // (nlink) B4: impulses on links, and their effect
  std::span<double> dv;            // (njoint) B4
  std::span<Vec6> acc_alone;       // (nlink) B3: acc as predicted, before couple
  std::span<double> a_alone;       // (njoint) likewise
  std::span<Vec6> given;           // (nlink) B4: the impulses that were taken last; `impulse` is used up by respond
  std::span<std::byte> own;        // the motion's own scratch
};

/// What `use_block` takes for a robot, in cache lines.
std::size_t block_size(std::size_t nlink, std::size_t njoint, std::size_t own);
/// From now on the robot's numbers of half B lie in this block; what is in it is not kept.
void use_block(RobotScratch& s, Block& block, std::size_t njoint, std::size_t own);

}  // namespace gradus
