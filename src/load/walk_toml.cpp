#include "load/walk_toml.h"

#include <fmt/format.h>

#include <filesystem>

#include "load/source_text.h"
#include "load/toml_file.h"

namespace gradus {
namespace {

using namespace dimension;

class WalkReader {
 public:
  explicit WalkReader(const std::string& path) { walk_.file = path; }
  Diagnostics& log() { return log_; }

  Result<WalkFile> read(const std::optional<toml::table>& file) {
    if (file) {
      TableReader top(*file, log_);
      const toml::table *head = top.table("walk"), *stabiliser = top.table("stabiliser"),
                        *posture = top.table("posture");
      top.finish("a walk file");
      if (head != nullptr)
        read_head(*head);
      else if (!top.has("walk"))
        fault({walk_.file, 1, 1}, "the file has no [walk] table", "begin with [walk] and name = \"…\"");
      if (stabiliser != nullptr) read_stabiliser(*stabiliser);
      if (posture != nullptr) read_posture(*posture);
    }
    Diagnostics notes = tidy(std::move(log_), walk_.file);
    if (has_errors(notes)) return notes;
    return {std::move(walk_), std::move(notes)};
  }

 private:
  void fault(const Place& place, std::string text, std::string suggestion = "") {
    log_.push_back({place, Severity::error, std::move(text), std::move(suggestion)});
  }

  void read_leg(TableReader& t, const char* key, std::array<std::string, 6>& leg) {
    std::vector<std::string> names;
    std::vector<Place> places;
    if (!t.texts(key, names, places)) {
      if (!t.has(key))
        fault(t.place(), std::string("'") + key + "' is missing",
              "name its six joints: yaw, roll, pitch, knee, ankle pitch, ankle roll");
      return;
    }
    if (names.size() != 6)
      return fault(t.place(key), fmt::format("{}: six joints are due, not {}", key, names.size()),
                   "yaw, roll, pitch, knee, ankle pitch, ankle roll");
    std::copy(names.begin(), names.end(), leg.begin());
  }

  /// A quantity that must be within [least, most].
  void bounded(TableReader& t, const char* key, Dimension due, double least, double most, double& out) {
    double x = out;
    const bool given = due == kNumber ? t.number(key, x) : t.quantity(key, due, x);
    if (!given) return;
    if (!(x >= least && x <= most))
      return fault(t.place(key), fmt::format("{}: {:.6g} is not between {:.6g} and {:.6g}", key, x, least, most));
    out = x;
  }

  void read_head(const toml::table& table) {
    TableReader t(table, log_);
    walk_.place = t.place();
    if (!t.text("name", walk_.name)) walk_.name = std::filesystem::path(walk_.file).stem().string();
    t.text("about", walk_.about);
    read_leg(t, "left_leg", walk_.left_leg);
    read_leg(t, "right_leg", walk_.right_leg);
    GaitSpec& g = walk_.gait;
    bounded(t, "tick", kTime, 0.001, 0.1, g.tick);
    bounded(t, "step_time", kTime, 0.1, 10, g.step_time);
    bounded(t, "hip_height", kLength, 0.01, 10, g.hip_height);
    bounded(t, "spacing", kLength, 0.001, 10, g.spacing);
    bounded(t, "double_support", kNumber, 0.01, 0.9, g.double_support);
    bounded(t, "lift", kLength, 0, 1, g.lift);
    bounded(t, "land", kNumber, 0.1, 1, g.land);
    bounded(t, "run", kNumber, 0, 1, g.run);
    bounded(t, "zmp_forward", kLength, -1, 1, g.zmp_forward);
    bounded(t, "zmp_outward", kLength, -1, 1, g.zmp_outward);
    bounded(t, "torso_pitch", kAngle, -1, 1, g.torso_pitch);
    bounded(t, "toe_in", kAngle, 0, 1, g.toe_in);
    bounded(t, "max_forward", kSpeed, 0, 10, g.max_forward);
    bounded(t, "max_side", kSpeed, 0, 10, g.max_side);
    bounded(t, "max_turn", kAngularSpeed, 0, 10, g.max_turn);
    bounded(t, "preview", kTime, 0.1, 5, g.preview);
    bounded(t, "error_weight", kNumber, 1e-12, 1e12, g.error_weight);
    bounded(t, "zmp_weight", kNumber, 0, 1e12, g.zmp_weight);
    bounded(t, "input_weight", kNumber, 1e-20, 1e12, g.input_weight);
    t.finish("[walk]");
  }

  void read_stabiliser(const toml::table& table) {
    TableReader t(table, log_);
    StabiliserSpec& s = walk_.stabiliser;
    bounded(t, "pitch", kTime, -1, 1, s.pitch);
    bounded(t, "roll", kTime, -1, 1, s.roll);
    bounded(t, "delay", kTime, 0, 1, s.delay);
    bounded(t, "smoothing", kNumber, 0.001, 1, s.smoothing);
    t.finish("[stabiliser]");
  }

  void read_posture(const toml::table& table) {
    for (const NamedTable& j : in_file_order(table)) {
      double q = 0;
      if (read_quantity(*j.node, j.name, kAngle, q, log_)) walk_.posture.emplace_back(j.name, q);
    }
  }

  WalkFile walk_;
  Diagnostics log_;
};

}  // namespace

Result<WalkFile> load_walk(const std::string& path) {
  WalkReader reader(path);
  return reader.read(read_toml(path, reader.log()));
}

Result<WalkFile> parse_walk(std::string_view text, const std::string& path) {
  WalkReader reader(path);
  return reader.read(parse_toml(text, path, reader.log()));
}

Diagnostics check_walk(const WalkFile& walk, const RobotSpec& robot, const Place& mentioned) {
  Diagnostics out;
  const auto look_for = [&](const std::string& name) {
    if (!robot.find_joint(name))
      out.push_back({mentioned, Severity::error,
                     "walk '" + walk.name + "': '" + robot.name + "' has no joint " + in_quotes(name),
                     did_you_mean(name, robot.joint_names())});
  };
  for (const std::string& name : walk.left_leg) look_for(name);
  for (const std::string& name : walk.right_leg) look_for(name);
  for (const auto& [name, angle] : walk.posture) look_for(name);
  return out;
}

}  // namespace gradus
