/// A robot's constants as the walk over limbs reads them [limb_step.h]: groups of four numbers, which a GPU reads from shared
/// memory at once, and small tables by link.
#pragma once
#include "batch/gpu/limb_plan.h"
#include "batch/world_step.h"

namespace gradus {

template <class T>
struct alignas(4 * sizeof(T)) Four {
  T x, y, z, w;
};

template <class T>
struct LimbLinkT {
  Four<T> place;     // p_PB, rotor
  Four<T> mass;      // centre of mass, mass
  Four<T> inertia;   // xx, yy, zz
  Four<T> products;  // xy, xz, yz
  Four<T> axis;
  Four<T> bound;     // of its points: centre, radius (−1: none)
};
template <class T>
struct LimbJointT {
  Four<T> servo;    // kp, kd, torque, torque lost per speed
  Four<T> stop;     // lower, upper, k, d
  Four<T> passive;  // damping, friction, spring; no-load speed of the servo
  Four<T> mimic;    // multiplier, offset
};

/// What is small and asked for by link.
template <class T>
struct LimbRobotT {
  int nlink, npoint, slots;  // slots: branching links
  RootKind root;
  bool ground;  // is there any? It is level.
  int predictions;
  T h, offset;  // height of the ground
  Vec3T<T> gravity;
  LimbPlan plan;
  std::uint32_t code[kMostLimbLinks];        // see below
  std::int16_t mimic_of[kMostLimbLinks];          // joint number, −1
  std::int16_t point_begin[kMostLimbLinks + 1];
  std::uint64_t point_bits[kMostLimbLinks];       // of a link's points
};
/// Code of a link: axis, 2 bits; flags; axis of a round inertia, 2 bits; number of its bit in the words of its warp, of its joint and its first
/// point, 6 bits each; slot of a branching link plus one, 8 bits: of the root 1 if its warp walks other limbs than the one that
/// goes on to it.
constexpr std::uint32_t kAxisBits = 3, kPrismatic = 4, kHasPoints = 8, kRoundShift = 4, kDiagonal = 64, kHasMass = 128,
                        kJointShift = 8, kPointShift = 14, kBitBits = 63, kSlotShift = 20;

/// Where the larger tables lie.
template <class T>
struct LimbTablesT {
  const LimbLinkT<T>* links;        // (nlink)
  const LimbJointT<T>* joints;      // (njoint)
  const ContactPointT<T>* points;   // (npoint)
};

/// What some robots have; kernels for those without leave the code out.
struct LimbNeeds {
  bool prismatic, passive, mimics;  // passive: friction or springs of joints
  bool many;                        // more points or joints of one warp than a word of 32 bits has
  bool none() const { return !prismatic && !passive && !mimics && !many; }
};

template <class T>
struct LimbRobotData {
  LimbRobotT<T> robot;
  std::vector<LimbLinkT<T>> links;
  std::vector<LimbJointT<T>> joints;
  std::vector<ContactPointT<T>> points;
  LimbNeeds needs;
};

/// False, with the reason: a robot that limbs cannot do.
template <class T>
bool make_limb_robot(const BatchConstantsT<T>& c, int warps, LimbRobotData<T>& out, std::string& error);

// Instances in limb_robot.cpp: float and double.

}  // namespace gradus
