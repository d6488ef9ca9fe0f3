#include "link/library/library_controller.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "gradus/controller.h"
#include "link/library/guard.h"

namespace gradus {

struct LibraryController::Functions {
  decltype(&gradus_controller_version) version;
  decltype(&gradus_controller_create) create;
  decltype(&gradus_controller_step) step;
  decltype(&gradus_controller_destroy) destroy;
  decltype(&gradus_controller_save) save;        // null if it has none
  decltype(&gradus_controller_restore) restore;  // the same

  /// Null, or the name of a function that the library does not export.
  const char* find_all(void* handle) {
    const auto missing = [handle](const char* name, auto& out) {
      out = reinterpret_cast<std::remove_reference_t<decltype(out)>>(dlsym(handle, name));
      return out == nullptr ? name : nullptr;
    };
    for (const char* name : {missing("gradus_controller_version", version), missing("gradus_controller_create", create),
                             missing("gradus_controller_step", step), missing("gradus_controller_destroy", destroy)})
      if (name != nullptr) return name;
    missing("gradus_controller_save", save), missing("gradus_controller_restore", restore);
    return nullptr;
  }
};

/// The sensors in the words of controller.h. Their names stay where they are as long as the world does.
struct LibraryController::Sensors {
  std::vector<gradus_sensor> table;
  std::vector<std::vector<const char*>> channels;
  struct Source {
    SensorReading reading;
    std::vector<gradus_image> images;
  };
  std::vector<Source> sources;

  /// gradus_sensor::image
  static const gradus_image* image(const gradus_sensor* sensor, std::int32_t format) {
    auto* source = const_cast<Source*>(static_cast<const Source*>(sensor->source));  // ours: the library only carries it
    const std::span<const SensorImage> all = source->reading.image();
    if (format < 0 || static_cast<std::size_t>(format) >= all.size()) return nullptr;
    const SensorImage& x = all[static_cast<std::size_t>(format)];
    source->images.resize(all.size());
    gradus_image& out = source->images[static_cast<std::size_t>(format)];
    out = {x.format, x.width, x.height, static_cast<std::int64_t>(x.row_bytes), x.bytes.data(), x.frame, x.time};
    return &out;
  }
};

namespace {

constexpr std::int64_t kMostMemory = 16 << 20;  // bytes that a library may save

Diagnostics error(const Place& place, std::string text, std::string suggestion) {
  Diagnostic d;
  d.place = place;
  d.text = std::move(text);
  d.suggestion = std::move(suggestion);
  return {d};
}

/// What a library is told of its robot, and the arrays that it points to.
struct RobotFacts {
  std::vector<const char*> names;
  std::vector<double> lower, upper;
  std::vector<std::int32_t> has_motor;

  explicit RobotFacts(const RobotKind& kind) {
    for (const Joint& j : kind.joints) {
      names.push_back(kind.objects[static_cast<std::size_t>(j.object)].name.c_str());
      lower.push_back(j.lower);
      upper.push_back(j.upper);
      has_motor.push_back(j.drive >= 0);
    }
  }

  gradus_robot_info info(const std::string& robot_name, const RobotKind& kind, double period) const {
    return {.size = sizeof(gradus_robot_info),
            .version = GRADUS_CONTROLLER_VERSION,
            .name = robot_name.c_str(),
            .kind = kind.name.c_str(),
            .joint_count = kind.njoint(),
            .joint_names = names.data(),
            .joint_lower = lower.data(),
            .joint_upper = upper.data(),
            .foot_count = static_cast<std::int32_t>(kind.feet.size()),
            .period = period,
            .joint_has_motor = has_motor.data()};
  }
};

/// In the words of controller.h; points to what o and `sensors` point to.
gradus_output output_of(const RobotOutput& o, std::span<const gradus_sensor> sensors) {
  const Vec3 &p = o.p_WB, &v = o.v_WB, &g = o.gyro, &a = o.accelerometer;
  return {.size = sizeof(gradus_output),
          .version = GRADUS_CONTROLLER_VERSION,
          .k = o.k,
          .time = o.time,
          .joint_count = static_cast<std::int32_t>(o.q.size()),
          .foot_count = static_cast<std::int32_t>(o.foot_force.size()),
          .q = o.q.data(),
          .v = o.v.data(),
          .tau = o.tau.data(),
          .base_position = {p.x, p.y, p.z},
          .base_orientation = {o.q_WB.w, o.q_WB.x, o.q_WB.y, o.q_WB.z},
          .base_velocity = {v.x, v.y, v.z},
          .gyro = {g.x, g.y, g.z},
          .accelerometer = {a.x, a.y, a.z},
          .foot_force = o.foot_force.data(),
          .q_motor = o.q_motor.data(),
          .motor_current = o.current.data(),
          .motor_voltage = o.voltage.data(),
          .sensor_count = static_cast<std::int32_t>(sensors.size()),
          .sensors = sensors.data()};
}

}  // namespace

Result<std::unique_ptr<LibraryController>> LibraryController::load(const std::string& path,
                                                                   const std::string& robot_name, const RobotKind& kind,
                                                                   double period, const std::string& options,
                                                                   const Place& place) {
  std::unique_ptr<LibraryController> c(new LibraryController);
  c->sensors_ = std::make_unique<Sensors>();
  c->path_ = path;
  c->robot_ = robot_name;
  const std::string absolute = std::filesystem::absolute(path).string();  // dlopen searches other places for bare names
  const std::string unloadable =
      run_guarded(c->path_.c_str(), [&] { c->handle_ = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL); });
  if (!unloadable.empty())
    return error(place, "controller library '" + path + "' " + unloadable + " while loading", "");
  if (!c->handle_)
    return error(place, std::string("cannot load the controller library: ") + dlerror(),
                 "build it first, or correct the path");
  c->functions_ = std::make_unique<Functions>();
  Functions& f = *c->functions_;
  if (const char* missing = f.find_all(c->handle_))
    return error(place, "'" + path + "' does not export " + missing, "see include/gradus/controller.h");
  watch_library_of(reinterpret_cast<const void*>(f.step));
  std::uint32_t version = 0;
  const auto guarded = [&](const auto& call) { return run_guarded(c->path_.c_str(), call); };
  std::string problem = guarded([&] { version = f.version(); });
  if (problem.empty() && (version == 0 || version > GRADUS_CONTROLLER_VERSION))
    problem = "was built for interface version " + std::to_string(version) + ", this gradus has " +
              std::to_string(GRADUS_CONTROLLER_VERSION);
  const RobotFacts facts(kind);
  const gradus_robot_info info = facts.info(robot_name, kind, period);
  if (problem.empty()) problem = guarded([&] { c->self_ = f.create(&info, options.c_str()); });
  if (problem.empty() && !c->self_) problem = "refused this robot (gradus_controller_create returned NULL)";
  if (!problem.empty()) return error(place, "controller library '" + path + "' " + problem, "");
  c->target_.resize(static_cast<std::size_t>(kind.njoint()));
  c->stiffness_.resize(c->target_.size());
  c->impedance_.resize(4 * c->target_.size());
  return c;
}

LibraryController::~LibraryController() {
  if (!failure_.empty()) return;  // its code may still be in use by threads that were stopped
  run_guarded(path_.c_str(), [&] {
    if (self_ && functions_) functions_->destroy(self_);
    if (handle_) dlclose(handle_);
  });
}

void LibraryController::tell_sensors(const RobotOutput& o) {
  Sensors& s = *sensors_;
  s.table.resize(o.sensors.size());
  s.channels.resize(o.sensors.size());
  s.sources.resize(o.sensors.size());
  for (std::size_t i = 0; i < o.sensors.size(); ++i) {
    const SensorReading& r = o.sensors[i];
    s.channels[i].resize(r.channels.size());
    for (std::size_t c = 0; c < r.channels.size(); ++c) s.channels[i][c] = r.channels[c].c_str();
    s.table[i] = {.name = r.name.data(),
                  .kind = r.kind.data(),
                  .channel_count = static_cast<std::int32_t>(r.channels.size()),
                  .channel_names = s.channels[i].data(),
                  .values = r.values.data(),
                  .truth = r.truth.data(),
                  .time = r.time,
                  .sample = r.sample,
                  .image = r.images ? &Sensors::image : nullptr,
                  .source = &s.sources[i]};
    s.sources[i].reading = r;
  }
}

/// The library writes into room of our own: what it leaves half written or wrong never becomes a target.
void LibraryController::control(const RobotOutput& o, RobotCommand& command) {
  if (!failure_.empty()) return;
  std::copy(command.target.begin(), command.target.end(), target_.begin());
  std::copy(command.stiffness.begin(), command.stiffness.end(), stiffness_.begin());
  const std::size_t n = command.target.size();
  const std::span<double> impedance[] = {command.velocity, command.torque, command.kp, command.kd};
  for (std::size_t i = 0; i < 4; ++i) std::copy(impedance[i].begin(), impedance[i].end(), impedance_.begin() + static_cast<std::ptrdiff_t>(i * n));
  double* const room = command.velocity.empty() ? nullptr : impedance_.data();
  tell_sensors(o);
  const gradus_output out = output_of(o, sensors_->table);
  gradus_command in{.size = sizeof(gradus_command),
                    .version = GRADUS_CONTROLLER_VERSION,
                    .joint_count = static_cast<std::int32_t>(command.target.size()),
                    .target = target_.data(),
                    .stiffness = command.stiffness.empty() ? nullptr : stiffness_.data(),
                    .velocity = room,
                    .torque = room ? room + n : nullptr,
                    .kp = room ? room + 2 * n : nullptr,
                    .kd = room ? room + 3 * n : nullptr};
  std::int32_t answer = 0;
  std::string problem = run_guarded(path_.c_str(), [&] { answer = functions_->step(self_, &out, &in); });
  if (problem.empty()) problem = failed_thread_of(reinterpret_cast<const void*>(functions_->step));
  if (!problem.empty()) return fail(problem);
  if (answer != 0) return fail("ended the run with code " + std::to_string(answer));
  for (std::size_t j = 0; j < command.target.size(); ++j)
    if (!std::isfinite(target_[j])) return fail("asked for a joint target that is not finite");
  for (std::size_t j = 0; room && j < 4 * n; ++j)
    if (!std::isfinite(impedance_[j]) || (j >= 2 * n && impedance_[j] < 0))
      return fail(j < 2 * n ? "asked for a speed or torque that is not finite" : "asked for a gain that is negative or not finite");
  for (std::size_t j = 0; j < command.stiffness.size(); ++j)
    if (!(stiffness_[j] >= 0 && stiffness_[j] <= 1)) return fail("asked for a stiffness outside 0 ... 1");
  std::copy_n(target_.begin(), command.target.size(), command.target.begin());
  std::copy_n(stiffness_.begin(), command.stiffness.size(), command.stiffness.begin());
  for (std::size_t i = 0; room && i < 4; ++i)
    std::copy_n(room + i * n, n, impedance[i].begin());
}

std::string LibraryController::forgets() const {
  if (functions_->save && functions_->restore) return "";
  return "controller library '" + path_ + "' does not save what it knows (gradus_controller_save, gradus_controller_restore)";
}

void LibraryController::save(Bytes& out) {
  if (!failure_.empty() || !forgets().empty()) return;
  const std::size_t start = out.size();
  std::int64_t room = 1 << 12, size = 0;
  for (int tries = 0; tries < 2; ++tries) {
    out.resize(start + static_cast<std::size_t>(room));
    const std::string problem = run_guarded(path_.c_str(), [&] { size = functions_->save(self_, out.data() + start, room); });
    if (!problem.empty() || size < 0 || size > kMostMemory) {
      out.resize(start);
      return fail(problem.empty() ? "said that its state has " + std::to_string(size) + " bytes" : problem);
    }
    out.resize(start + static_cast<std::size_t>(std::min(size, room)));
    if (size <= room) return;
    room = size;
  }
  out.resize(start);
  fail("saves more bytes than it said");
}

bool LibraryController::restore(ByteView memory) {
  if (!forgets().empty()) return memory.empty();
  std::int32_t answer = 0;
  const std::string problem = run_guarded(
      path_.c_str(), [&] { answer = functions_->restore(self_, memory.data(), static_cast<std::int64_t>(memory.size())); });
  if (!problem.empty()) fail(problem);
  if (problem.empty() && answer != 0) fail("could not go back: gradus_controller_restore returned " + std::to_string(answer));
  return problem.empty() && answer == 0;
}

}  // namespace gradus
