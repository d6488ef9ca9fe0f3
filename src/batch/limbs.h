/// Predictions of one step that are repeated, for lanes. A repeat differs from the prediction before it in the forces
/// and slopes of few points and joints, but a tile repeats for its worst lane. So the first prediction keeps what no
/// opinion can change (each link's own inertia and bias) and what every limb hands to the rest; a repeat goes through
/// the limbs in which something changed and takes the others as they were. The operations and their order are those of
/// aba_inward [tree/dynamics.h]: the same bits.
///
/// A limb is a run of links, each the child of the one before it in number, from a tip to the link that another run or
/// the root carries. One whose outer limb changed has changed too.
#pragma once
#include "contact/law/compliant.inl"
#include "drive/servo.inl"
#include "motion/articulated/articulated.inl"

namespace gradus {

template <class T>
struct LimbRoomT {
  RigidInertiaT<T>* own;  // (nlink) of the link alone
  Vec6T<T>* own_b;        // (nlink)
  Mat6T<T>* I;            // (nlink) at the inner end of a limb: what it hands on
  Vec6T<T>* b;            // (nlink)
  bool* changed;          // (nlink) since the last prediction: a force on this link or its joint
  bool* expect;  // (1) the last step was repeated: worth going by limbs; robots that stand still pay nothing for it
};

/// Is link i the last of its limb, seen from the tip?
template <class F>
GRADUS_INLINE bool ends_limb(const LinkT<F>* links, int i) {
  return i > 0 && (i == 1 || !links[i].follows);
}

/// Robots with gears over two joints hold inertias back between limbs: they are predicted whole.
template <class F>
GRADUS_INLINE bool has_limbs(const KindArraysT<F>& kind) {
  for (int i = 0; i < kind.nlink; ++i)
    if (kind.links[i].hold >= 0) return false;
  return true;
}

/// Carries `changed` from every link to the inner end of its limb, and on to the limb that carries it.
template <class F>
GRADUS_INLINE void spread_changes(const LinkT<F>* links, int nlink, bool* changed) {
  for (int i = nlink - 1; i > 0; --i)
    if (changed[i]) changed[links[i].parent] = true;
}

/// Inward pass: of everything (first), or of the limbs that changed.
template <class T, class F, class Frames, class Force, class Contact>
GRADUS_INLINE void inward_by_limbs(bool first, const KindArraysT<F>& kind, const CoordinatesT<T>& x, Frames& frames,
                                   const Force& force, const Contact& contact, const ArticulatedRoomT<T>& room,
                                   const LimbRoomT<T>& limbs, Mat6T<T>& I0, Vec6T<T>& b0) {
  const LinkT<F>* links = kind.links;
  for (int k = 0; k < kind.branch_count; ++k) room.branch_I[k] = zero66<T>(), room.branch_b[k] = zero6<T>();
  Mat6T<T> I = zero66<T>();
  Vec6T<T> b = zero6<T>();
  for (int i = kind.nlink - 1; i >= 0; --i) {
    const LinkT<F>* l = links + i;
    if (!first && l->tip && i > 0) {
      int end = i;
      while (!ends_limb(links, end)) --end;
      if (!limbs.changed[end]) {
        I = limbs.I[end], b = limbs.b[end];
        if (!links[end].follows) {
          const int slot = links[links[end].parent].branch;
          room.branch_I[slot] += I;
          room.branch_b[slot] += b;
        }
        i = end;
        continue;
      }
    }
    const FrameT<T>& f = frames.inward(links, x, i);
    if (first) own_inertia(*l, f, limbs.own[i], limbs.own_b[i]);
    if (l->tip) {
      I = to_full(limbs.own[i]);
      b = limbs.own_b[i];
    } else {
      I += limbs.own[i];
      b += limbs.own_b[i];
    }
    if (l->branch >= 0) {
      I += room.branch_I[l->branch];
      b += room.branch_b[l->branch];
    }
    contact(i, f, I, b);
    if (i == 0) break;
    eliminate(f, x.v[i - 1], T(l->rotor), force(i), I, b, room.factors[i]);
    if (ends_limb(links, i)) limbs.I[i] = I, limbs.b[i] = b;
    if (!l->follows) {
      const int slot = links[l->parent].branch;
      room.branch_I[slot] += I;
      room.branch_b[slot] += b;
    }
  }
  I0 = I;
  b0 = b;
}

/// As predict_articulated.
template <class T, class Policy, class F, class Frames>
GRADUS_INLINE void predict_by_limbs(bool first, const KindArraysT<F>& kind, Vec3T<F> gravity, const CoordinatesT<T>& x,
                                    Frames& frames, const DriveForceT<T>* drive, const StaticContactT<T>* contacts,
                                    const int* begin, const ArticulatedRoomT<T>& room, const LimbRoomT<T>& limbs,
                                    Vec6T<T>* acc, T* a) {
  const Vec3T<T> g = cast<T>(gravity);
  auto force = [drive](int i) { return JointForceT<T>{drive[i - 1].tau, drive[i - 1].e}; };
  auto external = [&](int i, const FrameT<T>&, Mat6T<T>& I, Vec6T<T>& b) {
    add_static_contacts(contacts, begin, g, i, I, b);
  };
  Mat6T<T> I0;
  Vec6T<T> b0;
  if (!first) spread_changes(kind.links, kind.nlink, limbs.changed);
  inward_by_limbs(first, kind, x, frames, force, external, room, limbs, I0, b0);
  for (int i = 0; i < kind.nlink; ++i) limbs.changed[i] = false;
  const Vec6T<T> acc0 = solve_root(kind.root, g, I0, b0, *room.root);
  aba_outward(kind.links, kind.nlink, x, frames, room.factors, acc0, acc, a);
}

/// As review_contacts and review_servos, and says which links' forces changed.
template <class T, class F, class Axes>
GRADUS_INLINE MaskOf<T> review_points(const Axes& axes, const KindArraysT<F>& kind, Vec3T<T> g, F h,
                                      const ContactMemoryT<T>* memory, const Vec6T<T>* acc, int count,
                                      StaticContactT<T>* contacts, bool* changed) {
  MaskOf<T> all_changed{};
  for (int i = 0; i < count; ++i) {
    StaticContactT<T>& c = contacts[i];
    const Vec3T<T> a = velocity_at(acc[c.link], c.r) + g;
    const auto m = review_contact(LawT<T, Axes, F>{axes, h, kind.points[c.point]}, memory[c.point], a, c);
    if (any(m)) changed[c.link] = true;
    all_changed = mask_or(all_changed, m);
  }
  return all_changed;
}
template <class T, class F, class J>
GRADUS_INLINE MaskOf<T> review_joints(const J* joints, int njoint, const T* v, const T* a, F h, DriveForceT<T>* out,
                                      bool* changed) {
  MaskOf<T> all_changed{};
  for (int i = 0; i < njoint; ++i) {
    auto m = joints[i].passive ? MaskOf<T>{} : servo::review(joints[i], v[i], a[i], h, out[i]);
    if (any(out[i].stop_slope != T(0.0))) m = mask_or(m, servo::review_stop(a[i], out[i]));
    if (any(joints[i].friction > F(0.0))) m = mask_or(m, servo::review_friction(joints[i], v[i], a[i], h, out[i]));
    if (any(m)) changed[i + 1] = true;
    all_changed = mask_or(all_changed, m);
  }
  return all_changed;
}

}  // namespace gradus
