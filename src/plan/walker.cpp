#include "plan/walker.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "control/walk/rotation.h"
#include "shape/narrow/collide.h"
#include "tree/kernels.h"

namespace gradus::plan {
namespace {

constexpr double kReached = 0.003;   // [m] a leg that comes this near has reached its foot
constexpr double kReachedUp = 0.02;  // [m] the same of a swinging foot, which need not keep to its way
constexpr double kForgiven = 0.03;   // [m] the same of a robot that stands badly
constexpr double kMostTilt = 0.45;   // [rad] of the base
constexpr double kStill = 0.004;     // [m] feet that would move less stay
constexpr double kMarked = 0.03, kPenalty = 1;  // [m] around a slip

/// The plane z = a + b x + c y through points, by least squares.
struct Fit {
  double a, b, c;
};
Fit fit_plane(std::span<const Vec3> p) {
  const double n = static_cast<double>(p.size());
  Vec3 mean{0, 0, 0};
  for (const Vec3& v : p) mean += v * (1 / n);
  double xx = 0, xy = 0, yy = 0, xz = 0, yz = 0;
  for (const Vec3& v : p) {
    const Vec3 d = v - mean;
    xx += d.x * d.x, xy += d.x * d.y, yy += d.y * d.y, xz += d.x * d.z, yz += d.y * d.z;
  }
  const double det = xx * yy - xy * xy;
  if (!(det > 1e-12)) return {mean.z, 0, 0};
  const double b = (yy * xz - xy * yz) / det, c = (xx * yz - xy * xz) / det;
  return {mean.z - b * mean.x - c * mean.y, b, c};
}

/// Base at yaw with its z along the plane's normal, leaning no more than kMostTilt.
Mat3 lying_on(const Fit& f, double yaw) {
  double b = f.b, c = f.c;
  const double steep = square_root(b * b + c * c), most = walk::sine(kMostTilt) / walk::cosine(kMostTilt);
  if (steep > most) b *= most / steep, c *= most / steep;
  const Vec3 z = direction(Vec3{-b, -c, 1}, {0, 0, 1}), ahead{walk::cosine(yaw), walk::sine(yaw), 0};
  const Vec3 x = direction(ahead - z * dot(ahead, z), {1, 0, 0});
  return {x, cross(z, x), z};
}

}  // namespace

Pose between(const Pose& a, const Pose& b, double s) {
  const Quat from = to_quaternion(a.R), to = to_quaternion(b.R);
  const double sign = from.w * to.w + from.x * to.x + from.y * to.y + from.z * to.z < 0 ? -s : s, rest = 1 - s;
  const Quat q = normalized(Quat{rest * from.w + sign * to.w, rest * from.x + sign * to.x, rest * from.y + sign * to.y, rest * from.z + sign * to.z});
  return {to_matrix(q), a.p * rest + b.p * s};
}

double support_margin(std::span<const Vec3> points, Vec3 p) {
  std::array<Vec3, 16> at;
  const std::size_t n = std::min(points.size(), at.size());
  std::copy_n(points.begin(), n, at.begin());
  std::sort(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(n), [](const Vec3& a, const Vec3& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  const auto left = [](Vec3 a, Vec3 b, Vec3 c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); };
  std::array<Vec3, 34> chain;
  std::size_t count = 0;
  for (int side = 0; side < 2; ++side) {  // below, then above
    const std::size_t base = count;
    for (std::size_t k = 0; k < n; ++k) {
      const Vec3& q = at[side == 0 ? k : n - 1 - k];
      while (count >= base + 2 && left(chain[count - 2], chain[count - 1], q) <= 0) --count;
      chain[count++] = q;
    }
    --count;  // it begins the other side
  }
  if (count < 3) return -std::numeric_limits<double>::infinity();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < count; ++k) {
    const Vec3 a = chain[k], b = chain[(k + 1) % count];
    const double length = square_root((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
    if (length > 0) least = std::min(least, left(a, b, p) / length);
  }
  return least;
}

Result<std::unique_ptr<Walker>> Walker::make(const Model& model, std::shared_ptr<const RobotKind> kind, const WalkerSettings& settings, const Place& where) {
  std::unique_ptr<Walker> out(new Walker(model, std::move(kind), settings));
  Diagnostics notes = out->take_legs(where);
  if (has_errors(notes)) return notes;
  append(notes, out->take_shapes());
  auto self = SelfCollision::make(out->kind_, MeshUse::hull);
  append(notes, self.notes());
  if (has_errors(notes)) return notes;
  out->self_ = std::move(*self);
  return {std::move(out), std::move(notes)};
}

Diagnostics Walker::take_legs(const Place& where) {
  const auto fault = [&](const std::string& text, const std::string& hint) { return Diagnostics{{where, Severity::error, text, hint}}; };
  for (const Joint& j : kind_->joints) q_.push_back(j.initial);
  coordinates_.assign(static_cast<std::size_t>(kind_->nq()), 0), still_.assign(static_cast<std::size_t>(kind_->nv()), 0);
  frames_.resize(static_cast<std::size_t>(kind_->nlink()));
  if (kind_->feet.size() < 4 || kind_->feet.size() > 16)
    return fault("a plan of steps needs a robot with four to 16 feet, '" + kind_->name + "' has " + std::to_string(kind_->feet.size()), "");
  const std::vector<Pose> X = start_poses(*kind_);
  double mean = 0;
  for (std::size_t f = 0; f < kind_->feet.size(); ++f) {
    Leg leg(*kind_, kind_->feet[f]);
    const Vec3 p = leg.foot(q_);
    mean += p.z / static_cast<double>(kind_->feet.size());
    double near = 1e9;
    for (const ContactPoint& c : kind_->points)
      if (const double d = norm(X[static_cast<std::size_t>(leg.link())] * c.p_BC - p); c.link == leg.link() && d < near) near = d, radius_ = c.radius;
    legs_.push_back({std::move(leg), f, p, 0});
  }
  for (WalkingLeg& w : legs_) {
    const double r = square_root(w.p_B.x * w.p_B.x + w.p_B.y * w.p_B.y);
    if (r > 1e-6) w.p_B.x *= 1 + settings_.gait.spread / r, w.p_B.y *= 1 + settings_.gait.spread / r;
    w.p_B.z = settings_.gait.height > 0 ? -settings_.gait.height : mean;
  }
  // legs whose strides begin at the same share swing together
  std::vector<double> begins, all;
  for (const WalkingLeg& w : legs_) {
    std::size_t before = 0, on_side = 0;
    const bool right = w.p_B.y < 0;
    for (const WalkingLeg& o : legs_)
      if ((o.p_B.y < 0) == right) ++on_side, before += o.p_B.x > w.p_B.x;
    begins.push_back(stride_begin(settings_.gait.order, before, on_side, right));
  }
  all = begins;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end(), [](double a, double b) { return b - a < 1e-9; }), all.end());
  groups_ = static_cast<int>(all.size());
  for (std::size_t i = 0; i < legs_.size(); ++i)
    legs_[i].group = static_cast<int>(std::lower_bound(all.begin(), all.end(), begins[i] - 1e-9) - all.begin());
  return {};
}

Diagnostics Walker::take_shapes() {
  Diagnostics notes;
  for (const ShapeInfo& s : kind_->shapes) {
    if (!s.spec.collides) continue;
    const Result<Shape> shape = library_.add(s.spec, kind_->meshes);
    append(notes, shape.notes());
    if (!shape) continue;
    Vec3 centre;
    double radius;
    bounding_sphere(*shape, centre, radius);
    const bool is_foot = std::any_of(legs_.begin(), legs_.end(), [&](const WalkingLeg& w) {
      return w.leg.link() == s.link && norm(s.X_LS * centre - w.leg.ball()) < radius + 1e-3;
    });
    if (!is_foot) parts_.push_back({*shape, s.X_LS, s.link});
  }
  for (const int object : model_.static_objects) {
    const FieldObjectSpec& f = model_.field[static_cast<std::size_t>(object)];
    const Result<Shape> shape = library_.add(f.shape, model_.meshes, MeshUse::triangles, model_.maps);
    append(notes, shape.notes());
    if (shape) world_.push_back({*shape, f.X_WO * f.shape.X_OS});
  }
  if (model_.ground.present) {
    const Plane& g = model_.ground;
    world_.push_back({plane_shape(), {{g.t1, g.t2, g.n}, g.n * g.offset}});
  }
  return notes;
}

void Walker::see(const MapArea& area, const FootholdCost& cost) {
  map_ = std::make_unique<GroundMap>(model_, area, radius_);
  cost_.assign(static_cast<std::size_t>(map_->nx()) * static_cast<std::size_t>(map_->ny()), 0);
  for (int j = 0; j < map_->ny(); ++j)
    for (int i = 0; i < map_->nx(); ++i) cost_[node(i, j)] = cost(map_->features(i, j));
}

bool Walker::choose_foothold(Vec3 rest, Vec3& out, double& cost) const {
  const int reach = static_cast<int>(settings_.search / GroundMap::kCell);
  int i0, j0;
  cost = std::numeric_limits<double>::infinity();
  if (!map_->node(rest.x, rest.y, i0, j0)) return false;
  for (int j = std::max(0, j0 - reach); j <= std::min(map_->ny() - 1, j0 + reach); ++j)
    for (int i = std::max(0, i0 - reach); i <= std::min(map_->nx() - 1, i0 + reach); ++i) {
      const double dx = map_->x(i) - rest.x, dy = map_->y(j) - rest.y, d2 = (dx * dx + dy * dy) / (settings_.search * settings_.search), z = map_->rest(i, j);
      if (d2 > 1 || std::isnan(z)) continue;
      const double c = d2 + cost_[node(i, j)];
      if (c < cost) cost = c, out = {map_->x(i), map_->y(j), z};
    }
  return std::isfinite(cost);
}

bool Walker::stand(const Place2& at, Stance& out) {
  out.place = at;
  out.feet.resize(legs_.size());
  out.cost = 0;
  const Mat3 turn = walk::rotation_z(at.yaw);
  double height = 0;
  for (std::size_t i = 0; i < legs_.size(); ++i) {
    double cost;
    if (!choose_foothold(turn * legs_[i].p_B + Vec3{at.x, at.y, 0}, out.feet[i], cost)) return ++refused_.foothold, false;
    out.cost += cost;
    height -= legs_[i].p_B.z / static_cast<double>(legs_.size());
  }
  const Fit plane = fit_plane(out.feet);
  out.X_WB = {lying_on(plane, at.yaw), {at.x, at.y, plane.a + plane.b * at.x + plane.c * at.y + height}};
  return is_sound(out);
}

bool Walker::settle(std::span<const Vec3> feet, double yaw, Stance& out) {
  const Mat3 turn = walk::rotation_z(yaw);
  Vec3 at{0, 0, 0};
  double height = 0;
  for (std::size_t i = 0; i < legs_.size(); ++i) {
    at += (feet[i] - turn * legs_[i].p_B) * (1 / static_cast<double>(legs_.size()));
    height -= legs_[i].p_B.z / static_cast<double>(legs_.size());
  }
  const Fit plane = fit_plane(feet);
  out.place = {at.x, at.y, yaw};
  out.X_WB = {lying_on(plane, yaw), {at.x, at.y, plane.a + plane.b * at.x + plane.c * at.y + height}};
  out.feet.assign(feet.begin(), feet.end());
  return is_sound(out);
}

void Walker::mark(Vec3 p) {
  const int reach = static_cast<int>(kMarked / GroundMap::kCell);
  int i0, j0;
  if (!map_->node(p.x, p.y, i0, j0)) return;
  for (int j = std::max(0, j0 - reach); j <= std::min(map_->ny() - 1, j0 + reach); ++j)
    for (int i = std::max(0, i0 - reach); i <= std::min(map_->nx() - 1, i0 + reach); ++i) cost_[node(i, j)] += kPenalty;
}

bool Walker::is_sound(const Stance& s) {
  for (std::size_t j = 0; j < q_.size(); ++j) q_[j] = kind_->joints[j].initial;
  if (!reaches(s.X_WB, s.feet, kReached)) return ++refused_.reach, false;
  if (!stands(s.X_WB, s.feet)) return ++refused_.stability, false;
  if (self_->collides(q_)) return ++refused_.self, false;
  if (touches(s.X_WB)) return ++refused_.world, false;
  return true;
}

bool Walker::reaches(const Pose& X_WB, std::span<const Vec3> feet, double tolerance) {
  const Pose X_BW = inverse(X_WB);
  for (std::size_t i = 0; i < legs_.size(); ++i)
    if (legs_[i].leg.reach(X_BW * feet[i], q_) > tolerance) return false;
  return true;
}

/// Places the links for q_, so touches may follow.
bool Walker::stands(const Pose& X_WB, std::span<const Vec3> standing) {
  const Quat q = to_quaternion(X_WB.R);
  coordinates_[3] = q.w, coordinates_[4] = q.x, coordinates_[5] = q.y, coordinates_[6] = q.z;
  std::copy(q_.begin(), q_.end(), coordinates_.begin() + 7);
  compute_poses(*kind_, coordinates_.data(), still_.data(), frames_.data());
  Vec3 com{0, 0, 0};
  for (std::size_t l = 0; l < frames_.size(); ++l) com += (frames_[l].p + frames_[l].R * kind_->links[l].com) * (kind_->links[l].mass / kind_->mass);
  return support_margin(standing, X_WB.p + com) >= settings_.margin;
}

bool Walker::touches(const Pose& X_WB) {
  for (const Part& part : parts_) {
    const Frame& f = frames_[static_cast<std::size_t>(part.link)];
    const Pose X = Pose{f.R, X_WB.p + f.p} * part.X_LS;
    Contact c[kContactMax];
    for (const auto& [shape, X_WS] : world_)
      if (collide(part.shape, X, shape, X_WS, 0, c) > 0) return true;
  }
  return false;
}

double Walker::highest_between(Vec3 a, Vec3 b) const {
  const double length = square_root((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
  const int n = 1 + static_cast<int>(length / (0.5 * GroundMap::kCell));
  double top = std::max(a.z, b.z);
  for (int k = 1; k < n; ++k) {
    const double s = static_cast<double>(k) / n;
    if (const double z = map_->rest_at(a.x + s * (b.x - a.x), a.y + s * (b.y - a.y)); z > top) top = z;
  }
  return top;
}

bool Walker::step(const Stance& a, const Stance& b) {
  for (std::size_t j = 0; j < q_.size(); ++j) q_[j] = kind_->joints[j].initial;
  std::array<Vec3, 16> feet, standing;
  const std::size_t n = legs_.size();
  for (int g = 0; g < groups_; ++g)
    for (int part = 0; part < 3; ++part) {  // beginning, middle and end of the swing
      std::size_t held = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const bool swings = legs_[i].group == g;
        feet[i] = legs_[i].group < g || (swings && part == 2) ? b.feet[i] : a.feet[i];
        if (swings && part == 1 && norm(b.feet[i] - a.feet[i]) > kStill) {
          feet[i] = (a.feet[i] + b.feet[i]) * 0.5;
          feet[i].z = highest_between(a.feet[i], b.feet[i]) + settings_.clearance;
        }
        if (!swings || norm(b.feet[i] - a.feet[i]) <= kStill) standing[held++] = feet[i];
      }
      const Pose X_WB = between(a.X_WB, b.X_WB, (g + 0.5 * part) / groups_);
      if (!reaches(X_WB, std::span(feet.data(), n), a.forgiven > 1 ? kForgiven : part == 1 ? kReachedUp : kReached)) return ++refused_.reach, false;
      if (!stands(X_WB, std::span(standing.data(), held))) return ++refused_.stability, false;
      if (a.forgiven > 1 || (a.forgiven > 0 && g == 0 && part == 0)) continue;
      if (self_->collides(q_)) return ++refused_.self, false;
      if (touches(X_WB)) return ++refused_.world, false;
    }
  return true;
}

}  // namespace gradus::plan
