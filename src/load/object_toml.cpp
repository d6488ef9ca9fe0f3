#include "load/object_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "load/robot_toml.h"
#include "load/servo_toml.h"
#include "load/source_text.h"
#include "model/joints/joint_type.h"

namespace gradus {

using namespace dimension;

namespace {

constexpr std::array kKinds = {ObjectKind::base,     ObjectKind::translation, ObjectKind::rotation,
                               ObjectKind::revolute, ObjectKind::prismatic,   ObjectKind::fork,
                               ObjectKind::endpoint};

/// A sound inertia in place of a bad one, so that one mistake is reported once.
const Sym3 kPlaceholder{1, 0, 0, 1, 0, 1};

}  // namespace

ObjectSpec mirrored(ObjectSpec o) {
  const auto flip = [](double& x) { x = 0 - x; };  // unlike −x, leaves no −0 behind
  flip(o.offset.y);
  flip(o.com.y);
  flip(o.inertia.xy);
  flip(o.inertia.yz);
  for (ShapeSpec& s : o.shapes) {
    flip(s.X_OS.p.y);
    Mat3& R = s.X_OS.R;  // M R M with M = diag(1, −1, 1)
    for (double* x : {&R.x.y, &R.y.x, &R.y.z, &R.z.y}) flip(*x);
  }
  // a shift mirrors as a vector, a turn as an axial one: the right hand becomes a left hand
  const Vec3 a = o.axis, b = o.kind == ObjectKind::prismatic ? Vec3{a.x, 0 - a.y, a.z} : Vec3{0 - a.x, a.y, 0 - a.z};
  const bool reversed = b.x == -a.x && b.y == -a.y && b.z == -a.z;
  if (!reversed) {
    o.axis = b;
    return o;
  }
  std::swap(o.lower, o.upper);
  for (double* x : {&o.angle, &o.initial, &o.lower, &o.upper}) flip(*x);
  return o;
}

void ObjectReader::note(const char* property, const Place& place, bool good) {
  draft_.places[property] = good ? std::optional<Place>(place) : std::nullopt;
}

void ObjectReader::read(const toml::table& table, const std::string* previous) {
  TableReader t(table, log_);
  draft_ = ObjectDraft{};
  draft_.object.place = t.place();
  draft_.object.surface = defaults_.surface;
  draft_.object.colour = defaults_.colour;
  read_name(t);
  read_copy(t);
  read_kind(t);
  read_after(t, previous);
  read_frame(t);
  read_body(t);
  read_mass(t);
  read_joint(t);
  const std::size_t before = log_.size();
  if (const toml::table* flex = t.table("flex")) {
    read_flex(*flex);
    note("flex", place_of(*flex), log_.size() == before);
  }
  t.finish("an object");
  if (draft_.joint != nullptr) put_coordinates();
  index_.emplace(draft_.object.name, drafts_.size());
  drafts_.push_back(std::move(draft_));
}

/// Of a joint with a type of its own: objects before the child. Damping and spring were read into the child and are theirs.
void ObjectReader::put_coordinates() {
  ObjectSpec& child = draft_.object;
  for (ObjectSpec& o : coordinates_of(*draft_.joint, child.name)) {
    o.damping = child.damping, o.spring = child.spring;
    o.place = child.place;
    ObjectDraft d;
    d.after = o.column == 0 ? draft_.after : drafts_.back().object.name;
    d.places = draft_.places;
    d.object = std::move(o);
    index_.emplace(d.object.name, drafts_.size());
    drafts_.push_back(std::move(d));
  }
  child.damping = child.spring = 0;
  draft_.after = drafts_.back().object.name;
}

void ObjectReader::read_name(TableReader& t) {
  ObjectSpec& o = draft_.object;
  if (t.text("name", o.name)) {
    note("name", t.place("name"), true);
    return;
  }
  if (!t.has("name")) t.fault(t.place(), "the object has no name", "add name = \"…\"");
  o.name = fmt::format("object {}", drafts_.size() + 1);
  note("name", t.place(), false);
}

/// like = "another", mirror = "another": begins as a copy, or as the other side of the robot.
void ObjectReader::read_copy(TableReader& t) {
  const ObjectSpec* like = read_model(t, "like");
  const ObjectSpec* mirror = read_model(t, "mirror");
  copied_ = like != nullptr || mirror != nullptr;
  if (like != nullptr && mirror != nullptr)
    t.fault(t.place("mirror"), "like and mirror contradict each other", "give one of them");
  if (!copied_) return;
  ObjectSpec copy = mirror != nullptr ? mirrored(*mirror) : *like;
  copy.name = draft_.object.name;
  copy.place = draft_.object.place;
  draft_.object = std::move(copy);
}

/// The object that `like` or `mirror` names.
const ObjectSpec* ObjectReader::read_model(TableReader& t, const char* key) {
  std::string name;
  if (!t.text(key, name)) return nullptr;
  const auto it = index_.find(name);
  if (it == index_.end()) {
    std::vector<std::string> names;
    for (const ObjectDraft& d : drafts_) names.push_back(d.object.name);
    t.fault(t.place(key), fmt::format("{}: there is no object {} before this one", key, in_quotes(name)),
            did_you_mean(name, names));
    return nullptr;
  }
  const ObjectSpec& o = drafts_[it->second].object;
  const std::string_view word = key;
  if (drafts_[it->second].joint != nullptr || o.type != nullptr) {
    t.fault(t.place(key), fmt::format("{}: {} belongs to a joint of more than one coordinate", key, in_quotes(name)),
            "describe the object in full");
    return nullptr;
  }
  for (const ShapeSpec& s : o.shapes) {
    if (word == "mirror" && (s.kind == ShapeKind::mesh || s.kind == ShapeKind::hull) && !t.has("shape")) {
      t.fault(t.place(key), "mirror: the mesh of " + in_quotes(name) + " cannot be mirrored",
              "give this object its own shape");
    }
  }
  if (word == "mirror" && o.mimic && !t.has("mimic")) {
    t.fault(t.place(key), "mirror: " + in_quotes(name) + " mimics a joint", "give this object its own mimic");
  }
  return &o;
}

void ObjectReader::read_kind(TableReader& t) {
  std::string word;
  // while its kind is not known, an object that starts or goes on a tree raises no further complaint
  if (!copied_) draft_.object.kind = drafts_.empty() ? ObjectKind::base : ObjectKind::fork;
  const ObjectKind copied_kind = draft_.object.kind;
  kind_known_ = copied_;
  if (!t.text("kind", word)) {
    if (t.has("kind") || copied_ || t.has("like") || t.has("mirror")) return;
    t.fault(
        t.place(), "object " + in_quotes(draft_.object.name) + ": its kind is missing",
        "add kind = \"base\", \"translation\", \"rotation\", \"revolute\", \"prismatic\", \"fork\" or \"endpoint\"");
    return;
  }
  std::vector<std::string> names;
  for (const ObjectKind kind : kKinds) {
    names.emplace_back(to_string(kind));
    if (word != to_string(kind)) continue;
    draft_.object.kind = kind;
    kind_known_ = true;
    note("kind", t.place("kind"), true);
  }
  for (const JointType& type : all_joint_types()) {
    names.emplace_back(type.name);
    if (word != type.name || copied_) continue;
    draft_.joint = &type;
    draft_.object.kind = ObjectKind::fork;  // the child behind its coordinates
    kind_known_ = true;
    note("kind", t.place("kind"), true);
  }
  if (!one_of(names, word)) {
    t.fault(t.place("kind"), "there is no kind of object " + in_quotes(word), did_you_mean(word, names));
    kind_known_ = false;
  } else if (copied_ && (draft_.object.kind != copied_kind || find_joint_type(word))) {
    t.fault(t.place("kind"),
            fmt::format("the copied object is a {}, this one cannot be a {}", to_string(copied_kind), word),
            "remove kind, or describe the object in full");
    draft_.object.kind = copied_kind;
  }
}

void ObjectReader::read_after(TableReader& t, const std::string* previous) {
  const bool given = t.text("after", draft_.after);
  if (t.has("after")) note("after", t.place("after"), given);
  if (given || t.has("after") || (kind_known_ && draft_.object.kind == ObjectKind::base)) return;
  if (previous != nullptr) draft_.after = *previous;
}

std::string_view ObjectReader::word_of_kind() const {
  return draft_.joint != nullptr ? draft_.joint->name : to_string(draft_.object.kind);
}

/// Whether `key` may be given for this kind of object; says so if it is and may not.
bool ObjectReader::applies(TableReader& t, const char* key, bool applicable) {
  const bool given = t.get(key) != nullptr;
  if (given && !applicable && kind_known_) {
    t.fault(t.place(key),
            fmt::format("object {}: a {} has no {}", in_quotes(draft_.object.name), word_of_kind(), key),
            "remove it");
  }
  return given && applicable && kind_known_;
}

void ObjectReader::read_frame(TableReader& t) {
  ObjectSpec& o = draft_.object;
  const bool shifts = o.kind == ObjectKind::translation, turns = o.kind == ObjectKind::rotation;
  if (applies(t, "offset", shifts)) note("offset", t.place("offset"), t.vec3("offset", kLength, o.offset));
  if (applies(t, "axis", turns || o.is_joint())) note("axis", t.place("axis"), t.axis("axis", o.axis));
  if (applies(t, "angle", turns)) note("angle", t.place("angle"), t.quantity("angle", kAngle, o.angle));
  if (copied_ || !kind_known_) return;
  const auto need = [&](const char* key, const char* example) {
    if (!t.has(key)) {
      t.fault(o.place, fmt::format("object {}: a {} needs {}", in_quotes(o.name), to_string(o.kind), key),
              fmt::format("add {} = {}", key, example));
    }
  };
  if (shifts) need("offset", "[\"0 m\", \"0 m\", \"10 cm\"]");
  if (turns || o.is_joint()) need("axis", "\"y\"");
  if (turns) need("angle", "\"90 deg\"");
}

void ObjectReader::read_body(TableReader& t) {
  ObjectSpec& o = draft_.object;
  if (const toml::node* shape = t.get("shape"))
    note("shape", place_of(*shape), read_shapes(*shape, meshes_, o.shapes, log_));
  if (const toml::table* surface = t.table("surface")) {
    note("surface", place_of(*surface), read_surface(*surface, o.surface, log_));
  }
  if (t.has("colour"))
    note("colour", t.place("colour"), read_colour(t, o.colour));
  else
    t.get("colour");
}

/// False if it is wrong; a missing mass is not.
bool ObjectReader::read_mass_itself(TableReader& t) {
  ObjectSpec& o = draft_.object;
  if (t.get("mass") == nullptr) return true;
  bool sound = t.quantity("mass", kMass, o.mass);
  if (sound && !(o.mass > 0)) {
    t.fault(t.place("mass"), fmt::format("object {}: its mass is {} kg", in_quotes(o.name), o.mass),
            "a mass must be greater than 0");
    sound = false;
  }
  note("mass", t.place("mass"), sound);
  return sound;
}

void ObjectReader::read_mass(TableReader& t) {
  ObjectSpec& o = draft_.object;
  const double copied_mass = o.mass;
  const bool sound = read_mass_itself(t);
  const toml::node* inertia = t.get("inertia");
  if (!sound) {
    o.mass = 1;
    o.inertia = kPlaceholder;
  } else if (copied_mass > 0 && o.mass != copied_mass && inertia == nullptr) {
    const double k = o.mass / copied_mass;  // like another one, but denser
    Sym3& I = o.inertia;
    I = {I.xx * k, I.xy * k, I.xz * k, I.yy * k, I.yz * k, I.zz * k};
  }
  const bool com_given = t.get("com") != nullptr;
  if (com_given) note("com", t.place("com"), t.vec3("com", kLength, o.com));
  if (inertia == nullptr) return;
  if (!t.has("mass") && o.mass == 0) {
    t.fault(place_of(*inertia), "object " + in_quotes(o.name) + ": it has an inertia but no mass",
            "give its mass, or remove the inertia");
    note("inertia", place_of(*inertia), false);
  }
  const std::size_t before = log_.size();
  read_inertia(*inertia, com_given);
  const bool good = log_.size() == before;
  if (draft_.places.find("inertia") == draft_.places.end()) note("inertia", place_of(*inertia), good && sound);
  if (!good || !sound) o.inertia = kPlaceholder;
}

/// Three or six numbers, "shape", or the solid that has it.
void ObjectReader::read_inertia(const toml::node& node, bool com_given) {
  ObjectSpec& o = draft_.object;
  if (const toml::array* a = node.as_array()) {
    double x[6] = {0, 0, 0, 0, 0, 0};
    const std::size_t count = a->size() == 6 ? 6 : 3;
    if (!read_quantities(node, "inertia", kInertia, count, x, log_)) return;
    o.inertia = {x[0], x[3], x[4], x[1], x[5], x[2]};  // written xx yy zz xy xz yz
  } else if (const toml::table* solid = node.as_table()) {
    read_solid_inertia(*solid);
  } else if (node.is_string() && node.ref<std::string>() == "shape") {
    read_inertia_of_own_shape(place_of(node), com_given);
  } else {
    log_.push_back({place_of(node), Severity::error, "inertia: this is no inertia",
                    "write 3 or 6 values, a solid such as { box = [...] }, or \"shape\""});
  }
}

void ObjectReader::read_solid_inertia(const toml::table& table) {
  ShapeSpec solid;
  if (!read_shape(table, meshes_, solid, log_)) return;
  if (table.contains("at") || !inertia_of_shape(solid, draft_.object.mass, draft_.object.inertia)) {
    log_.push_back({place_of(table), Severity::error, "inertia: this is no solid about its own centre",
                    "use sphere, box, capsule or cylinder, and com for its place"});
  }
}

void ObjectReader::read_inertia_of_own_shape(const Place& place, bool com_given) {
  ObjectSpec& o = draft_.object;
  const auto shape_place = draft_.places.find("shape");
  if (shape_place != draft_.places.end() && !shape_place->second) return;  // the shape is bad and reported
  if (o.shapes.size() != 1 || !inertia_of_shape(o.shapes[0], o.mass, o.inertia)) {
    log_.push_back({place, Severity::error,
                    "inertia: \"shape\" needs exactly one shape that is a sphere, box, capsule or cylinder",
                    "write the inertia as numbers or as a solid, e.g. { box = [...] }"});
  } else if (!com_given) {
    o.com = o.shapes[0].X_OS.p;
  }
}

void ObjectReader::read_joint(TableReader& t) {
  ObjectSpec& o = draft_.object;
  const auto turns = [](const Vec6& S) { return dot(S.a, S.a) > 0; };
  const JointType* type = draft_.joint;
  const bool sliding = type && std::none_of(type->S.begin(), type->S.begin() + type->dof, turns);
  const bool alike = type && (sliding || std::all_of(type->S.begin(), type->S.begin() + type->dof, turns));
  const JointUnits units = JointUnits::of(type ? sliding ? ObjectKind::prismatic : ObjectKind::revolute : o.kind);
  const bool joint = o.is_joint();
  if (applies(t, "limits", joint)) read_limits(t, units);
  if (applies(t, "initial", joint)) note("initial", t.place("initial"), t.quantity("initial", units.q, o.initial));
  if (applies(t, "damping", joint || alike))
    note("damping", t.place("damping"), t.quantity("damping", units.damping, o.damping));
  if (applies(t, "friction", joint))
    note("friction", t.place("friction"), t.quantity("friction", units.force, o.friction));
  if (applies(t, "mimic", joint)) read_mimic(t, units);
  if (applies(t, "servo", joint)) read_servo_key(t);
  if (applies(t, "spring", joint || alike)) note("spring", t.place("spring"), t.quantity("spring", units.stiffness, o.spring));
  if (applies(t, "stop", joint)) read_stop(t, units);
  if (!t.has("servo") && joint && !copied_) take_default_servo();
}

void ObjectReader::read_stop(TableReader& t, const JointUnits& units) {
  const toml::table* table = t.table("stop");
  if (table == nullptr) return note("stop", t.place("stop"), false);
  const std::size_t before = log_.size();
  TableReader s(*table, log_);
  s.quantity("stiffness", units.stiffness, draft_.object.stop_stiffness);
  s.quantity("damping", units.damping, draft_.object.stop_damping);
  s.finish("a stop");
  note("stop", place_of(*table), log_.size() == before);
}

void ObjectReader::read_limits(TableReader& t, const JointUnits& units) {
  double x[2];
  const bool good = read_quantities(*t.get("limits"), "limits", units.q, 2, x, log_);
  note("limits", t.place("limits"), good);
  if (!good) return;
  draft_.object.lower = x[0];
  draft_.object.upper = x[1];
}

void ObjectReader::take_default_servo() {
  ObjectSpec& o = draft_.object;
  if (!defaults_.servo || defaults_.servo->kind != o.kind) return;
  o.servo = defaults_.servo->servo;
  o.drive = defaults_.servo->drive;
}

/// The name of a servo or of its file, or a table: the numbers that differ from the default one.
void ObjectReader::read_servo_key(TableReader& t) {
  ObjectSpec& o = draft_.object;
  const toml::node& node = *t.get("servo");
  if (const toml::table* table = node.as_table()) {
    if (!copied_) take_default_servo();
    note("servo", place_of(node), read_any_servo(*table, o.kind, meshes_.options, o.servo, o.drive, log_));
    return;
  }
  std::string name;
  if (!t.text("servo", name)) return note("servo", place_of(node), false);
  if (name.ends_with(".toml")) {
    o.drive.emplace();
    return note("servo", place_of(node), read_chain_file(name, place_of(node), meshes_.options, *o.drive, log_));
  }
  const auto it = defaults_.servos.find(name);
  const bool known = it != defaults_.servos.end();
  note("servo", place_of(node), known && it->second.kind == o.kind);
  if (!known) {
    std::vector<std::string> names;
    for (const auto& [key, value] : defaults_.servos) names.push_back(key);
    t.fault(place_of(node), "there is no servo " + in_quotes(name),
            names.empty() ? "add [servo." + name + "] to the file" : did_you_mean(name, names));
  } else if (it->second.kind != o.kind) {
    t.fault(place_of(node),
            fmt::format("servo {} has the units of a {} joint, and this one is {}", in_quotes(name),
                        to_string(it->second.kind), to_string(o.kind)),
            "use another servo");
  } else {
    o.servo = it->second.servo;
    o.drive = it->second.drive;
  }
}

/// flex = { cuts = 1, stiffness = "2000 N m/rad", damping = "5 N m s/rad", axes = 2, along = "z" }
void ObjectReader::read_flex(const toml::table& table) {
  TableReader t(table, log_);
  FlexSpec flex;
  std::int64_t cuts = 1, axes = 2;
  t.integer("cuts", 1, kMaxCuts, cuts);
  t.integer("axes", 2, 3, axes);
  t.quantity("stiffness", kAngularStiffness, flex.stiffness);
  t.quantity("damping", kAngularDamping, flex.damping);
  t.axis("along", flex.along);
  t.finish("flex");
  flex.cuts = static_cast<int>(cuts);
  flex.twists = axes == 3;
  draft_.object.flex = flex;
}

void ObjectReader::read_mimic(TableReader& t, const JointUnits& units) {
  const toml::table* table = t.table("mimic");
  if (table == nullptr) return note("mimic", t.place("mimic"), false);
  const std::size_t before = log_.size();
  TableReader m(*table, log_);
  MimicSpec mimic;
  if (!m.text("of", mimic.of) && !m.has("of")) m.fault(m.place(), "'of' is missing", "name the joint to mimic");
  m.number("multiplier", mimic.multiplier);
  m.quantity("offset", units.q, mimic.offset);
  m.finish("a mimic");
  const bool good = log_.size() == before;
  note("mimic", place_of(*table), good);
  if (good) draft_.object.mimic = std::move(mimic);
}

}  // namespace gradus
