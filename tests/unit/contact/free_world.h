/// Free bodies on a plane, stepped with Couple alone: predict by gravity, couple, commit by rule (13).
#pragma once
#include <cmath>
#include <unordered_map>
#include <vector>

#include "shape/narrow/collide.h"
#include "contact/solve/couple.h"

namespace gradus::test {

struct Body {
  Shape shape;
  double mass = 1;
  Vec3 inertia{1, 1, 1};  // principal, in B
  Vec3 p{0, 0, 0};
  Quat q{1, 0, 0, 0};
  Vec3 v{0, 0, 0}, w{0, 0, 0};  // W
  Vec3 force{0, 0, 0};
  double friction = 1e9;  // the pair takes the smaller of its law's and the bodies'

  Mat3 R() const { return to_matrix(q); }
  Vec3 times_inertia(Vec3 x, bool inverse) const {
    const Vec3 b = transpose_times(R(), x);
    return R() * (inverse ? Vec3{b.x / inertia.x, b.y / inertia.y, b.z / inertia.z}
                          : Vec3{b.x * inertia.x, b.y * inertia.y, b.z * inertia.z});
  }
  Vec3 angular_momentum() const { return cross(p, v * mass) + times_inertia(w, false); }
  double energy(double g) const {
    return 0.5 * mass * dot(v, v) + 0.5 * dot(w, times_inertia(w, false)) + mass * g * p.z;
  }
};

inline Body ball(double mass, double radius, Vec3 p) {
  Body b;
  b.shape = sphere_shape(radius), b.mass = mass, b.p = p;
  const double i = 0.4 * mass * radius * radius;
  b.inertia = {i, i, i};
  return b;
}
inline Body box(double m, Vec3 half, Vec3 p) {
  Body b;
  b.shape = box_shape(half), b.mass = m, b.p = p;
  b.inertia =
      Vec3{half.y * half.y + half.z * half.z, half.x * half.x + half.z * half.z, half.x * half.x + half.y * half.y} *
      (m / 3);
  return b;
}

struct World {
  Vec3 gravity{0, 0, -9.81};
  std::vector<Body> bodies;
  std::vector<std::pair<Shape, Pose>> walls;  // static, besides the ground
  PairLaw ground, pair;
  bool has_ground = true;
  double margin = 0.005;
  Couple couple{{.slots = 512, .contacts = 4096, .responses = 8192}};
  CoupleReport report;
  struct Warm {
    Vec3 impulse, moment;
  };
  std::unordered_map<std::uint64_t, Warm> memory;  // warm starts
  double squares = 0, deepest = 0;                 // of the overlaps found in the last step  [m², m]
  long unsettled = 0, newtons = 0, sweeps = 0, steps = 0;
  double worst = 0;

  Pose pose(const Body& b) const { return {b.R(), b.p}; }
  double radius(const Body& b) const {
    Vec3 c;
    double r;
    bounding_sphere(b.shape, c, r);
    return r;
  }

  void find(std::size_t i, int j, double reach) {
    const Body& a = bodies[i];
    Contact c[kContactMax];
    const int n = j == -1  ? collide(a.shape, pose(a), plane_shape(), identity_pose(), reach, c)
                  : j < -1 ? collide(a.shape, pose(a), walls[-2 - j].first, walls[-2 - j].second, reach, c)
                           : collide(a.shape, pose(a), bodies[j].shape, pose(bodies[j]), reach, c);
    for (int k = 0; k < n; ++k) {
      CoupleContact x;
      x.a = static_cast<int>(i), x.b = std::max(j, -1), x.point = c[k].point, x.normal = c[k].normal, x.gap = c[k].gap;
      x.law = j < 0 ? ground : pair;
      x.law.friction = std::min({x.law.friction, a.friction, j < 0 ? 1e9 : bodies[j].friction});
      x.key = ((i + 1) * 4096 + static_cast<std::uint64_t>(j + 1024)) << 32 | c[k].feature;
      if (const auto m = memory.find(x.key); m != memory.end())
        x.impulse = x.before = m->second.impulse, x.moment = x.moment_before = m->second.moment;
      couple.add_contact(x);
      if (c[k].gap < 0) squares += c[k].gap * c[k].gap, deepest = std::max(deepest, -c[k].gap);
    }
  }

  void step(double h) {
    couple.clear();
    squares = deepest = 0;
    std::vector<Response> response(bodies.size());
    std::vector<Vec3> v_free;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const Body& b = bodies[i];
      v_free.push_back(b.v + (gravity + b.force * (1 / b.mass)) * h);
      const Vec3 x = b.times_inertia({1, 0, 0}, true), y = b.times_inertia({0, 1, 0}, true),
                 z = b.times_inertia({0, 0, 1}, true);
      response[i] = free_response(b.mass, {x.x, x.y, x.z, y.y, y.z, z.z});
      const CoupleSlot s{{b.w, v_free[i]}, {b.w, b.v}, b.p};
      couple.add_group({&s, 1}, &response[i]);
    }
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (has_ground) find(i, -1, margin + h * std::max(0.0, -v_free[i].z));
      for (int k = 0; k < static_cast<int>(walls.size()); ++k) find(i, -2 - k, margin + h * norm(v_free[i]));
      for (std::size_t j = 0; j < i; ++j) {
        const double reach = margin + h * norm(bodies[i].v - bodies[j].v);
        const double apart = radius(bodies[i]) + radius(bodies[j]) + reach;
        const Vec3 d = bodies[i].p - bodies[j].p;
        if (dot(d, d) < apart * apart) find(i, static_cast<int>(j), reach);
      }
    }
    report = couple.solve(h);
    unsettled += report.unsettled, newtons += report.newtons, sweeps += report.sweeps, ++steps;
    worst = std::max(worst, report.worst);
    memory.clear();
    for (const CoupleContact& c : couple.contacts()) memory[c.key] = {c.impulse, c.moment};
    for (std::size_t i = 0; i < bodies.size(); ++i) commit(bodies[i], couple.slots()[i], v_free[i], h);
  }

  void commit(Body& b, const CoupleSlot& s, Vec3 v_free, double h) {
    const Vec3 before = b.v, L = b.times_inertia(s.V.a, false);
    b.v = s.V.l;
    b.p += (!s.flight ? b.v : s.bounced ? (before + b.v) * 0.5 : b.v + (before - v_free) * 0.5) * h;  // (13)
    b.q = normalized(exponential(s.V.a * h) * b.q);
    b.w = b.times_inertia(L, true);  // the angular momentum is kept, not the angular velocity
  }

  double fastest() const {
    double f = 0;
    for (const Body& b : bodies) f = std::max(f, norm(b.v));
    return f;
  }
};

}  // namespace gradus::test
