#include "link/library/library_controller.h"

#include <dlfcn.h>
#include <csetjmp>
#include <csignal>
#include <filesystem>

#include "gradus/controller.h"

namespace gradus {

struct LibraryController::Functions {
  decltype(&gradus_controller_version) version;
  decltype(&gradus_controller_create) create;
  decltype(&gradus_controller_step) step;
  decltype(&gradus_controller_destroy) destroy;
};

namespace {

// Where a crash inside a library returns to. Per thread, since robots of several threads may be controlled at once.
thread_local sigjmp_buf* crash_exit = nullptr;

void on_crash(int signal) {
  if (crash_exit) siglongjmp(*crash_exit, signal);
  std::signal(signal, SIG_DFL);  // not inside a library: die as usual
  std::raise(signal);
}

constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

void catch_crashes() {
  static const bool once = [] {
    for (int s : kCrashes) {
      struct sigaction action {};
      action.sa_handler = on_crash;
      action.sa_flags = SA_NODEFER | SA_ONSTACK;
      sigemptyset(&action.sa_mask);
      sigaction(s, &action, nullptr);
    }
    return true;
  }();
  (void)once;
}

std::string signal_text(int s) {
  switch (s) {
    case SIGSEGV:
      return "crashed (segmentation fault)";
    case SIGBUS:
      return "crashed (bus error)";
    case SIGFPE:
      return "crashed (arithmetic fault)";
    case SIGILL:
      return "crashed (illegal instruction)";
    default:
      return "aborted";
  }
}

/// Runs foreign code; returns "" or what went wrong with it.
template <class Call>
std::string guarded(const Call& call) {
  catch_crashes();
  sigjmp_buf here;
  sigjmp_buf* const outer = crash_exit;
  if (const int signal = sigsetjmp(here, 1)) {
    crash_exit = outer;
    return signal_text(signal);
  }
  crash_exit = &here;
  std::string problem;
  try {
    call();
  } catch (...) {
    problem = "threw an exception through the C interface";
  }
  crash_exit = outer;
  return problem;
}

Diagnostics error(const Place& place, std::string text, std::string suggestion) {
  Diagnostic d;
  d.place = place;
  d.text = std::move(text);
  d.suggestion = std::move(suggestion);
  return {d};
}

template <class F>
bool find(void* handle, const char* name, F& out) {
  out = reinterpret_cast<F>(dlsym(handle, name));
  return out != nullptr;
}

}  // namespace

Result<std::unique_ptr<LibraryController>> LibraryController::load(const std::string& path,
                                                                   const std::string& robot_name, const RobotKind& kind,
                                                                   double period, const std::string& options,
                                                                   const Place& place) {
  std::unique_ptr<LibraryController> c(new LibraryController);
  c->path_ = path;
  c->robot_ = robot_name;
  const std::string absolute = std::filesystem::absolute(path).string();  // dlopen searches other places for bare names
  c->handle_ = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!c->handle_)
    return error(place, std::string("cannot load the controller library: ") + dlerror(),
                 "build it first, or correct the path");
  c->functions_ = std::make_unique<Functions>();
  Functions& f = *c->functions_;
  for (const auto& [found, name] :
       {std::pair{find(c->handle_, "gradus_controller_version", f.version), "gradus_controller_version"},
        std::pair{find(c->handle_, "gradus_controller_create", f.create), "gradus_controller_create"},
        std::pair{find(c->handle_, "gradus_controller_step", f.step), "gradus_controller_step"},
        std::pair{find(c->handle_, "gradus_controller_destroy", f.destroy), "gradus_controller_destroy"}})
    if (!found) return error(place, "'" + path + "' does not export " + name, "see include/gradus/controller.h");
  std::uint32_t version = 0;
  std::string problem = guarded([&] { version = f.version(); });
  if (problem.empty() && (version == 0 || version > GRADUS_CONTROLLER_VERSION))
    problem = "was built for interface version " + std::to_string(version) + ", this gradus has " +
              std::to_string(GRADUS_CONTROLLER_VERSION);
  std::vector<const char*> names;
  std::vector<double> lower, upper;
  std::vector<std::int32_t> motor;
  for (const Joint& j : kind.joints) {
    names.push_back(kind.objects[static_cast<std::size_t>(j.object)].name.c_str());
    lower.push_back(j.lower);
    upper.push_back(j.upper);
    motor.push_back(j.drive >= 0);
  }
  const gradus_robot_info info{sizeof info,
                               GRADUS_CONTROLLER_VERSION,
                               robot_name.c_str(),
                               kind.name.c_str(),
                               kind.njoint(),
                               names.data(),
                               lower.data(),
                               upper.data(),
                               static_cast<std::int32_t>(kind.feet.size()),
                               period,
                               motor.data()};
  if (problem.empty()) problem = guarded([&] { c->self_ = f.create(&info, options.c_str()); });
  if (problem.empty() && !c->self_) problem = "refused this robot (gradus_controller_create returned NULL)";
  if (!problem.empty()) return error(place, "controller library '" + path + "' " + problem, "");
  return c;
}

LibraryController::~LibraryController() {
  if (self_ && functions_ && failure_.empty()) guarded([&] { functions_->destroy(self_); });
  if (handle_) dlclose(handle_);
}

void LibraryController::control(const RobotOutput& o, RobotCommand& command) {
  if (!failure_.empty()) return;
  const Vec3 &p = o.p_WB, &v = o.v_WB, &g = o.gyro, &a = o.accelerometer;
  const gradus_output out{sizeof out,
                          GRADUS_CONTROLLER_VERSION,
                          o.k,
                          o.time,
                          static_cast<std::int32_t>(o.q.size()),
                          static_cast<std::int32_t>(o.foot_force.size()),
                          o.q.data(),
                          o.v.data(),
                          o.tau.data(),
                          {p.x, p.y, p.z},
                          {o.q_WB.w, o.q_WB.x, o.q_WB.y, o.q_WB.z},
                          {v.x, v.y, v.z},
                          {g.x, g.y, g.z},
                          {a.x, a.y, a.z},
                          o.foot_force.data(),
                          o.q_motor.data(),
                          o.current.data(),
                          o.voltage.data()};
  gradus_command in{sizeof in, GRADUS_CONTROLLER_VERSION, static_cast<std::int32_t>(command.target.size()),
                    command.target.data(), command.stiffness.data()};
  std::int32_t answer = 0;
  const std::string problem = guarded([&] { answer = functions_->step(self_, &out, &in); });
  if (!problem.empty()) return fail(problem);
  if (answer != 0) return fail("ended the run with code " + std::to_string(answer));
  for (double t : command.target)
    if (!std::isfinite(t)) return fail("asked for a joint target that is not finite");
  for (double s : command.stiffness)
    if (!(s >= 0 && s <= 1)) return fail("asked for a stiffness outside 0 ... 1");
}

}  // namespace gradus
