/// How firmly a robot stands, whatever it stands on: its support polygon and two margins.
///
/// u is up (against gravity), c the centre of mass, P the contacts with the static world that carry it, seen along u.
///   polygon   convex hull of P, counter-clockwise from above; corners keep their heights                          (1)
///   margin    distance of c from the nearest edge, seen along u; negative outside                                 (2)
///   energy    least over the edges of m g (highest point of c on its circle about the edge − c): what it takes to tip
///             the robot over that edge [Messuri, Klein 1985]; 0 outside the polygon                                (3)
///
/// For edge e (unit vector) through p, with R = (c − p) − ((c − p)·e) e the arm from the edge to c:
///   highest − c = |R| √(1 − (e·u)²) − R·u                                                                          (4)
///
/// With one or two contacts margin is minus the distance from the point or segment; with none, or without gravity, both
/// are 0. Forces of motion do not count: these are margins of a robot that stands or walks slowly.
#pragma once
#include <span>
#include <vector>

#include "world/world.h"

namespace gradus {

struct Stability {
  std::vector<Vec3> polygon;  // corners in the world                      [m]
  double margin = 0;          // [m]
  double energy = 0;          // [J]
};

/// Of points that carry a mass m with its centre at c under gravity g.
Stability stability_of(std::span<const Vec3> points, Vec3 c, double m, Vec3 g);
Stability stability_of(const World& world, int robot);

}  // namespace gradus
