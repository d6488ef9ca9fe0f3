/// The one contract of all sensors [docs/sensors.md; facts/sensors.md 7, 8].
///
/// A kind of sensor says which channels it has and computes the *truth* of each; everything else is common to all kinds
/// [channel.h]: rate, phase, delay, scale and offset that are drawn once, drift, noise, low-pass, saturation and A/D.
/// What a sensor remembers between steps lies in State, so snapshots, rewinds and fresh engines need know nothing of it.
/// Random numbers are addressed by (seed, robot's name, sensor's name, channel, sample): switching one sensor on or off,
/// or adding a robot, changes no other number.
///
///   bind    once, and again when a parameter changes: checks the settings, names the channels, asks for memory
///   truth   what an ideal instrument would show of State[k]; may keep numbers of its own from step to step
///
/// A kind is a struct with these static functions, its name, its unit and its keys; one line in registry.cpp puts it
/// into the table.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/dimension.h"
#include "base/rate.h"
#include "model/model.h"
#include "state/access.h"
#include "state/touch.h"

namespace gradus {
class RayFan;  // render/cast.h
}

namespace gradus::sense {

class Rays;  // [rays.h]

/// What a sensor may look at: its robot in State[k], and the world around it.
struct Surroundings {
  const Model* model;
  const RobotContext* robot;
  std::span<const Touch> touches;  // contacts that pressed in the last step and loops, if some sensor of the robot asked
  std::span<const double> current, voltage;  // (njoint) of motors, the same
  std::span<const double> motor;             // (njoint) rotor angles at the joint, the same
  double h;                                  // [s]
  int number = 0;                            // of the robot
  const double* state = nullptr;             // State[k], and where robots lie in it
  std::span<const RobotLayout> layout;
  Rays* rays = nullptr;                      // into the world, if some sensor asked for them

  const double* q() const { return robot->now + robot->at.q; }
  const double* v() const { return robot->now + robot->at.v; }
  const Frame& frame(int link) const { return robot->s->frames[static_cast<std::size_t>(link)]; }
};

/// A number or word that a description may give.
struct Key {
  const char* name;
  Dimension unit;        // of its numbers
  bool of_channel;       // their unit is the channels'; one number, or one for each channel
  int most;              // how many numbers; 0: words; −n: up to n
  double lower, upper;   // that are accepted
  const char* about;
};

/// Which of the exact numbers of a controller's output a kind takes the place of [world/observe.cpp].
enum class Feeds { nothing, joints, motors, current, gyro, accelerometer, feet };

struct Sensor;

/// One sensor being bound: its settings, checked, and what it asks for.
class Binding {
 public:
  Binding(const Model& model, const RobotModel& robot, const SensorModel& sensor, Sensor& out, Diagnostics& log)
      : model_(model), robot_(robot), kind_(*robot.kind), sensor_(sensor), out_(out), log_(log) {}

  const Model& model() const { return model_; }
  const RobotModel& robot() const { return robot_; }
  const RobotKind& kind() const { return kind_; }
  const SensorSpec& spec() const { return sensor_.spec; }
  int link() const { return sensor_.link; }
  double number(const char* key, double otherwise) const;
  std::vector<double> numbers(const char* key) const;  // none: not given
  std::string word(const char* key, const char* otherwise) const;
  std::vector<std::string> words(const char* key) const;
  bool has(const char* key) const { return sensor_.spec.find(key) != nullptr; }

  void channel(std::string name, const char* unit);
  /// A channel for each joint that the key `joints` names, all if it is not given; their numbers in Sensor::ids.
  void joint_channels(const char* revolute_unit, const char* prismatic_unit);
  void remember(int count);  // numbers of its own in State
  void keep(double number);  // a constant, in Sensor::numbers
  void id(int number);       // of something that it looks at, in Sensor::ids
  void late(double seconds);  // its samples arrive later than `delay` says
  void every_step();         // its truth is wanted in every step, not at samples alone
  void wants_touches();      // contacts and their forces
  void wants_motors();       // currents and rotor angles
  void of_motors();          // its angles are those of the motors
  void rays(const std::vector<Vec3>& directions_S);  // unit vectors along which it looks
  void aims(int rays);       // or so many at once, where it likes
  /// At the setting's place, or at the sensor's if it is not given.
  void fault(const char* key, const std::string& text, const std::string& suggestion = "");

 private:
  const Model& model_;
  const RobotModel& robot_;
  const RobotKind& kind_;
  const SensorModel& sensor_;
  Sensor& out_;
  Diagnostics& log_;
};

/// Entry points of one kind.
struct SensorTable {
  std::string_view name, about;
  Dimension unit;  // of its channels' numbers
  std::span<const Key> keys;
  void (*bind)(Binding&);
  /// x: (channels). own: what it asked to remember, as the last call left it; zero before the first.
  void (*truth)(const Surroundings&, const Sensor&, double* own, double* x);
  /// From the truth to sample number `sample`, in place of the noise of channels; null: these [channel.h].
  void (*perceive)(const Sensor&, std::int64_t sample, const double* truth, double* z);
  Feeds feeds = Feeds::nothing;  // encoders say for themselves on which side of the gear they are
  bool images = false;           // it is a camera
};

template <class K>
constexpr SensorTable sensor_table() {
  SensorTable t{K::name, K::about, K::unit, K::keys, &K::bind, &K::truth, nullptr};
  if constexpr (requires { &K::perceive; }) t.perceive = &K::perceive;
  if constexpr (requires { K::feeds; }) t.feeds = K::feeds;
  if constexpr (requires { K::images; }) t.images = K::images;
  return t;
}

/// A vector as three channels.
inline void store(Vec3 a, double* x) { x[0] = a.x, x[1] = a.y, x[2] = a.z; }

/// Constants of one channel [channel.h].
struct Channel {
  double gain, offset;          // 1 + s, o of (1)
  double density;               // D √(1/2h) of (1)
  double share;                 // a of (2); 1: no filter
  double noise;                 // σ of (3)
  double lower, upper, digit;   // of (4); digit 0: none
  double drift, keeps;          // S √(1 − f²) and f of (5); drift 0: none
  std::uint64_t key;            // of its random numbers
};

/// A sensor bound to a robot. Its numbers in State, from `at`: begun (1), own, truth (channels), y and b of each
/// channel, then a ring of samples.
struct Sensor {
  const SensorTable* table = nullptr;
  std::string name;
  int link = 0;
  Pose X_LS = identity_pose();
  std::vector<std::string> channels;  // their names
  std::vector<const char*> units;
  std::vector<int> ids;          // the kind's own
  std::vector<double> numbers;   // the same
  std::vector<Channel> channel;
  std::vector<Vec3> directions;  // of its rays, in its axes
  std::shared_ptr<const RayFan> fan;
  int aims = 0;                  // rays that it aims itself, at once
  int own_size = 0;
  bool every_step = false, wants_touches = false, wants_motors = false;
  bool ideal = false;  // truth at every step, at once
  double period = 0, phase = 0, delay = 0;  // [s]
  double late = 0;  // of the kind, in `delay` too          [s]
  Rate samples{0, 0, 1}, arrivals{0, 0, 1};
  int at = 0, ring = 2;  // samples that fit into the ring

  bool of_motors = false;  // an encoder on the motor's side

  Feeds feeds() const { return of_motors ? Feeds::motors : table->feeds; }
  int count() const { return static_cast<int>(channels.size()); }
  int truth_at() const { return at + 1 + own_size; }
  int filter_at() const { return truth_at() + count(); }
  int ring_at() const { return filter_at() + 2 * count(); }
  int size() const { return 1 + own_size + 3 * count() + ring * count(); }
};

/// What a sensor shows at step k.
struct Reading {
  std::span<const double> values, before;  // (channels) the newest sample that has arrived, and the one before it
  std::span<const double> truth;           // (channels) now; of kinds that look at samples only: at the last one
  double time;                             // of the sample                                     [s]
  std::int64_t sample;                     // its number; −1: none has arrived yet, values are the first
};

/// All sensors of one robot.
class Senses {
 public:
  /// Every fault of every sensor, with its place.
  Diagnostics bind(const Model& model, const RobotModel& robot) { return bind(model, robot, robot.kind->sensors); }
  Diagnostics bind(const Model& model, const RobotModel& robot, std::span<const SensorModel> sensors);
  bool empty() const { return sensors_.empty(); }
  std::span<const Sensor> sensors() const { return sensors_; }
  int size() const { return size_; }  // numbers in State
  bool wants_touches() const { return touches_; }
  bool wants_motors() const { return motors_; }
  std::size_t most_rays() const;  // of one sensor; 0: nobody wants rays
  /// Takes the memory of all sensors from what it was before State[k] was looked at to what it is after.
  void look(const Surroundings& around, double* memory) const;
  Reading read(int sensor, std::int64_t k, double h, const double* memory) const;

 private:
  std::vector<Sensor> sensors_;
  int size_ = 0;
  bool touches_ = false, motors_ = false;
};

std::span<const SensorTable> all_sensors();
/// Keys that every sensor has.
std::span<const Key> common_keys();

}  // namespace gradus::sense
