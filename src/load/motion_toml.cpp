#include "load/motion_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "load/source_text.h"
#include "load/toml_file.h"

namespace gradus {
namespace {

using namespace dimension;

constexpr double kSameTime = 1e-9;  // [s] sums of decimal times differ by rounding

class MotionReader {
 public:
  explicit MotionReader(const std::string& path) { motion_.file = path; }

  Result<MotionFile> read(const std::optional<toml::table>& file) {
    if (file) {
      TableReader top(*file, log_);
      const toml::table* head = top.table("motion");
      const toml::node* frames = top.get("frame");
      top.finish("a motion file");
      if (head == nullptr && !top.has("motion")) {
        fault({motion_.file, 1, 1}, "the file has no [motion] table", "begin with [motion] and name = \"…\"");
      } else if (head != nullptr) {
        read_head(*head, frames);
      }
      if (frames != nullptr) read_frames(*frames);
      if (!has_errors(log_)) finish(head != nullptr ? *head : *file);
    }
    Diagnostics notes = tidy(std::move(log_), motion_.file);
    if (has_errors(notes)) return notes;
    return {std::move(motion_), std::move(notes)};
  }

  Diagnostics& log() { return log_; }

 private:
  void fault(const Place& place, std::string text, std::string suggestion = "") {
    log_.push_back({place, Severity::error, std::move(text), std::move(suggestion)});
  }

  void read_head(const toml::table& table, const toml::node* frames) {
    TableReader t(table, log_);
    motion_.place = t.place();
    if (!t.text("name", motion_.name)) motion_.name = std::filesystem::path(motion_.file).stem().string();
    t.text("about", motion_.about);
    t.text("robot", motion_.robot);
    t.boolean("loop", motion_.loop);
    period_given_ = t.quantity("period", kTime, motion_.period);
    period_place_ = t.place("period");
    t.quantity("loop_from", kTime, motion_.loop_from);
    loop_from_place_ = t.place("loop_from");
    read_interpolation(t);
    read_table(t, frames);
  }

  void read_interpolation(TableReader& t) {
    std::string word = "cubic";
    if (t.text("interpolation", word) && word != "cubic" && word != "linear") {
      fault(t.place("interpolation"), "interpolation: " + in_quotes(word) + " is neither \"cubic\" nor \"linear\"",
            did_you_mean(word, {"cubic", "linear"}));
    }
    motion_.interpolation = word == "linear" ? MotionFile::Interpolation::linear : MotionFile::Interpolation::cubic;
  }

  /// The compact way: columns, units and rows in place of frames.
  void read_table(TableReader& t, const toml::node* frames) {
    std::vector<std::string> columns, units;
    std::vector<Place> column_places, unit_places;
    const bool has_columns = t.texts("columns", columns, column_places),
               has_units = t.texts("units", units, unit_places);
    const toml::node* rows = t.get("rows");
    t.finish("[motion]");
    const bool compact = t.has("columns") || t.has("units") || rows != nullptr;
    if (compact && frames != nullptr) {
      fault(place_of(*frames), "the motion has both rows and frames", "give one of them");
    } else if (compact && !(t.has("columns") && t.has("units") && rows != nullptr)) {
      fault(t.place(), "columns, units and rows belong together", "give all three");
    } else if (has_columns && has_units) {
      if (read_columns(columns, column_places, units, unit_places, t.place("units"))) read_rows(*rows);
    } else if (!compact && frames == nullptr) {
      fault(t.place(), "the motion has no frames", "add [[frame]] tables, or columns, units and rows");
    }
  }

  bool read_columns(const std::vector<std::string>& columns, const std::vector<Place>& places,
                    const std::vector<std::string>& units, const std::vector<Place>& unit_places,
                    const Place& units_at) {
    const std::size_t before = log_.size();
    if (columns.empty() || columns[0] != "time")
      fault(places.empty() ? motion_.place : places[0], "the first column must be \"time\"");
    if (units.size() != columns.size()) {
      fault(units_at, fmt::format("{} columns need {} units, not {}", columns.size(), columns.size(), units.size()));
      return false;
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      Quantity unit;
      if (const auto wrong = parse_unit(units[i], unit)) {
        fault(unit_places[i], "units: " + wrong->text, wrong->suggestion);
      } else if (i == 0 ? unit.dimension != kTime : unit.dimension != kAngle && unit.dimension != kLength) {
        fault(unit_places[i],
              fmt::format("units: {} is due for column {}, and {} is {}", i == 0 ? "a time" : "an angle or a length",
                          in_quotes(columns[i]), in_quotes(units[i]), name_of(unit.dimension)));
      }
      unit_values_.push_back(units[i]);
      if (i > 0 && add_joint(columns[i], unit.dimension) + 1 != i)
        fault(places[i], "column " + in_quotes(columns[i]) + " is there twice");
    }
    return log_.size() == before;
  }

  std::size_t add_joint(const std::string& name, Dimension d) {
    const auto [it, fresh] = index_.emplace(name, motion_.joints.size());
    if (fresh) {
      motion_.joints.push_back(name);
      motion_.kinds.push_back(d == kLength ? ObjectKind::prismatic : ObjectKind::revolute);
    }
    return it->second;
  }

  void read_rows(const toml::node& node) {
    const toml::array* rows = node.as_array();
    if (rows == nullptr || rows->empty()) return fault(place_of(node), "rows: an array of rows is due here");
    const std::size_t columns = unit_values_.size();
    std::vector<Quantity> unit(columns);
    for (std::size_t i = 0; i < columns; ++i) parse_unit(unit_values_[i], unit[i]);
    std::vector<double> x(columns);
    for (const toml::node& row : *rows) {
      if (motion_.frames.size() * columns > kMaxMotionValues) return fault(place_of(row), "the motion is too long");
      if (!read_quantities(row, "rows", kNumber, columns, x.data(), log_)) continue;
      MotionFile::Frame f;
      f.t = x[0] * unit[0].value;
      for (std::size_t i = 1; i < columns; ++i) f.q.push_back(x[i] * unit[i].value);
      add_frame(std::move(f), place_of(row));
    }
  }

  void add_frame(MotionFile::Frame f, const Place& place) {
    if (f.t < 0) fault(place, "a time before 0", "begin at 0 s");
    if (!motion_.frames.empty() && !(f.t > motion_.frames.back().t)) {
      fault(place,
            fmt::format("the time {} s is not after that of the frame before, {} s", f.t, motion_.frames.back().t),
            "let times rise");
    }
    motion_.frames.push_back(std::move(f));
  }

  void read_frames(const toml::node& node) {
    if (!node.is_array_of_tables()) return fault(place_of(node), "frame: tables [[frame]] are due here");
    std::vector<double> q;
    for (const toml::node& frame : *node.as_array()) {
      if (motion_.frames.size() * (q.size() + 1) > kMaxMotionValues)
        return fault(place_of(frame), "the motion is too long");
      read_frame(*frame.as_table(), q);
    }
  }

  void read_frame(const toml::table& table, std::vector<double>& q) {
    TableReader t(table, log_);
    MotionFile::Frame f;
    const bool timed = t.quantity("time", kTime, f.t);
    if (!t.has("time")) fault(t.place(), "the frame has no time", "add time = \"0.5 s\"");
    const toml::table* joints = t.table("joints");
    t.finish("[[frame]]");
    if (joints != nullptr) {
      for (const NamedTable& j : in_file_order(*joints)) read_value(j, q);
    }
    f.q = q;
    if (timed)
      add_frame(std::move(f), t.place("time"));
    else
      motion_.frames.push_back(std::move(f));
  }

  void read_value(const NamedTable& joint, std::vector<double>& q) {
    Quantity value;
    const bool known = index_.contains(joint.name);
    const bool text = joint.node->is_string();
    if (!text || parse_quantity(joint.node->ref<std::string>(), value) || value.dimension != kLength) {
      // all but good lengths go through the check for an angle, which reports what is wrong
      if (!read_quantity(*joint.node, joint.name, kAngle, value.value, log_)) return;
      value.dimension = kAngle;
    }
    if (!known && !motion_.frames.empty()) {
      fault(joint.place, "joint " + in_quotes(joint.name) + " is missing in the first frame",
            "give its value there too");
    }
    const std::size_t i = add_joint(joint.name, value.dimension);
    if ((motion_.kinds[i] == ObjectKind::prismatic) != (value.dimension == kLength)) {
      fault(joint.place, "joint " + in_quotes(joint.name) + " is an angle in one frame and a length in another");
    }
    q.resize(motion_.joints.size());
    q[i] = value.value;
  }

  bool frame_at(double t) const {
    return std::any_of(motion_.frames.begin(), motion_.frames.end(),
                       [t](const MotionFile::Frame& f) { return std::abs(f.t - t) < kSameTime; });
  }

  void finish(const toml::table& head) {
    const double last = motion_.frames.back().t, from = motion_.loop_from;
    if (!period_given_) motion_.period = last - from;
    if (motion_.joints.empty()) fault(place_of(head), "the motion moves no joints", "add joints = { … } to the frames");
    if (from != 0 && !frame_at(from)) {
      fault(loop_from_place_, fmt::format("no frame is at loop_from, {} s", from), "name the time of a frame");
    } else if (period_given_ && motion_.period < last - from - kSameTime) {
      fault(period_place_,
            from == 0 ? fmt::format("the period {} s ends before the last frame at {} s", motion_.period, last)
                      : fmt::format("the period {} s from {} s on ends before the last frame at {} s", motion_.period,
                                    from, last),
            "make it longer");
    } else if (!(motion_.period > 0) && motion_.loop) {
      fault(place_of(head), "a motion of no length cannot loop", "add frames, a period, or loop = false");
    }
  }

  MotionFile motion_;
  Diagnostics log_;
  std::map<std::string, std::size_t> index_;  // of joints
  std::vector<std::string> unit_values_;      // of columns
  bool period_given_ = false;
  Place period_place_, loop_from_place_;
};

}  // namespace

Result<MotionFile> load_motion(const std::string& path) {
  MotionReader reader(path);
  return reader.read(read_toml(path, reader.log()));
}

Result<MotionFile> parse_motion(std::string_view text, const std::string& path) {
  MotionReader reader(path);
  return reader.read(parse_toml(text, path, reader.log()));
}

namespace {

/// The first frame in which the motion's joint j is beyond the limits of `joint`; the end if there is none.
std::vector<MotionFile::Frame>::const_iterator first_beyond(const MotionFile& motion, std::size_t j,
                                                            const ObjectSpec& joint) {
  constexpr double kSlack = 1e-9;  // limits in degrees, rounded
  return std::find_if(motion.frames.begin(), motion.frames.end(), [&](const MotionFile::Frame& f) {
    return f.q[j] < joint.lower - kSlack || f.q[j] > joint.upper + kSlack;
  });
}

}  // namespace

Diagnostics check_motion(const MotionFile& motion, const RobotSpec& robot, const Place& mentioned) {
  Diagnostics out;
  const std::string who = "motion '" + motion.name + "': ";
  const auto fault = [&](std::string text, std::string suggestion) {
    out.push_back({mentioned, Severity::error, who + text, std::move(suggestion)});
  };
  if (!motion.robot.empty() && motion.robot != robot.name) {
    fault("it is made for the robot '" + motion.robot + "', not for '" + robot.name + "'", "choose another motion");
    return out;
  }
  for (std::size_t j = 0; j < motion.joints.size(); ++j) {
    const std::string& name = motion.joints[j];
    const ObjectId id = robot.find_joint(name);
    if (!id) {
      fault("'" + robot.name + "' has no joint " + in_quotes(name), did_you_mean(name, robot.joint_names()));
      continue;
    }
    const ObjectSpec& o = robot.objects[static_cast<std::size_t>(id.value)];
    if (o.kind != motion.kinds[j]) {
      fault(fmt::format("joint '{}' is {}", name, to_string(o.kind)),
            o.kind == ObjectKind::revolute ? "give angles" : "give lengths");
    } else if (const auto bad = first_beyond(motion, j, o); bad != motion.frames.end()) {
      fault(fmt::format("joint '{}' is beyond its limits at {:.6g} s: {:.6g} is not in {:.6g} … {:.6g}", name, bad->t,
                        bad->q[j], o.lower, o.upper),
            "keep within the limits");
    }
  }
  return out;
}

}  // namespace gradus
