#include "render/drawn.h"

#include <algorithm>
#include <map>

#include "math/power.h"
#include "shape/geometry.h"
#include "shape/library.h"
#include "tree/kernels.h"

namespace gradus {
namespace {

using render::FlatKind;
using render::TreeNode;
using render::TreeTriangle;

constexpr Vec3 kFieldColour{0.55, 0.55, 0.57};  // unless the file says another
constexpr double kPaintTop = 0.006;  // what is flat, not solid and ends below this height is paint        [m]

/// Colours of files are as screens show them; light adds up in linear numbers.
Vec3 linear(Vec3 c) { return {power(c.x, 2.2), power(c.y, 2.2), power(c.z, 2.2)}; }

/// Sphere around a shape, in its own frame.
void bound_of(DrawnShape& s, const Shape& shape) {
  Vec3 centre;
  double r;
  if (s.kind == FlatKind::mesh && shape.kind == SolidKind::height_field) {  // its solid reaches down without end
    const HeightField& f = *shape.field;
    const HeightGrid& g = f.grid();
    const Vec3 lo{g.x0, g.y0, f.lowest()}, hi{g.x0 + g.dx * (g.nx - 1), g.y0 + g.dy * (g.ny - 1), f.highest()};
    centre = (lo + hi) * 0.5, r = norm(hi - lo) * 0.5;
  } else {
    bounding_sphere(shape, centre, r);
  }
  s.middle = s.X_LS * centre, s.bound = r;
}

float f32(double x) { return static_cast<float>(x); }
void put(float* to, Vec3 a) { to[0] = f32(a.x), to[1] = f32(a.y), to[2] = f32(a.z); }

/// The tree of src/shape as kernels read it: boxes in float, grown by what rounding may lose. Subtrees of few triangles
/// become leaves: a triangle costs a pack of rays about as much as a box.
class TreeCopy {
 public:
  TreeCopy(const TriangleMesh& mesh, std::vector<TreeNode>& nodes, std::vector<TreeTriangle>& triangles)
      : mesh_(mesh), nodes_(nodes), triangles_(triangles) {
    const Vec3 far = larger(magnitude(mesh.box().lo), magnitude(mesh.box().hi));
    slack_ = 1e-5 * std::max({far.x, far.y, far.z});
    nodes_.emplace_back();
    copy(0, 0);
  }

 private:
  static constexpr int kLeaf = 4;  // triangles at most

  int count(int node) const {
    const TriangleMesh::Node& n = mesh_.nodes()[static_cast<std::size_t>(node)];
    return n.count > 0 ? n.count : count(n.first) + count(n.first + 1);
  }
  void take_triangles(int node) {
    const TriangleMesh::Node& n = mesh_.nodes()[static_cast<std::size_t>(node)];
    if (n.count == 0) return take_triangles(n.first), take_triangles(n.first + 1);
    for (int k = 0; k < n.count; ++k) {
      const std::array<Vec3, 3> c = mesh_.corners(mesh_.triangle_at(n.first + k));
      TreeTriangle& t = triangles_.emplace_back();
      put(t.a, c[0]), put(t.ab, c[1] - c[0]), put(t.ac, c[2] - c[0]);
    }
  }
  void copy(int from, int to) {
    const TriangleMesh::Node& n = mesh_.nodes()[static_cast<std::size_t>(from)];
    const Box3 box = grown(n.box, slack_);
    TreeNode t{};
    put(t.lo, box.lo), put(t.hi, box.hi);
    if (count(from) <= kLeaf) {
      t.first = static_cast<std::int32_t>(triangles_.size()), t.count = count(from);
      nodes_[static_cast<std::size_t>(to)] = t;
      return take_triangles(from);
    }
    const Box3 &a = mesh_.nodes()[static_cast<std::size_t>(n.first)].box,
               &b = mesh_.nodes()[static_cast<std::size_t>(n.first) + 1].box;
    const Vec3 apart = b.lo + b.hi - a.lo - a.hi, size = magnitude(apart);
    t.axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    t.first = static_cast<std::int32_t>(nodes_.size());
    nodes_[static_cast<std::size_t>(to)] = t;
    nodes_.resize(nodes_.size() + 2);
    const int swap = component(apart, t.axis) < 0 ? 1 : 0;  // the left child lies lower along the axis
    copy(n.first + swap, t.first), copy(n.first + 1 - swap, t.first + 1);
  }

  const TriangleMesh& mesh_;
  std::vector<TreeNode>& nodes_;
  std::vector<TreeTriangle>& triangles_;
  double slack_ = 0;
};

/// Faces of a hull, as fans.
std::vector<std::array<int, 3>> fans(const Hull& hull) {
  std::vector<std::array<int, 3>> out;
  for (int f = 0; f < hull.face_count(); ++f)
    for (int k = hull.face_first[f] + 1; k + 1 < hull.face_first[f + 1]; ++k)
      out.push_back({hull.face_vertex[hull.face_first[f]], hull.face_vertex[k], hull.face_vertex[k + 1]});
  return out;
}

/// Cells of a terrain, holes left out.
void triangles_of(const HeightField& f, std::vector<Vec3>& vertices, std::vector<std::array<int, 3>>& triangles) {
  const HeightGrid& g = f.grid();
  for (int j = 0; j < g.ny; ++j)
    for (int i = 0; i < g.nx; ++i) {
      const double z = g.z[static_cast<std::size_t>(j) * g.nx + i];
      vertices.push_back({g.x0 + i * g.dx, g.y0 + j * g.dy, z == z ? z : f.lowest()});
    }
  for (int j = 0; j < f.cells_y(); ++j)
    for (int i = 0; i < f.cells_x(); ++i) {
      if (f.is_hole(i, j)) continue;
      const int a = j * g.nx + i;
      triangles.push_back({a, a + 1, a + g.nx + 1});
      triangles.push_back({a, a + g.nx + 1, a + g.nx});
    }
}

}  // namespace

class DrawnBuilder {
 public:
  DrawnBuilder(const Model& model, const std::vector<Jersey>& jerseys, DrawnScene& out)
      : model_(model), jerseys_(jerseys), out_(out) {}

  Diagnostics run() {
    out_.segments = {"sky", "ground", "paint"};
    out_.link_first.assign(1, 0);
    out_.ground = model_.ground;
    take_ground();
    for (int r = 0; r < static_cast<int>(model_.robots.size()); ++r) add_robot(r);
    for (int i = 0; i < static_cast<int>(model_.field.size()); ++i) add_field(i);
    std::stable_sort(layers_.begin(), layers_.end(), [](const Layer& a, const Layer& b) { return a.top < b.top; });
    for (const Layer& l : layers_) out_.paint.push_back(l.paint);
    if (out_.shapes.size() > 60000)
      notes_.push_back({{model_.file, 0, 0}, Severity::error, "a scene of more than 60000 shapes cannot be drawn", ""});
    return std::move(notes_);
  }

 private:
  struct Layer {
    render::Paint paint;
    double top;
  };

  void add_robot(int r) {
    const std::size_t first = out_.shapes.size();
    const RobotKind& kind = *model_.robots[static_cast<std::size_t>(r)].kind;
    out_.link_first.push_back(out_.link_first.back() + kind.nlink());
    std::map<int, int> segment;  // of an object
    const std::vector<bool> dressed = under_jersey(kind);
    for (const ShapeInfo& info : kind.shapes) {
      if (!info.spec.visible) continue;
      const ObjectInfo& object = kind.objects[static_cast<std::size_t>(info.object)];
      DrawnShape s;
      s.robot = r, s.link = info.link, s.object = info.object, s.X_LS = info.X_LS, s.albedo = linear(object.colour);
      const auto [it, is_new] = segment.try_emplace(info.object, static_cast<int>(out_.segments.size()));
      if (is_new) out_.segments.push_back(model_.robots[static_cast<std::size_t>(r)].name + "." + object.name);
      s.segment = it->second;
      s.dressed = dressed[static_cast<std::size_t>(&info - kind.shapes.data())];
      const bool white = std::min({object.colour.x, object.colour.y, object.colour.z}) > 0.75;
      s.pattern = kind.ball_radius() > 0 && white ? render::kFootballPattern : 0;
      add(s, info.spec, kind.meshes);
    }
    for (const Jersey& j : jerseys_)
      if (j.robot == r) dress(j, first);
  }

  /// The number comes on the largest box.
  void dress(const Jersey& jersey, std::size_t first) {
    DrawnShape* box = nullptr;
    for (std::size_t i = first; i < out_.shapes.size(); ++i) {
      DrawnShape& s = out_.shapes[i];
      if (!s.dressed) continue;
      s.albedo = linear(jersey.colour);
      if (s.kind == FlatKind::box && (box == nullptr || s.bound > box->bound)) box = &s;
    }
    if (box != nullptr && jersey.number >= 0) box->pattern = render::kNumberPattern + jersey.number;
  }

  void add_field(int i) {
    const FieldObjectSpec& f = model_.field[static_cast<std::size_t>(i)];
    if (!f.shape.visible) return;
    DrawnShape s;
    s.object = i, s.X_LS = f.X_WO * f.shape.X_OS, s.albedo = linear(f.colour.value_or(kFieldColour));
    if (is_ground(f)) return;
    if (add_paint(f.shape, s)) return;
    s.segment = static_cast<int>(out_.segments.size());
    out_.segments.push_back(f.name);
    add(s, f.shape, model_.meshes);
  }

  bool is_ground(const FieldObjectSpec& f) const {
    const Pose X = f.X_WO * f.shape.X_OS;
    return f.shape.kind == ShapeKind::plane && model_.ground.present && dot(X.R.z, model_.ground.n) > 1 - 1e-9 &&
           std::abs(dot(X.p, model_.ground.n) - model_.ground.offset) < 1e-9;
  }
  void take_ground() {
    for (const FieldObjectSpec& f : model_.field)
      if (is_ground(f)) out_.ground_albedo = linear(f.colour.value_or(kFieldColour));
    const Vec3 c = out_.ground_albedo;
    out_.ground_grain = c.y > 1.3 * c.x && c.y > 1.3 * c.z ? 0.35 : 0.1;  // green: grass
  }

  /// Flat things on the ground that nothing bumps into.
  bool add_paint(const ShapeSpec& spec, const DrawnShape& s) {
    if (!model_.ground.present || spec.collides || (spec.kind != ShapeKind::box && spec.kind != ShapeKind::cylinder))
      return false;
    const Plane& g = model_.ground;
    const double half = 0.5 * (spec.kind == ShapeKind::box ? spec.size.z : spec.length);
    const double top = dot(s.X_LS.p, g.n) - g.offset + half;
    if (std::abs(dot(s.X_LS.R.z, g.n)) < 1 - 1e-9 || top > kPaintTop || top < 0) return false;
    const bool disc = spec.kind == ShapeKind::cylinder;
    const float x = f32(dot(s.X_LS.p, g.t1)), y = f32(dot(s.X_LS.p, g.t2));
    const float c = f32(dot(s.X_LS.R.x, g.t1)), sine = f32(dot(s.X_LS.R.x, g.t2));
    const bool erases = norm(s.albedo - out_.ground_albedo) < 1e-6;
    const float hx = f32(disc ? spec.radius : 0.5 * spec.size.x), hy = f32(disc ? spec.radius : 0.5 * spec.size.y);
    layers_.push_back({{x, y, c, sine, hx, hy, {}, disc ? 1 : 0, erases ? 0.0f : 1.0f}, top});
    put(layers_.back().paint.rgb, s.albedo);
    return true;
  }

  void add(DrawnShape s, const ShapeSpec& spec, std::span<const MeshSpec> meshes) {
    const Result<Shape> shape = library_.add(spec, meshes, MeshUse::triangles, model_.maps);
    if (!shape) return append(notes_, as_warnings(shape.notes()));
    s.radius = shape->radius, s.half = shape->half;
    switch (shape->kind) {
      case SolidKind::sphere:
        s.kind = FlatKind::sphere;
        break;
      case SolidKind::capsule:
        s.kind = FlatKind::capsule;
        break;
      case SolidKind::box:
        s.kind = FlatKind::box;
        break;
      case SolidKind::cylinder:
        s.kind = FlatKind::cylinder;
        break;
      case SolidKind::plane:
        s.kind = FlatKind::plane;
        break;
      default:
        s.kind = FlatKind::mesh, s.tree = tree_of(spec, *shape, meshes.data());
        if (s.tree < 0) return;
    }
    bound_of(s, *shape);
    out_.shapes.push_back(s);
  }

  /// Robots of one kind share their trees.
  int tree_of(const ShapeSpec& spec, const Shape& shape, const void* owner) {
    const auto key = std::make_pair(
        spec.kind == ShapeKind::height_field ? nullptr : owner,
        spec.kind == ShapeKind::height_field ? -1 - spec.map : 2 * spec.mesh + (spec.kind == ShapeKind::hull));
    if (const auto it = tree_number_.find(key); it != tree_number_.end()) return it->second;
    std::vector<Vec3> vertices;
    std::vector<std::array<int, 3>> triangles;
    std::optional<TriangleMesh> made;
    const TriangleMesh* mesh = shape.mesh;
    if (shape.kind != SolidKind::mesh) {
      if (shape.kind == SolidKind::hull) vertices = shape.hull->vertices, triangles = fans(*shape.hull);
      if (shape.kind == SolidKind::height_field) triangles_of(*shape.field, vertices, triangles);
      Result<TriangleMesh> built = TriangleMesh::build(vertices, triangles);
      if (!built) return append(notes_, as_warnings(built.notes())), tree_number_[key] = -1;
      made = *std::move(built), mesh = &*made;
    }
    auto room = std::make_unique<DrawnScene::TreeRoom>();
    TreeCopy(*mesh, room->nodes, room->triangles);
    out_.trees.push_back({room->nodes.data(), room->triangles.data(), static_cast<std::int32_t>(room->nodes.size()),
                          static_cast<std::int32_t>(room->triangles.size()), mesh->closed()});
    out_.rooms_.push_back(std::move(room));
    return tree_number_[key] = static_cast<int>(out_.trees.size()) - 1;
  }

  static Diagnostics as_warnings(Diagnostics notes) {
    for (Diagnostic& d : notes) d.severity = Severity::warning, d.text = "not drawn: " + d.text;
    return notes;
  }

  const Model& model_;
  const std::vector<Jersey>& jerseys_;
  DrawnScene& out_;
  ShapeLibrary library_;
  std::vector<Layer> layers_;
  std::map<std::pair<const void*, int>, int> tree_number_;
  Diagnostics notes_;
};

Result<std::shared_ptr<const DrawnScene>> DrawnScene::make(const Model& model, const std::vector<Jersey>& jerseys) {
  auto out = std::make_shared<DrawnScene>();
  Diagnostics notes = DrawnBuilder(model, jerseys, *out).run();
  if (has_errors(notes)) return notes;
  return {std::shared_ptr<const DrawnScene>(out), notes};
}

std::vector<Jersey> jerseys_by_name(const Model& model) {
  struct Named {
    const char* word;
    Vec3 colour;
  };
  constexpr Named kColours[] = {{"blue", {0.10, 0.25, 0.80}},   {"red", {0.80, 0.10, 0.10}},
                                {"yellow", {0.95, 0.80, 0.10}}, {"green", {0.10, 0.55, 0.20}},
                                {"black", {0.08, 0.08, 0.09}},  {"white", {0.95, 0.95, 0.95}},
                                {"orange", {0.95, 0.50, 0.10}}, {"purple", {0.45, 0.15, 0.60}}};
  std::vector<Jersey> out;
  for (std::size_t r = 0; r < model.robots.size(); ++r) {
    const RobotModel& robot = model.robots[r];
    const std::size_t digits = std::min(robot.name.find_first_of("0123456789"), robot.name.size());
    const std::string word = robot.name.substr(0, digits), number = robot.name.substr(digits);
    const bool plays = robot.group < 0 && robot.kind->njoint() >= 10;  // wheeled teams have their own colours
    if (!plays || number.empty() || number.size() > 2 || number.find_first_not_of("0123456789") != number.npos)
      continue;
    for (const Named& n : kColours)
      if (word == n.word) out.push_back({static_cast<int>(r), n.colour, std::stoi(number)});
  }
  return out;
}

std::vector<bool> under_jersey(const RobotKind& kind) {
  const auto size = [&](const ShapeInfo& s) {
    if (s.link != 0 || !s.spec.visible) return 0.0;
    switch (s.spec.kind) {
      case ShapeKind::sphere:
        return s.spec.radius;
      case ShapeKind::capsule:
        return s.spec.radius + 0.5 * s.spec.length;
      case ShapeKind::cylinder:
        return norm(Vec3{s.spec.radius, 0.5 * s.spec.length, 0});
      case ShapeKind::box:
        return 0.5 * norm(s.spec.size);
      default:
        break;
    }
    if (s.spec.mesh < 0) return 0.0;
    const std::vector<Vec3>& v = kind.meshes[static_cast<std::size_t>(s.spec.mesh)].vertices;
    if (v.empty()) return 0.0;
    Vec3 lo = v[0], hi = v[0];
    for (const Vec3& p : v) lo = smaller(lo, p), hi = larger(hi, p);
    return 0.5 * norm(hi - lo);
  };
  std::vector<double> sizes;
  for (const ShapeInfo& s : kind.shapes) sizes.push_back(size(s));
  const double largest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  std::vector<bool> out;
  for (const double x : sizes) out.push_back(x > 0 && x >= 0.5 * largest);
  return out;
}

std::size_t DrawnScene::triangle_count() const {
  std::size_t n = 0;
  for (const auto& r : rooms_) n += r->triangles.size();
  return n;
}

Poses make_poses(const DrawnScene& scene) {
  return {std::vector<LinkMotion>(static_cast<std::size_t>(scene.link_first.back()),
                                  {identity_pose(), {0, 0, 0}, {0, 0, 0}})};
}

PoseMaker::PoseMaker(const Model& model) {
  std::size_t most = 0;
  for (const RobotModel& r : model.robots) most = std::max(most, r.kind->links.size());
  frames_.resize(most);
}

void PoseMaker::set(const DrawnScene& scene, const RobotKind& kind, int robot, const double* q, const double* v,
                    Poses& out) {
  compute_frames(kind, q, v, frames_.data());
  const Vec3 p_WB{q[0], q[1], q[2]}, v_WB{v[3], v[4], v[5]};
  for (int i = 0; i < kind.nlink(); ++i) {
    const Frame& f = frames_[static_cast<std::size_t>(i)];
    LinkMotion& m = out.links[static_cast<std::size_t>(scene.link_first[static_cast<std::size_t>(robot)] + i)];
    m.X_WL = {f.R, p_WB + f.p}, m.v = v_WB + velocity_at(f.V, f.p), m.w = f.V.a;
  }
}

}  // namespace gradus
