/// Wheeled robot soccer, planar and exact: a group of differential-drive robots, their ball and a walled field,
/// advanced from event to event. Between events every body follows its own Taylor series; every gap function carries a
/// certificate of when it can first close, and the earliest contact is located to 1e-9 s. Hits change velocities there;
/// resting, pushing and squeezed contacts are solved together as velocity constraints. docs/planar_wheels.md has the
/// equations.
///
///   auto model = compile(parameters);                     checks everything, reports every problem
///   std::vector<double> state(state_size(*model));        one slab: copy it and you have a snapshot
///   Scratch scratch(*model);                              all memory the engine needs
///   advance(*model, state, commands, 0.016, scratch, report);
///
/// advance allocates nothing, reads no clock and gives the same bits on every run and compiler.
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "wheels/model.h"
#include "wheels/smooth_motion.h"
#include "wheels/state.h"

namespace gradus::wheels {

/// What happened; counters and extremes add up over calls until the caller clears them.
struct Report {
  // counters
  std::int64_t impacts = 0;                // located hits that changed velocities
  std::int64_t restarts = 0;               // new pieces for a body or island
  std::int64_t pieces = 0;                 // free pieces
  std::int64_t slices = 0;                 // contact slices
  std::int64_t slice_bodies = 0;           // bodies solved in them
  std::int64_t factorisations = 0;         // of the contact solver in slices
  std::int64_t impact_factorisations = 0;  // and in impacts
  std::int64_t certificates = 0;           // gap evaluations
  // extremes
  double least_gap = 1;       // smallest gap met at a restart, < 0: overlap                   [m]
  double impact_gain = -1;    // largest energy change of an impact (must stay ≤ 0)           [J]
  double impact_loss = 0;     // energy lost in impacts, sum                                  [J]
  double slice_gain = 0;      // energy put in by gap targets of slices, sum                  [J]
  double slice_gain_max = 0;  // by one slice                                                 [J]
  int largest_island = 0, most_rows = 0;
  // trouble: all zero (or nearly) in a healthy run
  std::int64_t cut_restitutions = 0;  // bounces reduced so that energy does not grow
  std::int64_t unsettled = 0;         // contact solves that did not settle
  std::int64_t capped = 0;            // event searches cut short
  std::int64_t forced = 0;            // pairs left uncertified for 50 µs so that time goes on
  std::int64_t coarse = 0;            // pieces of motors too stiff for series, of first order in 4 ms
  std::int64_t stalled = 0;           // calls that gave up locating events
  std::int64_t full = 0;              // contacts or memory entries dropped for lack of room
  std::int64_t refused_commands = 0;  // not finite: taken as 0
  std::int64_t not_finite = 0;        // bodies whose state is not finite
};

class Engine;

/// Working memory of advance. May be lost at any time between calls; not shared between threads.
class Scratch {
 public:
  explicit Scratch(const WheelsModel& model);
  ~Scratch();
  Scratch(Scratch&&) noexcept;
  Scratch& operator=(Scratch&&) noexcept;

 private:
  friend void advance(const WheelsModel&, std::span<double>, std::span<const WheelCommand>, double, Scratch&, Report&);
  std::unique_ptr<Engine> engine_;
};

/// Advances the group by h > 0. commands: one per robot, held during h. The scratch must belong to a model of the same
/// sizes; state.size() == state_size(model).
void advance(const WheelsModel& model, std::span<double> state, std::span<const WheelCommand> commands, double h,
             Scratch& scratch, Report& report);

/// Smallest gap of the whole group (negative: overlap), for checks.
double smallest_gap(const WheelsModel& model, std::span<const double> state);
/// Smallest gap of one body to all others and to the field.
double body_gap(const WheelsModel& model, std::span<const double> state, int body);

}  // namespace gradus::wheels
