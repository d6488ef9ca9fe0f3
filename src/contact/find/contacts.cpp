// Contacts, half A: what is near, where it touches, who is coupled with whom.
#include "contact/contacts.h"

#include <algorithm>
#include <bitset>
#include <limits>
#include <utility>

#include "contact/find/same_place.h"
#include "contact/records.h"
#include "model/material.h"
#include "tree/kernels.h"

namespace gradus {
namespace {

constexpr double kLeast = 0.002, kMost = 0.03;  // [m] added to volumes, so that the list of pairs lasts
constexpr double kLasts = 8;                    // steps at the present speed
constexpr double kLoopPairs = kPairBase * kPairBase;  // pairs of loops from here on
constexpr std::size_t kLoopPoints = 3;                // of one loop, at most

Vec3 position(const Contacts::Robot& r) { return base_position(r.context->now + r.context->at.q); }

/// Velocity of a link about the robot's root, in the world.
Vec6 link_twist(const Contacts::Robot& r, int link) {
  const Vec6& V = r.context->s->frames[link].V;
  return {V.a, V.l + base_velocity(r.context->now + r.context->at.v)};
}

/// How far a shape reaches along the unit vector n from the centre of the sphere around it, or more.
double extent_along(const Shape& s, const Mat3& R, Vec3 n, double radius) {
  switch (s.kind) {
    case SolidKind::box:
      return s.half.x * std::fabs(dot(R.x, n)) + s.half.y * std::fabs(dot(R.y, n)) + s.half.z * std::fabs(dot(R.z, n));
    case SolidKind::capsule:
    case SolidKind::cylinder:
      return std::min(radius, s.half.z * std::fabs(dot(R.z, n)) + s.radius);
    default:
      return radius;
  }
}

}  // namespace

/// Grounds first, so that numbers sort like pairs.
double Contacts::number_of(int compound, int number) const {
  if (compound < 0) return number;
  return static_cast<double>(grounds_.size()) + compounds_[compound].first_item + number;
}

std::uint8_t Contacts::rights_of(const Robot& robot) {
  const MotionNeeds& n = *robot.needs;
  return static_cast<std::uint8_t>(n.couples_world + 2 * n.uses_drives + 4 * n.infinite_mass);
}

/// (2)
void Contacts::look(int number, const Robot& robot, double h) {
  if (capacity_ == 0) return;
  present_[number] = 1;
  if (compound_of_[number] < 0) return;
  const RobotContext& x = *robot.context;
  const int first = link_offset_[number], n = x.kind->nlink();
  const double* lever = lever_.data() + compounds_[compound_of_[number]].first_reach;
  const double *q = x.now + x.at.q + 6, *v = x.now + x.at.v + 5;  // from joint 1 on
  const double* before = kept_joints_.data() + first;
  const Link* links = x.kind->links.data();
  double *way = way_.data() + first, moved = 0, moves = 0;
  way[0] = 0;
  for (int i = 1; i < n; ++i) {
    const double fast = h * std::fabs(v[i]) * lever[i];
    way[i] = way[links[i].parent] + lever[i] * std::fabs(q[i] - before[i]) + fast;
    moved = std::max(moved, way[i]);
    moves += fast;  // more than along any chain; only a first sieve
  }
  const Kept& k = kept_[number];
  const Quat r = base_orientation(x.now + x.at.q);
  const Vec3 a{k.q.x, k.q.y, k.q.z}, b{r.x, r.y, r.z}, turn = b * k.q.w - a * r.w - cross(a, b);
  const double speed = norm(base_velocity(x.now + x.at.v)) + norm(x.gravity) * h +
                       norm(base_angular_velocity(x.now + x.at.v)) * lever[0];
  soon_[number] = h * speed + moves;
  used_[number] = norm(position(robot) - k.p) + 2 * norm(turn) * lever[0] + moved + margin_ + h * speed;
}

void Contacts::leave_out(int number) {
  if (capacity_ == 0) return;
  present_[number] = 0;
}

/// Box around the shapes of the links, each within its reach of the link's origin.
Box3 Contacts::box_of(int number, const Robot& robot) const {
  const double* link_reach = link_reach_.data() + compounds_[compound_of_[number]].first_reach;
  const RobotContext& x = *robot.context;
  Box3 box = empty_box();
  for (int i = 0; i < x.kind->nlink(); ++i) {
    const double r = link_reach[i];
    if (r < 0) continue;
    box.lo = smaller(box.lo, x.s->frames[i].p - Vec3{r, r, r});
    box.hi = larger(box.hi, x.s->frames[i].p + Vec3{r, r, r});
  }
  const double reach = kept_[number].reach;
  const Vec3 p = position(robot), grow{reach, reach, reach};
  return {p + box.lo - grow, p + box.hi + grow};
}

/// Volumes of a robot that is near something.
void Contacts::update_tree(int number, const Robot& robot) {
  const RobotContext& x = *robot.context;
  const Vec3 p = position(robot);
  const auto n = static_cast<std::size_t>(x.kind->nlink());
  for (std::size_t i = 0; i < n; ++i) poses_[i] = {x.s->frames[i].R, p + x.s->frames[i].p};
  scene_.update(compound_of_[number], {poses_.data(), n}, kept_[number].reach);
}

/// The list of near pairs anew, with volumes that last for a while.
void Contacts::list_pairs(std::span<const Robot> robots, double h) {
  for (std::size_t i = 0; i < robots.size(); ++i) {
    const int c = compound_of_[i];
    if (c < 0) continue;
    const RobotContext& x = *robots[i].context;
    Kept& k = kept_[i];
    k = {present_[i] != 0, rights_of(robots[i]), 0, position(robots[i]), base_orientation(x.now + x.at.q)};
    for (int j = 1; j < x.kind->nlink(); ++j) kept_joints_[link_offset_[i] + j] = x.now[x.at.q + 6 + j];
    if (k.listed) {
      look(static_cast<int>(i), robots[i], h);
      k.reach = used_[i] + std::clamp(kLasts * (used_[i] - margin_), kLeast, kMost);
    }
    scene_.place(c, k.listed ? box_of(static_cast<int>(i), robots[i]) : empty_box());
    const MotionNeeds& needs = *robots[i].needs;
    scene_.set_meets_world(c, needs.couples_world);
    wanted_[i] = present_[i] && (needs.couples_world || (self_[i] && needs.uses_drives));
  }
  for (const CompoundPair& p : scene_.find_near())
    for (int c : {p.a, p.b}) {
      const int robot = items_[compounds_[c].first_item].robot;
      if (robot >= 0) wanted_[robot] = 1;
    }
  for (std::size_t i = 0; i < robots.size(); ++i)
    if (compound_of_[i] >= 0 && wanted_[i]) update_tree(static_cast<int>(i), robots[i]);
  pairs_ = scene_.find_pairs();
  listed_ = scene_.counters().dropped == 0;  // else it is made again in every look
  report.volume_tests = scene_.counters().volume_tests;
  report.object_tests = scene_.counters().object_tests;
  report.dropped += scene_.counters().dropped;
}

/// Pairs with somebody awake.
void Contacts::choose_live(const Movers& movers) {
  live_ = pairs_, live_version_ = movers.version;
  if (movers.asleep == nullptr || movers.awake.size() == compound_of_.size()) return;
  const auto rests = [&](int compound, int item) {
    if (compound < 0) return true;
    const int robot = items_[compounds_[compound].first_item + item].robot;
    return robot < 0 || movers.asleep[robot] != 0;
  };
  awake_pairs_.clear();
  for (const ItemPair& p : pairs_)
    if (!rests(p.compound_a, p.item_a) || !rests(p.compound_b, p.item_b)) awake_pairs_.push_back(p);
  live_ = awake_pairs_;
}

void Contacts::find(std::span<const Robot> robots, const Movers& movers, const double* memory, double h, Vec3 gravity,
                    Team& team) {
  if (capacity_ == 0) return;
  asleep_ = movers.asleep;
  touched_sleepers_.clear();
  fall_ = gravity * h;
  ++look_;
  bool holds = listed_;
  for (const int i : movers.awake) {
    if (!holds) break;
    const Kept& k = kept_[i];
    if (compound_of_[i] >= 0 && present_[i])
      holds = k.listed && used_[i] <= k.reach && k.rights == rights_of(robots[i]);
  }
  report.volume_tests = report.object_tests = 0;
  if (!holds) list_pairs(robots, h);
  find_velocities(robots);
  if (!holds || live_version_ != movers.version) {
    choose_live(movers);
    gather_resting(robots, memory, h);
  }
  contacts_.erase(contacts_.begin() + static_cast<std::ptrdiff_t>(resting_), contacts_.end());
  pairs_dropped_ = 0;
  find_contacts(robots, h, team);
  if (first_loop_.back() > 0)
    for (const int i : movers.awake) add_loops(i, robots[i]);
  if (!touched_sleepers_.empty()) return;
  for (const int i : movers.awake) first_of_[i] = -1;
  list_by_robot(resting_);
  const auto records = records_in(memory, capacity_), slept = records_in(memory + resting_memory(), sleepers_ ? capacity_ : 0);
  recall(resting_, records, slept, !records.empty() || !slept.empty());  // a run begins with everything as it lies
  find_islands(movers.awake);
  report.dropped += pairs_dropped_;
  report.contacts = static_cast<int>(contacts_.size());
  report.islands = island_count();
}

/// Velocities of links that A1 had no need of, of the robots that a pair may ask.
void Contacts::find_velocities(std::span<const Robot> robots) {
  if (std::all_of(robots.begin(), robots.end(), [](const Robot& r) { return r.needs->uses_velocities; })) return;
  const auto ask = [&](int compound, int item) {
    const int number = compound < 0 ? -1 : items_[compounds_[compound].first_item + item].robot;
    if (number < 0 || robots[number].needs->uses_velocities || moved_[number] == look_ || !present_[number]) return;
    const RobotContext& x = *robots[number].context;
    compute_frames(*x.kind, x.now + x.at.q, x.now + x.at.v, x.s->frames.data());
    x.s->velocities = true;
    moved_[number] = look_;
  };
  for (const ItemPair& p : pairs_) ask(p.compound_a, p.item_a), ask(p.compound_b, p.item_b);
}

/// Contacts of the live pairs, in their order. Each thread takes a run of the pairs; what they find is put together in the
/// order of the runs, so nothing depends on who found it.
void Contacts::find_contacts(std::span<const Robot> robots, double h, Team& team) {
  constexpr std::size_t kWorthIt = 64;  // pairs a thread: to wake one takes as long as some tens of them
  const std::size_t n = live_.size();
  const auto most = static_cast<std::size_t>(team.size());
  const std::size_t parts = std::clamp<std::size_t>(n / kWorthIt, 1, most);
  const auto run = [&](std::size_t part) {
    Finder& finder = finders_[part];
    finder.found.clear(), finder.dropped = 0;
    for (std::size_t i = n * part / parts; i < n * (part + 1) / parts; ++i) narrow(live_[i], robots, h, finder);
  };
  if (parts == 1)
    run(0);
  else
    team.run([&](int part) {
      if (static_cast<std::size_t>(part) < parts) run(static_cast<std::size_t>(part));
    });
  for (std::size_t part = 0; part < parts; ++part) take(finders_[part].found), pairs_dropped_ += finders_[part].dropped;
}

/// Into the list, as far as there is room.
void Contacts::take(std::span<const MovingContact> found) {
  const int room = capacity_ - first_loop_.back() - static_cast<int>(contacts_.size());  // loops always find room
  const std::size_t n = std::min(found.size(), static_cast<std::size_t>(std::max(room, 0)));
  pairs_dropped_ += static_cast<std::int64_t>(found.size() - n);
  contacts_.insert(contacts_.end(), found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n));
  for (std::size_t i = 0; asleep_ != nullptr && i < found.size(); ++i)
    for (const int robot : {found[i].robot_a, found[i].robot_b})
      if (robot >= 0 && asleep_[robot] != 0 && (touched_sleepers_.empty() || touched_sleepers_.back() != robot) &&
          touched_sleepers_.size() < touched_sleepers_.capacity())
        touched_sleepers_.push_back(robot);
}

/// Where an item is.
const Contacts::ItemPlace& Contacts::place_of(int number, std::span<const Robot> robots, Finder& finder) const {
  ItemPlace& place = finder.places[number];
  const ItemInfo& item = items_[number];
  if (place.look == look_ || item.robot < 0) return place;
  const Robot& robot = robots[item.robot];
  const Frame& f = robot.context->s->frames[item.link];
  place.X_WS = Pose{f.R, position(robot) + f.p} * item.X_LS;
  place.centre = place.X_WS * item.centre;
  place.look = look_;
  return place;
}

Vec6 Contacts::twist(const ItemInfo& item, std::span<const Robot> robots) const {
  return item.robot < 0 ? zero6<double>() : link_twist(robots[item.robot], item.link);
}

/// Impulses do not move it.
bool Contacts::immobile(const ItemInfo& item, std::span<const Robot> robots) const {
  if (item.robot < 0) return true;
  const Robot& r = robots[item.robot];
  if (r.needs->infinite_mass) return true;
  return r.context->kind->root == RootKind::fixed && (item.link == 0 || !r.needs->uses_drives);
}

void Contacts::narrow(const ItemPair& p, std::span<const Robot> robots, double h, Finder& finder) const {
  const int ia = compounds_[p.compound_a].first_item + p.item_a;
  const bool on_ground = p.compound_b < 0;
  const int ib = on_ground ? -1 : compounds_[p.compound_b].first_item + p.item_b;
  const ItemInfo &a = items_[ia], &b = on_ground ? grounds_[p.item_b] : items_[ib];
  if ((a.robot >= 0 && !present_[a.robot]) || (b.robot >= 0 && !present_[b.robot])) return;
  const ItemPlace& at_a = place_of(ia, robots, finder);
  if (!on_ground) {  // spheres around them, as far as their robots may come: most end here
    const ItemPlace& at_b = place_of(ib, robots, finder);
    const Vec3 apart = at_a.centre - at_b.centre;
    const double reach =
        margin_ + (a.robot < 0 ? 0 : soon_[a.robot]) + (b.robot < 0 || b.robot == a.robot ? 0 : soon_[b.robot]);
    const double square = dot(apart, apart), around = a.radius + b.radius + reach;
    if (square > around * around) return;
    // then their extents along the line between the centres
    const double distance = square_root(square);
    const Vec3 n = apart * (1 / (distance > 0 ? distance : 1));
    if (distance - extent_along(scene_.shape(p.compound_a, p.item_a), at_a.X_WS.R, n, a.radius) -
            extent_along(scene_.shape(p.compound_b, p.item_b), at_b.X_WS.R, n, b.radius) >
        reach)
      return;
  }
  if (immobile(a, robots) && immobile(b, robots)) return;
  if (a.robot == b.robot && !robots[a.robot].needs->uses_drives) return;  // links move as one
  const Pose &X_WA = at_a.X_WS, &X_WB = on_ground ? scene_.pose(-1, p.item_b) : finder.places[ib].X_WS;
  const Vec6 Va = twist(a, robots), Vb = twist(b, robots);
  auto at = [&](const ItemInfo& x, const Vec6& V, Vec3 q) {
    return x.robot < 0 ? Vec3{0, 0, 0} : velocity_at(V, q - position(robots[x.robot]));
  };
  // fastest approach of any two points of them
  const Vec3 ca = at_a.centre, cb = on_ground ? Vec3{0, 0, 0} : finder.places[ib].centre;
  const Vec3 between = at(a, Va, ca) - (b.robot < 0 ? Vec3{0, 0, 0} : at(b, Vb, cb));
  const double fall = a.robot < 0 || b.robot < 0 ? norm(fall_) : 0;
  const double fastest = norm(between) + norm(Va.a) * a.radius + norm(Vb.a) * b.radius + fall;
  const double reach = a.radius + b.radius + margin_ + h * fastest;
  if (!on_ground && dot(ca - cb, ca - cb) > reach * reach) return;  // a ground has no sphere
  Contact found[kContactMax];
  const int n = collide(scene_.shape(p.compound_a, p.item_a), X_WA, scene_.shape(p.compound_b, p.item_b), X_WB,
                        margin_ + h * fastest, found, !on_ground);
  if (n == 0) return;
  const double pair = pair_of(number_of(p.compound_a, p.item_a), number_of(p.compound_b, p.item_b));
  for (int i = 0; i < n; ++i) {
    const Vec3 u = at(a, Va, found[i].point) - at(b, Vb, found[i].point);
    const double closing = std::max(0.0, -dot(found[i].normal, u)) + fall;
    if (found[i].gap > margin_ + h * closing) continue;  // (1)
    if (finder.found.size() == finder.found.capacity())
      ++finder.dropped;
    else
      finder.found.push_back(made(a, b, found[i], pair, robots));
  }
}

/// Of the law of two items; where nobody chose it, it grows with the lighter body.
double Contacts::stiffness_of(const ItemInfo& a, const ItemInfo& b, int law, std::span<const Robot> robots) const {
  if (!usual_[law]) return laws_[law].stiffness;
  double mass = std::numeric_limits<double>::infinity();
  for (const int robot : {a.robot, b.robot})
    if (robot >= 0) mass = std::min(mass, robots[robot].context->kind->mass);
  return laws_[law].stiffness * moving_factor(mass);
}

MovingContact Contacts::made(const ItemInfo& a, const ItemInfo& b, const Contact& c, double pair,
                             std::span<const Robot> robots) const {
  const bool swap = a.robot < 0;  // the static world is always b
  const ItemInfo &x = swap ? b : a, &y = swap ? a : b;
  MovingContact out{};
  out.robot_a = x.robot, out.link_a = x.link, out.object_a = x.object;
  out.robot_b = y.robot, out.link_b = y.link, out.object_b = y.robot < 0 ? y.link : y.object;
  out.point = c.point, out.normal = swap ? -c.normal : c.normal, out.gap = c.gap;
  out.pair = pair, out.feature = c.feature;
  const Frame& f = robots[x.robot].context->s->frames[x.link];
  out.place = transpose_times(f.R, c.point - position(robots[x.robot]) - f.p);
  out.law = x.surface * static_cast<int>(surfaces_.size()) + y.surface;
  out.stiffness = stiffness_of(a, b, out.law, robots);
  out.felt = c.gap;
  out.may_hold = spring_holds(out.stiffness, c.gap);
  return out;
}

/// Points of a robot's links that its loops hold together. Their keys follow all pairs of shapes. What the points of one
/// loop ask for together is one rigid motion, e + θ × r from their middle: parts that are turned against each other are
/// closer than they are wide, and points that were pulled home one by one would strain against each other for ever.
void Contacts::add_loops(int number, const Robot& robot) {
  const RobotContext& x = *robot.context;
  if (x.kind->loops.empty() || !present_[number] || !robot.needs->uses_drives) return;
  const std::vector<LoopPoint>& loops = x.kind->loops;
  const Vec3 root = position(robot);
  for (std::size_t first = 0, last; first < loops.size(); first = last) {
    Vec3 at[kLoopPoints], apart[kLoopPoints], middle{0, 0, 0}, e{0, 0, 0}, turn{0, 0, 0};
    for (last = first; last < loops.size() && loops[last].loop == loops[first].loop; ++last) {
      const LoopPoint& p = loops[last];
      const Frame &a = x.s->frames[p.link_a], &b = x.s->frames[p.link_b];
      const Vec3 p_a = a.p + a.R * p.p_A, p_b = b.p + b.R * p.p_B;
      at[last - first] = (p_a + p_b) * 0.5, apart[last - first] = p_a - p_b;
      middle += at[last - first], e += p_a - p_b;
    }
    const std::size_t n = last - first;
    middle = middle * (1.0 / static_cast<double>(n)), e = e * (1.0 / static_cast<double>(n));
    Sym3 J{0, 0, 0, 0, 0, 0};  // Σ |r|² 1 − r rᵀ; two points say nothing about turning on their line
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3 r = at[i] - middle;
      turn += cross(r, apart[i]);
      add_outer(J, r, -1.0);
      const double square = dot(r, r);
      J.xx += square, J.yy += square, J.zz += square;
    }
    if (n == 2) add_outer(J, at[0] - middle, 1.0);
    if (n > 1) turn = inverse(J) * turn;
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3 wanted = e + cross(turn, at[i] - middle);
      const double open = norm(wanted);
      MovingContact c{};
      c.robot_a = c.robot_b = number, c.object_a = c.object_b = -1;
      c.link_a = loops[first + i].link_a, c.link_b = loops[first + i].link_b;
      c.point = root + at[i];
      c.normal = open > 0 ? wanted * (1 / open) : Vec3{0, 0, 1};  // the error has one direction: no bias across it
      c.gap = c.felt = open;
      c.held = true;
      c.pair = kLoopPairs + first_loop_[number] + static_cast<double>(first + i);
      contacts_.push_back(c);
    }
  }
}

namespace {

/// What the records of a pair say of its contacts. Each goes to the contact of its features; what is left, to the nearest contact
/// without one on the link: where two faces lie on each other, they are clipped in an order that rounding decides, and a contact changes
/// its features though nothing moved. Sticking that forgot its force then would creep, and sensors would lose it for a step.
void share_records(std::span<MovingContact> contacts, std::span<const ContactRecord> records) {
  const auto take = [](MovingContact& c, const ContactRecord& r) {
    c.impulse = c.before = r.stick;
    c.moment = c.moment_before = r.turn;
    c.force = r.fn, c.may_hold = r.held, c.slack = r.slack;
  };
  constexpr std::size_t kWatched = 64;  // of a pair; more are known by their features alone
  std::bitset<kWatched> used, known;
  for (std::size_t i = 0; i < contacts.size(); ++i)
    for (std::size_t k = 0; k < records.size(); ++k) {
      if (records[k].feature != contacts[i].feature) continue;
      take(contacts[i], records[k]);
      if (k < kWatched) used.set(k);
      if (i < kWatched) known.set(i);
      break;
    }
  for (std::size_t i = 0; i < std::min(contacts.size(), kWatched); ++i) {
    if (known[i]) continue;
    double nearest = kSamePlace * kSamePlace;
    std::size_t which = kWatched;
    for (std::size_t k = 0; k < std::min(records.size(), kWatched); ++k) {
      const Vec3 d = records[k].place - contacts[i].place;
      if (!used[k] && dot(d, d) < nearest) nearest = dot(d, d), which = k;
    }
    if (which == kWatched) continue;
    take(contacts[i], records[which]);
    used.set(which);
  }
}

}  // namespace

/// What the last step left, pair by pair from `first` on. A pair that has just woken is among the sleepers'; in the step in which
/// one falls asleep it is in both. limit: its springs hold no more than that.
void Contacts::recall(std::size_t first, std::span<const ContactRecord> records, std::span<const ContactRecord> slept, bool limit) {
  for (std::size_t next = first; first < contacts_.size(); first = next) {
    while (next < contacts_.size() && contacts_[next].pair == contacts_[first].pair) ++next;
    const std::span<MovingContact> pair = std::span(contacts_).subspan(first, next - first);
    std::span<const ContactRecord> known = of_pair(records, pair[0].pair);
    if (known.empty()) known = of_pair(slept, pair[0].pair);
    share_records(pair, known);
    if (limit) limit_springs(pair, known);
  }
}

/// Into the lists of their robots, from `first` on.
void Contacts::list_by_robot(std::size_t first) {
  const auto put = [&](int robot, std::size_t end) {
    next_of_[end] = first_of_[robot], first_of_[robot] = static_cast<int>(end);
  };
  for (std::size_t i = contacts_.size(); i-- > first;) {
    if (contacts_[i].robot_b >= 0) put(contacts_[i].robot_b, 2 * i + 1);
    put(contacts_[i].robot_a, 2 * i);
  }
}

/// Contacts of sleepers, for those who want to see them: as they were when they fell asleep.
void Contacts::gather_resting(std::span<const Robot> robots, const double* memory, double h) {
  contacts_.clear();
  finders_[0].found.clear();
  resting_ = 0;
  std::fill(first_of_.begin(), first_of_.end(), -1);
  if (live_.size() == pairs_.size()) return;
  const std::uint8_t* asleep = std::exchange(asleep_, nullptr);
  std::size_t next = 0;  // of live_, which are in the order of pairs_
  for (const ItemPair& p : pairs_)
    if (next < live_.size() && p == live_[next])
      ++next;
    else
      narrow(p, robots, h, finders_[0]);
  take(finders_[0].found);
  asleep_ = asleep;
  resting_ = contacts_.size();
  recall(0, records_in(memory + resting_memory(), capacity_), {}, true);
  list_by_robot(0);
}

/// Is a pair of shapes one of sleepers?
bool Contacts::rests(double pair, const std::uint8_t* asleep) const {
  const auto grounds = static_cast<std::int64_t>(grounds_.size());
  if (pair >= kLoopPairs) return false;  // who has joints does not sleep
  bool some = false;
  for (const std::int64_t number : {first_of(pair), second_of(pair)}) {
    const std::int64_t item = number - grounds;
    if (item < 0 || item >= static_cast<std::int64_t>(items_.size())) continue;
    const int robot = items_[static_cast<std::size_t>(item)].robot;
    if (robot < 0) continue;
    if (!asleep[robot]) return false;
    some = true;
  }
  return some;
}

/// Two sorted lists become one.
void Contacts::keep_resting(const double* now, double* next, const std::uint8_t* asleep) const {
  if (capacity_ == 0 || asleep == nullptr) return;
  const auto slept = records_in(now + resting_memory(), capacity_), fresh = records_in(next, capacity_);
  double* section = next + resting_memory();
  std::size_t i = 0, j = 0;
  int n = 0;
  while (i < slept.size() || j < fresh.size()) {
    const bool of_slept = j == fresh.size() || (i < slept.size() && slept[i].pair <= fresh[j].pair);
    const ContactRecord& r = of_slept ? slept[i++] : fresh[j++];
    if (n < capacity_ && rests(r.pair, asleep)) records_out(section)[n++] = r;
  }
  close_section(section, capacity_, n);
}

void Contacts::note_slot(int robot, int link) {
  const auto u = static_cast<std::size_t>(robot);
  int& slot = slot_of_[link_offset_[u] + link];
  if (slot >= 0) return;
  slot = touched_count_[u]++;
  touched_[link_offset_[u] + slot] = link;
}

/// Of the islands before.
void Contacts::forget_slots() {
  for (const int i : robots_by_island_) {
    island_of_[i] = -1;
    for (int k = 0; k < touched_count_[i]; ++k) slot_of_[link_offset_[i] + touched_[link_offset_[i] + k]] = -1;
    touched_count_[i] = 0;
  }
}

/// Whose island a robot is in: the smallest number of those that it is joined with.
int Contacts::lead_of(int robot) {
  auto up = [&](int k) -> int& { return parent_[k]; };
  while (up(robot) != robot) robot = up(robot) = up(up(robot));
  return robot;
}

/// Robots that touch, directly or through others, are solved together. Numbered by their first robot.
void Contacts::find_islands(std::span<const int> awake) {
  forget_slots();
  islands_.clear(), robots_by_island_.clear();
  if (contacts_.size() == resting_) return;
  for (const int r : awake) parent_[r] = r;
  for (const MovingContact& c : live_contacts()) {
    note_slot(c.robot_a, c.link_a);
    if (c.robot_b < 0) continue;
    note_slot(c.robot_b, c.link_b);
    const int i = lead_of(c.robot_a), j = lead_of(c.robot_b);
    parent_[std::max(i, j)] = std::min(i, j);
  }
  for (const int r : awake) {
    if (touched_count_[r] == 0) continue;
    const int lead = lead_of(r);
    if (lead == r) islands_.push_back({0, 0, 0, 0, {}, 0, false});
    island_of_[r] = lead == r ? island_count() - 1 : island_of_[lead];
    ++islands_[island_of_[r]].robot_count;
  }
  for (const MovingContact& c : live_contacts()) ++islands_[island_of(c.robot_a)].contact_count;
  sort_by_island(awake);
}

/// Lists of the robots and contacts of each island, whose numbers are counted.
void Contacts::sort_by_island(std::span<const int> awake) {
  int robots = 0, contacts = 0;
  for (Island& s : islands_) {
    s.first_robot = robots, s.first_contact = contacts;
    robots += s.robot_count, contacts += s.contact_count;
    s.robot_count = s.contact_count = 0;
  }
  robots_by_island_.resize(static_cast<std::size_t>(robots));
  for (const int r : awake) {
    if (island_of(r) < 0) continue;
    Island& s = islands_[island_of(r)];
    robots_by_island_[s.first_robot + s.robot_count++] = r;
  }
  for (int i = static_cast<int>(resting_); i < static_cast<int>(contacts_.size()); ++i) {
    Island& s = islands_[island_of(contacts_[i].robot_a)];
    contacts_by_island_[s.first_contact + s.contact_count++] = i;
  }
}

}  // namespace gradus
