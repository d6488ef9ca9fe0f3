#include "sense/kinds/distance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sense/ground.h"
#include "sense/rays.h"

namespace gradus::sense {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

/// Unit vector at an angle from x, turned about x.
Vec3 around_x(double from_axis, double turn) {
  double s, c, st, ct;
  sine_cosine(from_axis, s, c);
  sine_cosine(turn, st, ct);
  return {c, s * ct, s * st};
}

double upper_end(Binding& b, double otherwise) {
  const std::vector<double> range = b.numbers("range");
  return range.size() == 2 ? range[1] : otherwise;
}

}  // namespace

void Sonar::bind(Binding& b) {
  b.channel("distance", "m");
  const double half = 0.5 * b.number("cone", 60 * kDegree);
  std::vector<Vec3> rays{{1, 0, 0}};
  for (int ring = 1; ring <= 3; ++ring)
    for (int i = 0; i < 6 * ring; ++i) rays.push_back(around_x(half * ring / 3, 2 * std::numbers::pi * i / (6 * ring)));
  b.rays(rays);
  double s, c;
  sine_cosine(b.number("slant", 40 * kDegree), s, c);
  b.keep(upper_end(b, 2.55)), b.keep(c);
}

void Sonar::truth(const Surroundings& w, const Sensor& s, double*, double* x) {
  const double far = s.numbers[0], least_cosine = s.numbers[1];
  double nearest = far;
  const std::span<const RayAnswer> answers = w.rays->cast(w.number, s, far);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const RayAnswer& a = answers[i];
    if (a.shape == kNothing || std::fabs(dot(a.normal, s.directions[i])) < least_cosine) continue;
    if (a.distance < nearest) nearest = a.distance;
  }
  x[0] = nearest;
}

void Laser::bind(Binding& b) {
  const int count = static_cast<int>(b.number("rays", 683));
  const double view = b.number("view", 240 * kDegree);
  std::vector<Vec3> rays;
  for (int i = 0; i < count; ++i) {
    double s, c;
    sine_cosine(count > 1 ? view * (static_cast<double>(i) / (count - 1) - 0.5) : 0.0, s, c);
    rays.push_back({c, s, 0});
    b.channel("ray" + std::to_string(i), "m");
  }
  b.rays(rays);
  b.keep(upper_end(b, 5.6));
  const double sweep = b.number("sweep", 0), rate = b.number("rate", 0);
  b.keep(sweep);
  if (sweep == 0) return;
  if (!(sweep * rate <= 1 && rate > 0)) b.fault("sweep", "a sweep must not take longer than from one sample to the next", "give a rate");
  b.remember(2 + count);  // 1 once it has begun, rays that have looked in this sweep, what they saw
  b.aims(count);
  b.every_step();
}

void Laser::truth(const Surroundings& w, const Sensor& s, double* own, double* x) {
  const double far = s.numbers[0], sweep = s.numbers[1];
  const auto show = [&](const RayAnswer& a) { return a.shape == kNothing ? far : a.distance; };
  if (sweep == 0) {
    for (const RayAnswer& a : w.rays->cast(w.number, s, far)) *x++ = show(a);
    return;
  }
  const int count = s.count();
  const auto look = [&](int from, int to) {
    if (to <= from) return;
    const Rays::Ball everywhere{{0, 0, 0}, std::numeric_limits<double>::infinity()};
    w.rays->stand(w.number, s, std::span(&everywhere, 1));
    const std::span<const Vec3> these = std::span(s.directions).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
    double* seen = own + 2 + from;
    for (const RayAnswer& a : w.rays->aim(these, far)) *seen++ = show(a);
  };
  // The sweep that is on its way ends at the first sample not before now; rays from 0 to `due` have looked in it.
  const double now = static_cast<double>(w.robot->k) * w.h, past = (now - s.phase) / s.period,
               left = (std::ceil(past - 1e-9) - past) * s.period;
  const int due = static_cast<int>(std::clamp((1 - left / sweep) * count + 1e-9, 0.0, 1.0 * count));
  int from = static_cast<int>(own[1]);
  if (own[0] == 0) look(0, count), from = due;
  if (due < from) look(from, count), from = 0;  // its end fell between two steps
  const bool late = from == 0 && due < count;
  if (late) std::copy_n(own + 2, count, x);  // what the sample shows that ended just now
  look(from, due);
  if (!late) std::copy_n(own + 2, count, x);
  own[0] = 1, own[1] = due == count ? 0 : due;
}

void HeightScan::bind(Binding& b) {
  const std::vector<double> size = b.numbers("size"), points = b.numbers("points");
  const bool sized = size.size() == 2, counted = points.size() == 2;
  const int nx = counted ? static_cast<int>(points[0]) : 17, ny = counted ? static_cast<int>(points[1]) : 11;
  b.keep(nx), b.keep(ny);
  b.keep(sized ? size[0] : 1.6), b.keep(sized ? size[1] : 1.0);
  b.keep(b.number("above", 1)), b.keep(upper_end(b, 10));
  for (int i = 0; i < nx * ny; ++i) b.channel("p" + std::to_string(i / ny) + "_" + std::to_string(i % ny), "m");
}

void HeightScan::truth(const Surroundings& w, const Sensor& s, double*, double* x) {
  const int nx = static_cast<int>(s.numbers[0]), ny = static_cast<int>(s.numbers[1]);
  const Frame& f = w.frame(s.link);
  const Vec3 p = base_position(w.q()) + f.p + f.R * s.X_LS.p;
  const Mat3 R = f.R * s.X_LS.R;
  // heading: its x axis laid flat; straight up or down its z axis says where ahead is
  double ahead_x = R.x.x, ahead_y = R.x.y, n = std::sqrt(ahead_x * ahead_x + ahead_y * ahead_y);
  if (n < 1e-6) ahead_x = -R.z.x, ahead_y = -R.z.y, n = std::sqrt(ahead_x * ahead_x + ahead_y * ahead_y);
  ahead_x /= n, ahead_y /= n;
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j) {
      const double a = nx > 1 ? s.numbers[2] * (static_cast<double>(i) / (nx - 1) - 0.5) : 0;
      const double l = ny > 1 ? s.numbers[3] * (static_cast<double>(j) / (ny - 1) - 0.5) : 0;
      const double gx = p.x + ahead_x * a - ahead_y * l, gy = p.y + ahead_y * a + ahead_x * l;
      *x++ = p.z - ground_height(*w.model, gx, gy, p.z + s.numbers[4], p.z - s.numbers[5]);
    }
}

void GroundUnder::bind(Binding& b) {
  std::vector<std::string> objects, wanted = b.words("under");
  for (const ObjectInfo& o : b.kind().objects) objects.push_back(o.name);
  if (wanted.empty()) wanted.push_back(b.spec().on.empty() ? objects[0] : b.spec().on);
  for (const std::string& part : wanted) {
    const int object = b.kind().find_object(part);
    if (object < 0) {
      b.fault("under", "there is no object '" + part + "'", did_you_mean(part, objects));
      continue;
    }
    b.id(object);
    b.channel(part + ".height", "m");
    for (const char* axis : {".nx", ".ny", ".nz"}) b.channel(part + axis, "");
  }
  b.keep(b.number("above", 0.5)), b.keep(b.number("apart", 0.02));
}

void GroundUnder::truth(const Surroundings& w, const Sensor& s, double*, double* x) {
  const double apart = s.numbers[1];
  for (const int object : s.ids) {
    const ObjectInfo& o = w.robot->kind->objects[static_cast<std::size_t>(object)];
    const Frame& f = w.frame(o.link);
    const Vec3 p = base_position(w.q()) + f.p + f.R * o.X_LO.p;
    const double below = p.z + s.numbers[0], none = p.z - 1000;
    const auto at = [&](double dx, double dy) { return ground_height(*w.model, p.x + dx, p.y + dy, below, none); };
    const double half = 0.5 * apart;
    const Vec3 n{at(-half, 0) - at(half, 0), at(0, -half) - at(0, half), apart};
    x[0] = at(0, 0);
    store(n * (1 / norm(n)), x + 1);
    x += 4;
  }
}

}  // namespace gradus::sense
