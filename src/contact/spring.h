/// The soft contact of MuRoSimF, for comparison [paper 000, sec. 5.3, eq. 4, 5]. With depth δ ≥ 0 and velocity u of the
/// point:
///
///   f_n = s_c δ n while closing,   s_b s_c δ n while separating                                            (4)
///   f_t = −s_μ |f_n| u_t            (viscous: the paper multiplies vectors, read |f_n|)                      (5)
///
/// Like every force it comes with its slopes, so it is stable at any step: f − D (v⁺ − v) − h K v⁺. Nothing is
/// remembered but the normal force, for sensors. Not modelled: the paper's pseudo friction n = −s_ν |f_n| ω, a moment;
/// contacts here are points that carry forces, several to a foot, which resist turning by themselves.
#pragma once
#include "contact/each_contact.h"

namespace gradus {

struct Spring {
  using Rights = View<Compliant::access>;
  static void begin(Rights view, double h);
  static bool review(Rights view, double h);
  static ContactMemory remember(const OwnLaw& law, Vec3 a, const StaticContact& c);
};

}  // namespace gradus
