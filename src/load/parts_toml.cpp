#include "load/parts_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "load/map.h"
#include "load/mesh.h"
#include "load/source_text.h"
#include "load/terrain.h"

namespace gradus {

using namespace dimension;

JointUnits JointUnits::of(ObjectKind kind) {
  if (kind == ObjectKind::prismatic) return {kLength, kSpeed, kForce, kStiffness, kDamping, kMass};
  return {kAngle, kAngularSpeed, kTorque, kAngularStiffness, kAngularDamping, kInertia};
}

bool one_of(const std::vector<std::string>& known, const std::string& word) {
  return std::find(known.begin(), known.end(), word) != known.end();
}

namespace {

/// Turns z of a shape to the named axis of the object.
Mat3 z_towards(const std::string& axis) {
  if (axis == "x") return {{0, 0, -1}, {0, 1, 0}, {1, 0, 0}};
  if (axis == "y") return {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}};
  return identity3<double>();
}

bool read_positive(TableReader& t, std::string_view key, double& out) {
  const Place place = t.place(key);
  double x = 0;
  if (!t.quantity(key, kLength, x)) {
    if (!t.has(key)) t.fault(place, fmt::format("'{}' is missing", key), fmt::format("add {} = \"… m\"", key));
    return false;
  }
  if (!(x > 0)) {
    t.fault(place, fmt::format("{} must be greater than 0", key));
    return false;
  }
  out = x;
  return true;
}

/// capsule = { radius = "2 cm", length = "8 cm", axis = "x" }
bool read_round(const toml::table& table, const char* what, ShapeSpec& out, Mat3& R, Diagnostics& log) {
  TableReader t(table, log);
  bool good = read_positive(t, "radius", out.radius);
  good = read_positive(t, "length", out.length) && good;
  std::string axis = "z";
  t.text("axis", axis);
  if (axis != "x" && axis != "y" && axis != "z") {
    t.fault(t.place("axis"), "axis: " + in_quotes(axis) + " is not an axis", "write \"x\", \"y\" or \"z\"");
    good = false;
  }
  t.finish(std::string("a ") + what);
  R = z_towards(axis);
  return good;
}

bool read_mesh(const toml::table& table, ShapeMeshes& store, ShapeSpec& out, Diagnostics& log) {
  TableReader t(table, log);
  std::string file;
  Vec3 scale{1, 1, 1};
  const bool named = t.text("file", file);
  if (!t.has("file")) t.fault(t.place(), "'file' is missing", "add file = \"….stl\" or \"….obj\"");
  t.vec3("scale", kNumber, scale);
  t.finish("a mesh");
  if (!named) return false;
  const Place place = t.place("file");
  const std::string path = find_file(file, place.file, "meshes", store.options, place, log);
  if (path.empty()) return false;
  const auto [it, fresh] = store.known.emplace(fmt::format("{}|{}|{}|{}", path, scale.x, scale.y, scale.z),
                                               static_cast<int>(store.meshes.size()));
  out.mesh = it->second;
  out.size = scale;
  if (!fresh) return true;
  Result<MeshSpec> mesh = load_mesh(path, scale);
  log.insert(log.end(), mesh.notes().begin(), mesh.notes().end());
  store.meshes.push_back(mesh ? std::move(*mesh) : MeshSpec{path, {}, {}});
  return static_cast<bool>(mesh);
}

/// hull = { file = "rock.stl", scale = [1, 1, 1] }, or hull = { points = [["0 m", "0 m", "0 m"], …] }
bool read_hull(const toml::table& table, ShapeMeshes& store, ShapeSpec& out, Diagnostics& log) {
  if (!table.contains("points")) return read_mesh(table, store, out, log);
  TableReader t(table, log);
  const toml::node* points = t.get("points");
  t.finish("a hull of points");
  const toml::array* list = points->as_array();
  if (list == nullptr || list->size() < 4) {
    log.push_back({place_of(*points), Severity::error, "points: a hull needs at least four points",
                   "write [[\"0 m\", \"0 m\", \"0 m\"], …]"});
    return false;
  }
  MeshSpec mesh;
  bool good = true;
  for (const toml::node& p : *list) {
    double x[3] = {0, 0, 0};
    good = read_quantities(p, "points", kLength, 3, x, log) && good;
    mesh.vertices.push_back({x[0], x[1], x[2]});
  }
  out.mesh = static_cast<int>(store.meshes.size());
  store.meshes.push_back(std::move(mesh));
  return good;
}

bool read_unknown(TableReader& t, UnknownHeights& out) {
  std::string word = "hole";
  t.text("unknown", word);
  const std::vector<std::string> words{"hole", "lowest_neighbour", "refuse"};  // in the order of UnknownHeights
  const auto it = std::find(words.begin(), words.end(), word);
  if (it == words.end()) {
    t.fault(t.place("unknown"), "unknown: there is no way " + in_quotes(word) + " with unknown heights",
            did_you_mean(word, words));
    return false;
  }
  out = static_cast<UnknownHeights>(it - words.begin());
  return true;
}

/// Two lengths above 0 ("4 cm" means both).
bool read_two_lengths(TableReader& t, const char* key, double (&out)[2], Diagnostics& log) {
  const toml::node* node = t.get(key);
  double x[2] = {0, 0};
  if (node->is_array()) {
    if (!read_quantities(*node, key, kLength, 2, x, log)) return false;
  } else {
    if (!read_quantity(*node, key, kLength, x[0], log)) return false;
    x[1] = x[0];
  }
  if (!(x[0] > 0 && x[1] > 0)) {
    t.fault(t.place(key), fmt::format("{} must be greater than 0", key));
    return false;
  }
  out[0] = x[0], out[1] = x[1];
  return true;
}

/// How the numbers of a map's file become heights at places.
MapImport read_import(TableReader& t, Diagnostics& log) {
  MapImport import;
  if (t.has("cell")) read_two_lengths(t, "cell", import.cell, log);
  if (t.has("size")) read_two_lengths(t, "size", import.size, log);
  if (t.has("cell") && t.has("size"))
    t.fault(t.place("size"), "cell and size contradict each other", "give one of them");
  double x = 0;
  if (t.quantity("scale", kLength, x)) import.scale = x;
  if (t.quantity("range", kLength, x)) import.range = x;
  t.quantity("offset", kLength, import.offset);
  if (const toml::node* origin = t.get("origin")) {
    double xy[2] = {0, 0};
    if (read_quantities(*origin, "origin", kLength, 2, xy, log)) import.origin = {{ xy[0], xy[1] }};
  }
  return import;
}

/// Height fields stand in the field alone.
bool in_field(TableReader& t, const ShapeMeshes& store) {
  if (store.maps == nullptr)
    t.fault(t.place(), "a height field belongs to the field", "put it into [field.NAME], or use a mesh");
  return store.maps != nullptr;
}

/// risers = "vertical": upright walls between flat cells [model/walls.h]; "slanted": surfaces through the nodes.
void read_risers(TableReader& t, bool& walls) {
  std::string word;
  if (!t.text("risers", word)) return;
  if (word != "vertical" && word != "slanted")
    t.fault(t.place("risers"), "risers: there are no " + in_quotes(word) + " ones", "write \"vertical\" or \"slanted\"");
  walls = word == "vertical";
}

/// layout = "grid_map": rows run towards −x, columns towards −y, from the row and column `start` on.
void read_layout(TableReader& t, MapImport& import) {
  std::string word;
  if (t.text("layout", word) && word != "grid_map")
    t.fault(t.place("layout"), "layout: there is no " + in_quotes(word), "write \"grid_map\", or leave it out");
  import.grid_map = word == "grid_map";
  const toml::node* node = t.get("start");
  if (node == nullptr) return;
  const toml::array* start = node->as_array();
  const bool two = start != nullptr && start->size() == 2 && (*start)[0].is_integer() && (*start)[1].is_integer();
  for (std::size_t k = 0; k < 2 && two; ++k) import.start[k] = static_cast<int>((*start)[k].value_or<std::int64_t>(0));
  if (!two || import.start[0] < 0 || import.start[1] < 0)
    t.fault(t.place("start"), "start must be two whole numbers from 0 on", "the start indices of row and column, as the message has them");
  if (!import.grid_map) t.fault(t.place("start"), "start belongs to layout = \"grid_map\"", "add it or remove start");
}

/// height_field = { file = "hill.png", cell = "4 cm", range = "1.25 m", offset = "0 m", unknown = "hole" }
bool read_height_field(const toml::table& table, ShapeMeshes& store, ShapeSpec& out, Diagnostics& log) {
  TableReader t(table, log);
  if (!in_field(t, store)) return false;
  const std::size_t before = log.size();
  std::string file;
  const bool named = t.text("file", file);
  if (!t.has("file"))
    t.fault(t.place(), "'file' is missing", "add file = \"….txt\", \"….asc\", \"….png\", \"….npy\" or \"….hfield\"");
  MapImport import = read_import(t, log);
  HeightMapSpec map;
  read_unknown(t, map.unknown);
  read_risers(t, map.walls);
  read_layout(t, import);
  if (map.walls && map.unknown == UnknownHeights::lowest_neighbour)
    t.fault(t.place("unknown"), "unknown heights are holes where risers are vertical", "write \"hole\" or \"refuse\"");
  t.finish("a height field");
  if (!named || log.size() != before) return false;
  const Place place = t.place("file");
  const std::string path = find_file(file, place.file, "maps", store.options, place, log);
  if (path.empty()) return false;
  import.place = place;
  Result<HeightGrid> grid = load_map(path, import);
  log.insert(log.end(), grid.notes().begin(), grid.notes().end());
  out.map = static_cast<int>(store.maps->size());
  map.file = path;
  if (grid)
    map.grid = *std::move(grid);
  else
    map.grid = {2, 2, 1, 1, 0, 0, {0, 0, 0, 0}};  // a sound one in place of a bad one: one mistake is reported once
  store.maps->push_back(std::move(map));
  return static_cast<bool>(grid);
}

bool read_terrain_kind(TableReader& t, TerrainKind& out) {
  std::string word;
  const bool given = t.text("kind", word);
  if (!t.has("kind")) t.fault(t.place(), "'kind' is missing", fmt::format("one of {}", fmt::join(terrain_kinds(), ", ")));
  if (!given) return false;
  const auto it = std::find(terrain_kinds().begin(), terrain_kinds().end(), word);
  if (it == terrain_kinds().end()) {
    t.fault(t.place("kind"), "kind: there is no terrain " + in_quotes(word), did_you_mean(word, terrain_kinds()));
    return false;
  }
  out = static_cast<TerrainKind>(it - terrain_kinds().begin());
  return true;
}

/// terrain = { kind = "rough", difficulty = 0.4, size = ["6 m", "6 m"], cell = "2 cm", start = "50 cm", seed = 7 }
bool read_terrain(const toml::table& table, ShapeMeshes& store, ShapeSpec& out, Diagnostics& log) {
  TableReader t(table, log);
  if (!in_field(t, store)) return false;
  const std::size_t before = log.size();
  TerrainSpec terrain;
  read_terrain_kind(t, terrain.kind);
  t.number("difficulty", terrain.difficulty);
  if (t.get("size") != nullptr) read_two_lengths(t, "size", terrain.size, log);
  t.quantity("cell", kLength, terrain.cell);
  t.quantity("start", kLength, terrain.start);
  std::int64_t seed = 0;
  t.integer("seed", 0, std::numeric_limits<std::int64_t>::max(), seed);
  terrain.seed = static_cast<std::uint64_t>(seed);
  read_risers(t, terrain.walls);
  t.finish("a terrain");
  for (const TerrainFault& f : faults_of(terrain))
    t.fault(t.place(f.key), fmt::format("{}: {}", f.key, f.text), f.suggestion);
  if (log.size() != before) return false;
  std::size_t nodes = node_count(terrain);
  for (const HeightMapSpec& m : *store.maps) nodes += m.grid.z.size();
  if (nodes > kMapNodeLimit) {
    t.fault(t.place(), fmt::format("the maps of the scene have more than {} heights together", kMapNodeLimit),
            "make the terrain smaller or its cells larger");
    return false;
  }
  out.map = static_cast<int>(store.maps->size());
  store.maps->push_back({t.place().file, make_terrain(terrain), UnknownHeights::hole, terrain.walls, terrain});
  return true;
}

const toml::table* round_table(TableReader& t, const char* key, ShapeKind kind, ShapeSpec& out, int& kinds) {
  const toml::table* table = t.table(key);
  if (t.has(key)) ++kinds;
  if (table != nullptr) out.kind = kind;
  return table;
}

bool read_box(TableReader& t, Vec3& size) {
  if (!t.vec3("box", kLength, size)) return false;
  if (size.x > 0 && size.y > 0 && size.z > 0) return true;
  t.fault(t.place("box"), "all three sides of a box must be greater than 0");
  return false;
}

/// The one key that says which shape it is. R turns a shape's z to the axis that it names.
bool read_kind(TableReader& t, ShapeMeshes& store, ShapeSpec& out, Mat3& R, Diagnostics& log) {
  bool good = true;
  int kinds = 0;
  if (t.get("sphere") != nullptr) {
    ++kinds;
    out.kind = ShapeKind::sphere;
    good = read_positive(t, "sphere", out.radius);
  }
  if (t.get("box") != nullptr) {
    ++kinds;
    out.kind = ShapeKind::box;
    good = read_box(t, out.size) && good;
  }
  const toml::table* capsule = round_table(t, "capsule", ShapeKind::capsule, out, kinds);
  if (capsule != nullptr) good = read_round(*capsule, "capsule", out, R, log) && good;
  const toml::table* cylinder = round_table(t, "cylinder", ShapeKind::cylinder, out, kinds);
  if (cylinder != nullptr) good = read_round(*cylinder, "cylinder", out, R, log) && good;
  const toml::table* mesh = round_table(t, "mesh", ShapeKind::mesh, out, kinds);
  if (mesh != nullptr) good = read_mesh(*mesh, store, out, log) && good;
  const toml::table* hull = round_table(t, "hull", ShapeKind::hull, out, kinds);
  if (hull != nullptr) good = read_hull(*hull, store, out, log) && good;
  const toml::table* map = round_table(t, "height_field", ShapeKind::height_field, out, kinds);
  if (map != nullptr) good = read_height_field(*map, store, out, log) && good;
  const toml::table* terrain = round_table(t, "terrain", ShapeKind::height_field, out, kinds);
  if (terrain != nullptr) good = read_terrain(*terrain, store, out, log) && good;
  if (kinds != 1) {
    t.fault(t.place(), kinds == 0 ? "the shape does not say what it is" : "the shape is several things at once",
            "give exactly one of sphere, box, capsule, cylinder, hull, mesh, height_field, terrain");
  }
  return good && kinds == 1;
}

}  // namespace

bool read_shape(const toml::node& node, ShapeMeshes& store, ShapeSpec& out, Diagnostics& log) {
  out.place = place_of(node);
  if (node.is_string() && node.ref<std::string>() == "plane") {
    out.kind = ShapeKind::plane;
    return true;
  }
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    log.push_back({out.place, Severity::error, "a shape is a table", "write e.g. shape = { sphere = \"5 cm\" }"});
    return false;
  }
  const std::size_t before = log.size();
  TableReader t(*table, log);
  Mat3 R = identity3<double>();
  const bool good = read_kind(t, store, out, R, log);
  Vec3 rpy{0, 0, 0};
  t.vec3("at", kLength, out.X_OS.p);
  if (t.vec3("rpy", kAngle, rpy)) R = to_matrix(from_roll_pitch_yaw(rpy.x, rpy.y, rpy.z)) * R;
  out.X_OS.R = R;
  t.boolean("collides", out.collides);
  t.boolean("visible", out.visible);
  t.finish("a shape");
  return good && log.size() == before;
}

bool read_shapes(const toml::node& node, ShapeMeshes& store, std::vector<ShapeSpec>& out, Diagnostics& log) {
  const toml::array* several = node.as_array();
  out.clear();
  bool good = true;
  const auto one = [&](const toml::node& n) {
    ShapeSpec s;
    good = read_shape(n, store, s, log) && good;
    out.push_back(std::move(s));
  };
  if (several == nullptr) {
    one(node);
  } else {
    for (const toml::node& n : *several) one(n);
  }
  return good;
}

bool inertia_of_shape(const ShapeSpec& s, double mass, Sym3& out) {
  Sym3 about_centre{};
  switch (s.kind) {
    case ShapeKind::sphere:
      about_centre = inertia_of_sphere(mass, s.radius);
      break;
    case ShapeKind::box:
      about_centre = inertia_of_box(mass, s.size);
      break;
    case ShapeKind::capsule:
      about_centre = inertia_of_capsule(mass, s.radius, s.length);
      break;
    case ShapeKind::cylinder:
      about_centre = inertia_of_cylinder(mass, s.radius, s.length);
      break;
    default:
      return false;
  }
  out = rotated(s.X_OS.R, about_centre);
  return true;
}

bool read_surface(const toml::table& table, SurfaceSpec& out, Diagnostics& log) {
  const std::size_t before = log.size();
  TableReader t(table, log);
  double x = 0;
  t.text("material", out.material);
  if (t.number("friction", x)) out.friction = x;
  if (t.quantity("stiffness", kStiffness, x)) out.stiffness = x;
  if (t.quantity("damping", kDamping, x)) out.damping = x;
  if (t.number("restitution", x)) out.restitution = x;
  if (t.quantity("rolling", kLength, x)) out.rolling = x;
  if (t.quantity("torsion", kLength, x)) out.torsion = x;
  t.finish("a surface");
  return log.size() == before;
}

bool read_colour(TableReader& t, std::optional<Vec3>& out) {
  Vec3 c{0, 0, 0};
  if (!t.vec3("colour", kNumber, c)) return false;
  out = c;
  return true;
}

bool read_servo(const toml::table& table, ObjectKind kind, ServoSpec& out, Diagnostics& log) {
  const std::size_t before = log.size();
  const JointUnits units = JointUnits::of(kind);
  TableReader t(table, log);
  t.quantity("kp", units.stiffness, out.kp);
  t.quantity("kd", units.damping, out.kd);
  t.quantity("torque", units.force, out.torque);
  t.quantity("speed", units.speed, out.speed);
  t.quantity("rotor", units.inertia, out.rotor);
  t.finish("a servo");
  return log.size() == before;
}

ObjectKind kind_of_servo(const toml::table& table) {
  const JointUnits linear = JointUnits::of(ObjectKind::prismatic);
  const auto is = [&](const char* key, Dimension d) {
    const toml::node* node = table.get(key);
    Quantity q;
    return node != nullptr && node->is_string() && !parse_quantity(node->ref<std::string>(), q) && q.dimension == d;
  };
  const bool slides = is("kp", linear.stiffness) || is("kd", linear.damping) || is("torque", linear.force) ||
                      is("speed", linear.speed) || is("rotor", linear.inertia);
  return slides ? ObjectKind::prismatic : ObjectKind::revolute;
}

bool read_pose(const toml::table& table, bool for_robot, PoseReading& out, Diagnostics& log) {
  const std::size_t before = log.size();
  TableReader t(table, log);
  t.quantity("x", kLength, out.p.x);
  t.quantity("y", kLength, out.p.y);
  out.z_given = t.has("z") || out.z_given;
  t.quantity("z", kLength, out.p.z);
  t.quantity("roll", kAngle, out.roll_pitch_yaw.x);
  t.quantity("pitch", kAngle, out.roll_pitch_yaw.y);
  t.quantity("yaw", kAngle, out.roll_pitch_yaw.z);
  if (for_robot) out.on_ground_given = t.boolean("on_ground", out.on_ground);
  t.finish("a pose");
  if (out.on_ground && t.has("z")) {
    t.fault(t.place("z"), "z and on_ground contradict each other", "give one of them");
  }
  return log.size() == before;
}

}  // namespace gradus
