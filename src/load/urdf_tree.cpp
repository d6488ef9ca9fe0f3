#include "load/urdf_tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "load/urdf.h"
#include "load/urdf_masses.h"
#include "model/check.h"

namespace gradus {

namespace {

bool is_zero(Vec3 a) { return a.x == 0 && a.y == 0 && a.z == 0; }

/// Axis and angle of rpy. A turn about one axis keeps its number; others go through the quaternion.
void set_rotation(ObjectSpec& o, Vec3 rpy) {
  const int turns = (rpy.x != 0) + (rpy.y != 0) + (rpy.z != 0);
  if (turns == 1) {
    o.axis = {rpy.x != 0 ? 1.0 : 0.0, rpy.y != 0 ? 1.0 : 0.0, rpy.z != 0 ? 1.0 : 0.0};
    o.angle = rpy.x + rpy.y + rpy.z;
    return;
  }
  const Vec3 r = logarithm(from_roll_pitch_yaw(rpy.x, rpy.y, rpy.z));
  o.angle = norm(r);
  o.axis = o.angle > 0 ? r * (1 / o.angle) : Vec3{0, 0, 1};
}

}  // namespace

UrdfTree::UrdfTree(UrdfElements elements, const XmlFile& file)
    : in_(std::move(elements)), file_(file), errors_before_(file.problems().error_count()) {}

void UrdfTree::error(const Place& place, std::string text, std::string suggestion) const {
  file_.problems().error(place, std::move(text), std::move(suggestion));
}

void UrdfTree::warning(const Place& place, std::string text, std::string suggestion) const {
  file_.problems().warning(place, std::move(text), std::move(suggestion));
}

RobotSpec UrdfTree::build() {
  robot_.name = in_.name;
  robot_.file = file_.path();
  robot_.meshes = std::move(in_.meshes);
  add_world_link();
  index_links();
  index_joints();
  sound_ = file_.problems().error_count() == errors_before_ && elements_are_complete();
  check_mimics();
  if (sound_) find_root();
  if (sound_) choose_root_kind();
  if (sound_) add_tree();
  if (!sound_) add_everything_flat();
  make_names_usable();
  if (sound_) complete_robot_masses();
  check_objects();
  return std::move(robot_);
}

/// The nearest of the elements' names. Bounded, so that thousands of wrong references do not become millions of
/// comparisons.
template <class Element, class NameOf>
std::string UrdfTree::nearest_name(const std::string& word, const std::vector<Element>& elements, const NameOf& name_of,
                                   const char* otherwise) const {
  if (file_.problems().full() || word.size() > 200) return otherwise;
  std::vector<std::string> candidates;
  for (const Element& e : elements) {
    if (name_of(e).size() <= 200 && candidates.size() < 500) candidates.push_back(name_of(e));
  }
  return did_you_mean_or(word, candidates, otherwise);
}

// ---- structure

/// A nameless link or a joint of unknown type or without ends is already reported; what it leaves apart is no second
/// root.
bool UrdfTree::elements_are_complete() const {
  return std::none_of(in_.links.begin(), in_.links.end(), [](const UrdfLink& l) { return l.body.name.empty(); }) &&
         std::none_of(in_.joints.begin(), in_.joints.end(), [](const UrdfJoint& j) {
           return j.parent.empty() || j.child.empty() || j.object.name.empty() || j.type == UrdfJointType::unknown;
         });
}

/// Some programs know the link "world" without being told.
void UrdfTree::add_world_link() {
  const std::string world = "world";
  if (std::any_of(in_.links.begin(), in_.links.end(), [&](const UrdfLink& l) { return l.body.name == world; })) return;
  const auto joint =
      std::find_if(in_.joints.begin(), in_.joints.end(), [&](const UrdfJoint& j) { return j.parent == world; });
  if (joint == in_.joints.end()) return;
  UrdfLink link;
  link.body.name = world;
  link.body.place = joint->parent_place;
  link.places["name"] = joint->parent_place;
  in_.links.push_back(std::move(link));
  warning(joint->parent_place, "there is no link 'world': it is taken as the ground", "add <link name=\"world\"/>");
}

void UrdfTree::index_links() {
  nodes_.resize(in_.links.size());
  for (int i = 0; i < static_cast<int>(in_.links.size()); ++i) {
    UrdfLink& link = in_.links[i];
    const auto [first, fresh] = links_.emplace(link.body.name, i);
    if (fresh || link.body.name.empty()) continue;
    error(*link.places["name"], "there are two links " + in_quotes(link.body.name),
          fmt::format("the first is at line {}", in_.links[first->second].body.place.line));
    link.places["name"] = std::nullopt;
  }
  if (in_.links.empty()) error(file_.place(file_.root()), "the robot has no link", "add <link name=\"…\"/>");
}

void UrdfTree::index_joints() {
  for (int i = 0; i < static_cast<int>(in_.joints.size()); ++i) {
    UrdfJoint& joint = in_.joints[i];
    const auto [first, fresh] = joints_.emplace(joint.object.name, i);
    if (!fresh && !joint.object.name.empty()) {
      error(*joint.places["name"], "there are two joints " + in_quotes(joint.object.name),
            fmt::format("the first is at line {}", in_.joints[first->second].object.place.line));
      joint.places["name"] = std::nullopt;
    }
    connect_joint(i);
  }
}

void UrdfTree::connect_joint(int i) {
  const UrdfJoint& joint = in_.joints[i];
  const int parent = link_of(joint.parent, joint.parent_place), child = link_of(joint.child, joint.child_place);
  if (parent < 0 || child < 0) return;
  if (parent == child) {
    error(joint.child_place,
          fmt::format("the joint {} connects the link {} with itself", in_quotes(joint.object.name),
                      in_quotes(joint.child)),
          "name another child");
  } else if (nodes_[child].parent >= 0) {
    const ObjectSpec& other = in_.joints[nodes_[child].parent].object;
    error(
        joint.child_place,
        fmt::format("the link {} is already the child of the joint {}", in_quotes(joint.child), in_quotes(other.name)),
        fmt::format("that one is at line {}; a link has one parent, loops cannot be described", other.place.line));
  } else {
    nodes_[child].parent = i;
    nodes_[parent].children.push_back(i);
  }
}

int UrdfTree::link_of(const std::string& name, const Place& place) const {
  if (name.empty()) return -1;  // reported where it was read
  const auto it = links_.find(name);
  if (it != links_.end()) return it->second;
  const auto name_of = [](const UrdfLink& l) -> const std::string& { return l.body.name; };
  error(place, "there is no link " + in_quotes(name),
        nearest_name(name, in_.links, name_of, "add <link name=\"…\"/> for it"));
  return -1;
}

/// A joint that follows one that is not there, or does not move, moves by itself.
void UrdfTree::check_mimics() {
  for (UrdfJoint& joint : in_.joints) {
    if (!joint.object.mimic) continue;
    const std::string of = joint.object.mimic->of;
    const auto it = joints_.find(of);
    const bool moves = it != joints_.end() && in_.joints[it->second].type != UrdfJointType::fixed &&
                       in_.joints[it->second].type != UrdfJointType::floating;
    if (moves) continue;
    const auto name_of = [](const UrdfJoint& j) -> const std::string& { return j.object.name; };
    if (it == joints_.end()) {
      warning(*joint.places["mimic"],
              fmt::format("there is no joint {}: {} moves by itself", in_quotes(of), in_quotes(joint.object.name)),
              nearest_name(of, in_.joints, name_of, "name a joint of this robot"));
    } else {
      warning(
          *joint.places["mimic"],
          fmt::format("the joint {} does not move: {} moves by itself", in_quotes(of), in_quotes(joint.object.name)),
          "name a joint that moves");
    }
    joint.object.mimic.reset();
  }
}

void UrdfTree::find_root() {
  for (int i = 0; i < static_cast<int>(nodes_.size()); ++i) {
    if (nodes_[i].parent >= 0) continue;
    if (root_ < 0) {
      root_ = i;
      continue;
    }
    sound_ = false;
    error(in_.links[i].body.place, fmt::format("the link {} is a second root", in_quotes(in_.links[i].body.name)),
          fmt::format("the first is '{}' at line {}: connect them by a joint", in_.links[root_].body.name,
                      in_.links[root_].body.place.line));
  }
  report_cycles();
}

/// Every link has at most one parent, so the way up from a link ends at a root or runs into a circle.
void UrdfTree::report_cycles() {
  std::vector<int> walk(nodes_.size(), -1);  // the walk that came by first
  for (int start = 0; start < static_cast<int>(nodes_.size()); ++start) {
    int i = start;
    const auto above = [&](int link) { return links_.at(in_.joints[nodes_[link].parent].parent); };
    while (walk[i] < 0 && nodes_[i].parent >= 0) {
      walk[i] = start;
      i = above(i);
    }
    if (walk[i] != start || nodes_[i].parent < 0) continue;
    std::vector<std::string> circle{in_.links[i].body.name};
    for (int k = above(i); k != i && circle.size() < 10; k = above(k)) circle.push_back(in_.links[k].body.name);
    sound_ = false;
    error(in_.joints[nodes_[i].parent].object.place, fmt::format("the links {} form a cycle", fmt::join(circle, ", ")),
          "a robot is a tree: let one of them hang on the root");
  }
}

bool UrdfTree::is_empty_root_with_floating_joint(int link) const {
  const std::vector<int>& children = nodes_[link].children;
  return nodes_[link].parent < 0 && !in_.links[link].body.is_body() && children.size() == 1 &&
         in_.joints[children[0]].type == UrdfJointType::floating;
}

/// The base is free, unless the root link is called "world". A floating joint below an empty root says "free" as well;
/// then the base is the link below.
void UrdfTree::choose_root_kind() {
  robot_.root = in_.links[root_].body.name == "world" ? RootKind::fixed : RootKind::free;
  if (is_empty_root_with_floating_joint(root_)) {
    const UrdfJoint& joint = in_.joints[nodes_[root_].children[0]];
    if (!is_zero(joint.xyz) || !is_zero(joint.rpy)) {
      warning(joint.object.place, "the origin of the floating joint is ignored", "give the robot's pose in the scene");
    }
    root_ = links_.at(joint.child);
    robot_.root = RootKind::free;
  }
  for (const UrdfJoint& joint : in_.joints) {
    if (joint.type != UrdfJointType::floating || links_.at(joint.child) == root_) continue;
    sound_ = false;
    error(joint.object.place, fmt::format("the floating joint {} is not at the root", in_quotes(joint.object.name)),
          "it may only connect an empty root link with the rest; load free parts as robots of their own");
  }
}

// ---- objects

/// Depth first, joints in the file's order. The stack is explicit: no file can exhaust the program's own.
void UrdfTree::add_tree() {
  for (const UrdfJoint& joint : in_.joints) names_.insert(joint.object.name);
  struct Task {
    int joint, depth;
    ObjectId parent;
  };
  std::vector<Task> tasks;
  const auto push_children = [&](int link, int depth, ObjectId parent) {
    const std::vector<int>& children = nodes_[link].children;
    for (auto j = children.rbegin(); j != children.rend(); ++j) tasks.push_back({*j, depth, parent});
  };
  add_base();
  push_children(root_, 1, ObjectId(static_cast<int>(robot_.objects.size()) - 1));
  while (!tasks.empty()) {
    const Task task = tasks.back();
    tasks.pop_back();
    const UrdfJoint& joint = in_.joints[task.joint];
    if (task.depth > kUrdfDepthLimit) {
      error(joint.object.place, fmt::format("more than {} joints follow one another", kUrdfDepthLimit),
            "shorten the chain");
      sound_ = false;
      return;
    }
    add_joint(task.joint, task.parent);
    push_children(links_.at(joint.child), task.depth + 1, ObjectId(static_cast<int>(robot_.objects.size()) - 1));
  }
  start_mimics();
}

void UrdfTree::add_base() {
  UrdfLink& link = in_.links[root_];
  ObjectSpec base = link.body;
  base.kind = ObjectKind::base;
  base.name = name_of_link(base);
  const std::string name = base.name;
  const ObjectId id = add(std::move(base), ObjectId(), {&link.places, false});
  if (nodes_[root_].children.size() < 2) return;
  ObjectSpec fork;
  fork.kind = ObjectKind::fork;
  fork.name = unused_name(name + "_fork");
  fork.place = link.body.place;
  add(std::move(fork), id, {&link.places, true});
}

void UrdfTree::add_joint(int i, ObjectId parent) {
  const UrdfJoint& joint = in_.joints[i];
  parent = add_origin(joint, parent);
  if (joint.type != UrdfJointType::fixed) parent = add(joint.object, parent, {&joint.places, false});
  add_link(links_.at(joint.child), parent);
}

/// Objects for the joint's origin. A fixed joint gives its name to the last of them, so it has at least one.
ObjectId UrdfTree::add_origin(const UrdfJoint& joint, ObjectId parent) {
  const bool fixed = joint.type == UrdfJointType::fixed, turns = !is_zero(joint.rpy);
  if (!is_zero(joint.xyz) || (fixed && !turns)) {
    ObjectSpec o;
    o.kind = ObjectKind::translation;
    o.offset = joint.xyz;
    o.name = fixed && !turns ? joint.object.name : unused_name(joint.object.name + "_xyz");
    o.place = joint.object.place;
    parent = add(std::move(o), parent, {&joint.places, !(fixed && !turns)});
  }
  if (turns) {
    ObjectSpec o;
    o.kind = ObjectKind::rotation;
    set_rotation(o, joint.rpy);
    o.name = fixed ? joint.object.name : unused_name(joint.object.name + "_rpy");
    o.place = joint.object.place;
    parent = add(std::move(o), parent, {&joint.places, !fixed});
  }
  return parent;
}

ObjectId UrdfTree::add_link(int i, ObjectId parent) {
  UrdfLink& link = in_.links[i];
  ObjectSpec o = link.body;
  const std::size_t children = nodes_[i].children.size();
  o.kind = children == 0 ? ObjectKind::endpoint : children == 1 ? ObjectKind::translation : ObjectKind::fork;
  o.name = name_of_link(o);
  return add(std::move(o), parent, {&link.places, false});
}

/// URDF lets a link and a joint have the same name; objects cannot. The joint keeps it.
std::string UrdfTree::name_of_link(const ObjectSpec& body) {
  if (!joints_.count(body.name)) return body.name;
  const std::string name = unused_name(body.name + "_link");
  warning(body.place, fmt::format("the link {} has the name of a joint: it becomes '{}'", in_quotes(body.name), name),
          "give it a name of its own");
  return name;
}

ObjectId UrdfTree::add(ObjectSpec object, ObjectId parent, Source source) {
  object.parent = parent;
  names_.insert(object.name);
  robot_.objects.push_back(std::move(object));
  sources_.push_back(source);
  return ObjectId(static_cast<int>(robot_.objects.size()) - 1);
}

std::string UrdfTree::unused_name(std::string name) {
  while (names_.count(name) || links_.count(name)) name += "_";
  return name;
}

/// A mimicking joint starts where the joint that it follows says; a chain of n joints is settled after n rounds.
/// Circles never settle and keep what they had: check() reports them.
void UrdfTree::start_mimics() {
  std::unordered_map<std::string, std::size_t> object_of;
  std::vector<std::size_t> mimics;
  for (std::size_t i = 0; i < robot_.objects.size(); ++i) {
    if (robot_.objects[i].is_joint()) object_of.emplace(robot_.objects[i].name, i);
    if (robot_.objects[i].mimic) mimics.push_back(i);
  }
  const std::vector<ObjectSpec> before = mimics.empty() ? std::vector<ObjectSpec>{} : robot_.objects;
  bool changed = !mimics.empty();
  for (std::size_t round = 0; changed && round <= mimics.size(); ++round) {
    changed = false;
    for (const std::size_t i : mimics) {
      ObjectSpec& o = robot_.objects[i];
      const auto of = object_of.find(o.mimic->of);
      if (of == object_of.end()) continue;
      const double q = o.mimic->multiplier * robot_.objects[of->second].initial + o.mimic->offset;
      changed = changed || q != o.initial;
      o.initial = q;
    }
  }
  if (changed) robot_.objects = before;
}

// ---- check

/// Without a sound tree the objects' own numbers can still be checked: all of them side by side behind one fork.
void UrdfTree::add_everything_flat() {
  static const PropertyPlaces kNone;
  robot_.objects.clear();
  sources_.clear();
  ObjectSpec base, fork;
  base.name = " base";  // cannot be a name in the file; never reported
  fork.name = " fork";
  fork.kind = ObjectKind::fork;
  const ObjectId root = add(std::move(base), ObjectId(), {&kNone, true});
  const ObjectId parent = add(std::move(fork), root, {&kNone, true});
  for (UrdfLink& link : in_.links) {
    ObjectSpec o = link.body;
    o.kind = ObjectKind::endpoint;
    if (joints_.count(o.name)) o.name = unused_name(o.name + "_link");
    add(std::move(o), parent, {&link.places, false});
  }
  for (UrdfJoint& joint : in_.joints) {
    const bool moving = joint.type != UrdfJointType::fixed && joint.type != UrdfJointType::floating;
    if (moving) add(joint.object, parent, {&joint.places, false});
  }
}

std::optional<Place> UrdfTree::place_of(ObjectId id, const char* property) const {
  const Source& source = sources_[static_cast<std::size_t>(id.value)];
  if (source.generated) return std::nullopt;
  const auto it = source.places->find(property);
  if (it != source.places->end()) return it->second;
  // "moves nothing that has a mass" is no news where a mass could not be read or the tree is not known
  if (std::string_view(property) == "mass" && (!sound_ || !in_.masses_complete)) return std::nullopt;
  return robot_.objects[static_cast<std::size_t>(id.value)].place;
}

/// Names are parts of paths, so characters that a path cannot hold become '_'. Mimicking joints follow.
void UrdfTree::make_names_usable() {
  std::unordered_map<std::string, std::string> joints;  // as in the file -> as it is now
  for (std::size_t i = 0; i < robot_.objects.size(); ++i) {
    ObjectSpec& o = robot_.objects[i];
    const std::string before = o.name;
    std::string name = usable_name(before);
    if (name != before) {
      name = unused_name(name);
      names_.insert(name);
      o.name = name;
      if (const auto place = place_of(ObjectId(static_cast<int>(i)), "name"))
        warning(*place, fmt::format("the name {} becomes '{}'", in_quotes(before), name),
                "use letters, digits, '_' and '-'");
    }
    if (o.is_joint()) joints.emplace(before, name);
  }
  for (ObjectSpec& o : robot_.objects) {
    const auto of = o.mimic ? joints.find(o.mimic->of) : joints.end();
    if (of != joints.end()) o.mimic->of = of->second;
  }
}

void UrdfTree::complete_robot_masses() {
  if (!in_.masses_complete) return;
  complete_masses(robot_, [&](std::size_t object, const char* property, std::string text, std::string suggestion) {
    const ObjectSpec& o = robot_.objects[object];
    const std::optional<Place> place = place_of(ObjectId(static_cast<int>(object)), property);
    warning(place.value_or(o.place), "object '" + o.name + "': " + text, std::move(suggestion));
  });
}

void UrdfTree::check_objects() {
  if (robot_.name.empty()) robot_.name = "unnamed";  // its absence is already reported
  file_.problems().append(check(robot_, [this](ObjectId id, const char* property) { return place_of(id, property); }));
}

}  // namespace gradus
