/// Contacts between moving bodies: the middle of predict → couple → commit [docs/couple.md; equation numbers as there].
///
/// Whoever predicted the step hands over slots (links that touch something, with the twist they would have without
/// these contacts), groups (the slots of one robot or free body, with the response of each slot's twist to an impulse
/// on each slot) and contacts. solve() finds the impulses; slots then hold their new twists and the impulse that their
/// owners must take. Impulses act equal and opposite at one point, so momentum is conserved to rounding whatever the
/// solver's residual.
///
///   u⁺ = u* + A λ,  A = J Ω Jᵀ                                                                        (4)
///   0 ≤ λ_n ⊥ u_n⁺ + R_n λ_n + b ≥ 0,  R_n = 1/(h k (τ + h)),  b = φ/(τ + h) or φ/h for a gap         (5)
///   impacts: R_n ≈ 0, b = e u_n⁻                                                                       (7)
///   |λ_t| ≤ μ λ_n against u_t⁺; sticking: u_t⁺ + R_t (λ_t − λ_t of the last step) = 0   (21)
///   rolling and torsional friction: moments |m_t| ≤ ρ λ_n, |m_n| ≤ ρ_n λ_n against the relative turning; sticking:
///   ω⁺ + R_w (m − m of the last step) = 0                                                              (15)
///   loops: u⁺ + R (λ − 0.9 λ of the last step) + b = 0 in all three directions, b = φ/h along the error   (17)
///
/// Solver, per island: block Gauss–Seidel (8)–(10) on the slots' twists; where that does not settle, Newton steps (11) on
/// the impulses of the active contacts [active_system.h]. The moments (15) stay as they are in a Newton step.
///
/// No allocation after construction; what does not fit is refused and counted. Deterministic: fixed orders throughout.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "contact/solve/active_system.h"
#include "math/spatial.h"

namespace gradus {

/// Response of a free rigid body about its centre of mass: M⁻¹.
Response free_response(double mass, const Sym3& inertia_inverse_W);

struct PairLaw {
  double stiffness = 1e5;      // k                                                    [N/m]
  double relaxation = 0.002;   // τ = damping / stiffness                              [s]
  double friction = 0.5;       // μ, Coulomb, the same in all directions               [-]
  double restitution = 0;      // e, above impact_speed                                [-]
  double impact_speed = 0.05;  // v_min                                                [m/s]
  double recovery_speed = 1;   // v_max, fastest recovery from penetration             [m/s]
  double rolling = 0;          // resisting moment about tangents ≤ rolling · λ_n       [m]
  double torsion = 0;          // resisting moment about the normal ≤ torsion · λ_n     [m]
};

struct CoupleSlot {
  Vec6 V;                // twist about `origin`, world axes. In: predicted without these contacts. Out: with them
  Vec6 V_before;         // at the start of the step, for restitution
  Vec3 origin{0, 0, 0};  // [m]
  bool flight = true;    // in: may use the flight rule (13). Out: no contact acted, or impacts only
  bool bounced = false;  // out: an impact with the static world
  Vec6 impulse{{0, 0, 0}, {0, 0, 0}};  // out: sum about `origin`                         [N m s, N s]
};

struct CoupleContact {
  int a = -1, b = -1;    // slots; −1: the static world (b, or a)
  Vec3 point{0, 0, 0};   // [m], W
  Vec3 normal{0, 0, 1};  // from b to a
  double gap = 0;        // negative: penetration                                        [m]
  double unfelt = 0;     // how much deeper it is than `gap`, which its spring feels      [m]
  PairLaw law;
  static constexpr std::uint64_t kOwnPoint = ~std::uint64_t{0};  // key of a robot's points [own_points.h]
  std::uint64_t key = 0;                                         // the owner's, for its warm starts
  Vec3 impulse{0, 0, 0};  // on a, W. In: guess. Out: result                              [N s]
  Vec3 before{0, 0, 0};  // impulse of the last step, 0 for a new contact: sticking then does not creep [docs/couple.md]
  Vec3 moment{0, 0, 0};         // of rolling and torsional friction on a, likewise      [N m s]
  Vec3 moment_before{0, 0, 0};  // of the last step                                      [N m s]
  bool impact = false;   // out: restitution was applied
  /// No contact: the points of a and b here are one, pulled or pushed together in all directions (17). gap: how far they
  /// are apart, along the normal.
  bool held = false;
  /// A law of the owner's instead of (5): u_n + R_n λ_n + b_n = 0, u_t + R_t (λ_t − before_t) = 0. R_n 0: law.
  double R_n = 0, R_t = 0, b_n = 0;
  double slack = 0;      // R_t of its sticking (21), in the last step (0: new) and out; 0 where its owner holds it      [1/kg]
  double speed = 0;      // out: normal speed at the start of the step                   [m/s]
  double work = 0;       // out: of impulse and moment on the bodies, with the twists at the end   [J]
};

struct CoupleOptions {
  int sweeps_before = 4;    // of Gauss–Seidel before the first Newton step
  int newton_max = 12;      // Newton steps; each is followed by one or two sweeps
  int sweeps_after = 60;    // if all these did not settle
  double tolerance = 1e-6;  // largest change of a velocity in a sweep                    [m/s]
  double creep = 0.03;      // R_t as a part of the contact's own response (21)           [-]
  double roll_frequency = 250;  // ω of the springs of sticking moments (15): R = A/(h ω)²   [rad/s]
};

struct CoupleCapacity {
  int slots = 256, contacts = 1024;
  int responses =
      1024;  // (slot, slot) pairs within groups that contacts reach, summed over contacts: 2 per free-body contact
};

struct CoupleReport {
  int contacts = 0, islands = 0, sweeps = 0, newtons = 0;
  int unsettled = 0;   // islands that did not reach the tolerance
  int dropped = 0;     // slots, groups or contacts that did not fit
  int unfactored = 0;  // Newton steps given up because the factor did not fit
  double worst = 0;    // largest last change of an unsettled island                    [m/s]
};

class Couple {
 public:
  explicit Couple(const CoupleCapacity& capacity, const CoupleOptions& options = {});

  void clear();
  /// Slots of one robot or body, one after the other; response[i * n + j] is of slot i to an impulse on slot j and must
  /// live until solve() returns. Returns the number of the first slot, or −1 if there is no room.
  int add_group(std::span<const CoupleSlot> slots, const Response* response);
  /// False if there is no room.
  bool add_contact(const CoupleContact& contact);

  CoupleReport solve(double h);

  std::span<CoupleSlot> slots() { return slots_; }
  const CoupleSlot& slot(int i) const { return slots_[i]; }
  std::span<CoupleContact> contacts() { return contacts_; }
  CoupleOptions options;

 private:
  struct Group {
    int first, count;
    const Response* response;
    bool immovable;  // no impulse moves it
  };
  /// Change of a slot's twist per unit impulse along the three directions of a contact.
  struct Effect {
    int slot;
    Vec6 w[3];
  };
  /// A contact made ready to solve, in the order of the islands. Index 0 is normal, 1 and 2 tangential.
  struct Row {
    Vec6 ja[3], jb[3];              // directions as impulses on the slots
    int a, b;                       // slots
    int first, second, last;        // effects on the group of a from first on, on that of b from second on
    double bias, R[3];              // (5)
    double A[3][3], inverse[3][3];  // own block of (4); (A + R)⁻¹
    double step;                    // of the projected tangential impulse (10)
    double friction, x[3], x0[3];   // μ; impulse; that of the last step
    bool waits;                     // for its impact
    bool held;                      // (17)
    bool resists;  // has rolling or torsional friction; then its moments' effects follow those of the impulses
    double rolling, torsion, A_w[3], R_w, m[3], m0[3];  // bounds; own response to the moments; compliance; moments
                                                        // about n, t1, t2; those of the last step
    double kept[3], kept_m[3];                          // impulse and moments of the best iterate so far
    Vec3 direction[3];
    int contact;
  };

  void prepare(double h);
  void set_law(CoupleContact& c, Row& r, double h);
  static void set_guess(const CoupleContact& c, Row& r);
  void make_effects(const CoupleContact& c, Row& r);
  double normal_speed(const CoupleContact& c, bool before) const;
  double speed_along(const Row& r, int k) const;
  Vec3 turning(const Row& r) const;
  void residual(const Row& r, double* e) const;
  void apply(const Row& r, const double* dx);
  double sweep(int lo, int hi, bool backward);
  double resist(Row& r);
  void add_effects(const CoupleContact& c, const Vec6* ja, const Vec6* jb);
  void apply_moments(const Row& r, const double* dm);
  void find_islands();
  bool solve_island(int lo, int hi, double h);
  bool sweep_on(int lo, int hi, int least, double& change);
  bool iterate(int lo, int hi, double& change);
  bool gains_energy(int lo, int hi) const;
  bool without_restitution(int lo, int hi, double h);
  bool newton(int lo, int hi, bool search);
  void open_inactive(int lo, int hi);
  bool make_system(int lo, int hi);
  void fill_blocks(int lo);
  void step_row(Row& r, const double* dx, double part);
  double merit(int lo, int hi) const;
  void save(int lo, int hi);
  void go_back(int lo, int hi);
  void renew_twists(int lo, int hi);
  bool linearise(const Row& r, ActiveSystem::Local& out) const;
  void hand_out();

  std::vector<CoupleSlot> slots_;
  std::vector<Vec6> predicted_;  // twists of the slots without these contacts
  std::vector<Group> groups_;
  std::vector<CoupleContact> contacts_;
  std::vector<Row> rows_;
  std::vector<Effect> effects_;
  std::vector<int> group_of_, parent_, order_, island_first_;
  ActiveSystem system_;
  std::vector<ActiveSystem::Local> locals_;  // (rows of the island)
  std::vector<ActiveSystem::Ends> ends_;
  std::vector<std::uint8_t> active_;
  std::vector<double> steps_;  // (3 a row) of the present Newton step, then the impulses before it
  CoupleReport report_;
};

}  // namespace gradus
