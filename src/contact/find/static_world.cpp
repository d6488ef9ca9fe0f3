#include "contact/find/static_world.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/find/same_place.h"
#include "contact/records.h"
#include "model/link_pairs.h"
#include "shape/narrow/collide.h"
#include "shape/narrow/ray.h"
#include "model/material.h"

namespace gradus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Where a solid is in the world; a plane is everywhere below its surface, and so is terrain.
Box3 box_of(const Shape& s, const Pose& X_WS) {
  if (s.kind == SolidKind::plane) return {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
  if (s.kind != SolidKind::height_field) return moved(X_WS, bounds(s));
  const HeightGrid& g = s.field->grid();
  const Vec3 far{g.x0 + g.dx * (g.nx - 1), g.y0 + g.dy * (g.ny - 1), s.field->highest()};
  // a tilted height field reaches below on all sides
  if (X_WS.R.z.z < 1 - 1e-12) return {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
  Box3 box = moved(X_WS, Box3{{g.x0, g.y0, s.field->lowest()}, far});
  box.lo.z = -kInfinity;
  return box;
}

bool reaches(const Box3& box, Vec3 c, double r) {
  return c.x + r >= box.lo.x && c.x - r <= box.hi.x && c.y + r >= box.lo.y && c.y - r <= box.hi.y &&
         c.z + r >= box.lo.z && c.z - r <= box.hi.z;
}

/// Lengths along the chains of links, stretched out.
double extent_of(const RobotKind& kind, const StaticKind& shapes) {
  std::vector<double> to_link(kind.links.size(), 0);
  double most = 0;
  for (std::size_t i = 0; i < kind.links.size(); ++i) {
    if (i > 0) {
      const Joint& j = kind.joints[i - 1];
      const Link& l = kind.links[i];
      double slide = l.prismatic ? std::max(std::fabs(j.lower), std::fabs(j.upper)) : 0;
      if (l.typed >= 0) {
        const TypedJoint& t = kind.pairs->typed[static_cast<std::size_t>(l.typed)];
        const Vec3 shift = t.S[i - static_cast<std::size_t>(t.first)].l;
        if (dot(shift, shift) > 0) slide = std::numeric_limits<double>::infinity();  // it has no limits
      }
      to_link[i] = to_link[static_cast<std::size_t>(kind.links[i].parent)] + norm(kind.links[i].p_PB) + slide;
    }
    if (shapes.radius[i] >= 0) most = std::max(most, to_link[i] + norm(shapes.centre[i]) + shapes.radius[i]);
  }
  return most;
}

StaticLaw law_of(const PairNumbers& n) {
  StaticLaw out{{}, n.restitution};
  ContactPoint& p = out.point;
  p.friction = n.friction;
  p.k = n.stiffness, p.d = n.damping;
  p.kt = n.tangential_stiffness, p.dt = n.tangential_damping;
  return out;
}

}  // namespace

void SolidTree::build(const std::vector<StaticSolid>& solids) {
  std::vector<Vec3> centres;
  std::vector<int> bounded;
  for (std::size_t i = 0; i < solids.size(); ++i) {
    const Box3& b = solids[i].box_W;
    const Vec3 middle = (b.lo + b.hi) * 0.5;
    if (std::isfinite(middle.x + middle.y + middle.z))
      bounded.push_back(static_cast<int>(i)), centres.push_back(middle);
    else
      everywhere.push_back(static_cast<int>(i));
  }
  tree = build_unstructured(centres);
  box.assign(tree.nodes.size(), empty_box());
  for (std::size_t k = tree.nodes.size(); k-- > 0;) {  // children come after their parent
    TreeNode& n = tree.nodes[k];
    if (n.item >= 0) {
      n.item = bounded[static_cast<std::size_t>(n.item)];
      box[k] = solids[static_cast<std::size_t>(n.item)].box_W;
      continue;
    }
    const Box3 &l = box[static_cast<std::size_t>(n.left)], &r = box[static_cast<std::size_t>(n.right)];
    box[k] = {smaller(l.lo, r.lo), larger(l.hi, r.hi)};
  }
}

int SolidTree::find(const std::vector<StaticSolid>& solids, Vec3 c, double r, int* out, int room, int* visited) const {
  int count = 0, looked = 0;
  auto take = [&](int solid) {
    int k = std::min(count++, room - 1);
    if (count > room) return;
    for (; k > 0 && out[k - 1] > solid; --k) out[k] = out[k - 1];  // ascending, as if all were looked at in turn
    out[k] = solid;
  };
  for (int solid : everywhere)
    if (++looked, reaches(solids[static_cast<std::size_t>(solid)].box_W, c, r)) take(solid);
  constexpr int kDeepest = 64;  // medians: 2⁶⁴ solids
  int stack[kDeepest], top = 0;
  if (!tree.nodes.empty()) stack[top++] = 0;
  while (top > 0) {
    const auto k = static_cast<std::size_t>(stack[--top]);
    ++looked;
    if (!reaches(box[k], c, r)) continue;
    const TreeNode& n = tree.nodes[k];
    if (n.item >= 0)
      take(n.item);
    else
      stack[top++] = n.left, stack[top++] = n.right;
  }
  if (visited) *visited = looked;
  return count;
}

bool StaticKind::below(Vec3 p, double depth, Vec3& at, Vec3& normal) const {
  const Vec3 down{0, 0, -1};
  bool any = false;
  const auto look_at = [&](int number) {
    const StaticSolid& s = (*solids)[static_cast<std::size_t>(number)];
    RayHit hit;
    if (!cast_ray(s.shape, s.X_WS, p, down, depth, hit) || hit.t <= 0) return;  // 0: the point is inside
    any = true, depth = hit.t;
    at = p + down * hit.t, normal = hit.normal;
  };
  for (const int number : tree->everywhere) look_at(number);
  constexpr int kDeepest = 64;
  int stack[kDeepest], top = 0;
  if (!tree->tree.nodes.empty()) stack[top++] = 0;
  while (top > 0) {
    const auto k = static_cast<std::size_t>(stack[--top]);
    const Box3& b = tree->box[k];
    if (p.x < b.lo.x || p.x > b.hi.x || p.y < b.lo.y || p.y > b.hi.y || b.lo.z > p.z || b.hi.z < p.z - depth) continue;
    const TreeNode& n = tree->tree.nodes[k];
    if (n.item >= 0)
      look_at(n.item);
    else
      stack[top++] = n.left, stack[top++] = n.right;
  }
  return any;
}

Diagnostics StaticWorld::build(const Model& model) {
  Diagnostics notes;
  add_solids(model, notes);
  tree_.build(solids_);
  for (const RobotModel& r : model.robots)
    if (!shapes_.contains(r.kind.get())) {
      add_shapes(*r.kind, notes);
      if (!solids_.empty()) add_kind(model, *r.kind);
    }
  for (Diagnostic& d : notes)
    if (d.place.file.empty()) d.place.file = model.file;
  return notes;
}

const StaticSolid* StaticWorld::find(int object) const {
  const auto it =
      std::find_if(solids_.begin(), solids_.end(), [&](const StaticSolid& s) { return s.object == object; });
  return it == solids_.end() ? nullptr : &*it;
}

void StaticWorld::add_solids(const Model& model, Diagnostics& notes) {
  for (const int object : model.static_objects) {
    const FieldObjectSpec& f = model.field[static_cast<std::size_t>(object)];
    const Result<Shape> shape = library_.add(f.shape, model.meshes, MeshUse::triangles, model.maps);
    notes.insert(notes.end(), shape.notes().begin(), shape.notes().end());
    if (!shape) continue;
    const Pose X_WS = f.X_WO * f.shape.X_OS;
    solids_.push_back({*shape, X_WS, box_of(*shape, X_WS), object});
  }
}

void StaticWorld::add_shapes(const RobotKind& kind, Diagnostics& notes) {
  auto out = std::make_shared<KindShapes>(kind.shapes.size());
  for (std::size_t i = 0; i < kind.shapes.size(); ++i) {
    if (!kind.shapes[i].spec.collides) continue;
    const Result<Shape> shape = library_.add(kind.shapes[i].spec, kind.meshes);
    notes.insert(notes.end(), shape.notes().begin(), shape.notes().end());
    if (shape) (*out)[i] = *shape;
  }
  shapes_[&kind] = std::move(out);
}

void StaticWorld::add_kind(const Model& model, const RobotKind& kind) {
  auto out = std::make_unique<StaticKind>();
  out->solids = &solids_;
  out->tree = &tree_;
  out->shape_begin.assign(1, 0);
  for (int link = 0; link < kind.nlink(); ++link) {
    Box3 box = empty_box();
    for (std::size_t i = 0; i < kind.shapes.size(); ++i) {
      const ShapeInfo& s = kind.shapes[i];
      const std::optional<Shape>& shape = shapes(kind)[i];
      if (s.link != link || !shape) continue;
      StaticKind::LinkShape x{*shape, s.X_LS, static_cast<int>(i), {}};
      const Box3 own = moved(s.X_LS, bounds(*shape));
      box = {smaller(box.lo, own.lo), larger(box.hi, own.hi)};
      out->shapes.push_back(std::move(x));
    }
    const bool any = static_cast<int>(out->shapes.size()) > out->shape_begin.back();
    out->shape_begin.push_back(static_cast<int>(out->shapes.size()));
    out->centre.push_back(any ? (box.lo + box.hi) * 0.5 : Vec3{0, 0, 0});
    out->radius.push_back(any ? 0.5 * norm(box.hi - box.lo) : -1);
  }
  take_laws(model, kind, *out);
  kinds_[&kind] = std::move(out);
}

void StaticWorld::take_laws(const Model& model, const RobotKind& kind, StaticKind& out) const {
  for (StaticKind::LinkShape& x : out.shapes) {
    const int object = kind.shapes[static_cast<std::size_t>(x.number)].object;
    x.law.clear();
    for (const StaticSolid& solid : solids_)
      x.law.push_back(law_of(scaled_numbers(model.contact, kind.objects[static_cast<std::size_t>(object)].surface,
                                            model.field[static_cast<std::size_t>(solid.object)].surface, kind.mass)));
  }
  out.extent = extent_of(kind, out);
}

void StaticWorld::add_variant(const Model& model, const RobotKind& first, const RobotKind& now) {
  shapes_[&now] = shapes_.at(&first);
  const auto it = kinds_.find(&first);
  if (it == kinds_.end()) return;
  auto out = std::make_unique<StaticKind>(*it->second);
  take_laws(model, now, *out);
  kinds_[&now] = std::move(out);
}

const StaticKind* StaticWorld::kind(const RobotKind& kind) const {
  const auto it = kinds_.find(&kind);
  return it == kinds_.end() || it->second->shapes.empty() ? nullptr : it->second.get();
}

namespace {

constexpr double kNear = 0.0005;      // [m] margin of (1)
constexpr double kLinkSpeed = 10;     // [m/s] of links about the root; faster ones are found a step late
constexpr int kNearSolids = 64;       // objects near one robot at once

/// Any right-handed pair of tangents; the same for the same normal.
void set_axes(Vec3 n, FieldContact& c) {
  const Vec3 seed = std::fabs(n.x) < 0.9 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 t = seed - n * dot(seed, n);
  c.n = n;
  c.t1 = t * (1 / norm(t));
  c.t2 = cross(n, c.t1);
}

/// One robot's search: what its links share.
class Search {
 public:
  Search(View<StaticPoints::access> view, double h)
      : view_(view),
        kind_(*view.statics()),
        room_(view.contact_room()),
        h_(h),
        records_(records_in(view_.field_memory(), view_.field_room())),
        p_WB_(base_position(view.q())),
        v_WB_(base_velocity(view.v())) {}

  void run() {
    room_.field_count = 0;
    find_near();
    if (near_count_ == 0) return;
    const int nlink = view_.kind().nlink();
    for (int i = 0; i < nlink; ++i)
      if (kind_.radius[static_cast<std::size_t>(i)] >= 0) search_link(i);
    if (room_.field_count == 0) return;
    if (view_.k() > 0) limit_springs();  // a run begins with everything as it lies
    merge();
  }

 private:
  const Frame& frame(int link) const { return view_.frames()[link]; }
  Vec3 centre(int link) const {
    return p_WB_ + frame(link).p + frame(link).R * kind_.centre[static_cast<std::size_t>(link)];
  }

  /// (1)
  double reach(int link) const {
    const Frame& f = frame(link);
    const Vec3 c = f.p + f.R * kind_.centre[static_cast<std::size_t>(link)];
    const double speed = norm(v_WB_ + velocity_at(f.V, c)) + norm(f.V.a) * kind_.radius[static_cast<std::size_t>(link)];
    return kNear + h_ * (speed + h_ * norm(view_.gravity()));
  }

  /// One sphere around the robot, as far as it may come in the step; no link is looked at when it meets nothing.
  void find_near() {
    const double r = kNear + kind_.extent + h_ * (norm(v_WB_) + kLinkSpeed);
    const int found = kind_.tree->find(*kind_.solids, p_WB_, r, near_, kNearSolids);
    near_count_ = std::min(found, kNearSolids);
    room_.field_dropped += found - near_count_;
  }

  void search_link(int link) {
    const double r = reach(link), around = kind_.radius[static_cast<std::size_t>(link)] + r;
    const Vec3 c = centre(link);
    int close[kNearSolids], count = 0;
    for (int k = 0; k < near_count_; ++k)
      if (reaches((*kind_.solids)[static_cast<std::size_t>(near_[k])].box_W, c, around)) close[count++] = near_[k];
    if (count == 0) return;
    const Pose X_WL{frame(link).R, p_WB_ + frame(link).p};
    for (int i = kind_.shape_begin[static_cast<std::size_t>(link)]; i < kind_.shape_begin[static_cast<std::size_t>(link) + 1];
         ++i)
      for (int k = 0; k < count; ++k) meet(link, X_WL, i, close[k], r);
  }

  void meet(int link, const Pose& X_WL, int shape, int number, double reach) {
    const StaticKind::LinkShape& own = kind_.shapes[static_cast<std::size_t>(shape)];
    const StaticSolid& solid = (*kind_.solids)[static_cast<std::size_t>(number)];
    Contact found[kContactMax];
    const int n = collide(own.shape, X_WL * own.X_LS, solid.shape, solid.X_WS, reach, found);
    for (int i = 0; i < n; ++i) {
      const Vec3 r = found[i].point + found[i].normal * (0.5 * found[i].gap) - p_WB_;  // on the robot's surface
      const Vec3 u = v_WB_ + velocity_at(frame(link).V, r);
      if (found[i].gap + h_ * (dot(found[i].normal, u) + h_ * dot(found[i].normal, view_.gravity())) >= 0)
        continue;  // (2)
      if (room_.field_count == view_.field_room()) {
        ++room_.field_dropped;
        continue;
      }
      const int index = room_.field_count++;
      FieldContact& c = room_.field[static_cast<std::size_t>(index)];
      c.pair = pair_of(shape, number);
      c.p_L = transpose_times(X_WL.R, p_WB_ + r - X_WL.p);
      c.law = own.law[static_cast<std::size_t>(number)].point;
      c.restitution = own.law[static_cast<std::size_t>(number)].restitution;
      c.stiffness = c.law.k, c.gap = c.felt = found[i].gap, c.unfelt = 0;
      set_axes(found[i].normal, c);
      recall(c);
      put(link, index, r, u, c);
    }
  }

  /// What the last step left at this place.
  void recall(FieldContact& c) const {
    c.m = {0, 0, 0, 0};
    double best = kSamePlace * kSamePlace;
    for (const ContactRecord& r : of_pair(records_, c.pair)) {
      const Vec3 d = r.place - c.p_L;
      if (!(dot(d, d) < best)) continue;
      best = dot(d, d);
      c.m = {dot(r.stick, c.t1), dot(r.stick, c.t2), r.fn, r.sliding};
    }
  }

  /// (2) of law/held.h, pair by pair; sticking springs likewise, since one record may have been recalled twice.
  void limit_springs() {
    const std::span<FieldContact> all{room_.field.data(), static_cast<std::size_t>(room_.field_count)};
    StaticContact* contacts = room_.contacts.data() + room_.contact_count;
    for (std::size_t first = 0, next = 0; first < all.size(); first = next) {
      while (next < all.size() && all[next].pair == all[first].pair) ++next;
      const std::span<FieldContact> pair = all.subspan(first, next - first);
      const std::span<const ContactRecord> records = of_pair(records_, pair[0].pair);
      gradus::limit_springs(pair, records);
      double stuck = 0, sticking = 0;
      for (const FieldContact& f : pair) stuck += f.m.s1 * f.m.s1 + f.m.s2 * f.m.s2;
      for (const ContactRecord& r : records) sticking += dot(r.stick, r.stick);
      const double share = felt_share(stuck, sticking);
      for (std::size_t i = first; i < next; ++i) all[i].m.s1 *= share, all[i].m.s2 *= share, contacts[i].gap = all[i].felt;
    }
  }

  /// Behind the ground points, in the order of links; merge() mixes them.
  void put(int link, int index, Vec3 r, Vec3 u, const FieldContact& f) {
    StaticContact& c = room_.contacts[static_cast<std::size_t>(room_.contact_count + index)];
    c.point = static_cast<int>(view_.kind().points.size()) + index;
    c.link = link;
    c.near = c.active = true;
    c.sliding = f.m.sliding != 0;
    c.fn = f.m.fn;
    c.r = r;
    c.gap = f.felt;
    c.u = u;
  }

  /// Ground points and field contacts in one list sorted by link, as motions read it.
  void merge() {
    const int total = room_.contact_count + room_.field_count;
    StaticContact* c = room_.contacts.data();
    for (int i = room_.contact_count; i < total; ++i)  // insertion keeps the order of equals and allocates nothing
      for (int k = i; k > 0 && c[k - 1].link > c[k].link; --k) std::swap(c[k - 1], c[k]);
    room_.contact_count = total;
    int* begin = view_.contact_begin_out();
    const int nlink = view_.kind().nlink();
    for (int link = 0, i = 0; link <= nlink; ++link) {
      while (i < total && c[i].link < link) ++i;
      begin[link] = i;
    }
  }

  View<StaticPoints::access> view_;
  const StaticKind& kind_;
  RobotScratch& room_;
  double h_;
  std::span<const ContactRecord> records_;
  Vec3 p_WB_, v_WB_;
  int near_[kNearSolids], near_count_ = 0;
};

}  // namespace

void StaticPoints::find(View<access> view, double h) { Search(view, h).run(); }

}  // namespace gradus
