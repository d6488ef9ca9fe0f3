/// B1, simplest drive: position servo with linear torque–speed curve; passive damping, friction, spring and stops of a
/// joint. Forces come with their implicit share [tree/dynamics.h (1)]. The body is a template over the scalar
/// [servo.inl]; World calls it through drives.h, which adds actuator chains, batches call it alone.
///
///   τ = clamp(kp (target − q − h v), low, high) − kd v        e = h (kd + h kp); at a bound h kd and the bound's  (1)
///   high = min(T, T (1 − v/v₀)) ≥ −T,  low = −min(T, T (1 + v/v₀)) ≤ T    T stall torque, v₀ no-load speed         (2)
///   stop: −k_s over − (d_s + h k_s) v if q is beyond a limit or will be after the step, and only while it pushes   (3)
///   friction: −F v/max(|v|, v_s), slope F/v_s inside ±v_s                                                          (4)
///   spring: −k (q + h v)                                                                                           (5)
///
///   commanded by impedance: the wish in (1) is kp (target − q − h v) + kd v_d + τ_d with the controller's kp and kd        (7)
///
/// All of it is reviewed with the predicted acceleration: a servo beyond its bound is held there, with the slope of the
/// bound at the speed that comes out, so that no joint is driven beyond v₀; a stop that would pull is off; friction that
/// turned the joint round sticks, and sticking beyond F slides.
#pragma once
#include "state/access.h"

namespace gradus {

// All joints of a robot, for any scalar T. J: the joints' constants, Joint or a struct with the same names in float.
// Joints marked `passive` get (3) to (5) alone.
/// q, v, target, out (njoint)
template <class T, class F, class J>
GRADUS_INLINE void begin_servos(const J* joints, int njoint, const T* q, const T* v, const T* target, F h,
                                DriveForceT<T>* out);
/// (7).  command: speeds v_d, torques τ_d, kp and kd (njoint each)
template <class T, class F, class J>
GRADUS_INLINE void begin_impedances(const J* joints, int njoint, const T* q, const T* v, const T* target,
                                    const T* command, F h, DriveForceT<T>* out);
/// Where an opinion on a servo's bound, a stop or friction changed.  a (njoint): predicted accelerations
template <class T, class F, class J>
GRADUS_INLINE MaskOf<T> review_servos(const J* joints, int njoint, const T* v, const T* a, F h, DriveForceT<T>* out);

}  // namespace gradus
