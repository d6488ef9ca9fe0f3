/// The step: State[k] and Input[k] in, State[k+1] out [DESIGN.md 5, docs/step.md].
///
///   HALF A "look"   A1 poses and velocities of links, A2 contacts, A3 sensors           of State[k]
///   HALF B "move"   B1 actuate, B2 contact law, B3 predict (again where a limit was met), B4 couple, B5 commit
///
/// An Engine has no memory: what half A leaves is a function of the state looked at, what half B leaves is State[k+1].
/// It may be dropped and replaced by a fresh one between any two steps, and one Engine may step any number of states of
/// its model in turn; the bits are the same. With Options::poison (and in debug builds) all scratch is filled with NaN
/// before use, so that nobody reads what an earlier step left there.
///
/// Robots that touch nothing moving go through half B one by one; those of an island that couple must solve go together
/// [contact/contacts.h]. The same bits for any number of threads. Nothing is allocated after make().
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "contact/contacts.h"
#include "contact/find/static_world.h"
#include "contact/law/law.h"
#include "contact/solve/own_points.h"
#include "drive/drives.h"
#include "engine/groups.h"
#include "engine/registry.h"
#include "engine/sleepers.h"
#include "base/threads.h"
#include "sense/rays.h"
#include "state/state.h"

namespace gradus {

#ifdef NDEBUG
inline constexpr bool kPoisonByDefault = false;
#else
inline constexpr bool kPoisonByDefault = true;
#endif

class ContactSet;  // contact/contact_set.h

/// What one step did, besides the state that it made.
struct StepFigures {
  int not_finite = -1;             // first robot whose new state is not finite; −1: none
  std::int64_t predictions = 0;    // predict calls; more than robots: limits were met
  std::int64_t unsettled = 0;      // robots whose last prediction still met a limit
  std::int64_t field_dropped = 0;  // contacts with static objects that did not fit
  CouplingReport coupling;
};

class Engine {
 public:
  struct Options {
    int threads = 1;
    double (*clock)() =
        nullptr;  // processor time of the calling thread [s], to measure robots' cost; null: not measured
    bool poison = kPoisonByDefault;
    std::span<const ContactLaw> laws = all_contact_laws();  // that scenes may name; must outlive the engine
  };
  /// Binds every robot to its motion; all that is missing is reported. model and statics must outlive the engine;
  /// statics may be shared by the engines of one model.
  static Result<std::unique_ptr<Engine>> make(const Model& model, const StaticWorld& statics, Options options);

  const Layout& layout() const { return layout_; }
  int robot_count() const { return static_cast<int>(slots_.size()); }
  int threads() const { return team_.size(); }

  /// A state and an input of the right size with all robots at their start. Looks at it.
  void start(State& state, Input& input);
  /// Half A. Afterwards frames, contacts and scratch are those of `state`.
  void look(const State& state);
  /// Half A again for one robot, after a change from outside: as look, if all others were looked at before. If the robot
  /// may have slept, wake() it first.
  void look_again(int robot, const State& state);
  /// State[k+1] from State[k]: looks at `now`, then half B. `next`: of the right size, zero or made by an engine of
  /// this model.
  void step(const State& now, const Input& input, State& next);
  /// The same where `now` was the last state looked at; then looks at `next`, each robot while its numbers are warm.
  void step_and_look(const State& now, const Input& input, State& next);
  const StepFigures& figures() const { return figures_; }  // of the last step

  const ContactLaw& law() const { return *law_; }
  /// Of the state that was looked at last.
  std::span<const Frame> frames(int robot) const { return slot(robot).scratch.frames; }
  const RobotScratch& scratch(int robot) const { return slot(robot).scratch; }
  const RobotContext& context(int robot) const { return slot(robot).context; }
  ContactSet contacts() const;
  /// Those that islands solve, as rows of their solver know them: of moving bodies. For tests and figures.
  const Contacts& moving_contacts() const { return contacts_; }
  /// Robots that move in the next step, ascending: all but those asleep [sleepers.h].
  std::span<const int> awake() const { return sleepers_.awake(); }
  std::int64_t awake_version() const { return sleepers_.version(); }  // changes with them

  const RobotLayout& at(int robot) const { return slot(robot).context.at; }
  const RobotKind& kind(int robot) const { return *slot(robot).context.kind; }
  const MotionTable& motion(int robot) const { return *slot(robot).motion; }
  const MotionNeeds& needs(int robot) const { return slot(robot).needs; }
  std::span<const Chain> chains(int robot) const { return chains_of(kind(robot), slot(robot).scratch.drive_own); }
  const sense::Senses& senses(int robot) const { return slot(robot).senses; }
  /// What a sensor shows of the state that was looked at last.
  sense::Reading read(int robot, int sensor) const {
    const Slot& s = slot(robot);
    return s.senses.read(sensor, s.context.k, model_.step, s.scratch.sense.data());
  }
  const Groups& groups() const { return groups_; }
  /// Processor time of the robot's share of the last step; negative: it was not measured.     [s]
  double seconds(int robot) const { return slot(robot).seconds; }

  // Changes between steps. The caller looks afterwards.
  /// A robot that sleeps, and all that fell asleep with it; −1: all robots.
  void wake(int robot, State& state) const { sleepers_.wake_in(state, robot); }
  /// What a robot lacks to be moved by a motion; empty: nothing.
  std::vector<std::string> check_motion(int robot, std::string_view name) const;
  void set_motion(int robot, std::string_view name);
  /// Fills the private numbers of the motion and the drives.
  void enter(int robot, State& state, const Input& input);
  /// Numbers that the robot's motion will not write are zero: a value left behind by the motion before would come and
  /// go with every swap of two states, and a restored world could not know it.
  void forget(int robot, State& state) const;
  /// q or v of a member of a group were changed.
  void adopt(int robot, State& state, const Input& input);
  PlaceResult place(int robot, const PlaceWish& wish, State& state, const Input& input);
  /// The model's numbers were changed: robots of other kinds (same sizes), gravity, surfaces.
  void rebind(int robot);
  void rebind_surroundings();
  std::string rebind_groups() { return groups_.rebind(model_); }

 private:
  struct Slot {
    const MotionTable* motion = nullptr;
    MotionNeeds needs;
    RobotScratch scratch;
    Block block;            // of half B, when it does not go alone
    std::size_t own = 0;    // bytes of its motions' own scratch, at most
    RobotContext context;
    sense::Senses senses;
    double seconds = -1;
    int predictions = 0;
    bool unsettled = false, not_finite = false;
    bool law_changed = false;  // in the last review
  };

  Engine(const Model& model, const StaticWorld& statics, Options options);
  Diagnostics bind_law();
  Diagnostics bind_all();
  void bind_named(int robot, Diagnostics& notes);
  static MotionNeeds needs_of(const MotionTable& motion, const RobotKind& kind);
  static void bind(Slot& s, const MotionTable& motion);
  static int make_room(Slot& s, const RobotKind& kind);  // returns the size of its private state
  void make_blocks();
  void use_block(Slot& s, Block& block) const;
  void place_robot(const RobotModel& robot, const RobotLayout& at, State& state, Input& input);
  template <class Work>
  void each_robot(std::int64_t k, const Work& work);
  bool may_sleep(int robot) const;
  void point_at(Slot& s, const State& now, const Input* input, State* next) const;
  void point_at(const State& now, const Input* input, State* next);  // all slots
  void half_b(const State& now, const Input& input, State& next, bool look_after);
  void move_groups(const State& now, State& next, bool timed);  // B3 of all members
  void share_time(std::span<const int> robots, double seconds);
  void sum_up();
  void begin(Slot& s);                       // B1, B2
  void predict(Slot& s);                     // B3
  bool review(Slot& s);                      // were limits met?
  void move(int robot, int thread, const Input& input);  // B1 to B3
  bool may_solve_points(const Slot& s) const;
  bool solve_points(Slot& s, int thread);  // B3 where opinions do not settle or points bounce
  void move_island(int island, int thread, const Input& input,
                   State& next);                      // B1 to B4 of robots that touch each other
  void take_impulses(int robot, const Input& input);  // B4: given by users
  void commit(Slot& s);                               // B5
  void rest(std::span<const int> island, const State& now, const Input& input, State& next) const;  // B5: who sleeps
  void finish(int robot, const State& next, bool look_after);
  void find_contacts(const State& state);  // A2 between moving bodies
  void look(Slot& s);                      // A1, A2
  void sense(const State& state);          // A3
  Slot& slot(int robot) { return slots_[static_cast<std::size_t>(robot)]; }
  const Slot& slot(int robot) const { return slots_[static_cast<std::size_t>(robot)]; }

  const Model& model_;
  const StaticWorld& statics_;
  Options options_;
  const ContactLaw* law_ = nullptr;
  Layout layout_;
  std::vector<Slot> slots_;
  std::vector<const RobotContext*> contexts_;  // of every slot, for the groups
  Groups groups_;
  Contacts contacts_;
  Sleepers sleepers_;
  bool any_sensors_ = false;
  std::unique_ptr<sense::Rays> rays_;              // A3; null: no sensor wants rays
  std::vector<Touch> touches_;                    // A3, of one robot after the other
  std::vector<double> motor_, current_, voltage_;  // (njoint) the same
  std::vector<Contacts::Robot> movers_;  // (robots)
  std::vector<OwnPoints> own_points_;    // (threads)
  std::vector<Block> blocks_;            // (threads) of half B, for robots that go alone
  Team team_;
  double clock_cost_ = 0;     // of one reading [s]
  double group_seconds_ = 0;  // share of one member
  StepFigures figures_;
};

}  // namespace gradus
