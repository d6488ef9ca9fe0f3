/// A running simulation: a Model, State[k], Input, an Engine that makes State[k+1] of them [engine/engine.h], and
/// around it what a session needs: controllers, commands, parameters, snapshots.
///
///   step():  controllers that are due see Output[k] and write Input[k]; the engine makes State[k+1]; they swap
///
/// Everything that can be read is of State[k]. The same bits for any number of threads. Nothing is allocated after
/// make().
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "model/parameters.h"
#include "base/rate.h"
#include "state/controller.h"
#include "world/cameras.h"

namespace gradus {

template <class T>
struct ChainStateT;
using ChainState = ChainStateT<double>;  // drive/chain.h

/// What the steps since the start had to say beyond their states.
struct StepReport {
  int not_finite = -1;             // robot whose state stopped being finite; −1: none
  std::int64_t predictions = 0;    // predict calls; more than steps × robots: limits were met
  std::int64_t unsettled = 0;      // steps of a robot in which the last prediction still met a limit
  std::int64_t field_dropped = 0;  // contacts with static objects that did not fit
  CouplingReport coupling;         // sums, but what is said there to be of the last look
};

/// Placements of members of groups that were not carried out as wished, since the start.
struct PlaceCounters {
  std::int64_t moved = 0;    // to the nearest free place
  std::int64_t refused = 0;  // no room, or not finite
};

/// Complete state of a run, also for another process: save, restore, same bits from there. Controllers are not part of
/// it: what they remember between calls is theirs.
struct Snapshot {
  std::int64_t k = 0;
  std::vector<double> state, input;
  std::vector<std::string> motion;  // of each robot
  std::vector<Impulse> impulses;    // waiting for the next step
  std::vector<Setting> settings;    // parameters that were set, in their order
  std::vector<double> frames;       // of cameras, on their way
  /// Little-endian, with version and checksum [snapshot.cpp].
  std::vector<std::byte> bytes() const;
  /// None if the bytes are not a whole, undamaged snapshot of this version.
  static std::optional<Snapshot> from_bytes(std::span<const std::byte> bytes);
};

/// Room for the spans of a RobotOutput.
struct OutputRoom {
  std::vector<double> foot_force, q, v, q_motor, current, voltage;
  std::vector<SensorReading> sensors;
};

class World : private ImageSource {
 public:
  struct Options : Engine::Options {
    bool fresh_engine = false;  // a new engine for every step: slow, same bits; for tests
    int render_threads = 0;     // that render images beside the steps; 0: images are rendered when somebody asks
  };
  /// Binds every robot to its motion; all that is missing is reported.
  static Result<std::unique_ptr<World>> make(Model model, Options options);
  static Result<std::unique_ptr<World>> make(Model model) { return make(std::move(model), Options{}); }

  void step();

  /// As it is now: robots whose parameters were set have a kind of their own.
  const Model& model() const { return model_; }
  const Engine& engine() const { return *engine_; }
  const StaticWorld& statics() const { return statics_; }
  const State& state() const { return state_[0]; }
  int robot_count() const { return static_cast<int>(model_.robots.size()); }
  std::int64_t k() const { return state_[0].k; }
  double time() const { return static_cast<double>(state_[0].k) * model_.step; }
  const StepReport& report() const { return report_; }
  int threads() const { return engine_->threads(); }

  /// Coordinates and velocities of State[k] [state.h].
  std::span<const double> q(int robot) const;
  std::span<const double> v(int robot) const;
  std::span<const double> tau(int robot) const;      // joint forces of the last step
  double motor_angle(int robot, int joint) const;    // encoder on the motor, at the joint
  double motor_current(int robot, int joint) const;  // [A]; 0 where the drive has no electrical motor
  double motor_voltage(int robot, int joint) const;  // at its terminals in the last step [V]; the same
  double drive_energy(int robot) const;  // of rotors behind elastic gears, teeth and currents; zero at other levels
  std::span<const double> private_state(int robot) const;      // of its motion
  const RobotScratch& scratch(int robot) const { return engine_->scratch(robot); }
  Pose X_WL(int robot, int link) const;                // pose of a link
  Pose X_WO(int robot, int object) const;              // pose of an object
  std::vector<Frame> moving_frames(int robot) const;   // all link frames with velocities, whatever the motion needs
  Vec3 velocity(int robot, int link, Vec3 p_L) const;  // of a point given in the link's frame
  Vec3 centre_of_mass(int robot) const;
  Vec6 momentum(int robot) const;                   // linear; angular about the world's origin
  double energy(int robot) const;                   // kinetic and potential (of gravity)
  /// Normal force on a link from the static world.                                          [N]
  double contact_force(int robot, int link) const;
  /// The books of energy [docs/energy.md]. False: some robot is moved by something whose work is not known (levels
  /// without drives, groups), or the contact law is not one of springs; energy_error is then 0.
  bool keeps_books() const;
  /// Energy of all bodies and of the springs of contacts, less that at the start, less the work of drives and of people
  /// since then. Friction, damping and impacts take it down; what takes it up came from nowhere.        [J]
  double energy_error() const { return keeps_books() ? energy_now() - work_ : 0; }
  /// All contacts of State[k], whatever touches [contact/contact_set.h].
  ContactSet contacts() const;
  /// What the robot's controller sees. Spans point into State and `room`.
  RobotOutput output(int robot, OutputRoom& room) const;
  std::span<const sense::Sensor> sensors(int robot) const { return engine_->senses(robot).sensors(); }
  sense::Reading read(int robot, int sensor) const { return engine_->read(robot, sensor); }
  /// The newest image of a camera that has arrived; empty: none has, or the sensor is no camera. Rendered now if nobody
  /// asked before, which changes nothing of the simulation.
  std::span<const SensorImage> image(int robot, int sensor) override {
    return cameras_ ? cameras_->image(*engine_, k(), robot, sensor) : std::span<const SensorImage>{};
  }
  std::int64_t images_rendered() const { return cameras_ ? cameras_->rendered() : 0; }
  const Cameras* cameras() const { return cameras_.get(); }  // null: no robot has one
  /// For logs: the images that were asked for since the last call; none before the first.
  void take_seen(std::vector<SeenImage>& out) { cameras_ ? cameras_->take_seen(out) : out.clear(); }
  /// For people who look on: what it takes to render the image that a program would see now [cameras.h].
  void view(int robot, int sensor, FrameView& out) const {
    cameras_ ? cameras_->view(*engine_, k(), robot, sensor, out) : static_cast<void>(out.frame = -1);
  }
  bool is_asleep(int robot) const;  // at rest, and left as it is until something comes near [engine/sleepers.h]
  bool fallen(int robot) const;  // tilted by more than 60 degrees from its start

  /// Changes between steps. They rebuild half A for the robot, so that the next step sees them. False, and nothing
  /// changed, if the length is wrong or a number is not finite.
  bool set_q(int robot, std::span<const double> q);
  bool set_v(int robot, std::span<const double> v);
  std::span<double> targets(int robot);  // held until changed
  std::span<const double> targets(int robot) const;
  std::span<double> stiffness(int robot);  // of the joints' chains, held; empty if the robot has none
  std::span<const double> stiffness(int robot) const;
  RobotCommand command(int robot);  // all of these as a controller gets them
  void set_push(int robot, int link, Vec3 force, Vec3 p_L);  // held; link −1: none
  struct Push {
    int link;         // −1: none
    Vec3 force, p_L;  // world axes; in the link's frame   [N, m]
  };
  Push push(int robot) const;  // as held
  /// Once, in the next step. False if there is no such link or 64 are waiting already.
  bool add_impulse(const Impulse& impulse);
  /// Hands a robot to another motion, state carried over. Empty if done, else what is missing.
  std::vector<std::string> set_motion(int robot, std::string_view name);
  const MotionTable& motion(int robot) const { return engine_->motion(robot); }

  /// Parameters [model/parameters.h]. Those that were set are part of snapshot and hash. Setting one compiles the robot
  /// again from its description with all settings in their order; the state stays, and so do robots that shared its
  /// kind.
  /// "" or what is wrong; then nothing has changed.
  std::string set_parameter(const std::string& path, double value);
  /// All of them at once: those not named are as at first again.
  std::string take_settings(std::vector<Setting> settings);
  const std::vector<Setting>& settings() const { return settings_; }
  std::optional<double> setting(const std::string& path) const;  // as set; none: never
  const RobotSpec* spec(int robot) const {
    return model_.robots[static_cast<std::size_t>(robot)].spec.get();
  }  // as set
  Surroundings surroundings() const { return {model_.gravity, model_.contact}; }
  const RobotModel& first_robot(int robot) const {
    return first_robots_[static_cast<std::size_t>(robot)];
  }  // before any was set
  const Surroundings& first_surroundings() const { return first_around_; }

  /// Groups [state/group.h].
  const Groups& groups() const { return engine_->groups(); }
  std::span<const double> section(int group) const { return groups().section(group, state_[0].slab.data()); }
  void set_section_value(int group, int index, double value);
  /// What the group's drivers see. Spans point into State and `room`.
  GroupOutput output_of_group(int group, std::vector<Sight>& room) const;
  /// Puts a member somewhere else, as near to the wish as is free.
  PlaceResult place(int robot, const PlaceWish& wish);
  const PlaceCounters& placements() const { return placements_; }
  void add_group_controller(int group, std::unique_ptr<GroupController> controller, double period);

  /// Calls the controller at the first steps not before start, start + period, … of simulated time [rate.h].
  void add_controller(int robot, std::unique_ptr<Controller> controller, double period, double start);
  /// What controllers remember, in the order in which they were added.
  void save_controllers(Bytes& out);
  /// False: one of them cannot go on from there.
  bool restore_controllers(ByteView memory);
  /// Why a run with these controllers cannot go back; empty: it can.
  std::string controllers_forget() const;
  bool inputs_changed() const { return inputs_changed_; }  // did controllers change any in the last step?
  std::span<const double> input() const { return input_.slab; }
  /// Replay: instead of the controllers. False, and nothing changed, if it does not fit this model.
  bool set_input(std::span<const double> input);
  void drop_controllers() { controllers_.clear(), group_controllers_.clear(); }

  /// Takes the place of another world of the same model, by swapping State and Input with it [batch/worlds.h]; give_back
  /// with the same two before anything else is asked. What is in neither stays: settings, levels, the report, energy
  /// books, frames of cameras.
  void take(State& state, Input& input);
  void give_back(State& state, Input& input);
  std::uint64_t hash() const;  // of k, State and Input
  Snapshot snapshot() const;
  /// False, and nothing changed, if it does not fit this model.
  bool restore(const Snapshot& snapshot);

  /// Processor time of a robot's share of a step, smoothed, sampled now and then.   [µs]
  double microseconds(int robot) const { return is_asleep(robot) ? 0 : us_[static_cast<std::size_t>(robot)]; }

 private:
  struct ControllerSlot {
    int robot;
    std::unique_ptr<Controller> controller;
    Rate rate;
    OutputRoom room;
  };
  struct GroupControllerSlot {
    int group;
    std::unique_ptr<GroupController> controller;
    Rate rate;
    std::vector<RobotCommand> commands;
    std::vector<Sight> room;
  };

  World(Model model, Options options) : model_(std::move(model)), options_(options) {}
  Diagnostics build();
  void renew_engine();
  void run_controllers();
  void control(ControllerSlot& c);
  void add_up();            // the report of the last step
  double energy_now() const;  // of bodies and springs
  double own_energy(int robot) const;
  double drive_work() const;  // of the last step
  bool is_pushed() const { return pushes_ > 0 || !input_.impulses.empty(); }  // by people, now
  void count_pushes();
  /// Before a robot is changed or pushed: it wakes if it slept, and those that fell asleep with it.
  void wake(int robot);
  /// After a change from outside: whatever it did to the energy was people's work. error: before it.
  void keep_error(double error);
  void refresh(int robot);  // look again after a change from outside
  /// Takes rotors along before joints are set to q_after and v_after.
  void carry(int robot, std::span<const double> q_after, std::span<const double> v_after);
  /// What robots are with certain settings, before the world takes it over.
  struct Variant {
    Surroundings around;
    std::vector<std::pair<int, RobotModel>> robots;  // those that change
  };
  std::string make_variant(std::span<const Setting> settings, Variant& out) const;
  void exchange(Variant& variant);
  bool fits(std::span<const double> input) const;  // right size, and pushes on links that exist
  bool fits(const Impulse& impulse) const;
  const ChainState* chain_of(int robot, int joint) const;  // null where no chain drives the joint now
  const double* numbers(int offset) const { return state_[0].slab.data() + offset; }

  Model model_;
  Options options_;
  std::vector<RobotModel> first_robots_;  // before any parameter was set; controllers may point at their kinds
  Surroundings first_around_;
  std::vector<Setting> settings_;
  StaticWorld statics_;  // the field as robots meet it
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Cameras> cameras_;  // null: no robot has one
  ImageSource* const images_ = this;  // for outputs: images are rendered when somebody asks, whoever holds the world
  State state_[2];  // [0] is State[k], [1] State[k+1]
  Input input_;
  std::vector<double> input_before_;  // controllers ran
  std::vector<Vec3> up_;              // (robots) the ground's normal in the base's axes at the start
  std::vector<double> us_;            // (robots)
  std::vector<ControllerSlot> controllers_;
  std::vector<GroupControllerSlot> group_controllers_;
  StepReport report_;
  PlaceCounters placements_;
  mutable std::int64_t asleep_version_ = -1;  // of the engine's sleepers …
  mutable double asleep_energy_ = 0;          // … whose energy this is                   [J]
  int pushes_ = 0;   // robots that are pushed, by set_push
  double work_ = 0;  // of drives and people, and the energy at the start  [J]
  bool inputs_changed_ = false;
};

}  // namespace gradus
