// Contacts, at set-up: shapes, compounds, laws and room.
#include <algorithm>
#include <utility>

#include "model/link_pairs.h"
#include "model/material.h"
#include "contact/contacts.h"
#include "tree/kernels.h"

namespace gradus {
namespace {

constexpr int kContactsPerBody = 16, kContactsPerRobot = 24;  // room, on average
constexpr int kPairsPerShape = 96;                            // within reach of some steps, in a heap
constexpr std::size_t kMaxSlots = 16384, kMaxResponses = 40000;

/// By a joint or a loop.
bool joined(const RobotKind& kind, int a, int b) {
  const auto holds = [&](const LoopPoint& p) { return std::minmax(p.link_a, p.link_b) == std::minmax(a, b); };
  return a == b || kind.links[a].parent == b || kind.links[b].parent == a ||
         std::any_of(kind.loops.begin(), kind.loops.end(), holds);
}

bool equal(const SurfaceSpec& a, const SurfaceSpec& b) {
  return a.material == b.material && a.friction == b.friction && a.stiffness == b.stiffness && a.damping == b.damping &&
         a.restitution == b.restitution && a.rolling == b.rolling && a.torsion == b.torsion;
}

/// How far a coordinate that turns shifts its link too, per radian, as screws do.
double shift_of_turn(const RobotKind& kind, int link) {
  const TypedJoint& t = kind.pairs->typed[static_cast<std::size_t>(kind.links[static_cast<std::size_t>(link)].typed)];
  const Vec6& S = t.S[static_cast<std::size_t>(link - t.first)];
  return dot(S.a, S.a) > 0 ? norm(S.l) : 0;
}

/// From each joint's origin to the farthest point of the shapes beyond it in any posture, of prismatic joints at least
/// 1: how far a turn or a shift moves them.
std::vector<double> levers(const RobotKind& kind, const std::vector<double>& link_reach) {
  std::vector<double> out(kind.links.size());
  for (std::size_t i = kind.links.size(); i-- > 0;) {
    out[i] = std::max(out[i], std::max(0.0, link_reach[i]));
    if (i == 0) break;
    const Link& l = kind.links[i];
    const Joint& j = kind.joints[i - 1];
    constexpr double kLongest = 10;  // [m] taken for joints without limits
    const double slide = l.prismatic ? std::min(std::max(std::fabs(j.lower), std::fabs(j.upper)), kLongest) : 0;
    double& parent = out[static_cast<std::size_t>(l.parent)];
    const double screw = l.typed < 0 ? 0 : shift_of_turn(kind, static_cast<int>(i));
    if (out[i] > 0) parent = std::max(parent, norm(l.p_PB) + 1.5 * slide + out[i]);  // stops give way
    if (out[i] > 0) out[i] += screw;
    if (l.prismatic && out[i] > 0) out[i] = 1;                                       // a shift moves all points alike
  }
  return out;
}

}  // namespace

/// What robots of one kind share.
struct Contacts::KindItems {
  CompoundSetup setup;
  std::vector<ItemInfo> items;     // robot is filled in for each
  std::vector<double> link_reach;  // (nlink)
  std::vector<double> lever;       // (nlink)
};

int Contacts::surface_number(const SurfaceSpec& surface) {
  for (std::size_t i = 0; i < surfaces_.size(); ++i)
    if (equal(surfaces_[i], surface)) return static_cast<int>(i);
  surfaces_.push_back(surface);
  return static_cast<int>(surfaces_.size()) - 1;
}

/// Items, tree, and pairs that never touch.
Contacts::KindItems Contacts::items_of(const RobotModel& robot, const KindShapes& shapes, Diagnostics& notes) {
  const RobotKind& kind = *robot.kind;
  KindItems out;
  const std::vector<Pose> X = start_poses(kind);
  out.link_reach.assign(kind.links.size(), -1);
  std::vector<std::vector<int>> on_link(kind.links.size());
  std::vector<Vec3> centres;
  std::vector<int> parent;
  for (std::size_t i = 0; i < kind.shapes.size(); ++i) {
    const ShapeInfo& s = kind.shapes[i];
    const std::optional<Shape>& shape = shapes[i];
    if (!shape) continue;
    ItemInfo item{-1, s.link, s.object, -1, {}, 0, s.X_LS};
    bounding_sphere(*shape, item.centre, item.radius);
    out.link_reach[s.link] = std::max(out.link_reach[s.link], norm(s.X_LS * item.centre) + item.radius);
    on_link[s.link].push_back(static_cast<int>(out.items.size()));
    centres.push_back(X[s.link] * (s.X_LS * item.centre));
    out.setup.items.push_back({*shape, s.X_LS, s.link});
    out.items.push_back(item);
  }
  for (const Link& l : kind.links) parent.push_back(l.parent);
  out.lever = levers(kind, out.link_reach);
  out.setup.tree = build_structured(parent, on_link, centres);
  out.setup.inner = robot.self_contact;
  if (robot.self_contact) leave_out_pairs(robot, X, out, notes);
  return out;
}

/// Pairs that never touch: of one link, joined by a joint or a loop, or overlapping at the start.  X: link poses at the start
void Contacts::leave_out_pairs(const RobotModel& robot, const std::vector<Pose>& X, KindItems& out,
                               Diagnostics& notes) {
  const RobotKind& kind = *robot.kind;
  std::string left_out;
  auto name = [&](int i) {
    const int link = out.items[i].link;
    return link == 0 ? kind.objects[0].name : kind.objects[kind.joints[link - 1].object].name;
  };
  for (int i = 0; i < static_cast<int>(out.items.size()); ++i)
    for (int j = 0; j < i; ++j) {
      const Item &a = out.setup.items[i], &b = out.setup.items[j];
      const bool near = joined(kind, a.body, b.body);
      Contact touch[kContactMax];
      const auto pose = [&](const Item& x) { return X[x.body] * x.X_BS; };
      const bool overlaps = !near && collide(a.shape, pose(a), b.shape, pose(b), 0, touch) > 0;
      if (near || overlaps) out.setup.never.push_back({j, i});
      if (overlaps) left_out += (left_out.empty() ? "" : ", ") + name(j) + "–" + name(i);
    }
  if (!left_out.empty())
    notes.push_back(
        {{},
         Severity::warning,
         "robot '" + robot.name + "': self-contact leaves out pairs that overlap in the start posture: " + left_out,
         ""});
}

void Contacts::add_robots(const Model& model, const StaticWorld& statics, Diagnostics& notes) {
  struct Known {
    const RobotKind* kind;
    bool self;
    KindItems shapes;
    int first_reach;
  };
  std::vector<Known> known;
  link_offset_.push_back(0);
  for (std::size_t i = 0; i < model.robots.size(); ++i) {
    const RobotModel& robot = model.robots[i];
    auto it = std::find_if(known.begin(), known.end(),
                           [&](const Known& k) { return k.kind == robot.kind.get() && k.self == robot.self_contact; });
    if (it == known.end()) {
      known.push_back({robot.kind.get(), robot.self_contact, items_of(robot, statics.shapes(*robot.kind), notes),
                       static_cast<int>(link_reach_.size())});
      it = known.end() - 1;
      link_reach_.insert(link_reach_.end(), it->shapes.link_reach.begin(), it->shapes.link_reach.end());
      lever_.insert(lever_.end(), it->shapes.lever.begin(), it->shapes.lever.end());
    }
    link_offset_.push_back(link_offset_.back() + robot.kind->nlink());
    self_.push_back(robot.self_contact);
    compound_of_.push_back(add_compound(static_cast<int>(i), robot.group, it->shapes, it->first_reach));
  }
}

/// A robot's shapes in the scene; −1 if it has none.
int Contacts::add_compound(int robot, int group, const KindItems& shapes, int first_reach) {
  if (shapes.items.empty()) return -1;
  CompoundSetup setup = shapes.setup;
  setup.group = group;  // its motion knows what they do to each other
  compounds_.push_back({static_cast<int>(items_.size()), first_reach});
  for (ItemInfo item : shapes.items) {
    item.robot = robot;
    items_.push_back(item);
  }
  return scene_.add(std::move(setup));
}

/// The same solids that robots meet, and the ground plane, which is none of them.
void Contacts::add_field(const Model& model, const StaticWorld& statics) {
  for (std::size_t i = 0; i < model.field.size(); ++i) {
    const FieldObjectSpec& f = model.field[i];
    if (!f.shape.collides) continue;
    const StaticSolid* solid = statics.find(static_cast<int>(i));
    const Shape shape = solid ? solid->shape : plane_shape();
    const Pose X_WS = f.X_WO * f.shape.X_OS;
    ItemInfo item{-1, static_cast<int>(i), -1, -1, {0, 0, 0}, 0, X_WS};
    if (shape.kind == SolidKind::plane || shape.kind == SolidKind::height_field) {
      scene_.add_ground(shape, X_WS);
      grounds_.push_back(item);
      continue;
    }
    bounding_sphere(shape, item.centre, item.radius);
    CompoundSetup setup;
    setup.items.push_back({shape, identity_pose(), 0});
    setup.tree = build_unstructured(std::vector<Vec3>{item.centre});
    setup.is_static = true;
    const int number = scene_.add(std::move(setup));
    scene_.update(number, {&X_WS, 1}, 0);
    compounds_.push_back({static_cast<int>(items_.size()), 0});
    items_.push_back(item);
  }
}

const SurfaceSpec& Contacts::surface_of(const Model& model, const ItemInfo& item) const {
  if (item.robot < 0) return model.field[item.link].surface;
  return model.robots[item.robot].kind->objects[item.object].surface;
}

void Contacts::take_surfaces(const Model& model) {
  const ContactSpec& contact = model.contact;
  ContactSpec moving = contact;  // what surfaces leave open is another number here
  moving.stiffness = contact.moving_stiffness;
  moving.damping = contact.moving_damping;
  surfaces_.clear(), laws_.clear(), usual_.clear();
  impact_speed_ = contact.impact_speed, recovery_speed_ = contact.recovery_speed;
  for (std::vector<ItemInfo>* items : {&items_, &grounds_})
    for (ItemInfo& i : *items) i.surface = surface_number(surface_of(model, i));
  for (const SurfaceSpec& a : surfaces_)
    for (const SurfaceSpec& b : surfaces_) {
      const PairNumbers n = pair_numbers(moving, a, b);
      laws_.push_back({n.stiffness, n.damping / n.stiffness, n.friction, n.restitution, contact.impact_speed,
                       contact.recovery_speed, n.rolling, n.torsion});
      usual_.push_back(moving.says_nothing_of_moving() && n.stiffness == moving.stiffness && n.damping == moving.damping);
    }
}

void Contacts::make_room(const Model& model, int threads) {
  const std::size_t n = model.robots.size();
  std::size_t movers = 0, slots = 0, responses = 0, links = 1;
  bool alone_touches = false, first_member = true;  // a group alone touches nobody: its members count as one
  first_loop_.assign(1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const int loops = static_cast<int>(model.robots[i].kind->loops.size());
    first_loop_.push_back(first_loop_.back() + loops);
    if (compound_of_[i] < 0 && loops == 0) continue;
    const bool body = model.robots[i].kind->njoint() == 0, grouped = model.robots[i].group >= 0;
    movers += !grouped || std::exchange(first_member, false);
    alone_touches |= !grouped && (body || self_[i] || loops > 0);
    capacity_ += (body ? kContactsPerBody : kContactsPerRobot) + loops;
    const auto nl = static_cast<std::size_t>(model.robots[i].kind->nlink());
    slots += nl, responses += nl * nl, links = std::max(links, nl);
  }
  if (movers < 2 && !alone_touches) capacity_ = 0;
  if (capacity_ == 0) return;
  slots = std::min(slots, kMaxSlots), responses = std::min(responses, kMaxResponses);
  scene_.finish(kPairsPerShape * (static_cast<int>(items_.size()) + 1));
  const auto room = static_cast<std::size_t>(capacity_);
  contacts_.reserve(room), contacts_by_island_.resize(room), idle_.assign(room, 0);
  first_of_.assign(n, -1), next_of_.resize(2 * room);
  island_of_.assign(n, -1), parent_.resize(n), robots_by_island_.reserve(n), islands_.reserve(n), first_slot_.resize(n);
  response_at_.assign(n, -1), response_count_.assign(n, 0);
  touched_sleepers_.reserve(n);
  awake_pairs_.reserve(static_cast<std::size_t>(kPairsPerShape) * (items_.size() + 1));
  wanted_.resize(n), present_.assign(n, 0), touched_count_.assign(n, 0), poses_.resize(links);
  used_.resize(n), soon_.resize(n), kept_.resize(n), moved_.assign(n, 0);
  way_.resize(static_cast<std::size_t>(link_offset_.back())), kept_joints_.resize(way_.size());
  Finder finder;
  finder.places.resize(items_.size());
  for (std::size_t i = 0; i < items_.size(); ++i)
    if (items_[i].robot < 0) finder.places[i] = {items_[i].X_LS, items_[i].X_LS * items_[i].centre, 0};
  finders_.assign(static_cast<std::size_t>(threads), finder);
  for (Finder& f : finders_) f.found.reserve(room + kContactMax);
  slot_of_.assign(static_cast<std::size_t>(link_offset_.back()), -1);
  touched_.resize(static_cast<std::size_t>(link_offset_.back()));
  for (int t = 0; t < threads; ++t) {
    work_.push_back(make_work(static_cast<int>(slots)));
    work_.back().response.resize(responses);
    work_.back().slots.resize(links);
  }
}

Contacts::Work Contacts::make_work(int slots) const {
  Work w;
  w.couple = std::make_unique<Couple>(
      CoupleCapacity{.slots = slots, .contacts = 2 * capacity_, .responses = 64 * capacity_});
  return w;
}

Diagnostics Contacts::build(const Model& model, const StaticWorld& statics, int threads, bool sleepers) {
  Diagnostics notes;
  sleepers_ = sleepers;
  scene_ = CollisionScene(model.volumes == "sphere" ? VolumeKind::sphere
                          : model.volumes == "obb"  ? VolumeKind::obb
                                                    : VolumeKind::aabb);
  add_robots(model, statics, notes);
  add_field(model, statics);
  take_surfaces(model);
  make_room(model, threads);
  margin_ = 0.001 + model.step * 1.0;  // (1)
  for (Diagnostic& d : notes)
    if (d.place.file.empty()) d.place.file = model.file;
  return notes;
}

}  // namespace gradus
