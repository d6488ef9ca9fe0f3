#include "papers/motoflex.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/files.h"
#include "load/servo_toml.h"

namespace gradus::cli {
namespace {

constexpr double kFrameTime = 0.02;  // [s]
constexpr std::size_t kFirst = 12;   // frames before are the rise
constexpr double kHold = 1.0;        // [s]

const char* kColumns[10] = {"LHipRoll", "LHipPitch", "LKneePitch", "LAnklePitch", "LAnkleRoll",
                            "RHipRoll", "RHipPitch", "RKneePitch", "RAnklePitch", "RAnkleRoll"};

/// Linear between frames, as the original program does.
class Replay : public Controller {
 public:
  Replay(const MotoflexTargets& targets, const RobotKind& kind) : frames_(targets.frames) {
    for (std::size_t c = 0; c < 10; ++c) joint_[c] = kind.find_joint(kColumns[c]);
    yaw_ = kind.find_joint("LHipYawPitch");
  }
  void control(const RobotOutput& output, RobotCommand& command) override {
    const double place = static_cast<double>(kFirst) + std::max(0.0, output.time - kHold) / kFrameTime;
    const auto i = std::min(static_cast<std::size_t>(place), frames_.size() - 2);
    const double s = std::min(1.0, place - static_cast<double>(i));
    for (std::size_t c = 0; c < 10; ++c)
      command.target[static_cast<std::size_t>(joint_[c])] = frames_[i][c] + s * (frames_[i + 1][c] - frames_[i][c]);
    command.target[static_cast<std::size_t>(yaw_)] = 0;
  }

 private:
  std::vector<std::array<double, 10>> frames_;
  std::array<int, 10> joint_;
  int yaw_;
};

/// One line of ten numbers separated by semicolons. In the file rolls are positive outward on both sides: the left ones
/// change sign.
bool read_frame(const std::string& line, std::array<double, 10>& q) {
  const char* p = line.c_str();
  for (std::size_t c = 0; c < 10; ++c) {
    char* end = nullptr;
    q[c] = std::strtod(p, &end);
    if (end == p || !std::isfinite(q[c])) return false;
    const bool left_roll = c == 0 || c == 4;
    if (left_roll) q[c] = -q[c];
    p = *end == ';' ? end + 1 : end;
  }
  return true;
}

std::string find_data(const PaperOptions& options, const std::string& name) {
  namespace fs = std::filesystem;
  std::vector<std::string> places;
  if (!options.data.empty())
    places = {options.data + "/motoflex/" + name, options.data + "/" + name};
  else if (const char* shared = std::getenv("GRADUS_SHARED"))
    places = {std::string(shared) + "/data/motoflex/" + name};
  for (const std::string& p : places)
    if (fs::exists(p)) return p;
  return "";
}

}  // namespace

std::optional<MotoflexTargets> read_targets(const PaperOptions& options, const std::string& name) {
  const std::string path = find_data(options, name);
  if (path.empty()) {
    std::fprintf(stderr,
                 "error: the target file %s of MoToFlex 2011 is not here; it is not shipped with gradus: give its folder "
                 "with --data\n",
                 name.c_str());
    return std::nullopt;
  }
  MotoflexTargets out;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);  // names of the columns
  while (std::getline(file, line)) {
    std::array<double, 10> q;
    if (read_frame(line, q)) out.frames.push_back(q);
  }
  if (out.frames.size() < kFirst + 100) {
    std::fprintf(stderr, "error: %s has only %zu whole frames\n", path.c_str(), out.frames.size());
    return std::nullopt;
  }
  return out;
}

NaoTrial replay(const MotoflexTargets& targets) {
  NaoTrial t;
  t.control_period = 0.001;
  t.measure_from = kHold;
  t.duration = kHold + kFrameTime * static_cast<double>(targets.frames.size() - kFirst);
  t.controller = [targets](const RobotKind& kind, double) { return std::make_unique<Replay>(targets, kind); };
  const auto first = targets.frames[kFirst];
  t.edit_robot = [first](RobotSpec& robot) {
    for (std::size_t c = 0; c < 10; ++c)
      robot.objects[static_cast<std::size_t>(robot.find(kColumns[c]).value)].initial = first[c];
  };
  return t;
}

bool use_motoflex(NaoTrial& trial, const MotoflexModel& model) {
  Diagnostics notes;
  DriveSpec roll, pitch;
  const bool read = read_chain_file("servos/motoflex_201.toml", {}, shipped_files(), roll, notes) &&
                    read_chain_file("servos/motoflex_131.toml", {}, shipped_files(), pitch, notes);
  print(notes);
  if (!read) return false;
  for (DriveSpec* d : {&roll, &pitch})
    if (!model.gear) d->gear = {GearModel::rigid, d->gear.ratio};
  const auto before = trial.edit_robot;
  trial.edit_robot = [before, roll, pitch, model](RobotSpec& robot) {
    if (before) before(robot);
    for (ObjectSpec& o : robot.objects) {
      const bool is_roll = o.name.ends_with("HipRoll") || o.name.ends_with("AnkleRoll");
      const bool is_pitch =
          o.name.ends_with("HipPitch") || o.name.ends_with("KneePitch") || o.name.ends_with("AnklePitch");
      if (is_roll) o.drive = roll;
      if (is_pitch) o.drive = pitch;
      // Damping of a cut: the program's soft constraints act like 276 N m s/rad [facts/nao.md 4.5 d].
      if (model.flex && (o.name.ends_with("HipPitch") || o.name.ends_with("KneePitch")) &&
          !o.name.ends_with("YawPitch"))
        o.flex = FlexSpec{1, model.flex_stiffness, 276, false, {0, 0, 1}};
    }
  };
  return true;
}

double chord_speed(const NaoRun& run, double from, double to) {
  const NaoSample *a = nullptr, *b = nullptr;
  for (const NaoSample& s : run.path) {
    if (!a && s.t >= from) a = &s;
    if (s.t <= to) b = &s;
  }
  return a && b && b->t > a->t ? std::hypot(b->x - a->x, b->y - a->y) / (b->t - a->t) : 0;
}

}  // namespace gradus::cli
