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
enum : std::size_t { kHorizontal, kVertical, kNear, kFar, kOcclusion, kRecognised, kFalse, kDistance, kAzimuth, kElevation, kMisplaced, kRoundDistance, kRoundAngle };
enum : int { kSeenAt, kDistanceAt, kAzimuthAt, kElevationAt, kChannels };

// What a number in Sensor::ids means: below 0 field object −1 − id; else robot id, with a part (object + 1) in the higher
// bits; or an end of a line, whose number is in the lower ones.
constexpr int kPartShift = 14, kRobotMask = (1 << kPartShift) - 1, kLine = 1 << 30, kEnd = 1 << 29, kLineMask = kEnd - 1;
constexpr int kLinePoints = 2 * kPoints;  // of a line that are looked at

bool is_line(int id) { return id >= kLine; }
int robot_of(int id) { return id & kRobotMask; }
int part_of(int id) { return (id >> kPartShift) - 1; }  // −1: the robot as one
int owner_of(int id) { return id < 0 || is_line(id) ? id : robot_of(id); }  // as Rays::is_of knows it

/// Painted, long and narrow, and flat on the ground.
bool is_painted_line(const FieldObjectSpec& f) {
  const Vec3 size = f.shape.size;
  return f.shape.kind == ShapeKind::box && !f.shape.collides && size.z < 0.02 && std::max(size.x, size.y) >= 4 * std::min(size.x, size.y);
}

/// Numbers of robots and field objects [above], in the order of the words, each once.
void find_objects(Binding& b, std::vector<int>& out) {
  const Model& model = b.model();
  const RobotModel& own = b.robot();
  const auto put = [&](int id) {
    if (std::find(out.begin(), out.end(), id) == out.end()) out.push_back(id);
  };
  std::vector<std::string> known{"ball", "team", "opponents", "robots", "goals", "lines"};
  const std::vector<std::string> parts = b.words("parts");
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
      if (!meant || r.name == own.name) continue;
      put(static_cast<int>(i));
      for (const std::string& part : player ? parts : std::vector<std::string>{})
        if (const int object = r.kind->find_object(part); object >= 0)
          put(static_cast<int>(i) | (object + 1) << kPartShift);
        else
          b.fault("parts", "robot '" + r.name + "' has no object '" + part + "'");
    }
    for (std::size_t i = 0; i < model.field.size(); ++i)
      if (word == "lines" && is_painted_line(model.field[i]))
        put(kLine | static_cast<int>(i)), put(kLine | kEnd | static_cast<int>(i));
      else if (model.field[i].name == word || (word == "goals" && !model.field[i].goal.empty()))
        put(-1 - static_cast<int>(i));
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

/// Along a line from its end a (0) to b (1).
Vec3 on_line(const Surroundings& w, int id, double part) {
  const FieldObjectSpec& f = w.model->field[static_cast<std::size_t>(id & kLineMask)];
  const Vec3 size = f.shape.size;
  const bool along_x = size.x >= size.y;
  return f.X_WO * f.shape.X_OS * Vec3{along_x ? size.x * (part - 0.5) : 0, along_x ? 0 : size.y * (part - 0.5), 0.5 * size.z};
}

/// Centre of a robot's base, of its part, or of a field object; end of a line.
Vec3 centre_of(const Surroundings& w, int id) {
  if (is_line(id)) return on_line(w, id, id & kEnd ? 1 : 0);
  if (id > kRobotMask) {
    const RobotKind& kind = *w.model->robots[static_cast<std::size_t>(robot_of(id))].kind;
    const ObjectInfo& o = kind.objects[static_cast<std::size_t>(part_of(id))];
    return w.rays->X_WL(robot_of(id), o.link) * o.X_LO.p;
  }
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
  const RobotKind& kind = *w.model->robots[static_cast<std::size_t>(robot_of(id))].kind;
  constexpr double kPart = 0.05;  // how wide a part is taken to be                               [m]
  if (const double radius = part_of(id) >= 0 ? kPart : kind.ball_radius(); radius > 0) {
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
    free += answers[i].distance > far[i] - kMargin || w.rays->is_of(answers[i].shape, owner_of(id));
  return static_cast<double>(free) / kPoints;
}

/// Distance, azimuth and elevation of a place, into a channel's numbers.
void tell_place(const Eye& eye, Vec3 p_W, double* of_object) {
  const Vec3 d = transpose_times(eye.R, p_W - eye.p_W);
  of_object[kDistanceAt] = norm(d);
  of_object[kAzimuthAt] = arc_tangent(d.y, d.x);
  of_object[kElevationAt] = arc_tangent(d.z, square_root(d.x * d.x + d.y * d.y));
}
bool in_view(const Sensor& s, const double* of_object) {
  return std::fabs(of_object[kAzimuthAt]) <= s.numbers[kHorizontal] && std::fabs(of_object[kElevationAt]) <= s.numbers[kVertical] &&
         of_object[kDistanceAt] >= s.numbers[kNear] && of_object[kDistanceAt] <= s.numbers[kFar];
}

/// Ends of the piece of a line that is seen, and the share of the line that is. x: of end a, then of end b.
void look_at_line(const Surroundings& w, const Sensor& s, const Eye& eye, int id, double* x) {
  std::array<bool, kLinePoints> seen;
  std::array<Vec3, kLinePoints> points;
  int count = 0;
  for (std::size_t i = 0; i < kLinePoints; ++i) {
    points[i] = on_line(w, id, static_cast<double>(i) / (kLinePoints - 1));
    double place[kChannels];
    tell_place(eye, points[i], place);
    count += seen[i] = in_view(s, place);
  }
  if (count > 0 && s.numbers[kOcclusion] != 0) {
    std::array<Rays::Ball, 2> balls;
    for (std::size_t half = 0; half < 2; ++half) {
      const Vec3 a = points[half * kPoints], b = points[half * kPoints + kPoints - 1];
      balls[half] = {(a + b) * 0.5, 0.5 * norm(b - a)};
    }
    w.rays->stand(w.number, s, balls);
    count = 0;
    for (std::size_t half = 0; half < 2; ++half) {
      std::array<Vec3, kPoints> directions;
      std::array<double, kPoints> far;
      for (std::size_t i = 0; i < kPoints; ++i) {
        const Vec3 d = transpose_times(eye.R, points[half * kPoints + i] - eye.p_W);
        far[i] = std::max(norm(d), 1e-9);
        directions[i] = d * (1 / far[i]);
      }
      const std::span<const RayAnswer> answers = w.rays->aim(directions, *std::max_element(far.begin(), far.end()) + 1);
      for (std::size_t i = 0; i < kPoints; ++i) {
        bool& free = seen[half * kPoints + i];
        // the ground that the line lies on, and the line itself, hide nothing
        free = free && (answers[i].shape < 0 || answers[i].distance > far[i] * (1 - 1e-3) - kMargin);
        count += free;
      }
    }
  }
  x[kSeenAt] = x[kChannels + kSeenAt] = static_cast<double>(count) / kLinePoints;
  if (count == 0) return;
  const auto first = std::find(seen.begin(), seen.end(), true);
  const auto last = std::find(seen.rbegin(), seen.rend(), true);
  tell_place(eye, points[static_cast<std::size_t>(first - seen.begin())], x);
  tell_place(eye, points[static_cast<std::size_t>(last.base() - seen.begin()) - 1], x + kChannels);
}

/// A ball around points.
Rays::Ball around(const std::array<Vec3, kPoints>& points) {
  Vec3 sum{0, 0, 0};
  for (const Vec3& p : points) sum += p;
  Rays::Ball b{sum * (1.0 / kPoints), 0};
  for (const Vec3& p : points) b.radius = std::max(b.radius, norm(p - b.centre_W));
  return b;
}

std::string name_of_object(const Model& model, int id) {
  if (is_line(id)) return model.field[static_cast<std::size_t>(id & kLineMask)].name + (id & kEnd ? ".b" : ".a");
  if (id < 0) return model.field[static_cast<std::size_t>(-1 - id)].name;
  const RobotModel& r = model.robots[static_cast<std::size_t>(robot_of(id))];
  return part_of(id) < 0 ? r.name : r.name + "." + r.kind->objects[static_cast<std::size_t>(part_of(id))].name;
}

double rounded(double x, double digit) { return digit > 0 ? digit * std::floor(x / digit + 0.5) : x; }

}  // namespace

void Objects::bind(Binding& b) {
  std::vector<int> ids;
  if (!b.has("sees")) b.fault("", "says nothing of what it sees", "add sees = [\"ball\", \"team\"]");
  find_objects(b, ids);
  bool walks = false;  // through links of others: rays know where they are
  for (const int id : ids) {
    b.id(id);
    const std::string seen = name_of_object(b.model(), id);
    walks |= id >= 0 && part_of(id) >= 0;
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
  b.keep(b.number("rounding.distance", 0)), b.keep(b.number("rounding.angle", 0));
  if (occlusion || walks) b.aims(kPoints);
}

void Objects::truth(const Surroundings& w, const Sensor& s, double*, double* x) {
  const Eye eye = eye_of(w, s);
  const bool occlusion = s.numbers[kOcclusion] != 0;
  double* of_object = x;
  for (const int id : s.ids) {
    tell_place(eye, centre_of(w, id), of_object);
    of_object[kSeenAt] = in_view(s, of_object);
    of_object += kChannels;
  }
  for (std::size_t i = 0; i + 1 < s.ids.size(); ++i)
    if (is_line(s.ids[i]) && !(s.ids[i] & kEnd)) look_at_line(w, s, eye, s.ids[i], x + kChannels * i);
  if (!occlusion) return;
  std::array<std::array<Vec3, kPoints>, kAtOnce> points;
  std::array<Rays::Ball, kAtOnce> balls;
  std::array<std::size_t, kAtOnce> which;
  for (std::size_t i = 0; i < s.ids.size();) {  // so many at once share one placing
    std::size_t n = 0;
    for (; i < s.ids.size() && n < kAtOnce; ++i) {
      if (x[kChannels * i + kSeenAt] == 0 || is_line(s.ids[i])) continue;
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
    z[kDistanceAt] = rounded(z[kDistanceAt], number[kRoundDistance]);
    for (const int k : {kAzimuthAt, kElevationAt}) z[k] = rounded(z[k], number[kRoundAngle]);
  }
}

}  // namespace gradus::sense
