#include "load/urdf_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include "load/mesh_store.h"

namespace gradus {

namespace {

const std::vector<std::string> kIgnored{"gazebo", "transmission"};  // other programs' business, anywhere
const std::vector<std::string> kShapes{"box", "cylinder", "sphere", "capsule", "mesh"};

struct Origin {
  Vec3 xyz{0, 0, 0}, rpy{0, 0, 0};
  Mat3 R() const { return to_matrix(from_roll_pitch_yaw(rpy.x, rpy.y, rpy.z)); }
};

class ElementReader {
 public:
  explicit ElementReader(const XmlFile& xml) : xml_(xml), meshes_(xml.path(), xml.problems()) {}

  UrdfElements read() {
    const pugi::xml_node robot = xml_.root();
    xml_.warn_unknown(robot, {"name", "version"}, {"link", "joint", "material"}, kIgnored);
    out_.name = usable_robot_name(robot);
    collect_materials(robot);
    for (const pugi::xml_node n : robot.children("link")) out_.links.push_back(read_link(n));
    for (const pugi::xml_node n : robot.children("joint")) out_.joints.push_back(read_joint(n));
    out_.meshes = std::move(meshes_).take();
    return std::move(out_);
  }

 private:
  void error(const Place& place, std::string text, std::string suggestion = "") const {
    xml_.problems().error(place, std::move(text), std::move(suggestion));
  }
  void warning(const Place& place, std::string text, std::string suggestion = "") const {
    xml_.problems().warning(place, std::move(text), std::move(suggestion));
  }

  /// Nothing refers to the robot's name, so unusable characters are replaced rather than refused.
  std::string usable_robot_name(pugi::xml_node robot) const {
    if (!robot.attribute("name")) {
      const std::string stem = usable_name(std::filesystem::path(xml_.path()).stem().string());
      warning(xml_.place(robot), fmt::format("<robot> has no attribute 'name': it becomes '{}'", stem),
              "write <robot name=\"…\">");
      return stem;
    }
    const std::string name = xml_.text(robot, "name");
    const std::string usable = usable_name(name);
    if (usable != name) {
      warning(xml_.place(robot, "name"), fmt::format("the robot's name {} becomes '{}'", in_quotes(name), usable),
              "use letters, digits, '_' and '-'");
    }
    return usable;
  }

  // ---- materials

  /// All definitions first: a link may use a material that stands further down, or inside another link.
  void collect_materials(pugi::xml_node robot) {
    for (const pugi::xml_node m : robot.children("material")) define_material(m);
    for (const pugi::xml_node link : robot.children("link")) {
      for (const pugi::xml_node visual : link.children("visual")) define_material(visual.child("material"));
    }
  }

  void define_material(pugi::xml_node material) {
    const pugi::xml_node colour = material.child("color");
    if (!material || (!colour && !material.child("texture"))) return;
    xml_.warn_unknown(material, {"name"}, {"color", "texture"});
    const std::optional<Vec3> rgb = colour ? read_colour(colour) : std::nullopt;
    materials_.emplace(material.attribute("name").value(), rgb);
    if (rgb) colours_.emplace(material.offset_debug(), *rgb);
  }

  std::optional<Vec3> read_colour(pugi::xml_node colour) const {
    std::array<double, 4> rgba{};
    if (!xml_.numbers(colour, "rgba", rgba)) return std::nullopt;
    if (std::any_of(rgba.begin(), rgba.end(), [](double c) { return c < 0 || c > 1; })) {
      error(xml_.place(colour, "rgba"), "rgba: a part is not between 0 and 1", "divide by 255 if they are bytes");
      return std::nullopt;
    }
    return Vec3{rgba[0], rgba[1], rgba[2]};
  }

  std::optional<Vec3> colour_of(pugi::xml_node visual) const {
    const pugi::xml_node material = xml_.child(visual, "material");
    if (!material) return std::nullopt;
    const auto own = colours_.find(material.offset_debug());
    if (own != colours_.end()) return own->second;
    if (material.child("color") || material.child("texture")) return std::nullopt;
    const auto named = materials_.find(material.attribute("name").value());
    if (named != materials_.end()) return named->second;
    std::vector<std::string> names;
    for (const auto& [name, rgb] : materials_) names.push_back(name);
    warning(xml_.place(material), fmt::format("there is no material {}", in_quotes(material.attribute("name").value())),
            near_to(material.attribute("name").value(), names));
    return std::nullopt;
  }

  static std::string near_to(const std::string& word, const std::vector<std::string>& known) {
    return word.size() > 200 || known.size() > 1000 ? "" : did_you_mean_or(word, known, "");
  }

  // ---- links

  UrdfLink read_link(pugi::xml_node n) {
    xml_.warn_unknown(n, {"name", "type"}, {"inertial", "visual", "collision"}, kIgnored);
    UrdfLink link;
    link.body.name = xml_.text(n, "name");
    link.body.place = xml_.place(n);
    link.places["name"] = link.body.name.empty() ? std::nullopt : std::optional(xml_.place(n, "name"));
    if (const pugi::xml_node inertial = xml_.child(n, "inertial")) read_inertial(inertial, link);
    for (const pugi::xml_node visual : n.children("visual")) {
      add_shape(visual, link, [](ShapeSpec& s) { s.collides = false; });
      const std::optional<Vec3> colour = colour_of(visual);
      if (!link.body.colour) link.body.colour = colour;
    }
    const bool has_visual = !link.body.shapes.empty();  // one that could be read: else the collision shapes are drawn
    for (const pugi::xml_node collision : n.children("collision")) {
      add_shape(collision, link, [&](ShapeSpec& s) { s.visible = !has_visual; });
    }
    return link;
  }

  /// <inertia> is about the centre of mass, in axes turned by the origin's rpy: I_L = R I Rᵀ.
  void read_inertial(pugi::xml_node n, UrdfLink& link) {
    xml_.warn_unknown(n, {}, {"origin", "mass", "inertia"});
    Origin origin;
    bool ok = read_origin(n, origin);
    const pugi::xml_node mass = xml_.child(n, "mass"), inertia = xml_.child(n, "inertia");
    if (!mass) {
      error(xml_.place(n), "<inertial> has no <mass>", "add <mass value=\"…\"/> in kg");
      ok = false;
    } else {
      xml_.warn_unknown(mass, {"value"}, {});
      ok = xml_.number(mass, "value", link.body.mass) && ok;
    }
    Sym3 I_C{0, 0, 0, 0, 0, 0};  // in the axes of the centre-of-mass frame C
    if (inertia) ok = read_inertia(inertia, I_C) && ok;
    link.body.com = origin.xyz;
    link.body.inertia = rotated(origin.R(), I_C);
    const Place mass_place = mass ? xml_.place(mass, "value") : xml_.place(n);
    link.places["mass"] = link.places["com"] = mass_place;
    link.places["inertia"] = inertia ? xml_.place(inertia) : mass_place;
    if (ok) forget_zero_mass(link, mass_place);
    if (ok) return;
    out_.masses_complete = false;
    link.places["mass"] = link.places["com"] = link.places["inertia"] = std::nullopt;
  }

  bool read_inertia(pugi::xml_node n, Sym3& I) const {
    xml_.warn_unknown(n, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {});
    bool ok = xml_.number(n, "ixx", I.xx);
    ok = xml_.optional_number(n, "ixy", I.xy) && ok;
    ok = xml_.optional_number(n, "ixz", I.xz) && ok;
    ok = xml_.number(n, "iyy", I.yy) && ok;
    ok = xml_.optional_number(n, "iyz", I.yz) && ok;
    return xml_.number(n, "izz", I.zz) && ok;
  }

  /// Exporters write mass 0 for links that only hold a frame. With an inertia it is a mistake [urdf_masses.h].
  void forget_zero_mass(UrdfLink& link, const Place& place) const {
    const Sym3& I = link.body.inertia;
    const bool no_inertia = I.xx == 0 && I.yy == 0 && I.zz == 0 && I.xy == 0 && I.xz == 0 && I.yz == 0;
    if (link.body.mass != 0) return;
    link.body.com = {0, 0, 0};
    if (no_inertia) warning(place, "mass 0: the link has no mass", "remove <inertial>, or give the mass in kg");
  }

  bool read_origin(pugi::xml_node parent, Origin& origin) const {
    const pugi::xml_node n = xml_.child(parent, "origin");
    if (!n) return true;
    if (n.attribute("quat_xyzw")) {
      error(xml_.place(n, "quat_xyzw"), "quaternions are not read", "write the rotation as rpy=\"roll pitch yaw\"");
      return false;
    }
    xml_.warn_unknown(n, {"xyz", "rpy"}, {});
    const bool ok = xml_.optional_vector(n, "xyz", origin.xyz);
    return xml_.optional_vector(n, "rpy", origin.rpy) && ok;
  }

  // ---- shapes

  template <class Mark>
  void add_shape(pugi::xml_node n, UrdfLink& link, const Mark& mark) {
    const bool visual = std::string_view(n.name()) == "visual";
    xml_.warn_unknown(n, {"name"},
                      visual ? std::vector<std::string>{"origin", "geometry", "material"}
                             : std::vector<std::string>{"origin", "geometry"},
                      kIgnored);
    ShapeSpec shape;
    Origin origin;
    const bool origin_ok = read_origin(n, origin);
    const pugi::xml_node geometry = xml_.child(n, "geometry");
    if (!geometry) {
      error(xml_.place(n), fmt::format("<{}> has no <geometry>", n.name()),
            "add one with a box, sphere, cylinder, capsule or mesh");
      return;
    }
    if (!read_geometry(geometry, shape) || !origin_ok) return;
    shape.X_OS = {origin.R(), origin.xyz};
    mark(shape);
    link.body.shapes.push_back(std::move(shape));
  }

  bool read_geometry(pugi::xml_node geometry, ShapeSpec& shape) {
    xml_.warn_unknown(geometry, {}, kShapes);
    pugi::xml_node found;
    for (const pugi::xml_node n : geometry.children()) {
      if (std::find(kShapes.begin(), kShapes.end(), n.name()) == kShapes.end()) continue;
      if (found) {
        warning(xml_.place(n), "a second shape in <geometry> is ignored",
                "write one <collision> or <visual> for each shape");
        break;
      }
      found = n;
    }
    if (!found) {
      error(xml_.place(geometry), "<geometry> has no shape", "use a box, sphere, cylinder, capsule or mesh");
      return false;
    }
    shape.place = xml_.place(found);
    return read_shape(found, shape);
  }

  bool read_shape(pugi::xml_node n, ShapeSpec& s) {
    const std::string kind = n.name();
    if (kind == "mesh") return read_mesh(n, s);
    if (kind == "box") {
      xml_.warn_unknown(n, {"size"}, {});
      s.kind = ShapeKind::box;
      return xml_.vector(n, "size", s.size) && positive(n, "size", std::min({s.size.x, s.size.y, s.size.z}));
    }
    const bool sphere = kind == "sphere";
    s.kind = sphere ? ShapeKind::sphere : kind == "capsule" ? ShapeKind::capsule : ShapeKind::cylinder;
    xml_.warn_unknown(n, sphere ? std::vector<std::string>{"radius"} : std::vector<std::string>{"radius", "length"},
                      {});
    bool ok = xml_.number(n, "radius", s.radius) && positive(n, "radius", s.radius);
    if (!sphere) ok = xml_.number(n, "length", s.length) && positive(n, "length", s.length) && ok;
    return ok;
  }

  bool positive(pugi::xml_node n, const char* attribute, double value) const {
    if (value > 0) return true;
    if (value < 0)
      error(xml_.place(n, attribute), fmt::format("{}: the {} must be larger than 0", attribute, n.name()),
            "lengths are in metres");
    else
      warning(xml_.place(n, attribute), fmt::format("{}: the {} has no size and is left out", attribute, n.name()),
              "lengths are in metres");
    return false;
  }

  bool read_mesh(pugi::xml_node n, ShapeSpec& s) {
    xml_.warn_unknown(n, {"filename", "scale"}, {});
    s.kind = ShapeKind::mesh;
    s.size = {1, 1, 1};
    const std::string name = xml_.text(n, "filename");
    if (!xml_.optional_vector(n, "scale", s.size) || name.empty()) return false;
    if (s.size.x == 0 || s.size.y == 0 || s.size.z == 0) {
      error(xml_.place(n, "scale"), "scale: 0 makes the mesh flat", "write scale=\"1 1 1\" for a file in metres");
      return false;
    }
    const bool visual = std::string_view(n.parent().parent().name()) == "visual";
    s.mesh = meshes_.get(name, s.size, xml_.place(n, "filename"), visual ? MeshUse::drawn : MeshUse::touched);
    return s.mesh >= 0;
  }

  // ---- joints

  UrdfJoint read_joint(pugi::xml_node n) const {
    xml_.warn_unknown(n, {"name", "type"}, {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"},
                      {"gazebo", "transmission", "calibration", "safety_controller"});
    UrdfJoint joint;
    ObjectSpec& o = joint.object;
    o.name = xml_.text(n, "name");
    o.place = xml_.place(n);
    joint.places["name"] = o.name.empty() ? std::nullopt : std::optional(xml_.place(n, "name"));
    joint.type = read_type(n);
    o.kind = joint.type == UrdfJointType::prismatic ? ObjectKind::prismatic : ObjectKind::revolute;
    joint.parent = read_end(n, "parent", joint.parent_place);
    joint.child = read_end(n, "child", joint.child_place);
    Origin origin;
    read_origin(n, origin);
    joint.xyz = origin.xyz;
    joint.rpy = origin.rpy;
    if (is_moving(joint.type)) read_moving(n, joint);
    return joint;
  }

  static bool is_moving(UrdfJointType type) {
    return type == UrdfJointType::revolute || type == UrdfJointType::continuous || type == UrdfJointType::prismatic;
  }

  UrdfJointType read_type(pugi::xml_node n) const {
    static const std::vector<std::pair<std::string, UrdfJointType>> kTypes{{"fixed", UrdfJointType::fixed},
                                                                           {"revolute", UrdfJointType::revolute},
                                                                           {"continuous", UrdfJointType::continuous},
                                                                           {"prismatic", UrdfJointType::prismatic},
                                                                           {"floating", UrdfJointType::floating}};
    const std::string type = xml_.text(n, "type");
    if (type.empty()) return UrdfJointType::unknown;
    std::vector<std::string> names;
    for (const auto& [name, value] : kTypes) {
      if (name == type) return value;
      names.push_back(name);
    }
    if (type == "planar") {
      error(xml_.place(n, "type"), "planar joints are not supported",
            "use two prismatic joints and a continuous one with a link between each");
    } else {
      const std::string guess = near_to(type, names);
      error(xml_.place(n, "type"), "unknown joint type " + in_quotes(type),
            guess.empty() ? fmt::format("known are {}", fmt::join(names, ", ")) : guess);
    }
    return UrdfJointType::unknown;
  }

  std::string read_end(pugi::xml_node joint, const char* which, Place& place) const {
    const pugi::xml_node n = xml_.child(joint, which);
    if (!n) {
      error(xml_.place(joint), fmt::format("<joint> has no <{}>", which), fmt::format("add <{} link=\"…\"/>", which));
      return "";
    }
    xml_.warn_unknown(n, {"link"}, {});
    place = xml_.place(n, "link");
    return xml_.text(n, "link");
  }

  void read_moving(pugi::xml_node n, UrdfJoint& joint) const {
    ObjectSpec& o = joint.object;
    o.axis = {1, 0, 0};  // URDF's default
    if (const pugi::xml_node axis = xml_.child(n, "axis")) {
      xml_.warn_unknown(axis, {"xyz"}, {});
      joint.places["axis"] = xml_.vector(axis, "xyz", o.axis) ? std::optional(xml_.place(axis, "xyz")) : std::nullopt;
    }
    read_limit(n, joint);
    if (const pugi::xml_node dynamics = xml_.child(n, "dynamics")) {
      xml_.warn_unknown(dynamics, {"damping", "friction"}, {});
      for (auto [name, value] : {std::pair{"damping", &o.damping}, std::pair{"friction", &o.friction}}) {
        const bool ok = xml_.optional_number(dynamics, name, *value);
        joint.places[name] = ok ? std::optional(xml_.place(dynamics, name)) : std::nullopt;
      }
    }
    if (const pugi::xml_node mimic = xml_.child(n, "mimic")) read_mimic(mimic, joint);
  }

  void read_limit(pugi::xml_node n, UrdfJoint& joint) const {
    const pugi::xml_node limit = xml_.child(n, "limit");
    const bool bounded = joint.type != UrdfJointType::continuous;
    if (!limit) {
      if (!bounded) return;
      warning(joint.object.place,
              fmt::format("the {} joint {} has no <limit>: taken as unlimited", n.attribute("type").value(),
                          in_quotes(joint.object.name)),
              "add <limit lower=\"…\" upper=\"…\" effort=\"…\" velocity=\"…\"/>");
      return;
    }
    xml_.warn_unknown(limit, {"lower", "upper", "effort", "velocity"}, {});
    ObjectSpec& o = joint.object;
    if (bounded) read_range(limit, joint);
    bool ok = read_bound(limit, "effort", o.servo.torque);
    ok = read_bound(limit, "velocity", o.servo.speed) && ok;
    joint.places["servo"] = ok ? std::optional(xml_.place(limit)) : std::nullopt;
  }

  /// No range, 0 … 0 and a reversed one mean "unlimited", as MuJoCo and Bullet read them.
  void read_range(pugi::xml_node limit, UrdfJoint& joint) const {
    ObjectSpec& o = joint.object;
    double lower = 0, upper = 0;
    bool ok = xml_.optional_number(limit, "lower", lower);
    ok = xml_.optional_number(limit, "upper", upper) && ok;
    joint.places["limits"] = joint.places["initial"] = ok ? std::optional(xml_.place(limit)) : std::nullopt;
    if (!ok) return;
    if (lower > upper || (lower == 0 && upper == 0)) {
      const bool given = limit.attribute("lower") || limit.attribute("upper");
      warning(xml_.place(limit),
              given ? fmt::format("lower {:.6g}, upper {:.6g}: taken as unlimited", lower, upper)
                    : "<limit> has no lower and upper: taken as unlimited",
              "give the joint's range, or make it fixed if it does not move");
      return;
    }
    if (lower == upper)
      warning(xml_.place(limit), "lower and upper are equal: the joint cannot move",
              "make it fixed, or give its range");
    o.lower = lower, o.upper = upper;
    o.initial = std::max(lower, std::min(upper, 0.0));  // URDF has no start posture: 0, or the limit next to it
  }

  /// Exporters write 0 or −1 where they know nothing; a joint without torque or speed would be no joint.
  bool read_bound(pugi::xml_node limit, const char* attribute, double& bound) const {
    const double unlimited = bound;
    if (!limit.attribute(attribute)) {
      warning(xml_.place(limit), fmt::format("<limit> has no attribute '{}': taken as unlimited", attribute), "add it");
      return true;
    }
    if (!xml_.number(limit, attribute, bound)) return false;
    if (bound <= 0) {
      warning(xml_.place(limit, attribute), fmt::format("{} {:.6g}: taken as unlimited", attribute, bound),
              "give the motor's value");
      bound = unlimited;
    }
    return true;
  }

  void read_mimic(pugi::xml_node n, UrdfJoint& joint) const {
    xml_.warn_unknown(n, {"joint", "multiplier", "offset"}, {});
    MimicSpec mimic;
    mimic.of = xml_.text(n, "joint");
    bool ok = !mimic.of.empty();
    ok = xml_.optional_number(n, "multiplier", mimic.multiplier) && ok;
    ok = xml_.optional_number(n, "offset", mimic.offset) && ok;
    joint.places["mimic"] = xml_.place(n);
    if (ok) joint.object.mimic = mimic;
  }

  const XmlFile& xml_;
  MeshStore meshes_;
  UrdfElements out_;
  std::map<std::string, std::optional<Vec3>> materials_;  // by name
  std::map<std::ptrdiff_t, Vec3> colours_;                // of the definitions, by their offset in the file
};

}  // namespace

std::string usable_name(const std::string& name) {
  std::string usable = name.substr(0, 200);
  const auto bad = [](unsigned char c) { return c <= ' ' || c == '.' || c == '=' || c == '/' || c >= 0x7f; };
  std::replace_if(usable.begin(), usable.end(), bad, '_');
  return usable;
}

UrdfElements read_urdf_elements(const XmlFile& file) { return ElementReader(file).read(); }

}  // namespace gradus
