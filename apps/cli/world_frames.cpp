#include "cli/world_frames.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "contact/contact_set.h"
#include "math/angle.h"
#include "render/drawn.h"
#include "sense/kinds/camera.h"
#include "shape/height_field.h"
#include "shape/hull.h"

namespace gradus::cli {
namespace {

view::Shape to_view(const ShapeSpec& s, const Pose& X, Vec3 colour,
                    const std::vector<std::shared_ptr<const MeshSpec>>& meshes) {
  view::Shape out;
  out.kind = s.kind;
  out.radius = s.radius;
  out.length = s.length;
  out.size = s.size;
  out.X_BS = X;
  out.colour = colour;
  if ((s.kind == ShapeKind::mesh || s.kind == ShapeKind::hull) && s.mesh >= 0) {
    out.kind = ShapeKind::mesh;
    out.mesh = meshes[static_cast<std::size_t>(s.mesh)];
  }
  return out;
}

/// Points without triangles are a hull: its faces as fans.
MeshSpec hull_of(const MeshSpec& points) {
  MeshSpec out{points.file, {}, {}};
  const Result<Hull> hull = build_hull(points.vertices);
  if (!hull) return out;
  out.vertices = hull->vertices;
  for (int f = 0; f < hull->face_count(); ++f) {
    const std::span<const int> face = hull->face(f);
    for (std::size_t k = 2; k < face.size(); ++k) out.triangles.push_back({face[0], face[k - 1], face[k]});
  }
  return out;
}

/// The triangles that robots touch, holes left open.
std::shared_ptr<const MeshSpec> terrain_of(const HeightMapSpec& map) {
  auto out = std::make_shared<MeshSpec>();
  out->file = map.file;
  const Result<HeightField> field = HeightField::build(map.grid, map.unknown);
  if (!field) return out;
  const HeightGrid& g = field->grid();
  for (int j = 0; j < g.ny; ++j)
    for (int i = 0; i < g.nx; ++i) {
      const double z = g.z[static_cast<std::size_t>(j) * static_cast<std::size_t>(g.nx) + static_cast<std::size_t>(i)];
      out->vertices.push_back({g.x0 + i * g.dx, g.y0 + j * g.dy, std::isfinite(z) ? z : field->lowest()});
    }
  for (int j = 0; j + 1 < g.ny; ++j)
    for (int i = 0; i + 1 < g.nx; ++i) {
      if (field->is_hole(i, j)) continue;
      const int a = j * g.nx + i;
      out->triangles.push_back({a, a + 1, a + g.nx + 1});
      out->triangles.push_back({a, a + g.nx + 1, a + g.nx});
    }
  return out;
}

double arc_cosine(double x) { return arc_tangent(square_root(std::max(0.0, 1 - x * x)), x); }

std::vector<std::shared_ptr<const MeshSpec>> shared(const std::vector<MeshSpec>& meshes) {
  std::vector<std::shared_ptr<const MeshSpec>> out;
  for (const MeshSpec& m : meshes) out.push_back(std::make_shared<MeshSpec>(m.triangles.empty() ? hull_of(m) : m));
  return out;
}

/// Robots of one kind share their meshes, so that these are sent once.
using KindMeshes = std::map<const RobotKind*, std::vector<std::shared_ptr<const MeshSpec>>>;

/// jersey: the colour that it wears; null: none.
view::Robot to_view(const RobotModel& robot, const std::vector<std::string>& levels, const Vec3* jersey, KindMeshes& meshes) {
  view::Robot out;
  const RobotKind& kind = *robot.kind;
  auto [own, is_new] = meshes.try_emplace(&kind);
  if (is_new) own->second = shared(kind.meshes);
  out.name = robot.name;
  out.levels = levels;
  const std::vector<bool> dressed = under_jersey(kind);
  for (std::size_t o = 0; o < kind.objects.size(); ++o) {
    const ObjectInfo& info = kind.objects[o];
    if (!info.body) continue;
    view::Body body{info.name, {}};
    for (const ShapeInfo& s : kind.shapes)
      if (s.object == static_cast<int>(o) && s.spec.visible)
        body.shapes.push_back(to_view(s.spec, inverse(info.X_LO) * s.X_LS,
                                      jersey && dressed[static_cast<std::size_t>(&s - kind.shapes.data())] ? *jersey : info.colour, own->second));
    out.bodies.push_back(std::move(body));
  }
  for (const gradus::Joint& j : kind.joints)
    out.joints.push_back({kind.objects[static_cast<std::size_t>(j.object)].name, j.lower, j.upper});
  return out;
}

view::Property to_view(const gradus::Property& p, const World& world) {
  using From = gradus::PropertyType;
  const view::PropertyType type = p.view.type == From::truth   ? view::PropertyType::boolean
                                  : p.view.type == From::whole ? view::PropertyType::whole
                                                               : view::PropertyType::number;
  return {p.path,       p.view.unit,  type,         p.view.write != nullptr,
          p.view.lower, p.view.upper, p.view.about, p.view.original_value(world)};
}

/// As many as frames can number.
std::vector<gradus::Property> numbered_properties(const World& world) {
  std::vector<gradus::Property> all = list_properties(world);
  all.resize(std::min<std::size_t>(all.size(), 65535));
  return all;
}

const RobotModel& robot_of(const World& world, int r) { return world.model().robots[static_cast<std::size_t>(r)]; }

/// Where the ground presses in the middle: Σ p f / Σ f over the points that carry.
void fill_pressure(const World& world, int r, view::RobotStatus& s) {
  Vec3 sum{0, 0, 0};
  double force = 0;
  world.contacts().on(r, [&](const Touch& t) {
    if (t.other_robot >= 0) return;
    sum += t.point * t.normal_force;
    force += t.normal_force;
  });
  if (force > 0) s.centre_of_pressure_W = sum * (1 / force);
}

/// Where a robot's base has got to, seen from where it began.
Vec3 way(const World& world, int r) {
  const RobotModel& robot = robot_of(world, r);
  return transpose(to_matrix(robot.q_WB)) * (base_position(world.q(r).data()) - robot.p_WB);
}

/// Do two robots do the same, each in its place? Parameters that were set in one of them do not count: their effect is
/// what one wants to see.
bool are_comparable(const RobotModel& a, const RobotModel& b) {
  return a.controller.kind != "none" && a.controller.kind == b.controller.kind &&
         a.controller.file == b.controller.file && a.controller.period == b.controller.period &&
         a.controller.start == b.controller.start && a.controller.options == b.controller.options;
}

std::size_t rank_of(const World& world, int r) {
  std::size_t rank = 0;
  for (const MotionTable& m : all_motions()) {
    if (m.name == world.motion(r).name) break;
    ++rank;
  }
  return rank;
}

}  // namespace

WorldFrames::WorldFrames(const World& world, std::string name, std::string about, std::uint32_t first_revision)
    : name_(std::move(name)), about_(std::move(about)), first_revision_(first_revision) {
  for (int r = 0; r < world.robot_count(); ++r) {
    const RobotKind& kind = *world.first_robot(r).kind;
    kinds_.push_back(&kind);
    levels_.emplace_back();
    for (const MotionTable& m : all_motions())
      if (m.grouped ? &m == &world.motion(r) : !world.motion(r).grouped && m.bind(kind).missing.empty())
        levels_.back().emplace_back(m.name);
    for (std::size_t o = 0; o < kind.objects.size(); ++o)
      if (kind.objects[o].body) bodies_.push_back({r, static_cast<int>(o)});
  }
}

const std::string& WorldFrames::level(int robot, int level) const {
  return levels_[static_cast<std::size_t>(robot)][static_cast<std::size_t>(level)];
}

std::string WorldFrames::motions_of(const World& world) const {
  std::string all;
  for (int r = 0; r < world.robot_count(); ++r) (all += world.motion(r).name) += ' ';
  return all;
}

int WorldFrames::reference_of(const World& world, int robot) const {
  int best = -1;
  for (int r = 0; r < world.robot_count(); ++r)
    if (kinds_[static_cast<std::size_t>(robot)] == kinds_[static_cast<std::size_t>(r)] &&
        are_comparable(robot_of(world, robot), robot_of(world, r)) &&
        (best < 0 || rank_of(world, r) > rank_of(world, best)))
      best = r;
  return best == robot || best < 0 || rank_of(world, best) == rank_of(world, robot) ? -1 : best;
}

/// Takes the properties of the world as it is bound now; are they others than before?
bool WorldFrames::list(const World& world) {
  std::vector<std::string> paths;
  for (const gradus::Property& p : numbered_properties(world)) paths.push_back(p.path);
  if (scene_ && paths == paths_) return false;
  paths_ = std::move(paths);
  return true;
}

void WorldFrames::resolve(const World& world) {
  std::map<std::string, PropertyView> now;
  for (gradus::Property& p : list_properties(world)) now.emplace(std::move(p.path), p.view);
  views_.assign(paths_.size(), PropertyView{});
  for (std::size_t i = 0; i < paths_.size(); ++i)
    if (const auto it = now.find(paths_[i]); it != now.end()) views_[i] = it->second;
}

std::shared_ptr<const view::SceneDescription> WorldFrames::describe(const World& world) {
  std::string motions = motions_of(world);
  if (scene_ && motions == motions_) return scene_;
  motions_ = std::move(motions);
  references_.clear();
  for (int r = 0; r < world.robot_count(); ++r) references_.push_back(reference_of(world, r));
  const bool is_new = !scene_ || (!keeps_description_ && list(world));
  if (!scene_) list(world);
  resolve(world);
  if (is_new) describe_anew(world, scene_ ? scene_->revision + 1 : first_revision_);
  return scene_;
}

/// Those that the page draws, with what it needs for that.
void WorldFrames::describe_sensors(const World& world, int r) {
  const RobotKind& kind = *robot_of(world, r).kind;
  const auto sensors = world.sensors(r);
  for (std::size_t i = 0; i < sensors.size(); ++i) {
    const sense::Sensor& s = sensors[i];
    view::Sensor out{r, s.name, std::string(s.table->name), -1, identity_pose(), {}};
    for (std::size_t b = 0; b < bodies_.size() && out.body < 0; ++b) {
      if (bodies_[b].robot != r) continue;
      const ObjectInfo& on = kind.objects[static_cast<std::size_t>(bodies_[b].object)];
      if (on.link == s.link) out.body = static_cast<int>(b), out.X_BS = inverse(on.X_LO) * s.X_LS;
    }
    if (out.body < 0) continue;
    if (out.kind == "pads") out.numbers = s.numbers;
    if (out.kind == "sonar") out.numbers = {arc_cosine(s.directions.back().x), s.numbers[0]};
    if (out.kind == "camera") {
      const CameraSpec c = sense::camera_spec(kind.sensors[i].spec);
      out.numbers = {static_cast<double>(c.width), static_cast<double>(c.height)};
    }
    if (out.numbers.empty() && out.kind != "objects") continue;
    scene_->sensors.push_back(std::move(out));
    sensors_.push_back({r, static_cast<int>(i)});
  }
}

void WorldFrames::describe_anew(const World& world, std::uint32_t revision) {
  scene_ = std::make_shared<view::SceneDescription>();
  const Model& model = world.model();
  scene_->name = name_;
  scene_->about = about_;
  scene_->revision = revision;
  scene_->step = model.step;
  scene_->seed = model.seed;
  scene_->can_seek = scene_->can_branch = true;
  KindMeshes kind_meshes;
  const std::vector<Jersey> jerseys = jerseys_by_name(model);
  for (int r = 0; r < world.robot_count(); ++r) {
    const auto worn = std::find_if(jerseys.begin(), jerseys.end(), [&](const Jersey& j) { return j.robot == r; });
    scene_->robots.push_back(to_view(robot_of(world, r), levels_[static_cast<std::size_t>(r)],
                                     worn == jerseys.end() ? nullptr : &worn->colour, kind_meshes));
  }
  const auto meshes = shared(model.meshes);
  for (const FieldObjectSpec& f : model.field) {
    if (!f.shape.visible) continue;
    scene_->field.push_back(
        {f.name, to_view(f.shape, f.X_WO * f.shape.X_OS, f.colour.value_or(Vec3{0.25, 0.45, 0.25}), meshes)});
    if (f.shape.kind != ShapeKind::height_field) continue;
    scene_->field.back().shape.kind = ShapeKind::mesh;
    scene_->field.back().shape.mesh = terrain_of(model.maps[static_cast<std::size_t>(f.shape.map)]);
  }
  for (const gradus::Property& p : numbered_properties(world)) scene_->properties.push_back(to_view(p, world));
  sensors_.clear();
  for (int r = 0; r < world.robot_count(); ++r) describe_sensors(world, r);
}

void WorldFrames::fill(const World& world, const view::Wanted& wanted, view::Frame& frame) {
  frame.scene_revision = describe(world)->revision;
  frame.k = static_cast<std::uint64_t>(world.k());
  frame.time = world.time();
  frame.hash = world.hash();
  frame.bodies.resize(bodies_.size());
  frame.signals.clear();
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Pose X = world.X_WO(bodies_[b].robot, bodies_[b].object);
    frame.bodies[b] = {X.p, to_quaternion(X.R)};
  }
  fill_contacts(world, bodies_, frame);
  frame.robots.assign(static_cast<std::size_t>(world.robot_count()), {});
  for (int r = 0; r < world.robot_count(); ++r) {
    view::RobotStatus& s = frame.robots[static_cast<std::size_t>(r)];
    const auto& levels = levels_[static_cast<std::size_t>(r)];
    s.level = static_cast<int>(std::find(levels.begin(), levels.end(), world.motion(r).name) - levels.begin());
    s.fallen = world.fallen(r);
    s.us_per_step = world.microseconds(r) > 0 ? world.microseconds(r) : view::kUnknown;
    s.com_W = world.centre_of_mass(r);
    s.com_velocity_W = world.momentum(r).l * (1 / std::max(robot_of(world, r).kind->mass, 1e-12));
    fill_pressure(world, r, s);
    if (const int other = references_[static_cast<std::size_t>(r)]; other >= 0)
      s.error = norm(way(world, r) - way(world, other));
  }
  frame.volumes.clear();
  if (wanted.volumes) trees_.fill(world, frame.volumes);
  for (std::uint16_t i : wanted.signals)
    if (i < views_.size() && views_[i].read) frame.signals.push_back({i, static_cast<float>(views_[i].get(world))});
}

}  // namespace gradus::cli
