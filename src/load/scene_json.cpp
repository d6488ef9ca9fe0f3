#include "load/scene_json.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "model/joints/joint_type.h"

namespace gradus {
namespace {

using Json = nlohmann::ordered_json;

// Each struct names its fields once, in `fields`; writing and reading walk the same list.
// clang-format off

template <class Io>
void fields(Io& io, Place& x) { io("file", x.file); io("line", x.line); io("column", x.column); }
template <class Io>
void fields(Io& io, MeshSpec& x) { io("file", x.file); io("vertices", x.vertices); io("triangles", x.triangles); }
template <class Io>
void fields(Io& io, HeightGrid& x) {
  io("nx", x.nx); io("ny", x.ny); io("dx", x.dx); io("dy", x.dy); io("x0", x.x0); io("y0", x.y0); io("z", x.z);
}
template <class Io>
void fields(Io& io, TerrainSpec& x) {
  io("kind", x.kind); io("difficulty", x.difficulty); io("size_x", x.size[0]); io("size_y", x.size[1]); io("cell", x.cell);
  io("start", x.start); io("seed", x.seed); io("walls", x.walls);
}
template <class Io>
void fields(Io& io, HeightMapSpec& x) {
  io("file", x.file); io("grid", x.grid); io("unknown", x.unknown); io("walls", x.walls); io("terrain", x.terrain);
}
template <class Io>
void fields(Io& io, ShapeSpec& x) {
  io("kind", x.kind); io("radius", x.radius); io("length", x.length); io("size", x.size); io("X_OS", x.X_OS);
  io("mesh", x.mesh); io("map", x.map); io("collides", x.collides); io("visible", x.visible);
}
template <class Io>
void fields(Io& io, SurfaceSpec& x) {
  io("material", x.material); io("friction", x.friction); io("stiffness", x.stiffness); io("damping", x.damping);
  io("restitution", x.restitution); io("rolling", x.rolling); io("torsion", x.torsion);
}
template <class Io>
void fields(Io& io, ContactPairSpec& x) {
  io("a", x.a); io("b", x.b); io("friction", x.friction); io("stiffness", x.stiffness); io("damping", x.damping);
  io("restitution", x.restitution); io("rolling", x.rolling); io("torsion", x.torsion);
}
template <class Io>
void fields(Io& io, SpringLawSpec& x) { io("s_c", x.s_c); io("s_b", x.s_b); io("s_mu", x.s_mu); io("s_nu", x.s_nu); }
template <class Io>
void fields(Io& io, ServoSpec& x) {
  io("kp", x.kp); io("kd", x.kd); io("torque", x.torque); io("speed", x.speed); io("rotor", x.rotor);
}
template <class Io>
void fields(Io& io, ControllerStageSpec& x) {
  io("kp", x.kp); io("ki", x.ki); io("kd", x.kd); io("limit", x.limit); io("stiffness", x.stiffness);
  io("error_rate", x.error_rate); io("motor_side", x.motor_side);
}
template <class Io>
void fields(Io& io, MotorStageSpec& x) {
  io("resistance", x.resistance); io("inductance", x.inductance); io("torque_constant", x.torque_constant);
  io("back_emf", x.back_emf); io("inertia", x.inertia); io("speed", x.speed); io("power", x.power);
}
template <class Io>
void fields(Io& io, FrictionStageSpec& x) {
  io("coulomb", x.coulomb); io("viscous", x.viscous); io("stribeck", x.stribeck); io("stribeck_speed", x.stribeck_speed);
  io("load", x.load); io("load_stribeck", x.load_stribeck);
}
template <class Io>
void fields(Io& io, GearStageSpec& x) {
  io("model", x.model); io("ratio", x.ratio); io("efficiency", x.efficiency); io("play", x.play);
  io("stiffness", x.stiffness); io("damping", x.damping); io("inertia", x.inertia);
}
template <class Io>
void fields(Io& io, DriveRange& x) { io("speed", x.speed); io("torque", x.torque); }
template <class Io>
void fields(Io& io, DriveSpec& x) {
  io("name", x.name); io("about", x.about); io("source", x.source); io("valid", x.valid); io("notes", x.notes);
  io("file", x.file); io("delay", x.delay); io("controller", x.controller); io("motor", x.motor);
  io("friction", x.friction); io("gear", x.gear); io("range", x.range);
}
template <class Io>
void fields(Io& io, MimicSpec& x) { io("of", x.of); io("multiplier", x.multiplier); io("offset", x.offset); }
template <class Io>
void fields(Io& io, FlexSpec& x) {
  io("cuts", x.cuts); io("stiffness", x.stiffness); io("damping", x.damping); io("twists", x.twists); io("along", x.along);
}
template <class Io>
void fields(Io& io, ObjectSpec& x) {
  io("name", x.name); io("kind", x.kind); io("parent", x.parent.value); io("offset", x.offset); io("axis", x.axis);
  io("angle", x.angle); io("mass", x.mass); io("com", x.com); io("inertia", x.inertia); io("shapes", x.shapes);
  io("surface", x.surface); io("colour", x.colour); io("lower", x.lower); io("upper", x.upper);
  io("damping", x.damping); io("friction", x.friction); io("spring", x.spring); io("servo", x.servo);
  io("stop_stiffness", x.stop_stiffness); io("stop_damping", x.stop_damping);
  io("drive", x.drive); io("mimic", x.mimic);
  io("initial", x.initial); io("flex", x.flex);
  std::string type = x.type ? std::string(x.type->name) : "";
  io("type", type); io("column", x.column);
  if (!x.type && !type.empty() && !(x.type = find_joint_type(type))) x.column = -1;  // check() refuses it
}
template <class Io>
void fields(Io& io, Dimension& x) { io("m", x.m); io("kg", x.kg); io("s", x.s); io("rad", x.rad); io("A", x.A); }
template <class Io>
void fields(Io& io, SensorSetting& x) {
  io("key", x.key); io("numbers", x.numbers); io("words", x.words); io("unit", x.unit); io("place", x.place);
}
template <class Io>
void fields(Io& io, SensorSpec& x) {
  io("name", x.name); io("kind", x.kind); io("on", x.on); io("X_OS", x.X_OS); io("settings", x.settings); io("place", x.place);
}
template <class Io>
void fields(Io& io, LoopSpec& x) {
  io("name", x.name); io("a", x.a); io("b", x.b); io("hold", x.hold); io("at", x.at); io("meets", x.meets);
  io("axis", x.axis); io("width", x.width); io("place", x.place);
}
template <class Io>
void fields(Io& io, RobotSpec& x) {
  io("name", x.name); io("about", x.about); io("root", x.root); io("objects", x.objects); io("meshes", x.meshes);
  io("feet", x.feet); io("sensors", x.sensors); io("loops", x.loops); io("file", x.file);
}
template <class Io>
void fields(Io& io, ContactSpec& x) {
  io("law", x.law); io("stiffness", x.stiffness); io("damping", x.damping);
  io("tangential_stiffness", x.tangential_stiffness); io("tangential_damping", x.tangential_damping);
  io("depth", x.depth); io("given", x.given);
  io("friction", x.friction); io("restitution", x.restitution); io("rolling", x.rolling); io("torsion", x.torsion);
  io("spring", x.spring); io("pairs", x.pairs);
  io("moving_stiffness", x.moving_stiffness); io("moving_damping", x.moving_damping);
  io("moving_given", x.moving_given);
  io("impact_speed", x.impact_speed); io("recovery_speed", x.recovery_speed);
  io("sleep_speed", x.sleep_speed); io("sleep_after", x.sleep_after);
}
template <class Io>
void fields(Io& io, WalkCommand& x) { io("forward", x.forward); io("side", x.side); io("turn", x.turn); io("steps", x.steps); }
template <class Io>
void fields(Io& io, ControllerSpec& x) {
  io("kind", x.kind); io("file", x.file); io("period", x.period); io("start", x.start); io("loop", x.loop);
  io("options", x.options); io("program", x.program); io("stabilise", x.stabilise); io("steer", x.steer); io("place", x.place);
}
template <class Io>
void fields(Io& io, RobotInstanceSpec& x) {
  io("name", x.name); io("robot", x.robot); io("motion", x.motion); io("group", x.group); io("team", x.team);
  io("p_WB", x.p_WB); io("q_WB", x.q_WB);
  io("v_WB", x.v_WB); io("w_WB", x.w_WB); io("scatter", x.scatter);
  io("scatter_yaw", x.scatter_yaw); io("self_contact", x.self_contact); io("commands", x.commands); io("on_ground", x.on_ground); io("controller", x.controller);
}
template <class Io>
void fields(Io& io, FieldObjectSpec& x) {
  io("name", x.name); io("shape", x.shape); io("X_WO", x.X_WO); io("colour", x.colour); io("surface", x.surface); io("goal", x.goal);
}
template <class Io>
void fields(Io& io, PitchSpec& x) {
  io("length", x.length); io("width", x.width); io("goal_width", x.goal_width); io("goal_depth", x.goal_depth);
  io("corner", x.corner); io("centre_radius", x.centre_radius); io("area_width", x.area_width);
  io("area_depth", x.area_depth); io("penalty_mark", x.penalty_mark); io("wall_height", x.wall_height);
}
template <class Io>
void fields(Io& io, RefereeSpec& x) {
  io("pause", x.pause); io("still_speed", x.still_speed); io("still_time", x.still_time); io("half", x.half);
}
template <class Io>
void fields(Io& io, FirasimSpec& x) {
  io("vision", x.vision); io("commands", x.commands); io("referee", x.referee); io("placement", x.placement);
  io("interface", x.interface); io("period", x.period); io("watchdog", x.watchdog);
}
template <class Io>
void fields(Io& io, GroupSpec& x) {
  io("name", x.name); io("motion", x.motion); io("preset", x.preset); io("tyres", x.tyres); io("impact", x.impact);
  io("friction", x.friction); io("brake", x.brake); io("blue", x.blue); io("yellow", x.yellow); io("sides", x.sides); io("at", x.at);
  io("referee", x.referee); io("camera", x.camera); io("firasim", x.firasim);
}
template <class Io>
void fields(Io& io, SceneSpec& x) {
  io("name", x.name); io("about", x.about); io("file", x.file); io("step", x.step); io("seed", x.seed);
  io("gravity", x.gravity); io("duration", x.duration); io("log_period", x.log_period); io("volumes", x.volumes); io("contact", x.contact);
  io("field", x.field); io("meshes", x.meshes); io("maps", x.maps); io("robots", x.robots);
  io("pitch", x.pitch); io("groups", x.groups);
}

// clang-format on

template <class T>
concept Enumeration = std::is_enum_v<T>;
template <class T>
concept Class = std::is_class_v<T>;

Json encode(bool x) { return x; }
Json encode(int x) { return x; }
Json encode(std::uint64_t x) { return x; }
Json encode(const std::string& x) { return x; }
Json encode(double x) {  // JSON has neither infinity nor unknown heights
  if (x != x) return "nan";
  if (x == std::numeric_limits<double>::infinity()) return "inf";
  if (x == -std::numeric_limits<double>::infinity()) return "-inf";
  return x;
}
Json encode(const Vec3& a) { return Json::array({a.x, a.y, a.z}); }
Json encode(const Quat& a) { return Json::array({a.w, a.x, a.y, a.z}); }
Json encode(const Sym3& a) { return Json::array({a.xx, a.xy, a.xz, a.yy, a.yz, a.zz}); }
Json encode(const Pose& a) { return Json::array({encode(a.R.x), encode(a.R.y), encode(a.R.z), encode(a.p)}); }
Json encode(const std::array<int, 3>& a) { return Json::array({a[0], a[1], a[2]}); }
template <Enumeration T>
Json encode(T x) {
  return static_cast<int>(x);
}
template <class T>
Json encode(const std::optional<T>& x);
template <class T>
Json encode(const std::vector<T>& x);
template <Class T>
Json encode(const T& x);

struct Writer {
  Json& out;
  template <class T>
  void operator()(const char* key, T& x) {
    out[key] = encode(x);
  }
};

template <class T>
Json encode(const std::optional<T>& x) {
  return x ? encode(*x) : Json(nullptr);
}
template <class T>
Json encode(const std::vector<T>& x) {
  Json j = Json::array();
  for (const T& e : x) j.push_back(encode(e));
  return j;
}
template <Class T>
Json encode(const T& x) {
  Json j = Json::object();
  Writer w{j};
  fields(w, const_cast<T&>(x));  // the same list serves the reader, which writes to x
  return j;
}

void decode(const Json& j, bool& x) { x = j.get<bool>(); }
void decode(const Json& j, int& x) { x = j.get<int>(); }
void decode(const Json& j, std::uint64_t& x) { x = j.get<std::uint64_t>(); }
void decode(const Json& j, std::string& x) { x = j.get<std::string>(); }
void decode(const Json& j, double& x) {
  if (!j.is_string()) {
    x = j.get<double>();
    return;
  }
  const std::string s = j.get<std::string>();
  if (s != "inf" && s != "-inf" && s != "nan") throw std::runtime_error("a number is due, not '" + s + "'");
  x = s == "nan"   ? std::numeric_limits<double>::quiet_NaN()
      : s == "inf" ? std::numeric_limits<double>::infinity()
                   : -std::numeric_limits<double>::infinity();
}
void decode(const Json& j, Vec3& a) {
  decode(j.at(0), a.x);
  decode(j.at(1), a.y);
  decode(j.at(2), a.z);
}
void decode(const Json& j, Quat& a) {
  decode(j.at(0), a.w);
  decode(j.at(1), a.x);
  decode(j.at(2), a.y);
  decode(j.at(3), a.z);
}
void decode(const Json& j, Sym3& a) {
  double* const to[6] = {&a.xx, &a.xy, &a.xz, &a.yy, &a.yz, &a.zz};
  for (std::size_t i = 0; i < 6; ++i) decode(j.at(i), *to[i]);
}
void decode(const Json& j, Pose& a) {
  decode(j.at(0), a.R.x);
  decode(j.at(1), a.R.y);
  decode(j.at(2), a.R.z);
  decode(j.at(3), a.p);
}
void decode(const Json& j, std::array<int, 3>& a) {
  for (std::size_t i = 0; i < 3; ++i) decode(j.at(i), a[i]);
}
template <Enumeration T>
void decode(const Json& j, T& x) {
  const int i = j.get<int>();
  if (i < 0 || i > 16) throw std::runtime_error("unknown kind " + std::to_string(i));
  x = static_cast<T>(i);
}
template <class T>
void decode(const Json& j, std::optional<T>& x);
template <class T>
void decode(const Json& j, std::vector<T>& x);
template <Class T>
void decode(const Json& j, T& x);

struct Reader {
  const Json& in;
  template <class T>
  void operator()(const char* key, T& x) {
    decode(in.at(key), x);
  }
};

template <class T>
void decode(const Json& j, std::optional<T>& x) {
  x.reset();
  if (!j.is_null()) decode(j, x.emplace());
}
template <class T>
void decode(const Json& j, std::vector<T>& x) {
  x.clear();
  for (const Json& e : j) decode(e, x.emplace_back());
}
template <Class T>
void decode(const Json& j, T& x) {
  Reader r{j};
  fields(r, x);
}

}  // namespace

std::string to_json(const SceneSpec& scene, int indent) { return encode(scene).dump(indent); }

Result<SceneSpec> scene_from_json(const std::string& text, const std::string& file) {
  Diagnostic problem;
  problem.place.file = file;
  try {
    SceneSpec scene;
    decode(Json::parse(text), scene);
    Diagnostics notes = check(scene);
    if (has_errors(notes)) return notes;
    return {std::move(scene), std::move(notes)};
  } catch (const std::exception& e) {
    problem.text = std::string("not a resolved scene: ") + e.what();
    problem.suggestion = "the log may be damaged, or of another version of gradus";
    return Diagnostics{problem};
  }
}

}  // namespace gradus
