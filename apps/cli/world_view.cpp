#include "cli/world_view.h"

#include <algorithm>

namespace gradus::cli {
namespace {

view::Shape to_view(const ShapeSpec& s, const Pose& X, Vec3 colour, const std::vector<MeshSpec>& meshes) {
  view::Shape out;
  out.kind = s.kind;
  out.radius = s.radius;
  out.length = s.length;
  out.size = s.size;
  out.X_BS = X;
  out.colour = colour;
  if (s.kind == ShapeKind::mesh && s.mesh >= 0) out.mesh = std::make_shared<MeshSpec>(meshes[static_cast<std::size_t>(s.mesh)]);
  return out;
}

view::Robot to_view(const RobotModel& robot, const std::vector<std::string>& levels, std::string_view motion) {
  view::Robot out;
  const RobotKind& kind = *robot.kind;
  out.name = robot.name;
  out.levels = levels;
  out.level = static_cast<int>(std::find(levels.begin(), levels.end(), motion) - levels.begin());
  for (std::size_t o = 0; o < kind.objects.size(); ++o) {
    const ObjectInfo& info = kind.objects[o];
    if (!info.body) continue;
    view::Body body{info.name, {}};
    for (const ShapeInfo& s : kind.shapes)
      if (s.object == static_cast<int>(o) && s.spec.visible)
        body.shapes.push_back(to_view(s.spec, inverse(info.X_LO) * s.X_LS, info.colour, kind.meshes));
    out.bodies.push_back(std::move(body));
  }
  for (const gradus::Joint& j : kind.joints)
    out.joints.push_back({kind.objects[static_cast<std::size_t>(j.object)].name, j.lower, j.upper});
  return out;
}

}  // namespace

WorldView::WorldView(Runner& run) : run_(run) {
  for (int r = 0; r < world().robot_count(); ++r) {
    const RobotKind& kind = *world().model().robots[static_cast<std::size_t>(r)].kind;
    levels_.emplace_back();
    for (const MotionTable& m : all_motions())
      if (m.bind(kind).missing.empty()) levels_.back().emplace_back(m.name);
    for (std::size_t o = 0; o < kind.objects.size(); ++o)
      if (kind.objects[o].body) bodies_.push_back({r, static_cast<int>(o)});
  }
}

std::shared_ptr<const view::SceneDescription> WorldView::describe() {
  auto out = std::make_shared<view::SceneDescription>();
  const Model& model = world().model();
  out->name = run_.scene().name;
  out->about = run_.scene().about;
  out->revision = ++revision_;
  out->step = model.step;
  out->seed = model.seed;
  out->can_seek = out->can_branch = true;
  for (int r = 0; r < world().robot_count(); ++r)
    out->robots.push_back(to_view(model.robots[static_cast<std::size_t>(r)], levels_[static_cast<std::size_t>(r)], world().motion(r).name));
  for (const FieldObjectSpec& f : model.field)
    out->field.push_back({f.name, to_view(f.shape, f.X_WO * f.shape.X_OS, f.colour.value_or(Vec3{0.25, 0.45, 0.25}), model.meshes)});
  properties_ = list_properties(world());
  for (const gradus::Property& p : properties_) {
    const bool truth = p.view.type == gradus::PropertyType::truth;
    out->properties.push_back({p.path, p.view.unit, truth ? view::PropertyType::boolean : view::PropertyType::number, p.view.write != nullptr});
  }
  return out;
}

void WorldView::step() {
  renew_push();
  run_.step();
}

std::string WorldView::apply(const view::Action& action) {
  gradus::Command c;
  if (const auto* motion = std::get_if<view::SetMotion>(&action)) {
    c.kind = gradus::Command::Kind::motion;
    c.robot = world().model().robots[static_cast<std::size_t>(motion->robot)].name;
    c.name = levels_[static_cast<std::size_t>(motion->robot)][static_cast<std::size_t>(motion->level)];
  } else if (const auto* set = std::get_if<view::SetProperty>(&action)) {
    c.kind = gradus::Command::Kind::set;
    c.name = properties_[static_cast<std::size_t>(set->property)].path;
    c.value = set->value;
  } else if (const auto* pull = std::get_if<view::Push>(&action)) {
    push_ = *pull;
    return "";
  } else if (std::holds_alternative<view::ReleasePush>(action)) {
    if (!push_) return "";
    c.kind = gradus::Command::Kind::push;
    c.robot = world().model().robots[static_cast<std::size_t>(bodies_[static_cast<std::size_t>(push_->body)].robot)].name;
    push_.reset();
  } else {
    return "not a change of the simulation";
  }
  return run_.apply_now(c);
}

/// The spring that a viewer holds, as a force for the next step; damped by a tenth of a second.
void WorldView::renew_push() {
  if (!push_) return;
  const Body& b = bodies_[static_cast<std::size_t>(push_->body)];
  const RobotModel& robot = world().model().robots[static_cast<std::size_t>(b.robot)];
  const ObjectInfo& o = robot.kind->objects[static_cast<std::size_t>(b.object)];
  const Vec3 point = world().X_WO(b.robot, b.object) * push_->point_B;
  const Vec3 u = world().velocity(b.robot, o.link, o.X_LO * push_->point_B);
  Vec3 f = (push_->target_W - point) * push_->stiffness - u * (0.1 * push_->stiffness);
  const double size = norm(f);
  if (size > push_->max_force) f = f * (push_->max_force / size);
  gradus::Command c;
  c.kind = gradus::Command::Kind::push;
  c.robot = robot.name;
  c.name = o.name;
  c.vector = f;
  c.point = push_->point_B;
  run_.apply_now(c);
}

void WorldView::fill_robot(int r, view::RobotStatus& s) const {
  const auto& levels = levels_[static_cast<std::size_t>(r)];
  s.level = static_cast<int>(std::find(levels.begin(), levels.end(), world().motion(r).name) - levels.begin());
  s.fallen = world().fallen(r);
  s.us_per_step = world().microseconds(r);
  s.com_W = world().centre_of_mass(r);
  s.com_velocity_W = world().momentum(r).l * (1 / std::max(world().model().robots[static_cast<std::size_t>(r)].kind->mass, 1e-12));
  const RobotKind& kind = *world().model().robots[static_cast<std::size_t>(r)].kind;
  const auto memory = world().contact_memory(r);
  Vec3 sum{0, 0, 0};
  double force = 0;
  for (std::size_t k = 0; k < kind.points.size(); ++k) {
    if (memory[k].fn <= 0) continue;
    sum += (world().X_WL(r, kind.points[k].link) * kind.points[k].p_BC) * memory[k].fn;
    force += memory[k].fn;
  }
  if (force > 0) s.centre_of_pressure_W = sum * (1 / force);
}

void WorldView::fill_contacts(view::Frame& frame) const {
  frame.contacts.clear();
  const Plane& ground = world().model().ground;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const RobotKind& kind = *world().model().robots[static_cast<std::size_t>(bodies_[b].robot)].kind;
    const auto memory = world().contact_memory(bodies_[b].robot);
    const int link = kind.objects[static_cast<std::size_t>(bodies_[b].object)].link;
    for (int k = kind.point_begin[static_cast<std::size_t>(link)]; k < kind.point_begin[static_cast<std::size_t>(link) + 1]; ++k) {
      const ContactPoint& p = kind.points[static_cast<std::size_t>(k)];
      const ContactMemory& m = memory[static_cast<std::size_t>(k)];
      if (m.fn <= 0 || p.object != bodies_[b].object) continue;
      const Vec3 at = world().X_WL(bodies_[b].robot, link) * p.p_BC - ground.n * p.radius;
      const Vec3 f = ground.n * m.fn - ground.t1 * (m.s1 * p.kt) - ground.t2 * (m.s2 * p.kt);
      frame.contacts.push_back({at, f, static_cast<std::uint16_t>(b), view::kStaticWorld});
    }
  }
}

void WorldView::fill(view::Frame& frame, std::span<const std::uint16_t> wanted) {
  frame.scene_revision = revision_;
  frame.hash = world().hash();
  frame.bodies.resize(bodies_.size());
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Pose X = world().X_WO(bodies_[b].robot, bodies_[b].object);
    frame.bodies[b] = {X.p, to_quaternion(X.R)};
  }
  frame.robots.assign(static_cast<std::size_t>(world().robot_count()), {});
  for (int r = 0; r < world().robot_count(); ++r) fill_robot(r, frame.robots[static_cast<std::size_t>(r)]);
  fill_contacts(frame);
  if (push_) {
    const Body& b = bodies_[static_cast<std::size_t>(push_->body)];
    const Vec3 at = world().X_WO(b.robot, b.object) * push_->point_B;
    Vec3 f = (push_->target_W - at) * push_->stiffness;
    if (norm(f) > push_->max_force) f = f * (push_->max_force / norm(f));
    frame.contacts.push_back({at, f, static_cast<std::uint16_t>(push_->body), view::kUserPush});
  }
  frame.signals.clear();
  for (std::uint16_t i : wanted)
    if (i < properties_.size()) frame.signals.push_back({i, static_cast<float>(properties_[i].view.get(world()))});
}

void WorldView::save(std::vector<std::byte>& snapshot) const { snapshot = world().snapshot().bytes(); }

void WorldView::restore(std::span<const std::byte> bytes) {
  const auto s = Snapshot::from_bytes(bytes);
  if (s) run_.rewind_to(*s);
  push_.reset();
}

void WorldView::take_events(std::vector<view::Event>& events) {
  const auto& all = run_.events();
  events_seen_ = std::min(events_seen_, all.size());
  for (; events_seen_ < all.size(); ++events_seen_) {
    const Event& e = all[events_seen_];
    events.push_back({k(), e.time, "fall", e.robot + " " + e.what, world().model().find_robot(e.robot)});
  }
}

}  // namespace gradus::cli
