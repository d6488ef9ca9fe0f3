/// B1, simplest drive: position servo with linear torque–speed curve, passive damping and friction, joint stops. Forces come
/// with their implicit share [tree/dynamics.h (1)]. The detailed chain (delay, motor, gear) takes this place per joint later.
/// The body is a template over the scalar [servo.inl].
///
///   τ = clamp(kp (target − q − h v), low, high) − kd v        e = h (kd + h kp), or h kd at a bound          (1)
///   high = min(T, T (1 − v/v₀)),  low = −min(T, T (1 + v/v₀))    T stall torque, v₀ no-load speed            (2)
///   stop: −k_s over − (d_s + h k_s) v while q is beyond a limit by `over`                                     (3)
///   friction: −F v/max(|v|, v_s), slope F/v_s inside ±v_s                                                     (4)
#pragma once
#include "state/access.h"

namespace gradus {

// All joints of a robot, for any scalar T. J: the joints' constants, Joint or a struct with the same names in float.
/// q, v, target, out (njoint)
template <class T, class F, class J>
GRADUS_INLINE void begin_servos(const J* joints, int njoint, const T* q, const T* v, const T* target, F h, DriveForceT<T>* out);
/// Where a servo ran over its bound, which then holds it there.  a (njoint): predicted accelerations
template <class T, class F, class J>
GRADUS_INLINE MaskOf<T> review_servos(const J* joints, int njoint, const T* v, const T* a, F h, DriveForceT<T>* out);

struct Servo {
  static constexpr Access access{.reads = Field::q | Field::v | Field::target | Field::acc, .writes = Field::drive};
  static void begin(View<access> view, double h);
  /// After predict: true if a servo ran over its bound, which then holds it there and predict must run again.
  static bool review(View<access> view, double h);
};

}  // namespace gradus
