/// Many worlds of one scene, for learning, search and studies:
///
///   gradus::Batch::Options o;
///   o.worlds = 1024;
///   o.observe = {"r.gravity", "r.spin", "r.joint_q", "r.joint_v", "r.left_foot.fn"};
///   auto batch = gradus::Batch::load("my_robot", o);
///   while (…) {
///     std::span<float> a = batch.actions<float>();             // [world][batch.action_size()]: joint targets
///     …                                                        // fill it from batch.observations<float>()
///     batch.act(20);                                           // 20 steps of every world, then observe
///     batch.reset(fallen);                                     // a mask: those worlds begin again
///   }
///
/// One interface over back ends: `worlds` runs every scene with the bits of Simulation, `lanes` runs one robot on a
/// plane in SIMD lanes, many times as fast. A back end that cannot do everything that is asked for refuses with a list
/// of what it cannot; "auto" takes the fastest that can, and why() says which and why not another.
///
/// What a world does depends on its own numbers alone: its bits are the same for any number of worlds and threads.
/// Random starts depend on (seed, world, episode). Errors are thrown as gradus::Error. docs/batch.md
#pragma once
#include <gradus/gradus.h>

namespace gradus {

class Batch {
 public:
  struct Options {
    int worlds = 1;
    int threads = 1;
    std::string backend = "auto";  // worlds, lanes, gpu, auto
    bool single = true;            // arrays, and the numbers of lanes, are float; else double. Worlds run in double
    /// Columns of the observation: property paths (gradus show SCENE --properties) and patterns ("r.*_foot.fn"); and of
    /// every robot r: r.gravity, r.velocity, r.spin (direction of gravity, base's velocity and angular velocity in the
    /// base's axes, 3 each), r.joint_q, r.joint_v, r.joint_tau, r.joint_target (all joints), r.BODY.fn.most (largest
    /// normal force since the last act) and r.BODY.fn.air (time since it last touched).
    std::vector<std::string> observe;
    /// Columns of the action: r.JOINT.target, or r.joint_target of all; of robots with commands = "impedance" also
    /// r.JOINT.speed, .torque, .kp, .kd; of joints with chains .stiffness. None: targets of all joints of all robots.
    std::vector<std::string> act;
    /// Parameters (docs/parameters.md) that worlds may have of their own: "world.contact.friction", "r.kp_factor".
    std::vector<std::string> parameters;
    std::vector<std::string> sets;  // changes of the scene, as `gradus run --set`
    std::uint64_t seed = 1;
    int predictions = 3;  // lanes and gpu: at most so many, and one more, in a step; fewer are faster and less exact
  };
  /// A scene file, a robot file, or the name of a scene that comes with gradus.
  static Batch load(const std::string& scene_file, const Options& options);
  static Batch build(const SceneDraft& scene, const Options& options);
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;
  ~Batch();

  int worlds() const;
  double step_length() const;          // [s]
  const std::string& backend() const;  // worlds, lanes or gpu
  const std::string& why() const;      // how the back end was chosen; what faster ones cannot do
  const std::vector<std::string>& warnings() const;

  /// What stands where in a row.
  struct Columns {
    std::string name;  // as asked for
    int begin, count;
    std::vector<std::string> paths;  // of each
  };
  const std::vector<Columns>& observation_columns() const;
  const std::vector<Columns>& action_columns() const;
  const std::vector<std::string>& parameter_names() const;
  int observation_size() const;  // numbers in a row
  int action_size() const;

  /// [world][column], good for the batch's life. T must be float if Options::single, else double.
  template <class T>
  std::span<T> actions();
  template <class T>
  std::span<T> observations();
  std::span<const std::int64_t> ages() const;      // (worlds) steps since the world's last reset
  std::span<const std::int64_t> episodes() const;  // (worlds) resets since the start
  std::span<const std::uint8_t> finite() const;    // (worlds) 0: a number is not finite; reset it
  std::span<const double> action_lower() const;    // (action_size) limits of the joints; infinite where there are none
  std::span<const double> action_upper() const;
  std::span<const double> action_start() const;  // as at the start

  /// Hands actions to all worlds, steps each `steps` times, observes. Throws, and nothing happens, if an action is not
  /// finite.
  void act(int steps);
  /// As act, with these actions (worlds × action_size), which need not be those of the batch.
  template <class T>
  void act(std::span<const T> actions, int steps);
  // Of the back end `gpu`; the others throw. Pointers are to the GPU's memory and good for the batch's life.
  struct Gpu {
    float* slab;          // all numbers of all worlds, [tiles][row][tile]: world w is number w mod tile of tile w / tile
    int tiles, row, tile;
    float* actions;       // worlds × action_size()
    float* observations;  // worlds × observation_size()
  };
  Gpu gpu() const;
  /// As act, from and into the arrays of gpu(), on a CUDA stream (null: the default one): does not wait, and a CUDA graph may
  /// capture it. ages(), finite() and columns of the time do not see it.
  void launch(int steps, void* stream);
  /// Worlds with mask != 0 (worlds bytes in the GPU's memory) go to the start, likewise.
  void begin_on_gpu(const std::uint8_t* mask, void* stream);
  /// Fills observations() from the worlds as they are.
  void observe();
  /// Actions of world w take effect after delays[w] of the steps of an act.
  void set_delays(std::span<const int> delays);

  // Masks: one byte per world; worlds with 0 are left alone.
  /// Back to the start, plus random numbers if set_start_noise was called. Observes these worlds.
  void reset(std::span<const std::uint8_t> mask);
  /// To given states: rows of all robots' coordinates, and of their velocities, as Simulation::q and v.
  void reset(std::span<const std::uint8_t> mask, std::span<const double> q, std::span<const double> v);
  /// Uniform in ± these, added to the start at every reset: (velocity_size) turn (3, world axes) and shift (3) of the
  /// base and joints of each robot, and their velocities.
  void set_start_noise(std::span<const double> positions, std::span<const double> velocities);
  int position_size() const;  // numbers in a row of q
  int velocity_size() const;
  void states(std::span<double> q, std::span<double> v) const;  // worlds × size
  /// Adds to velocities (worlds × velocity_size): a shove.
  void add_velocity(std::span<const std::uint8_t> mask, std::span<const double> dv);
  /// Forces [N] on a body, world axes, at a point of its frame, held until changed (worlds × 3).
  void push(std::span<const std::uint8_t> mask, const std::string& body, std::span<const double> forces,
            std::span<const double, 3> point);
  /// worlds × parameter_names(): lanes share theirs with the worlds of the same tile, which is refused if they differ.
  void set_parameters(std::span<const std::uint8_t> mask, std::span<const double> values);

  /// A picture of one world, rows from the top, 3 bytes a pixel: by rays, from a point to a point.
  std::vector<unsigned char> picture(int world, int width, int height, std::span<const double, 3> eye,
                                     std::span<const double, 3> target);

  std::uint64_t hash() const;           // of all worlds
  std::uint64_t hash(int world) const;  // of `worlds`: that Simulation::hash gives
  std::vector<double> save(int world) const;
  void restore(int world, std::span<const double> numbers);  // of any world of an equal batch
  /// Predictions of robots' steps since the start; more than steps: limits were met.
  std::int64_t predictions() const;

 private:
  struct Impl;
  explicit Batch(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gradus
