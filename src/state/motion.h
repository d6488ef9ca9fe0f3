/// The one contract of all motions: predict, respond, commit [DESIGN.md 2, 4; docs/step.md].
///
///   bind     once, at load: does the robot have what the motion needs? how much private state and scratch?
///   enter    when a robot begins to be moved by this motion: fills its private state from q and v. Coordinates and
///            velocities are common to all motions, so changing the level is `enter` of the new one, whatever was
///            before.
///   predict  one linearly implicit step with the forces and slopes of drives and static contacts; leaves accelerations
///   respond  what impulses on links do to the prediction, with the factorisation that predict left behind
///   response the same as a matrix, for unit impulses on the links that touch something
///   commit   writes State[k+1]
///
/// A motion is a struct with these static functions, its name and its declared Access; the registry turns it into a
/// table.
#pragma once
#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "state/access.h"

namespace gradus {

constexpr int kPredictions = 3;  // predictions a robot may take in one step before its opinions are taken as they are

/// Predicts until reviews of drives and contacts find nothing to change. After `most` the opinions have changed once
/// more, so the last prediction is made for those. Returns how many were made: more than `most` means unsettled.
template <class Predict, class Review>
GRADUS_INLINE int settle(const Predict& predict, const Review& review, int most = kPredictions) {
  for (int pass = 1;; ++pass) {
    predict();
    if (!review()) return pass;
    if (pass == most) {
      predict();
      return pass + 1;
    }
  }
}

struct MotionNeeds {
  int z_size = 0;                    // doubles of private state
  std::size_t scratch = 0;           // bytes
  std::vector<std::string> missing;  // what the robot lacks; empty: can be bound
  bool uses_contacts = true;         // wants contact forces of the static world
  bool uses_drives = true;           // wants joint forces
  bool speed_targets = false;        // targets of joints are speeds, not coordinates
  bool uses_velocities = true;       // wants velocities in the link frames, not poses alone; contacts need them too
  bool couples_world = false;        // its contacts with the static world go through couple, like all others
  bool infinite_mass = false;        // no impulse moves it
  bool may_sleep = false;            // at rest it may be left as it is until something comes near [engine/sleepers.h]
};

/// A private number of a motion that people may look at.
struct PrivateProperty {
  const char *name, *unit, *about;
  int index;  // into the private state z
};

template <class M>
concept MotionAlgorithm = requires(const RobotKind& kind, View<M::access> view, double h, std::span<const int> links,
                                   Response* out) {
  { M::name } -> std::convertible_to<std::string_view>;
  { M::access } -> std::convertible_to<Access>;
  { M::bind(kind) } -> std::same_as<MotionNeeds>;
  { M::enter(view, h) } -> std::same_as<void>;
  { M::predict(view, h) } -> std::same_as<void>;
  { M::respond(view) } -> std::same_as<void>;
  { M::response(view, links, out) } -> std::same_as<void>;
  { M::commit(view, h) } -> std::same_as<void>;
};

/// Entry points of one motion, type erased: one indirect call per robot and phase.
struct MotionTable {
  std::string_view name;
  int level;  // of detail, for people; −1: not on the ladder
  Access access;
  std::span<const PrivateProperty> properties;  // what it adds to a robot when bound
  MotionNeeds (*bind)(const RobotKind&);
  void (*enter)(const RobotContext&, double h);  // reads and writes `next`
  void (*predict)(const RobotContext&, double h);
  void (*respond)(const RobotContext&);  // impulse (nlink) -> dV (nlink), dv (njoint)
  /// (n²) twist of links[i] per impulse on links[j]
  void (*response)(const RobotContext&, std::span<const int> links, Response*);
  void (*commit)(const RobotContext&, double h);
  bool grouped = false;  // moves members of a group only [group.h]
};

/// M::properties if it has any.
template <class M>
constexpr std::span<const PrivateProperty> properties_of() {
  if constexpr (requires { M::properties; })
    return M::properties;
  else
    return {};
}

template <class M>
constexpr bool moves_groups = requires {
  M::grouped;
};

template <MotionAlgorithm M>
constexpr MotionTable motion_table() {
  return {M::name,
          M::level,
          M::access,
          properties_of<M>(),
          &M::bind,
          [](const RobotContext& c, double h) { M::enter(View<M::access>(c), h); },
          [](const RobotContext& c, double h) { M::predict(View<M::access>(c), h); },
          [](const RobotContext& c) { M::respond(View<M::access>(c)); },
          [](const RobotContext& c, std::span<const int> links, Response* out) {
            M::response(View<M::access>(c), links, out);
          },
          [](const RobotContext& c, double h) { M::commit(View<M::access>(c), h); },
          moves_groups<M>};
}

}  // namespace gradus
