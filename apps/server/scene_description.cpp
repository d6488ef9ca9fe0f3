#include "server/scene_description.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace gradus::view {
namespace {

using nlohmann::json;

json vector_json(Vec3 a) { return {a.x, a.y, a.z}; }

json pose_json(const Pose& X) {
  const Quat q = to_quaternion(X.R);
  return {{"p", vector_json(X.p)}, {"q", {q.x, q.y, q.z, q.w}}};
}

/// JSON has no infinity: an absent limit is null.
json limit_json(double x) { return std::isfinite(x) ? json(x) : json(nullptr); }

/// Numbers meshes in order of first use, so that twenty equal robots send their triangles once.
class MeshTable {
 public:
  int index_of(const std::shared_ptr<const MeshSpec>& mesh) {
    const auto [it, is_new] = index_.try_emplace(mesh.get(), static_cast<int>(meshes_.size()));
    if (is_new) meshes_.push_back(mesh_json(*mesh));
    return it->second;
  }
  json take() { return std::move(meshes_); }

 private:
  static json mesh_json(const MeshSpec& mesh) {
    json vertices = json::array(), triangles = json::array();
    for (const Vec3& v : mesh.vertices)
      for (double x : {v.x, v.y, v.z}) vertices.push_back(static_cast<float>(x));
    for (const auto& t : mesh.triangles)
      for (int i : t) triangles.push_back(i);
    return {{"vertices", std::move(vertices)}, {"triangles", std::move(triangles)}};
  }
  std::map<const MeshSpec*, int> index_;
  json meshes_ = json::array();
};

json shape_json(const Shape& s, MeshTable& meshes) {
  json j = {{"kind", to_string(s.kind)}, {"pose", pose_json(s.X_BS)}, {"colour", vector_json(s.colour)}};
  if (s.radius > 0) j["radius"] = s.radius;
  if (s.length > 0) j["length"] = s.length;
  if (s.kind == ShapeKind::box || s.kind == ShapeKind::plane) j["size"] = vector_json(s.size);
  if (s.kind == ShapeKind::mesh && s.mesh) j["mesh"] = meshes.index_of(s.mesh);
  return j;
}

json robot_json(const Robot& robot, MeshTable& meshes) {
  json bodies = json::array(), joints = json::array();
  for (const Body& body : robot.bodies) {
    json shapes = json::array();
    for (const Shape& s : body.shapes) shapes.push_back(shape_json(s, meshes));
    bodies.push_back({{"name", body.name}, {"shapes", std::move(shapes)}});
  }
  for (const Joint& j : robot.joints)
    joints.push_back({{"name", j.name}, {"lower", limit_json(j.lower)}, {"upper", limit_json(j.upper)}});
  return {{"name", robot.name},
          {"levels", robot.levels},
          {"level", robot.level},
          {"bodies", std::move(bodies)},
          {"joints", std::move(joints)}};
}

/// Numbers texts in order of first use: hundreds of joints have the same to say.
class TextTable {
 public:
  int index_of(const std::string& text) {
    const auto [it, is_new] = index_.try_emplace(text, static_cast<int>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return it->second;
  }
  json take() { return std::move(texts_); }

 private:
  std::map<std::string, int> index_;
  json texts_ = json::array();
};

json property_json(const Property& p, TextTable& abouts) {
  constexpr const char* kTypes[] = {"number", "whole", "boolean"};
  json j = {{"path", p.path}, {"unit", p.unit}, {"type", kTypes[static_cast<int>(p.type)]}};
  if (!p.about.empty()) j["about"] = abouts.index_of(p.about);
  if (p.initial) j["initial"] = limit_json(*p.initial);
  if (p.settable) {
    j["settable"] = true;
    j["lower"] = limit_json(p.lower);
    j["upper"] = limit_json(p.upper);
  }
  return j;
}

}  // namespace

int SceneDescription::body_count() const {
  std::size_t n = 0;
  for (const Robot& r : robots) n += r.bodies.size();
  return static_cast<int>(n);
}

int SceneDescription::robot_of(int body) const {
  for (std::size_t r = 0; r < robots.size(); ++r) {
    const int count = static_cast<int>(robots[r].bodies.size());
    if (body >= 0 && body < count) return static_cast<int>(r);
    body -= count;
  }
  return -1;
}

std::string to_json(const SceneDescription& scene) {
  MeshTable meshes;
  json robots = json::array(), field = json::array(), properties = json::array();
  for (const Robot& r : scene.robots) robots.push_back(robot_json(r, meshes));
  for (const FieldObject& f : scene.field) field.push_back({{"name", f.name}, {"shape", shape_json(f.shape, meshes)}});
  json sensors = json::array();
  for (const Sensor& s : scene.sensors)
    sensors.push_back({{"robot", s.robot},
                       {"name", s.name},
                       {"kind", s.kind},
                       {"body", s.body},
                       {"pose", pose_json(s.X_BS)},
                       {"numbers", s.numbers}});
  TextTable abouts;
  for (const Property& p : scene.properties) properties.push_back(property_json(p, abouts));
  const json message = {{"type", "scene"},
                        {"name", scene.name},
                        {"about", scene.about},
                        {"revision", scene.revision},
                        {"step", scene.step},
                        {"seed", std::to_string(scene.seed)},  // 64 bits do not fit a JavaScript number
                        {"can_seek", scene.can_seek},
                        {"can_branch", scene.can_branch},
                        {"no_past", scene.no_past},
                        {"robots", std::move(robots)},
                        {"field", std::move(field)},
                        {"meshes", meshes.take()},
                        {"abouts", abouts.take()},
                        {"properties", std::move(properties)},
                        {"sensors", std::move(sensors)}};
  // A name that is not UTF-8 must not end the process: it is shown with replacement characters.
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string to_json(const PlannedWays& ways) {
  const auto points = [](const std::vector<Vec3>& all) {
    json out = json::array();
    for (const Vec3& p : all) out.push_back({std::round(p.x * 1e4) / 1e4, std::round(p.y * 1e4) / 1e4, std::round(p.z * 1e4) / 1e4});
    return out;
  };
  json plans = json::array();
  for (const PlannedWay& w : ways) plans.push_back({{"robot", w.robot}, {"base", points(w.base)}, {"footholds", points(w.footholds)}});
  return json{{"type", "plans"}, {"plans", std::move(plans)}}.dump();
}

}  // namespace gradus::view
