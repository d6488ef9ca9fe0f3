/// One step of one robot at level `articulated` on the ground, for any scalar: a core in double or float, lanes of
/// worlds, a CUDA thread. Only the order of the half steps is here [docs/step.md]; every formula is in tree/, contact/,
/// actuator/ and motion/, the same source that World runs in double.
///
///   look     frames, ground points          move     servo, contact law, predict (again where a limit was met)
///   commit   State[k+1] in place
///
/// Differences from World: the state is updated in place, pushes and impulses from outside are not offered (set
/// velocities), and there are no contacts but those with the ground. On GPUs actuator chains are replaced by their
/// equivalent servos [model.h].
#pragma once
#include "batch/limbs.h"
#include "drive/chains.inl"
#include "drive/servo.inl"
#include "contact/law/calm.h"
#include "contact/law/compliant.inl"
#include "contact/find/ground_points.inl"
#include "motion/articulated/articulated.inl"
#include "motion/flight.inl"
#include "motion/joint_path.h"

namespace gradus {

/// Constants of one joint's drive as servo.inl reads them. F: double or float.
template <class F>
struct DriveConstantsT {
  F lower, upper, stop_k, stop_d, damping, friction, spring;
  struct {
    F kp, kd, torque, speed;
  } servo;
  int mimic_of;  // joint number, −1: none
  F mimic_multiplier, mimic_offset;
  bool passive;  // its servo is silent: a chain drives it, or it is shared
  bool shared;   // keeps its coordinate in a ratio to that of mimic_of
  bool chained;  // a chain drives it
};

/// Everything that does not change while worlds run; pointers may be to a GPU's memory.
template <class F>
struct BatchConstantsT {
  KindArraysT<F> kind;
  const DriveConstantsT<F>* joints;  // (njoint)
  PlaneT<F> ground;
  Vec3T<F> gravity;
  F h;
  int predictions = kPredictions;  // at most so many, and one more, in a step
  bool by_limbs = false;           // repeats may go limb by limb [limbs.h]
  const ChainT<F>* chains = nullptr;  // (chain_count)
  int chain_count = 0;
};

/// Where the numbers of one world start in its row, counted in scalars.
struct RowLayout {
  int q, v, memory, target, r;  // 7 + njoint; 6 + njoint; 4 npoint; njoint; njoint + 6
  int drive, stiffness;         // chain_numbers; njoint; both empty without chains
  int size;
};
inline RowLayout make_row_layout(int njoint, int npoint, int chain_numbers = 0) {
  RowLayout at{};
  at.v = 7 + njoint;
  at.memory = at.v + 6 + njoint;
  at.target = at.memory + 4 * npoint;
  at.r = at.target + njoint;
  at.drive = at.r + njoint + 6;
  at.stiffness = at.drive + chain_numbers;
  at.size = at.stiffness + (chain_numbers > 0 ? njoint : 0);
  return at;
}

/// The numbers of one world (or of one per lane).
template <class T>
struct RowT {
  T *q, *v;                   // coordinates, velocities [state.h]
  ContactMemoryT<T>* memory;  // (npoint)
  const T* target;            // (njoint)
  T* r;                       // results: joint forces (njoint), base acceleration (6); null: not wanted
  T* drive;                   // states of the chains [drive/chain.h]
  const T* stiffness;         // (njoint) of the chains
};
template <class T>
GRADUS_INLINE RowT<T> row_at(T* numbers, const RowLayout& at) {
  return {numbers + at.q, numbers + at.v, reinterpret_cast<ContactMemoryT<T>*>(numbers + at.memory),
          numbers + at.target, numbers + at.r, numbers + at.drive, numbers + at.stiffness};
}

/// Scratch of one step.
template <class T>
struct StepRoomT {
  FrameT<T>* frames;            // (nlink), or (branch_count) if frames are recomputed
  T *sine, *cosine;             // (nlink), only if frames are recomputed
  StaticContactT<T>* contacts;  // (npoint)
  int* contact_begin;           // (nlink + 1)
  DriveForceT<T>* drive;        // (njoint)
  Vec6T<T>* acc;                // (nlink)
  T* a;                         // (njoint)
  ArticulatedRoomT<T> articulated;
  FrameT<T>* frames_next;        // as frames, of State[k+1] in flight
  T *sine_next, *cosine_next;    // (nlink), only if frames are recomputed
  T *q_next, *v_next;            // (7 + njoint), (6 + njoint)
  FlightRoomT<T> flight;
  LimbRoomT<T> limbs{};  // only if frames are stored
  ChainStepT<T>* chains = nullptr;  // (chain_count)
};

/// Policies [tree/frames.h]: how a step gets its frames.
struct StoreFrames {
  static constexpr bool chains = true;    // actuator chains are stepped
  static constexpr bool by_limbs = true;  // frames are at hand in any order
  template <class T, class F>
  static GRADUS_INLINE GivenFrames<T> look(const KindArraysT<F>& kind, const CoordinatesT<T>& x, FrameT<T>* frames, T*,
                                           T*) {
    compute_frames(kind.links, kind.nlink, x, frames);
    return GivenFrames<T>(frames);
  }
};
struct RecomputeFrames {
  static constexpr bool chains = false;
  static constexpr bool by_limbs = false;
  template <class T, class F>
  static GRADUS_INLINE RecomputedFrames<T> look(const KindArraysT<F>& kind, const CoordinatesT<T>& x,
                                                FrameT<T>* branches, T* sine, T* cosine) {
    RecomputedFrames<T> frames(branches, sine, cosine);
    frames.compute(kind.links, kind.nlink, x);
    return frames;
  }
};

/// In which lanes a contact pushes.
template <class T>
GRADUS_INLINE MaskOf<T> touching(const StaticContactT<T>* contacts, int count) {
  MaskOf<T> m{};
  for (int i = 0; i < count; ++i) m = mask_or(m, contacts[i].active);
  return m;
}

/// As commit_shared [motion/joint_path.h].  q, v: joint parts
template <class T, class F>
GRADUS_INLINE void share_joints(const BatchConstantsT<F>& c, T* q, T* v) {
  for (int i = 0; i < c.kind.njoint(); ++i) {
    const DriveConstantsT<F>& j = c.joints[i];
    if (!j.shared) continue;
    q[i] = T(j.mimic_multiplier) * q[j.mimic_of] + T(j.mimic_offset);
    v[i] = T(j.mimic_multiplier) * v[j.mimic_of];
  }
}

/// State[k+1] of lanes in flight, into the room [motion/flight.inl]. Not inlined: it would double the kernel of the many
/// that stand.
template <class T, class Policy, class F, class Frames>
GRADUS_HD [[gnu::noinline]] void fly_world(const BatchConstantsT<F>& c, const RowT<T>& row, const CoordinatesT<T>& x, Frames& before,
                             const StepRoomT<T>& room) {
  const KindArraysT<F>& kind = c.kind;
  const T h = T(c.h);
  const bool free = kind.root == RootKind::free;
  const Vec6T<T> acc0 = room.acc[0];
  const Vec3T<T> g = cast<T>(c.gravity), w0 = base_angular_velocity(row.v), v0 = base_velocity(row.v);
  T *q1 = room.q_next, *v1 = room.v_next;
  Vec3T<T> w1 = free ? w0 + acc0.a * h : zero3<T>(), vb = free ? v0 + (acc0.l + g) * h : zero3<T>();
  const QuatT<T> turned = free ? mean_turn(row.q, w0, w1, h) : base_orientation(row.q);
  set_base_pose(q1, base_position(row.q), turned);
  set_base_twist(v1, w1, vb);
  for (int i = 0; i < kind.njoint(); ++i) {
    const bool keeps = c.joints[i].chained || kind.links[i + 1].hold >= 0;
    const T soft = keeps ? T(0.0) : T(1.0) - room.drive[i].e * room.articulated.factors[i + 1].d_inv;
    v1[6 + i] = row.v[6 + i] + h * room.a[i];
    q1[7 + i] = row.q[7 + i] + h * (v1[6 + i] - T(0.5) * soft * (h * room.a[i]));
  }
  share_joints(c, q1 + 7, v1 + 6);
  const CoordinatesT<T> x1 = coordinates_of<T>(q1, v1);
  auto after = Policy::template look<T, F>(kind, x1, room.frames_next, room.sine_next, room.cosine_next);
  FlightSumT<T> sum;
  sum_momenta<T, F>(kind, x, before, x1, after, acc0, zero3<T>(), h, room.flight, sum);
  Vec6T<T> dV0 = zero6<T>();
  if (c.chain_count > 0) {  // rotors and teeth know v¹: it stays
    add_change(kind.nlink, room.flight, sum);
  } else {
    dV0 = fly_on<T, F>(kind, x, before, x1, after, room.drive, room.articulated.factors, free ? room.articulated.root : nullptr, acc0,
                       room.a, h, room.flight, v1 + 6, sum);
    share_joints(c, q1 + 7, v1 + 6);
  }
  if (!free) return;
  w1 += dV0.a, vb += dV0.l;
  set_base_pose(q1, keep_momentum<T>(sum, base_position(row.q), v0, g, false, h, w1, vb), turned);
  set_base_twist(v1, w1, vb);
}

/// Half B5: q, v and r in place. Lanes without contact take what the flight left in the room.
template <class T, class F>
GRADUS_INLINE void commit_world(const BatchConstantsT<F>& c, const StepRoomT<T>& room, MaskOf<T> contact,
                                const RowT<T>& row) {
  const int n = c.kind.njoint();
  const T h = T(c.h);
  T before[6];
  for (int i = 0; i < 6; ++i) before[i] = row.v[i];
  if (any(contact)) {
    commit_root<T>(c.kind.root, row.q, row.v, room.acc[0], cast<T>(c.gravity), contact, h, row.q, row.v);
    commit_joints<T>(n, row.q + 7, row.v + 6, room.a, h, row.q + 7, row.v + 6);
    share_joints(c, row.q + 7, row.v + 6);
  }
  if (!all(contact)) {
    for (int i = 0; i < 7 + n; ++i) row.q[i] = select(contact, row.q[i], room.q_next[i]);
    for (int i = 0; i < 6 + n; ++i) row.v[i] = select(contact, row.v[i], room.v_next[i]);
  }
  if (!row.r) return;
  for (int i = 0; i < n; ++i) row.r[i] = room.drive[i].tau - room.drive[i].e * room.a[i];
  for (int i = 0; i < 6; ++i) row.r[n + i] = (row.v[i] - before[i]) / h;
}

/// The rare case of a chain's step. Of the policy's unit, as settle_whole.
template <class Policy>
struct SolveInLanes {
  template <class T, class F>
  [[gnu::noinline]] void operator()(T todo, const ChainT<F>& c, const ChainStateT<T>& s, T M, T b, T V, ChainStepT<T>& x) const {
    solve_piece_where(todo, c, s, M, b, V, x);
  }
};
template <class T>
GRADUS_INLINE JointNumbersT<T> joint_numbers(const RowT<T>& row) {
  return {row.q + 7, row.v + 6, row.target, row.stiffness};
}
/// Where a chain lies on another piece than was taken.
template <class T, class Policy, class F, class Changed>
GRADUS_INLINE MaskOf<T> review_chains_of(const BatchConstantsT<F>& c, const RowT<T>& row, const StepRoomT<T>& room, const Changed& changed) {
  if constexpr (Policy::chains) {
    const auto d_inv = [&](int j) { return room.articulated.factors[j + 1].d_inv; };
    return review_chains(c.chains, static_cast<std::size_t>(c.chain_count), row.v + 6, room.a, row.drive, d_inv, room.chains, room.drive,
                         SolveInLanes<Policy>{}, changed);
  }
  return MaskOf<T>{};
}

/// Half B3: predicts until no limit is met. Returns how often. Policy: none of its business, but where that is a type of one
/// unit alone [lanes/kernel.inl] so are the lambdas below, and kernels for other registers cannot be taken for these.
template <class T, class Policy, class F, class Frames>
GRADUS_INLINE int settle_whole(const BatchConstantsT<F>& c, const RowT<T>& row, const CoordinatesT<T>& x, Frames& frames, int count,
                               const StepRoomT<T>& room) {
  const KindArraysT<F>& kind = c.kind;
  auto nothing = [](int, const FrameT<T>&, Mat6T<T>&, Vec6T<T>&) {};
  int reviews = 0;
  return settle(
      [&] {
        predict_articulated<T, F>(kind, c.gravity, x, frames, room.drive, room.contacts, room.contact_begin, nothing,
                                  room.articulated, room.acc, room.a);
      },
      [&] {
        const auto law =
            review_contacts<T, F>(kind, c.ground, c.gravity, c.h, row.memory, room.acc, count, room.contacts);
        const auto servos = review_servos<T, F>(c.joints, kind.njoint(), row.v + 6, room.a, c.h, room.drive);
        const auto drive = mask_or(servos, review_chains_of<T, Policy>(c, row, room, [](int) {}));
        if (++reviews == c.predictions && any(law))  // where drives alone go round, points have no part in it
          calm_contacts<T, F>(kind, c.ground, c.gravity, c.h, row.memory, room.acc, law, count, room.contacts);
        return any(mask_or(law, drive));
      },
      c.predictions);
}

/// The same, where repeats go through the limbs alone in which something changed [limbs.h].
template <class T, class Policy, class F, class Frames>
GRADUS_INLINE int settle_by_limbs(const BatchConstantsT<F>& c, const RowT<T>& row, const CoordinatesT<T>& x, Frames& frames, int count,
                                  const StepRoomT<T>& room) {
  const KindArraysT<F>& kind = c.kind;
  bool* changed = room.limbs.changed;
  for (int i = 0; i < kind.nlink; ++i) changed[i] = false;
  int reviews = 0;
  return settle(
      [&] {
        predict_by_limbs<T, Policy, F>(reviews == 0, kind, c.gravity, x, frames, room.drive, room.contacts, room.contact_begin,
                               room.articulated, room.limbs, room.acc, room.a);
      },
      [&] {
        const Vec3T<T> g = cast<T>(c.gravity);
        const auto law = is_level(c.ground) ? review_points<T, F>(LevelT<T>{}, kind, g, c.h, row.memory, room.acc, count,
                                                                  room.contacts, changed)
                                            : review_points<T, F>(tilted<T>(c.ground), kind, g, c.h, row.memory, room.acc,
                                                                  count, room.contacts, changed);
        const auto servos = review_joints<T, F>(c.joints, kind.njoint(), row.v + 6, room.a, c.h, room.drive, changed);
        const auto drive = mask_or(servos, review_chains_of<T, Policy>(c, row, room, [&](int j) { changed[j + 1] = true; }));
        if (++reviews == c.predictions && any(law)) {
          calm_contacts<T, F>(kind, c.ground, c.gravity, c.h, row.memory, room.acc, law, count, room.contacts);
          for (int i = 0; i < count; ++i) changed[room.contacts[i].link] = true;
        }
        return any(mask_or(law, drive));
      },
      c.predictions);
}

/// State[k] -> State[k+1] in place. Returns the number of predictions.  k: where the rings of delays are
template <class T, class Policy, class F>
GRADUS_INLINE int step_world(const BatchConstantsT<F>& c, const RowT<T>& row, const StepRoomT<T>& room, std::int64_t k = 0) {
  const KindArraysT<F>& kind = c.kind;
  const int n = kind.njoint();
  const CoordinatesT<T> x = coordinates_of<T>(row.q, row.v);
  auto frames = Policy::template look<T, F>(kind, x, room.frames, room.sine, room.cosine);
  int count = 0;
  if (c.ground.present) {
    const RootMotionT<T> root{base_position<T>(row.q), base_velocity<T>(row.v)};
    auto frame_of = [&](int i) -> const FrameT<T>& { return frames.outward(kind.links, x, i); };
    count = find_ground_points<T, F>(kind, c.ground, c.gravity, c.h, root, frame_of, row.memory, room.contacts,
                                     room.contact_begin);
  } else {
    for (int i = 0; i <= kind.nlink; ++i) room.contact_begin[i] = 0;
  }
  begin_servos<T, F>(c.joints, n, row.q + 7, row.v + 6, row.target, c.h, room.drive);
  if constexpr (Policy::chains)
    begin_chains(c.chains, static_cast<std::size_t>(c.chain_count), joint_numbers(row), row.drive, k, T(1.0), room.chains, room.drive,
                 SolveInLanes<Policy>{});
  begin_contacts<T, F>(kind, c.ground, c.gravity, c.h, row.memory, count, room.contacts);
  int predictions = 0;
  if constexpr (Policy::by_limbs) {
    predictions = c.by_limbs && *room.limbs.expect ? settle_by_limbs<T, Policy, F>(c, row, x, frames, count, room)
                                                   : settle_whole<T, Policy, F>(c, row, x, frames, count, room);
    *room.limbs.expect = predictions > 1;
  } else {
    predictions = settle_whole<T, Policy, F>(c, row, x, frames, count, room);
  }
  remember_contacts<T, F>(kind, c.ground, c.gravity, c.h, row.memory, room.acc, count, room.contacts, row.memory);
  if constexpr (Policy::chains) {
    const auto d_inv = [&](int j) { return room.articulated.factors[j + 1].d_inv; };
    end_chains(c.chains, static_cast<std::size_t>(c.chain_count), joint_numbers(row), room.a, d_inv, room.drive, room.chains, k, row.drive,
               row.drive);
  }
  const auto contact = touching(room.contacts, count);
  if (!all(contact)) fly_world<T, Policy, F>(c, row, x, frames, room);
  commit_world<T, F>(c, room, contact, row);
  return predictions;
}

}  // namespace gradus
