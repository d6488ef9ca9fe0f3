#include "sense/kinds/objects.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "math/angle.h"
#include "sense/channel.h"
#include "sense/rays.h"

namespace gradus::sense {
namespace {

constexpr int kPoints = 8;         // of an object that are looked at: one packet of rays
constexpr std::size_t kAtOnce = 32;  // objects
constexpr double kMargin = 0.01;   // what a line of sight meets this near to its end hides nothing          [m]
constexpr double kEnough = 0.5;    // share of an object by which it is recognised like all of it
enum : std::size_t { kHorizontal, kVertical, kNear, kFar, kOcclusion, kRecognised, kFalse, kDistance, kAzimuth, kElevation, kMisplaced };
enum : int { kSeenAt, kDistanceAt, kAzimuthAt, kElevationAt, kChannels };

/// Numbers of robots, and −1 − number of field objects, in the order of the words, each once.
void find_objects(Binding& b, std::vector<int>& out) {
  const Model& model = b.model();
  const RobotModel& own = b.robot();
  const auto put = [&](int id) {
    if (std::find(out.begin(), out.end(), id) == out.end()) out.push_back(id);
  };
  std::vector<std::string> known{"ball", "team", "opponents", "robots", "goals"};
  for (const RobotModel& r : model.robots) known.push_back(r.name);
  for (const FieldObjectSpec& f : model.field) known.push_back(f.name);
  for (const std::string& word : b.words("sees")) {
    if (std::find(known.begin(), known.end(), word) == known.end())
      b.fault("sees", "there is no '" + word + "'", did_you_mean(word, known));
    for (std::size_t i = 0; i < model.robots.size(); ++i) {
      const RobotModel& r = model.robots[i];
      const bool ball = r.kind->ball_radius() > 0, player = r.kind->njoint() > 0;
      const bool meant = r.name == word || (word == "ball" && ball) || (word == "robots" && player) ||
                         (word == "team" && player && !own.team.empty() && r.team == own.team) ||
                         (word == "opponents" && player && !r.team.empty() && r.team != own.team);
      if (meant && r.name != own.name) put(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < model.field.size(); ++i)
      if (model.field[i].name == word || (word == "goals" && !model.field[i].goal.empty())) put(-1 - static_cast<int>(i));
  }
}

/// Where the eye is, and how it is turned.
struct Eye {
  Vec3 p_W;
  Mat3 R;
};
Eye eye_of(const Surroundings& w, const Sensor& s) {
  const Frame& f = w.frame(s.link);
  return {base_position(w.q()) + f.p + f.R * s.X_LS.p, f.R * s.X_LS.R};
}

/// Centre of a robot's base, or of a field object.
Vec3 centre_of(const Surroundings& w, int id) {
  if (id < 0) return (w.model->field[static_cast<std::size_t>(-1 - id)].X_WO * w.model->field[static_cast<std::size_t>(-1 - id)].shape.X_OS).p;
  const auto r = static_cast<std::size_t>(id);
  const double* q = w.state + w.layout[r].q;
  return base_position(q) + to_matrix(base_orientation(q)) * w.model->robots[r].kind->links[0].com;
}

/// Points of an object that may be seen: of a robot places on its links, of a ball its centre and seven around it as they are seen from `eye`,
/// of a field object along its height.
void points_of(const Surroundings& w, int id, Vec3 eye, std::array<Vec3, kPoints>& out) {
  if (id < 0) {
    const FieldObjectSpec& f = w.model->field[static_cast<std::size_t>(-1 - id)];
    const Pose X = f.X_WO * f.shape.X_OS;
    const double tall = f.shape.kind == ShapeKind::sphere ? 0 : f.shape.kind == ShapeKind::box ? f.shape.size.z : f.shape.length;
    for (int i = 0; i < kPoints; ++i) out[static_cast<std::size_t>(i)] = X * Vec3{0, 0, tall * ((i + 0.5) / kPoints - 0.5)};
    return;
  }
  const RobotKind& kind = *w.model->robots[static_cast<std::size_t>(id)].kind;
  if (const double radius = kind.ball_radius(); radius > 0) {
    const Vec3 c = centre_of(w, id), d = c - eye, n = d * (1 / std::max(norm(d), 1e-9));
    const Vec3 across = std::fabs(n.z) < 0.9 ? Vec3{0, 0, 1} : Vec3{1, 0, 0};
    const Vec3 u0 = cross(n, across), u = u0 * (1 / norm(u0)), v = cross(n, u);
    out[0] = c;
    for (int i = 1; i < kPoints; ++i) {
      double s, k;
      sine_cosine(6.283185307179586 * i / (kPoints - 1), s, k);
      out[static_cast<std::size_t>(i)] = c + (u * k + v * s) * (0.8 * radius);
    }
    return;
  }
  const int n = kind.nlink();
  for (int i = 0; i < kPoints; ++i) {
    const int link = static_cast<int>(static_cast<std::int64_t>(i) * n / kPoints);
    out[static_cast<std::size_t>(i)] = w.rays->X_WL(id, link) * kind.links[static_cast<std::size_t>(link)].com;
  }
}

/// Share of an object's points whose lines of sight are free.
double share_of(const Surroundings& w, const Eye& eye, int id, const std::array<Vec3, kPoints>& points) {
  std::array<Vec3, kPoints> directions;
  std::array<double, kPoints> far;
  double farthest = 0;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const Vec3 d = transpose_times(eye.R, points[i] - eye.p_W);
    far[i] = std::max(norm(d), 1e-9);
    directions[i] = d * (1 / far[i]);
    farthest = std::max(farthest, far[i]);
  }
  const std::span<const RayAnswer> answers = w.rays->aim(directions, farthest + 1);
  int free = 0;
  for (std::size_t i = 0; i < kPoints; ++i)
    free += answers[i].distance > far[i] - kMargin || w.rays->is_of(answers[i].shape, id);
  return static_cast<double>(free) / kPoints;
}

/// A ball around points.
Rays::Ball around(const std::array<Vec3, kPoints>& points) {
  Vec3 sum{0, 0, 0};
  for (const Vec3& p : points) sum += p;
  Rays::Ball b{sum * (1.0 / kPoints), 0};
  for (const Vec3& p : points) b.radius = std::max(b.radius, norm(p - b.centre_W));
  return b;
}

/// Uniform in [0, 1).
double uniform(const Channel& c, Purpose purpose, std::int64_t number) {
  return static_cast<double>(mix64(c.key ^ mix64(static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15ull + static_cast<std::uint64_t>(purpose))) >> 11) * 0x1.0p-53;
}

}  // namespace

void Objects::bind(Binding& b) {
  std::vector<int> ids;
  if (!b.has("sees")) b.fault("", "says nothing of what it sees", "add sees = [\"ball\", \"team\"]");
  find_objects(b, ids);
  for (const int id : ids) {
    b.id(id);
    const std::string seen = id < 0 ? b.model().field[static_cast<std::size_t>(-1 - id)].name : b.model().robots[static_cast<std::size_t>(id)].name;
    b.channel(seen + ".seen", ""), b.channel(seen + ".distance", "m");
    b.channel(seen + ".azimuth", "rad"), b.channel(seen + ".elevation", "rad");
  }
  const std::vector<double> view = b.numbers("view");
  const bool given = view.size() == 2;
  b.keep(given ? 0.5 * view[0] : 4), b.keep(given ? 0.5 * view[1] : 4);  // 4 rad: any direction
  b.keep(b.number("near", 0)), b.keep(b.number("far", std::numeric_limits<double>::infinity()));
  const bool occlusion = b.number("occlusion", 1) != 0;
  b.keep(occlusion), b.keep(b.number("recognised", 1)), b.keep(b.number("false_alarms", 0));
  b.keep(b.number("noise.distance", 0)), b.keep(b.number("noise.azimuth", 0)), b.keep(b.number("noise.elevation", 0));
  b.keep(b.number("misplaced", 0));
  if (occlusion) b.aims(kPoints);
}

void Objects::truth(const Surroundings& w, const Sensor& s, double*, double* x) {
  const Eye eye = eye_of(w, s);
  const bool occlusion = s.numbers[kOcclusion] != 0;
  double* of_object = x;
  for (const int id : s.ids) {
    const Vec3 d = transpose_times(eye.R, centre_of(w, id) - eye.p_W);
    of_object[kDistanceAt] = norm(d);
    of_object[kAzimuthAt] = arc_tangent(d.y, d.x);
    of_object[kElevationAt] = arc_tangent(d.z, square_root(d.x * d.x + d.y * d.y));
    of_object[kSeenAt] = std::fabs(of_object[kAzimuthAt]) <= s.numbers[kHorizontal] &&
                         std::fabs(of_object[kElevationAt]) <= s.numbers[kVertical] &&
                         of_object[kDistanceAt] >= s.numbers[kNear] && of_object[kDistanceAt] <= s.numbers[kFar];
    of_object += kChannels;
  }
  if (!occlusion) return;
  std::array<std::array<Vec3, kPoints>, kAtOnce> points;
  std::array<Rays::Ball, kAtOnce> balls;
  std::array<std::size_t, kAtOnce> which;
  for (std::size_t i = 0; i < s.ids.size();) {  // so many at once share one placing
    std::size_t n = 0;
    for (; i < s.ids.size() && n < kAtOnce; ++i) {
      if (x[kChannels * i + kSeenAt] == 0) continue;
      points_of(w, s.ids[i], eye.p_W, points[n]);
      balls[n] = around(points[n]);
      which[n++] = i;
    }
    if (n == 0) break;
    w.rays->stand(w.number, s, {balls.data(), n});
    for (std::size_t k = 0; k < n; ++k) x[kChannels * which[k] + kSeenAt] = share_of(w, eye, s.ids[which[k]], points[k]);
  }
}

void Objects::perceive(const Sensor& s, std::int64_t n, const double* truth, double* z) {
  const std::vector<double>& number = s.numbers;
  for (std::size_t i = 0; i < s.ids.size(); ++i, truth += kChannels, z += kChannels) {
    const Channel* c = s.channel.data() + kChannels * i;
    std::fill_n(z, kChannels, 0.0);
    const double share = truth[kSeenAt];
    if (share > 0 && uniform(c[kSeenAt], Purpose::seen, n) < number[kRecognised] * std::min(1.0, share / kEnough)) {
      double d = truth[kDistanceAt], a = truth[kAzimuthAt], e = truth[kElevationAt];
      if (const double m = number[kMisplaced]; m > 0) {  // the eye's, so the same for all objects
        double sa, ca, se, ce;
        sine_cosine(a, sa, ca), sine_cosine(e, se, ce);
        const auto off = [&](std::size_t k) { return m * (2 * uniform(s.channel[k], Purpose::offset, 0) - 1); };
        const Vec3 p{d * ce * ca + off(1), d * ce * sa + off(2), d * se + off(3)};
        d = norm(p), a = arc_tangent(p.y, p.x), e = arc_tangent(p.z, square_root(p.x * p.x + p.y * p.y));
      }
      const auto w = [&](int k) { return normal(c[k].key, Purpose::sample, n); };
      z[kSeenAt] = 1;
      z[kDistanceAt] = std::max(0.0, d + number[kDistance] * d * w(kDistanceAt));
      z[kAzimuthAt] = a + number[kAzimuth] * w(kAzimuthAt), z[kElevationAt] = e + number[kElevation] * w(kElevationAt);
    } else if (uniform(c[kSeenAt], Purpose::false_alarm, n) < number[kFalse]) {
      const auto within = [&](int k, double lower, double upper) { return lower + (upper - lower) * uniform(c[k], Purpose::false_alarm, n); };
      const double far = std::min(number[kFar], 10.0), wide = std::min(number[kHorizontal], 3.14), high = std::min(number[kVertical], 1.57);
      z[kSeenAt] = 1;
      z[kDistanceAt] = within(kDistanceAt, std::min(number[kNear], far), far);
      z[kAzimuthAt] = within(kAzimuthAt, -wide, wide), z[kElevationAt] = within(kElevationAt, -high, high);
    }
  }
}

}  // namespace gradus::sense
