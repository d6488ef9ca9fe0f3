/// The exact small solve: where predictions and reviews of a robot's contacts with the static world do not settle, the law
/// (1) to (4) of compliant.h is solved for all its points together, with the robot's response to impulses.
///
///   u⁺ = u* + A λ,  A = J Ω Jᵀ,  λ = h f⁺     u*: prediction without these contacts                               (1)
///   0 ≤ λ_n ⊥ u_n⁺ + R_n λ_n + b_n ≥ 0,       R_n = 1/(h c), b_n = k φ/c                                          (2)
///   λ_t = −proj_{μ λ_n}(h (k_t s + c_t u_t⁺)):  R_t = 1/(h c_t), λ_t0 = −h k_t s                                    (3)
///
/// (2), (3) are what couple solves; forces act with u⁺, so that no point gains energy. It is also where points bounce:
/// an impact with restitution is (7) of docs/couple.md, at every level. In an island the points are rows among its others
/// [contacts_couple.cpp], a robot that touches nothing moving has a Couple of its own.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "contact/solve/couple.h"
#include "state/motion.h"

namespace gradus {

/// Takes all contacts of a robot with the static world off, to predict without them.
void release_points(const RobotContext& c);
/// Does one of them bounce in this step?
bool points_bounce(const RobotContext& c, double impact_speed);
/// One as couple wants it; a: its slot, origin: of the robot's root.
struct PointNumbers {
  double step, impact_speed, recovery_speed;
};
/// Appends them all to a Couple; slots[link]: of each link that has one. Returns how many found no room.
int add_points(const RobotContext& c, const PointNumbers& n, Vec3 origin, std::span<const int> slots, int first_slot,
               Couple& couple);
/// Forces and opinions from the solution, after the robot's accelerations have taken it; points: as they were added.
void take_points(const RobotContext& c, double h, std::span<const CoupleContact> points);

class OwnPoints {
 public:
  /// Room for a robot with so many links and contacts.
  OwnPoints(int links, int contacts);
  /// After a prediction without contacts: forces of all contacts, and the accelerations with them. False: did not
  /// settle.
  bool solve(const RobotContext& c, const MotionTable& motion, const PointNumbers& n);

 private:
  void add_slots(const RobotContext& c, const MotionTable& motion, double h);
  std::unique_ptr<Couple> couple_;
  std::vector<Response> response_;
  std::vector<CoupleSlot> slots_;
  std::vector<int> links_, place_;
};

/// Twist of a link at the end of the step as predicted: J(q) v⁺, what positions will move with.
///   V* = V + (root's change) + Σ S_j h a_j   over the joints j between root and link
Vec6 predicted_twist(const RobotContext& c, int link, const Vec6& before, bool infinite_mass, double h);

}  // namespace gradus
