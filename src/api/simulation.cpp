#include "gradus/gradus.h"

#include <cstring>

#include "control/attach.h"
#include "load/scene_toml.h"
#include "load/shipped.h"
#include "session/command.h"

namespace gradus {
namespace {

[[noreturn]] void fail(const Diagnostics& notes) {
  std::string text;
  for (const Diagnostic& d : notes) text += (text.empty() ? "" : "\n") + to_string(d);
  throw Error(text);
}

}  // namespace

struct Simulation::Impl {
  std::unique_ptr<World> world;
  Controllers controllers;
};

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

Simulation Simulation::load(const std::string& scene_file, int threads) {
  auto scene = load_scene(find_shipped(scene_file, "scenes"), shipped_files());
  if (!scene) fail(scene.notes());
  auto model = compile(*scene);
  if (!model) fail(model.notes());
  auto world = World::make(std::move(*model), {threads, nullptr});
  if (!world) fail(world.notes());
  auto impl = std::make_unique<Impl>();
  impl->world = std::move(*world);
  auto controllers = attach_controllers(*impl->world);
  if (!controllers) fail(controllers.notes());
  impl->controllers = std::move(*controllers);
  return Simulation(std::move(impl));
}

void Simulation::step(int count) {
  for (int i = 0; i < count; ++i) {
    impl_->world->step();
    const std::string problem = impl_->controllers.failure();
    if (!problem.empty()) throw Error(problem);
  }
}

double Simulation::time() const { return impl_->world->time(); }
std::int64_t Simulation::step_number() const { return impl_->world->k(); }
std::uint64_t Simulation::hash() const { return impl_->world->hash(); }

std::vector<PropertyInfo> Simulation::properties() const {
  std::vector<PropertyInfo> out;
  for (const Property& p : list_properties(*impl_->world))
    out.push_back({p.path, p.view.unit, p.view.about, p.view.write != nullptr, p.view.lower, p.view.upper});
  return out;
}

double Simulation::get(const std::string& path) const {
  auto view = find_property(*impl_->world, path);
  if (!view) fail(view.notes());
  return view->get(*impl_->world);
}

void Simulation::set(const std::string& path, double value) {
  Command c;
  c.kind = Command::Kind::set;
  c.name = path;
  c.value = value;
  const std::string problem = apply(*impl_->world, c);
  if (!problem.empty()) throw Error(problem);
}

void Simulation::set_motion(const std::string& robot, const std::string& motion) {
  Command c;
  c.robot = robot;
  c.name = motion;
  const std::string problem = apply(*impl_->world, c);
  if (!problem.empty()) throw Error(problem);
}

std::string Simulation::motion(const std::string& robot) const {
  const int r = impl_->world->model().find_robot(robot);
  if (r < 0) throw Error("there is no robot '" + robot + "'");
  return std::string(impl_->world->motion(r).name);
}

std::vector<unsigned char> Simulation::save() const {
  const auto bytes = impl_->world->snapshot().bytes();
  std::vector<unsigned char> out(bytes.size());
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

void Simulation::restore(const std::vector<unsigned char>& snapshot) {
  const auto s = Snapshot::from_bytes(std::as_bytes(std::span(snapshot)));
  if (!s || !impl_->world->restore(*s)) throw Error("this snapshot does not fit the scene");
}

}  // namespace gradus
