// Searches rows of a key-frame motion with which a Nao gets up, the engine itself being the judge. That is how the
// first rows of motions/nao_get_up_*.toml were found [docs/nao.md].
//
//   ninja -C build/release find_get_up
//   build/release/tools/find_get_up back|front MOTION FIRST LAST sit|feet [--evaluations N] [--seed N] [--spread DEG]
//
// The robot of scenes/nao_get_up.toml is pushed over and plays the motion's rows before FIRST. Durations and angles of
// rows FIRST … LAST (row 0 is the start) are then varied around the file's, left and right alike, by about DEG.
//   sit    the trunk shall be upright
//   feet   the centre of mass shall be over the soles, which lie flat and carry everything
// Prints the rows whenever they are better than any before: duration [s], then the left side's angles [deg].
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "optimise/optimiser.h"
#include "load/motion_toml.h"
#include "load/scene_toml.h"
#include "world/world.h"

namespace {

using namespace gradus;
using Vector = std::vector<double>;

constexpr double kDegree = 3.14159265358979323846 / 180;
constexpr double kControl = 0.01, kLeadIn = 0.5, kPushedOver = 3;  // [s]
constexpr double kWeight = 52.6;                                   // of an H25 V6 [N]
const double kFrictions[] = {0.6, 1.1};                            // floors that the rows must serve

struct Options {
  std::string start, motion;
  std::size_t first = 0, last = 0;
  bool feet = false;
  int evaluations = 3000;
  unsigned seed = 1;
  double spread = 15 * kDegree;
};

/// Where the robot shall be at the end of a row.
struct Key {
  double duration;
  Vector q;  // as the motion's joints
};

/// Right joints follow left ones: rolls and yaws with the other sign, pitches alike.
struct Mirror {
  std::vector<std::size_t> left;  // indices of the motion's joints that are varied
  void fill(const MotionFile& m, Vector& q) const {
    for (const std::size_t l : left) {
      const std::string twin = "R" + m.joints[l].substr(1);
      const bool turns = twin.ends_with("Roll") || twin.ends_with("Yaw");
      for (std::size_t r = 0; r < m.joints.size(); ++r)
        if (m.joints[r] == twin) q[r] = turns ? -q[l] : q[l];
    }
  }
};

/// One robot on one floor, lying there after its fall.
class Bench {
 public:
  static std::optional<Bench> make(const Options& o, const MotionFile& motion, double friction) {
    auto scene = load_scene("scenes/nao_get_up.toml");
    if (!scene) return std::nullopt;
    std::erase_if(scene->robots, [&](const RobotInstanceSpec& r) { return r.name != o.start; });
    scene->step = 0.002;
    scene->contact.friction = friction;
    for (RobotInstanceSpec& r : scene->robots) r.controller = {};
    auto model = compile(*scene);
    auto world = model ? World::make(std::move(*model)) : Result<std::unique_ptr<World>>(model.notes());
    if (!world || (*world)->robot_count() != 1) return std::nullopt;
    return Bench(std::move(*world), motion);
  }

  /// Straight to the key's angles.
  void play(const Key& key) {
    const int ticks = std::max(1, static_cast<int>(std::lround(key.duration / kControl)));
    for (int i = 1; i <= ticks; ++i) {
      for (std::size_t j = 0; j < joints_.size(); ++j)
        world_->targets(0)[joints_[j]] = now_[j] + (key.q[j] - now_[j]) * i / ticks;
      wait(kControl);
    }
    now_ = key.q;
  }
  void wait(double time) {
    for (double t = 0; t < time - 1e-9; t += world_->model().step) world_->step();
  }
  const RobotKind& kind() const { return *world_->model().robots[0].kind; }
  void mark() { mark_ = world_->snapshot(), marked_ = now_; }
  void back_to_mark() { world_->restore(mark_), now_ = marked_; }

  /// Small when the aim is reached, about 10 when the robot lies.
  double miss(bool feet) const {
    double speed = 0;
    for (std::size_t i = 0; i < 6; ++i) speed += std::fabs(world_->v(0)[i]);
    const double lean = 1 - world_->X_WL(0, 0).R.z.z, unrest = 0.3 * std::min(speed, 2.0);
    return feet ? miss_of_feet() + 0.5 * lean + unrest : 2 * lean + unrest;
  }

 private:
  Bench(std::unique_ptr<World> world, const MotionFile& motion) : world_(std::move(world)) {
    for (const std::string& name : motion.joints) joints_.push_back(static_cast<std::size_t>(kind().find_joint(name)));
    for (const std::size_t j : joints_) now_.push_back(world_->q(0)[7 + j]);
    wait(kPushedOver);
    play({kLeadIn, motion.frames[0].q});
  }

  double miss_of_feet() const {
    Vec3 middle{0, 0, 0};
    double tilt = 0, height = 0, load = 0;
    for (const int foot : kind().feet) {
      const Pose X = world_->X_WL(0, foot);
      const Vec3 sole = X.R * Vec3{0.03, 0, -0.04519} + X.p;
      middle = middle + sole * 0.5;
      tilt += 1 - X.R.z.z;
      height += std::fabs(sole.z);
      load += world_->contact_force(0, foot);
    }
    const Vec3 c = world_->centre_of_mass(0);
    return std::hypot(c.x - middle.x, c.y - middle.y) / 0.1 + 3 * tilt + height / 0.05 +
           (1 - std::min(1.0, load / kWeight));
  }

  std::unique_ptr<World> world_;
  std::vector<std::size_t> joints_;  // of the motion, in the robot
  Vector now_, marked_;              // targets
  Snapshot mark_;
};

std::vector<Key> keys_of(const MotionFile& m, std::size_t first, std::size_t last) {
  std::vector<Key> out;
  for (std::size_t i = first; i <= last; ++i)
    out.push_back({i == 0 ? 0 : m.frames[i].t - m.frames[i - 1].t, m.frames[i].q});
  return out;
}

/// The file's rows, changed by u (duration, then the left joints of each row, in units of their spread).
std::vector<Key> varied(const Options& o, const MotionFile& m, const Mirror& mirror, const RobotKind& kind,
                        const Vector& u) {
  std::vector<Key> keys = keys_of(m, o.first, o.last);
  std::size_t k = 0;
  for (Key& key : keys) {
    key.duration = std::clamp(key.duration * std::exp(0.3 * u[k++]), 0.15, 3.0);
    for (const std::size_t l : mirror.left) {
      const Joint& joint = kind.joints[static_cast<std::size_t>(kind.find_joint(m.joints[l]))];
      const double edge = 0.3 * kDegree;
      key.q[l] = std::clamp(key.q[l] + o.spread * u[k++], joint.lower + edge, joint.upper - edge);
    }
    mirror.fill(m, key.q);
  }
  return keys;
}

double cost(std::vector<Bench>& benches, const std::vector<Key>& keys, bool feet) {
  double sum = 0;
  for (Bench& b : benches) {
    b.back_to_mark();
    for (const Key& key : keys) b.play(key);
    b.wait(0.3);
    sum += 0.5 * b.miss(feet);
    b.wait(0.5);
    sum += b.miss(feet);
  }
  return std::isfinite(sum) ? sum / static_cast<double>(benches.size()) : 1e3;
}

void print(double error, const std::vector<Key>& keys, const Mirror& mirror) {
  std::printf("# %.4f\n", error);
  for (const Key& key : keys) {
    std::printf("%.2f", key.duration);
    for (const std::size_t l : mirror.left) std::printf(" %6.1f", key.q[l] / kDegree);
    std::printf("\n");
  }
  std::fflush(stdout);
}

bool read_options(int count, char** words, Options& o) {
  if (count < 6) return false;
  o.start = words[1], o.motion = words[2];
  o.first = static_cast<std::size_t>(std::atoi(words[3])), o.last = static_cast<std::size_t>(std::atoi(words[4]));
  o.feet = words[5] == std::string("feet");
  for (int i = 6; i + 1 < count; i += 2) {
    const std::string word = words[i];
    if (word == "--evaluations")
      o.evaluations = std::atoi(words[i + 1]);
    else if (word == "--seed")
      o.seed = static_cast<unsigned>(std::atoi(words[i + 1]));
    else if (word == "--spread")
      o.spread = std::atof(words[i + 1]) * kDegree;
    else
      return false;
  }
  return (o.start == "back" || o.start == "front") && o.first > 0 && o.first <= o.last;
}

/// A bench for each floor, its robot where row FIRST begins. Empty if the scene cannot be used.
std::vector<Bench> make_benches(const Options& o, const MotionFile& motion) {
  std::vector<Bench> out;
  for (const double friction : kFrictions) {
    auto b = Bench::make(o, motion, friction);
    if (!b) return {};
    for (const Key& key : keys_of(motion, 1, o.first - 1)) b->play(key);
    b->mark();
    out.push_back(std::move(*b));
  }
  return out;
}

void search(const Options& o, const MotionFile& motion, const RobotKind& kind, std::vector<Bench>& benches) {
  Mirror mirror;
  for (std::size_t j = 0; j < motion.joints.size(); ++j)
    if (motion.joints[j][0] == 'L') mirror.left.push_back(j);
  double best = 1e3;
  // the cube of the search stands for ten spreads either way
  optimise::Setup setup;
  setup.size = (o.last - o.first + 1) * (1 + mirror.left.size());
  setup.seed = o.seed, setup.population = 16, setup.spread = 0.05, setup.start = Vector(setup.size, 0.5);
  const auto cma = optimise::make_optimiser("cma", setup);
  while (cma->evaluations() < o.evaluations) {
    Vector values;
    for (const optimise::Point& point : cma->ask()) {
      Vector u;
      for (const double c : point) u.push_back(20 * (c - 0.5));
      const std::vector<Key> keys = varied(o, motion, mirror, kind, u);
      values.push_back(cost(benches, keys, o.feet));
      if (values.back() < best) print(best = values.back(), keys, mirror);
    }
    cma->tell(values);
  }
}

}  // namespace

int main(int count, char** words) {
  Options o;
  if (!read_options(count, words, o)) {
    std::fprintf(stderr,
                 "usage: find_get_up back|front MOTION FIRST LAST sit|feet [--evaluations N] [--seed N] "
                 "[--spread DEG]\n");
    return 2;
  }
  const auto motion = load_motion(o.motion);
  std::vector<Bench> benches;
  if (motion && o.last < motion->frames.size()) benches = make_benches(o, *motion);
  if (benches.empty()) {
    std::fprintf(stderr, "error: %s has no such rows, or this is not the checkout's folder\n", o.motion.c_str());
    return 1;
  }
  search(o, *motion, benches[0].kind(), benches);
}
