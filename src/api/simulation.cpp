#include "contact/contact_set.h"
#include "gradus/gradus.h"

#include <cstring>
#include <unordered_map>

#include "api/drafts.h"
#include "api/fail.h"
#include "load/set.h"
#include "session/scene_file.h"
#include "session/session.h"

namespace gradus {
namespace {

void copy(Vec3 from, double* to) { to[0] = from.x, to[1] = from.y, to[2] = from.z; }

}  // namespace

struct Simulation::Impl {
  std::unique_ptr<Session> session;
  std::vector<std::string> warnings;
  std::vector<PropertyView> views;                                // behind the handles
  mutable std::unordered_map<std::string, PropertyView> by_path;  // of the motions bound now; made when first asked for
  mutable std::vector<Event> events;

  World& world() { return session->world(); }
  const World& world() const { return session->world(); }
  const RobotKind& kind(int robot) const { return *world().model().robots[index(robot)].kind; }
  std::size_t index(int robot) const {
    if (robot < 0 || robot >= world().robot_count()) throw Error("there is no robot number " + std::to_string(robot));
    return static_cast<std::size_t>(robot);
  }
  void check_sensor(int robot, int sensor) const {
    index(robot);
    if (sensor < 0 || sensor >= static_cast<int>(world().sensors(robot).size()))
      throw Error("robot '" + world().model().robots[index(robot)].name + "' has no sensor number " + std::to_string(sensor));
  }
  int object(int robot, const std::string& name) const {
    const int o = kind(robot).find_object(name);
    if (o < 0) throw Error("robot '" + world().model().robots[index(robot)].name + "' has no object '" + name + "'");
    return o;
  }
  const PropertyView& find(const std::string& path) const {
    if (by_path.empty())
      for (const gradus::Property& p : list_properties(world())) by_path.emplace(p.path, p.view);
    const auto it = by_path.find(path);
    if (it == by_path.end()) fail(find_property(world(), path).notes());
    return it->second;
  }
  void apply(const Command& c) {
    const std::string problem = session->apply_now(c);
    by_path.clear();  // a level has properties of its own
    if (!problem.empty()) throw Error(problem);
  }
};

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

namespace {

/// Session of a scene, with what there was to be warned of.
std::unique_ptr<Session> start(SceneSpec scene, Diagnostics notes, const Simulation::Options& options,
                               std::vector<std::string>& warnings) {
  for (const std::string& s : options.sets) apply_set(scene, s, notes);
  if (has_errors(notes)) fail(notes);
  SessionOptions o;
  o.threads = options.threads, o.logs = options.logs, o.properties = options.properties;
  auto session = Session::make(std::move(scene), o);
  append(notes, session.notes());
  if (!session) fail(notes);
  for (const Diagnostic& d : notes) warnings.push_back(to_string(d));
  return std::move(*session);
}

}  // namespace

Simulation Simulation::load(const std::string& file, const Options& options) {
  auto scene = load_scene_or_robot(file);
  if (!scene) fail(scene.notes());
  auto impl = std::make_unique<Impl>();
  impl->session = start(std::move(*scene), scene.notes(), options, impl->warnings);
  return Simulation(std::move(impl));
}

Simulation Simulation::load(const std::string& file, int threads) {
  Options options;
  options.threads = threads;
  return load(file, options);
}

Simulation Simulation::build(const SceneDraft& scene, const Options& options) {
  auto impl = std::make_unique<Impl>();
  impl->session = start(scene.impl_->scene, check(scene.impl_->scene), options, impl->warnings);
  return Simulation(std::move(impl));
}

void Simulation::step(int count) {
  for (int i = 0; i < count; ++i) {
    impl_->session->step();
    if (!impl_->session->stopped().empty()) throw Error(impl_->session->stopped());
  }
}

double Simulation::time() const { return impl_->world().time(); }
double Simulation::step_length() const { return impl_->world().model().step; }
std::int64_t Simulation::step_number() const { return impl_->world().k(); }
std::uint64_t Simulation::hash() const { return impl_->world().hash(); }
const std::vector<std::string>& Simulation::warnings() const { return impl_->warnings; }

const std::vector<Simulation::Event>& Simulation::events() const {
  const std::vector<gradus::Event>& all = impl_->session->events();
  if (impl_->events.size() > all.size()) impl_->events.clear();  // was taken back in time
  for (std::size_t i = impl_->events.size(); i < all.size(); ++i)
    impl_->events.push_back({all[i].time, all[i].kind, all[i].robot, all[i].what});
  return impl_->events;
}

std::vector<PropertyInfo> Simulation::properties() const {
  std::vector<PropertyInfo> out;
  for (const gradus::Property& p : list_properties(impl_->world()))
    out.push_back({p.path, p.view.unit, p.view.about, p.view.write != nullptr, p.view.lower, p.view.upper});
  return out;
}

double Simulation::get(const std::string& path) const { return impl_->find(path).get(impl_->world()); }

void Simulation::set(const std::string& path, double value) {
  Command c;
  c.kind = Command::Kind::set;
  c.name = path;
  c.value = value;
  impl_->apply(c);
}

Simulation::Property Simulation::property(const std::string& path) {
  Property p;
  p.number_ = static_cast<int>(impl_->views.size());
  impl_->views.push_back(impl_->find(path));
  return p;
}

double Simulation::get(Property p) const {
  if (p.number_ < 0 || p.number_ >= static_cast<int>(impl_->views.size())) throw Error("this handle was never found");
  return impl_->views[static_cast<std::size_t>(p.number_)].get(impl_->world());
}

void Simulation::set(Property p, double value) {
  if (p.number_ < 0 || p.number_ >= static_cast<int>(impl_->views.size())) throw Error("this handle was never found");
  const std::string problem = impl_->views[static_cast<std::size_t>(p.number_)].set(impl_->world(), value);
  if (!problem.empty()) throw Error(problem);
}

int Simulation::robot_count() const { return impl_->world().robot_count(); }

int Simulation::find_robot(const std::string& name) const {
  const int r = impl_->world().model().find_robot(name);
  if (r >= 0) return r;
  std::vector<std::string> names;
  for (const RobotModel& m : impl_->world().model().robots) names.push_back(m.name);
  throw Error("there is no robot '" + name + "'; " + did_you_mean(name, names));
}

std::string Simulation::robot_name(int robot) const { return impl_->world().model().robots[impl_->index(robot)].name; }

std::vector<std::string> Simulation::joints(int robot) const {
  std::vector<std::string> out;
  const RobotKind& kind = impl_->kind(robot);
  for (const Joint& j : kind.joints) out.push_back(kind.objects[static_cast<std::size_t>(j.object)].name);
  return out;
}

std::vector<std::string> Simulation::bodies(int robot) const {
  std::vector<std::string> out;
  for (const ObjectInfo& o : impl_->kind(robot).objects)
    if (o.body) out.push_back(o.name);
  return out;
}

std::span<const double> Simulation::q(int robot) const { return impl_->index(robot), impl_->world().q(robot); }
std::span<const double> Simulation::v(int robot) const { return impl_->index(robot), impl_->world().v(robot); }
std::span<const double> Simulation::torques(int robot) const { return impl_->index(robot), impl_->world().tau(robot); }
std::span<double> Simulation::targets(int robot) { return impl_->index(robot), impl_->world().targets(robot); }

Simulation::Impedance Simulation::impedance(int robot) {
  impl_->index(robot);
  const RobotCommand c = impl_->world().command(robot);
  return {c.velocity, c.torque, c.kp, c.kd};
}

void Simulation::set_state(int robot, std::span<const double> q, std::span<const double> v) {
  impl_->index(robot);
  const std::size_t nq = impl_->world().q(robot).size(), nv = impl_->world().v(robot).size();
  if (q.size() != nq || v.size() != nv)
    throw Error("set_state: " + std::to_string(nq) + " coordinates and " + std::to_string(nv) +
                " velocities are due, not " + std::to_string(q.size()) + " and " + std::to_string(v.size()));
  if (!impl_->world().set_q(robot, q) || !impl_->world().set_v(robot, v))
    throw Error("set_state: a number is not finite");
}

std::vector<Simulation::Sensor> Simulation::sensors(int robot) const {
  impl_->index(robot);
  std::vector<Sensor> out;
  for (const sense::Sensor& s : impl_->world().sensors(robot))
    out.push_back({s.name, std::string(s.table->name), s.channels, {s.units.begin(), s.units.end()}});
  return out;
}

int Simulation::find_sensor(int robot, const std::string& name) const {
  impl_->index(robot);
  std::vector<std::string> names;
  for (const sense::Sensor& s : impl_->world().sensors(robot)) {
    if (s.name == name) return static_cast<int>(names.size());
    names.push_back(s.name);
  }
  const std::string near = nearest(name, names);
  throw Error("robot '" + robot_name(robot) + "' has no sensor '" + name + "'" +
              (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

Simulation::Reading Simulation::read(int robot, int sensor) const {
  impl_->check_sensor(robot, sensor);
  const sense::Reading r = impl_->world().read(robot, sensor);
  return {r.values, r.truth, r.time, r.sample};
}

std::vector<Simulation::Image> Simulation::image(int robot, int sensor) {
  impl_->check_sensor(robot, sensor);
  std::vector<Image> out;
  for (const SensorImage& i : impl_->world().image(robot, sensor))
    out.push_back({i.format, i.width, i.height, i.row_bytes, i.bytes, i.frame, i.time});
  return out;
}

Simulation::Pose Simulation::pose(int robot, const std::string& body) const {
  const gradus::Pose X = impl_->world().X_WO(robot, impl_->object(robot, body));
  const Quat r = to_quaternion(X.R);
  return {{X.p.x, X.p.y, X.p.z}, {r.w, r.x, r.y, r.z}};
}

std::vector<Simulation::Contact> Simulation::contacts() const {
  const World& w = impl_->world();
  const auto body = [&](int robot, int object) {
    return object < 0 ? std::string() : impl_->kind(robot).objects[static_cast<std::size_t>(object)].name;
  };
  std::vector<Contact> out;
  w.contacts().each([&](const Touch& t) {
    if (t.loop || !(t.normal_force > 0)) return;
    Contact c;
    c.robot = robot_name(t.robot);
    c.body = body(t.robot, t.object);
    if (t.other_robot >= 0) {
      c.other_robot = robot_name(t.other_robot);
      c.other = body(t.other_robot, t.other_object);
    } else {
      c.other =
          t.other_object == kGroundPlane ? "ground" : w.model().field[static_cast<std::size_t>(t.other_object)].name;
    }
    copy(t.point, c.point);
    copy(t.force, c.force);
    out.push_back(std::move(c));
  });
  return out;
}

void Simulation::push(int robot, const std::string& body, std::span<const double, 3> force,
                      std::span<const double, 3> point) {
  Command c;
  c.kind = Command::Kind::push;
  c.robot = robot_name(robot);
  c.vector = {force[0], force[1], force[2]};
  c.point = {point[0], point[1], point[2]};
  impl_->object(robot, body);
  if (norm(c.vector) > 0) c.name = body;  // without a name: ends it
  impl_->apply(c);
}

void Simulation::kick(int robot, const std::string& body, std::span<const double, 3> impulse,
                      std::span<const double, 3> point) {
  Command c;
  c.kind = Command::Kind::impulse;
  c.robot = robot_name(robot);
  c.name = body;
  c.vector = {impulse[0], impulse[1], impulse[2]};
  c.point = {point[0], point[1], point[2]};
  impl_->apply(c);
}

void Simulation::set_motion(const std::string& robot, const std::string& motion) {
  Command c;
  c.robot = robot;
  c.name = motion;
  impl_->apply(c);
}

std::string Simulation::motion(const std::string& robot) const {
  return std::string(impl_->world().motion(find_robot(robot)).name);
}

std::vector<unsigned char> Simulation::save() const {
  const auto bytes = impl_->session->save();
  std::vector<unsigned char> out(bytes.size());
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

void Simulation::restore(const std::vector<unsigned char>& snapshot) {
  if (!impl_->session->can_restore()) throw Error("no going back while a log is written: logs only go forward");
  if (!impl_->session->restore(std::as_bytes(std::span(snapshot)))) throw Error("this snapshot does not fit the scene, or a control program cannot go on from it");
  impl_->by_path.clear();
  impl_->events.clear();
}

void Simulation::close_logs() {
  const Diagnostics lost = impl_->session->close_logs();
  if (!lost.empty()) fail(lost);
}

}  // namespace gradus
