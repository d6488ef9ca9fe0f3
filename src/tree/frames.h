/// Forward kinematics of a tree, and the one choice that differs between machines: are link frames *stored* (best on a
/// CPU) or *recomputed* on the way (best on a GPU, where memory traffic costs more than arithmetic [facts/gpu.md, 5])?
///
/// All frames have world axes and the robot's root as origin. Velocities are relative to the root's linear velocity:
/// the observer moves with the root, so single precision stays good at any speed and place.
///
///   R_i = R_p rot(axis, q)             p_i = p_p + R_p p_PB (+ axis q)                       (1)
///   S_i = (s, p_i × s) or (0, s)       V_i = V_p + S_i v_i,    s = R_i axis                  (2)
#pragma once
#include "math/spatial.h"
#include "model/model.h"

namespace gradus {

/// Where a link is and how it moves: world axes, about the root's origin.
template <class T>
struct FrameT {
  Mat3T<T> R;  // R_WB
  Vec3T<T> p;  // from the root's origin to Bo
  Vec6T<T> V;  // spatial velocity, relative to the root's linear velocity
  Vec6T<T> S;  // joint motion subspace
};
using Frame = FrameT<double>;

/// Coordinates of one robot: what the kernels read. Joint numbers start at 0, link j + 1 belongs to joint j.
template <class T>
struct CoordinatesT {
  QuatT<T> q_WB;  // root orientation
  Vec3T<T> w_WB;  // root angular velocity
  const T* q;     // (njoint)
  const T* v;     // (njoint)
};

/// R = P rot(axis, angle) from its sine and cosine; cheaper about a coordinate axis.
template <class T, class F>
GRADUS_INLINE void turn(const LinkT<F>& l, T s, T c, const Mat3T<T>& P, Mat3T<T>& R) {
  switch (l.axis_kind) {
    case Axis::x:
      R = {P.x, P.y * c + P.z * s, P.z * c - P.y * s};
      break;
    case Axis::y:
      R = {P.x * c - P.z * s, P.y, P.z * c + P.x * s};
      break;
    case Axis::z:
      R = {P.x * c + P.y * s, P.y * c - P.x * s, P.z};
      break;
    case Axis::general: {
      const T a = T(l.axis.x), b = T(l.axis.y), d = T(l.axis.z), k = T(1.0) - c;
      R = {P * Vec3T<T>{c + k * a * a, k * a * b + s * d, k * a * d - s * b},
           P * Vec3T<T>{k * a * b - s * d, c + k * b * b, k * b * d + s * a},
           P * Vec3T<T>{k * a * d + s * b, k * b * d - s * a, c + k * d * d}};
    }
  }
}

/// The joint axis in world axes.
template <class T, class F>
GRADUS_INLINE Vec3T<T> axis_of(const LinkT<F>& l, const Mat3T<T>& R) {
  switch (l.axis_kind) {
    case Axis::x:
      return R.x;
    case Axis::y:
      return R.y;
    case Axis::z:
      return R.z;
    default:
      return R * cast<T>(l.axis);
  }
}

/// (1): pose of a link from its parent's, given the joint's sine and cosine (unused for prismatic ones).
template <class T, class F>
GRADUS_INLINE void place_out(const LinkT<F>& l, T q, T s, T c, const FrameT<T>& parent, FrameT<T>& f) {
  f.p = l.same_origin ? parent.p : parent.p + parent.R * cast<T>(l.p_PB);
  if (l.prismatic) {
    f.R = parent.R;
    f.p = f.p + axis_of(l, parent.R) * q;
  } else {
    turn(l, s, c, parent.R, f.R);
  }
}

/// S of (2) of a link whose pose is known.
template <class T, class F>
GRADUS_INLINE void set_subspace(const LinkT<F>& l, FrameT<T>& f) {
  const Vec3T<T> axis = axis_of(l, f.R);
  if (l.prismatic)
    f.S = {zero3<T>(), axis};
  else
    f.S = {axis, cross(f.p, axis)};
}

/// (2): motion subspace and velocity of a link whose pose is known.
template <class T, class F>
GRADUS_INLINE void move_out(const LinkT<F>& l, T v, const FrameT<T>& parent, FrameT<T>& f) {
  set_subspace(l, f);
  f.V = {parent.V.a + f.S.a * v, parent.V.l + f.S.l * v};
}

/// (1), (2): from the parent's frame to the link's.
template <class T, class F>
GRADUS_INLINE void step_out(const LinkT<F>& l, T q, T v, T s, T c, const FrameT<T>& parent, FrameT<T>& f) {
  place_out(l, q, s, c, parent, f);
  move_out(l, v, parent, f);
}

/// The inverse of step_out: from the link's frame back to its parent's (without the parent's S).
template <class T, class F>
GRADUS_INLINE void step_in(const LinkT<F>& l, T q, T v, T s, T c, FrameT<T>& f) {
  f.V = {f.V.a - f.S.a * v, f.V.l - f.S.l * v};
  if (l.prismatic) {
    f.p = f.p - f.S.l * q;
  } else {
    const Mat3T<T> R = f.R;
    turn(l, -s, c, R, f.R);
  }
  if (!l.same_origin) f.p = f.p - f.R * cast<T>(l.p_PB);
}

template <class T>
GRADUS_INLINE FrameT<T> root_frame(const CoordinatesT<T>& x) {
  return {to_matrix(x.q_WB), zero3<T>(), {x.w_WB, zero3<T>()}, zero6<T>()};
}

/// Frames of all links into memory.  frames (nlink)
template <class T, class F>
GRADUS_INLINE void compute_frames(const LinkT<F>* links, int nlink, const CoordinatesT<T>& x, FrameT<T>* frames) {
  frames[0] = root_frame(x);
  for (int i = 1; i < nlink; ++i) {
    const LinkT<F>& l = links[i];
    T s{}, c{};
    if (!l.prismatic) sine_cosine(x.q[i - 1], s, c);
    step_out(l, x.q[i - 1], x.v[i - 1], s, c, frames[l.parent], frames[i]);
  }
}

/// Policy: every link's frame lies in memory already, from compute_frames.
template <class T>
class GivenFrames {
 public:
  GRADUS_HD explicit GivenFrames(const FrameT<T>* frames) : frames_(frames) {}  // (nlink)
  template <class F>
  GRADUS_INLINE const FrameT<T>& inward(const LinkT<F>*, const CoordinatesT<T>&, int i) const {
    return frames_[i];
  }
  template <class F>
  GRADUS_INLINE const FrameT<T>& outward(const LinkT<F>*, const CoordinatesT<T>&, int i) const {
    return frames_[i];
  }

 private:
  const FrameT<T>* frames_;
};

/// Policy: every link's frame is kept in memory.
template <class T>
class StoredFrames : public GivenFrames<T> {
 public:
  GRADUS_HD explicit StoredFrames(FrameT<T>* frames) : GivenFrames<T>(frames), room_(frames) {}  // (nlink)
  template <class F>
  GRADUS_INLINE void compute(const LinkT<F>* links, int nlink, const CoordinatesT<T>& x) {
    compute_frames(links, nlink, x, room_);
  }

 private:
  FrameT<T>* room_;
};

/// Policy: only the frames of branching links are kept, and sine and cosine of each joint; limbs are walked out and
/// unwound. Each walk asks for all links in turn: in falling order (inward) or in rising order (outward).
template <class T>
class RecomputedFrames {
 public:
  GRADUS_HD RecomputedFrames(FrameT<T>* branches, T* sine, T* cosine)  // (branch_count), (nlink), (nlink)
      : branches_(branches), s_(sine), c_(cosine) {}

  template <class F>
  GRADUS_INLINE void compute(const LinkT<F>* links, int nlink, const CoordinatesT<T>& x) {
    for (int i = 1; i < nlink; ++i)
      if (!links[i].prismatic) sine_cosine(x.q[i - 1], s_[i], c_[i]);
    root_ = root_frame(x);
    FrameT<T> f = root_;
    for (int i = 0; i < nlink; ++i) {
      if (!links[i].on_branch_path) continue;
      if (i > 0) f = walk_one(links, x, i, f);
      if (links[i].branch >= 0) branches_[links[i].branch] = f;
    }
  }
  template <class F>
  GRADUS_INLINE const FrameT<T>& inward(const LinkT<F>* links, const CoordinatesT<T>& x, int i) {
    if (!links[i].tip) return unwind(links, x, i + 1);
    int first = i;
    while (first > 0 && links[first].follows) --first;
    const bool from_root = first == 0;  // the limb that starts at the root
    now_ = from_root ? root_ : branches_[links[links[first].parent].branch];
    for (int k = from_root ? 1 : first; k <= i; ++k) {
      const FrameT<T> parent = now_;
      step_out(links[k], x.q[k - 1], x.v[k - 1], s_[k], c_[k], parent, now_);
    }
    return now_;
  }
  template <class F>
  GRADUS_INLINE const FrameT<T>& outward(const LinkT<F>* links, const CoordinatesT<T>& x, int i) {
    if (i == 0) return now_ = root_;
    now_ = walk_one(links, x, i, now_);
    return now_;
  }

 private:
  /// `before` is the frame of link i − 1 if link i follows it.
  template <class F>
  GRADUS_INLINE FrameT<T> walk_one(const LinkT<F>* links, const CoordinatesT<T>& x, int i, const FrameT<T>& before) {
    FrameT<T> f;
    const FrameT<T>& parent = links[i].follows ? before : branches_[links[links[i].parent].branch];
    step_out(links[i], x.q[i - 1], x.v[i - 1], s_[i], c_[i], parent, f);
    return f;
  }
  /// From link k to its parent k − 1, whose own S must be made anew.
  template <class F>
  GRADUS_INLINE const FrameT<T>& unwind(const LinkT<F>* links, const CoordinatesT<T>& x, int k) {
    step_in(links[k], x.q[k - 1], x.v[k - 1], s_[k], c_[k], now_);
    set_subspace(links[k - 1], now_);
    return now_;
  }

  FrameT<T>* branches_;
  T *s_, *c_;
  FrameT<T> root_, now_;
};

}  // namespace gradus
