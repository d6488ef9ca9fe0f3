// gradus.SelfCollision [gradus/self_collision.h].
#include "gradus/self_collision.h"

#include <pybind11/stl.h>

#include "arrays.h"

using gradus::SelfCollision;

namespace gradus_python {

void bind_self_collision(py::module_& m) {
  py::class_<SelfCollision> check(m, "SelfCollision", "Do parts of a robot touch each other in a posture, and how far apart are they?");
  check.def(py::init([](const std::string& robot, bool hulls) {
              return SelfCollision::load(robot, hulls ? SelfCollision::Meshes::hulls : SelfCollision::Meshes::triangles);
            }),
            py::arg("robot"), py::arg("hulls") = false);
  check.def_property_readonly("joints", &SelfCollision::joints);
  check.def_property_readonly("pair_count", &SelfCollision::pair_count);
  check.def("collides", [](SelfCollision& c, const Numbers& q) { return c.collides(span_of(q, "q")); }, py::arg("q"));
  check.def("distance", [](SelfCollision& c, const Numbers& q) { return c.distance(span_of(q, "q")); }, py::arg("q"));
  check.def(
      "nearest",
      [](SelfCollision& c, const Numbers& q, double limit) {
        const SelfCollision::Pair p = c.nearest(span_of(q, "q"), limit);
        return py::make_tuple(p.a, p.b, p.distance, copy_of(p.point_a), copy_of(p.point_b));
      },
      py::arg("q"), py::arg("limit") = std::numeric_limits<double>::infinity(), "names of the two bodies, distance [m], nearest points in the base's frame");
}

}  // namespace gradus_python
