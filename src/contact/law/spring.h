/// The soft contact of MuRoSimF, for comparison [MuRoSimF 2009, sec. 5.3, eq. 4, 5]. With depth δ ≥ 0 and velocity u of the
/// point:
///
///   f_n = s_c δ n while closing,   s_b s_c δ n while separating                                            (4)
///   f_t = −s_μ |f_n| u_t,  n = −s_ν |f_n| ω     (viscous: the paper multiplies vectors, read |f_n|)          (5)
///
/// ω: angular velocity of the link. The paper has one contact point for a pair of bodies; where we have several, their
/// moments add up to s_ν times the whole normal force, so the sum is the paper's. Like every force they come with their
/// slopes, so they are stable at any step: f − D (v⁺ − v) − h K v⁺. Nothing is remembered but the normal force, for
/// sensors.
#pragma once
#include "contact/law/each_contact.h"

namespace gradus {

struct Spring {
  static constexpr std::string_view name = "spring";
  static bool turns(const ContactSpec& c) { return c.spring.s_nu > 0; }
  static void begin(LawView view, double h);
  static bool review(LawView view, double h);
  static void remember(LawView view, double h);
};

}  // namespace gradus
