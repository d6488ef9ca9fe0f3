/// One step of one robot at level `articulated` on the ground, for any scalar: a core in double or float, lanes of
/// worlds, a CUDA thread. Only the order of the half steps is here [docs/step.md]; every formula is in tree/, contact/,
/// actuator/ and motion/, the same source that World runs in double.
///
///   look     frames, ground points          move     servo, contact law, predict (again where a limit was met)
///   commit   State[k+1] in place
///
/// Differences from World: actuator chains are replaced by their equivalent servos [model.h], the state is updated in
/// place, pushes and impulses from outside are not offered (set velocities), and there are no contacts but those with
/// the ground.
#pragma once
#include "drive/servo.inl"
#include "contact/law/compliant.inl"
#include "contact/find/ground_points.inl"
#include "motion/articulated/articulated.inl"
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
  bool passive;  // shares its coordinate with mimic_of
};

/// Everything that does not change while worlds run; pointers may be to a GPU's memory.
template <class F>
struct BatchConstantsT {
  KindArraysT<F> kind;
  const DriveConstantsT<F>* joints;  // (njoint)
  PlaneT<F> ground;
  Vec3T<F> gravity;
  F h;
};

/// Where the numbers of one world start in its row, counted in scalars.
struct RowLayout {
  int q, v, memory, target, r;  // 7 + njoint; 6 + njoint; 4 npoint; njoint; njoint + 6
  int size;
};
inline RowLayout make_row_layout(int njoint, int npoint) {
  RowLayout at{};
  at.v = 7 + njoint;
  at.memory = at.v + 6 + njoint;
  at.target = at.memory + 4 * npoint;
  at.r = at.target + njoint;
  at.size = at.r + njoint + 6;
  return at;
}

/// The numbers of one world (or of one per lane).
template <class T>
struct RowT {
  T *q, *v;                   // coordinates, velocities [state.h]
  ContactMemoryT<T>* memory;  // (npoint)
  const T* target;            // (njoint)
  T* r;                       // results: joint forces (njoint), base acceleration (6); null: not wanted
};
template <class T>
GRADUS_INLINE RowT<T> row_at(T* numbers, const RowLayout& at) {
  return {numbers + at.q, numbers + at.v, reinterpret_cast<ContactMemoryT<T>*>(numbers + at.memory),
          numbers + at.target, numbers + at.r};
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
};

/// Policies [tree/frames.h]: how a step gets its frames.
struct StoreFrames {
  template <class T, class F>
  static GRADUS_INLINE GivenFrames<T> look(const KindArraysT<F>& kind, const CoordinatesT<T>& x,
                                           const StepRoomT<T>& room) {
    compute_frames(kind.links, kind.nlink, x, room.frames);
    return GivenFrames<T>(room.frames);
  }
};
struct RecomputeFrames {
  template <class T, class F>
  static GRADUS_INLINE RecomputedFrames<T> look(const KindArraysT<F>& kind, const CoordinatesT<T>& x,
                                                const StepRoomT<T>& room) {
    RecomputedFrames<T> frames(room.frames, room.sine, room.cosine);
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

/// Half B5: q, v and r in place.
template <class T, class F>
GRADUS_INLINE void commit_world(const BatchConstantsT<F>& c, const StepRoomT<T>& room, MaskOf<T> contact,
                                const RowT<T>& row) {
  const int n = c.kind.njoint();
  const T h = T(c.h);
  T before[6];
  for (int i = 0; i < 6; ++i) before[i] = row.v[i];
  commit_root<T>(c.kind.root, row.q, row.v, room.acc[0], cast<T>(c.gravity), contact, h, row.q, row.v);
  commit_joints<T>(n, row.q + 7, row.v + 6, room.a, h, row.q + 7, row.v + 6);
  if (!row.r) return;
  for (int i = 0; i < n; ++i) row.r[i] = room.drive[i].tau - room.drive[i].e * room.a[i];
  for (int i = 0; i < 6; ++i) row.r[n + i] = (row.v[i] - before[i]) / h;
}

/// State[k] -> State[k+1] in place. Returns the number of predictions.
template <class T, class Policy, class F>
GRADUS_INLINE int step_world(const BatchConstantsT<F>& c, const RowT<T>& row, const StepRoomT<T>& room) {
  const KindArraysT<F>& kind = c.kind;
  const int n = kind.njoint();
  const CoordinatesT<T> x = coordinates_of<T>(row.q, row.v);
  auto frames = Policy::template look<T, F>(kind, x, room);
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
  begin_contacts<T, F>(kind, c.ground, c.gravity, c.h, row.memory, count, room.contacts);
  auto nothing = [](int, const FrameT<T>&, Mat6T<T>&, Vec6T<T>&) {};
  const int predictions = settle(
      [&] {
        predict_articulated<T, F>(kind, c.gravity, x, frames, room.drive, room.contacts, room.contact_begin, nothing,
                                  room.articulated, room.acc, room.a);
      },
      [&] {
        const auto law =
            review_contacts<T, F>(kind, c.ground, c.gravity, c.h, row.memory, room.acc, count, room.contacts);
        const auto drive = review_servos<T, F>(c.joints, n, row.v + 6, room.a, c.h, room.drive);
        return any(mask_or(law, drive));
      });
  remember_contacts<T, F>(kind, c.ground, c.gravity, c.h, row.memory, room.acc, count, room.contacts, row.memory);
  commit_world<T, F>(c, room, touching(room.contacts, count), row);
  return predictions;
}

}  // namespace gradus
