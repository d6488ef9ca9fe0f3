/// Constants of one robot's links, two links side by side: a core does two links in the instructions of one
/// [tree/pairs.h]. Most robots are symmetric, so most joints have a twin on the other side.
#pragma once
#include <array>
#include <vector>

#include "model/joints/joint_type.h"
#include "model/model.h"

namespace gradus {

/// Two joints of the same sort whose parents are one link or twins as well. A joint without a twin is paired with
/// itself.
struct JointPair {
  static constexpr int kPlain = -1, kEarlier = -2;
  LinkT<Two>
      link;  // constants of joints and masses; of its flags the three that tell the sort of joint, `diagonal`, `tip`
  int first, second;  // link numbers, first ≤ second
  int parent_1, parent_2;
  // Inward walks go through the pairs backwards; inertias stay in registers from a pair to the one before, unless:
  bool follows;  // the parents are the pair before
  bool massless;
  // Two round bodies, as most are: inertias j 1 + d a aᵀ about an axis a of the links; general: one is not round.
  Axis round;
  bool on_axis;  // both centres of mass lie on that axis, at `along`
  Two along, j, d;
  int typed;                 // a joint with a type of its own: its number at the last column, kEarlier before; else kPlain
  bool shared;               // one motor for both: the second follows the first [LinkT::leader]
  int collect_1, collect_2;  // slots in which the links find what other pairs handed to them; −1: none
  int into_1, into_2;        // if it does not follow: the slots of the parents
  bool direct_1,
      direct_2;  // of the parent's children the one with the next number: its inertia comes before the parent's own
};

/// Two links with mass, of inertia J = j 1 + dx x xᵀ + dy y yᵀ. Without a partner: the second has no mass.
struct BodyPair {
  Vec3T<Two> com;     // in the links' frames                [m]
  Two mass, dx, dy;   //                                     [kg, kg m²]
  int first, second;  // link numbers
};

/// Two bodies of revolution, as most limbs are: the centre of mass lies on an axis a of the link, about which the
/// inertia is symmetric, J = j 1 + d a aᵀ. Only this axis need be known of where the link is turned to.
struct SpindlePair {
  Two com, mass, d;  // com: along the axis                 [m, kg, kg m²]
  Axis axis;
  int first, second;
};

/// A joint with a type of its own [joints/joint_type.h]: its columns are the links first … last.
struct TypedJoint {
  const JointType* type;
  int first, last, parent;
  Vec3 p_PJ;  // the joint's origin in the parent link's frame                      [m]
  Mat3 R_LJ;  // the object's axes in the links', which are parallel to the root's at q = 0
  std::array<Vec6, kMostColumns> S;  // columns in the last link's axes
};

struct LinkPairs {
  std::vector<JointPair> joints;  // every link but the root once, after its parent
  std::vector<BodyPair> bodies;   // these three: every link with mass once
  std::vector<SpindlePair> spindles;
  std::vector<int> odd;       // with products of inertia
  double sphere = 0;          // sum of all j of bodies and spindles            [kg m²]
  std::vector<TypedJoint> typed;
  bool shared_apart = false;  // a follower is not paired with its leader: not for walks in pairs
  int slot_count = 1;         // of inward walks; slot 0 is the root's
};

/// An axis of the link across which its inertia is the same; general: there is none.
Axis round_axis(const Link& link);
LinkPairs pair_links(const std::vector<Link>& links, std::vector<TypedJoint> typed);

}  // namespace gradus
