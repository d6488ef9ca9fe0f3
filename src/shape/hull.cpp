#include "shape/hull.h"
#include "math/angle.h"

#include <fmt/format.h>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>

namespace gradus {
namespace {

struct RawFace {
  Vec3 normal;
  double offset;
  std::vector<int> corners;  // input point numbers, in order around the face
};

/// A facet's vertex set has no order; around a convex polygon the angle about the centroid gives it.
void sort_around(RawFace& f, std::span<const Vec3> points) {
  Vec3 c{0, 0, 0};
  for (int v : f.corners) c += points[v];
  c = c * (1 / static_cast<double>(f.corners.size()));
  const Vec3 x = perpendicular(f.normal), y = cross(f.normal, x);
  std::vector<std::pair<double, int>> order;
  for (int v : f.corners) order.push_back({arc_tangent(dot(points[v] - c, y), dot(points[v] - c, x)), v});
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) f.corners[i] = order[i].second;
}

/// Runs qhull; its merged facets are our faces. Empty with a message if it fails.
std::vector<RawFace> run_qhull(std::span<const Vec3> points, std::string& problem) {
  std::vector<coordT> coordinates;
  for (const Vec3& p : points) coordinates.insert(coordinates.end(), {p.x, p.y, p.z});
  std::FILE* sink = std::tmpfile();  // qhull insists on a stream for its messages
  if (!sink) return problem = "cannot open a temporary file for qhull", std::vector<RawFace>{};
  qhT state{};
  qhT* qh = &state;
  qh_zero(qh, sink);
  char command[] = "qhull Pp";
  std::vector<RawFace> faces;
  const int status =
      qh_new_qhull(qh, 3, static_cast<int>(points.size()), coordinates.data(), False, command, sink, sink);
  if (status == 0) {
    facetT* facet;
    FORALLfacets {
      RawFace f{{facet->normal[0], facet->normal[1], facet->normal[2]}, -facet->offset, {}};
      vertexT *vertex, **vertexp;
      FOREACHvertex_(facet->vertices) f.corners.push_back(qh_pointid(qh, vertex->point));
      sort_around(f, points);
      faces.push_back(std::move(f));
    }
  } else {
    problem = fmt::format("no convex hull of these {} points (qhull error {}): they are flat or all the same",
                          points.size(), status);
  }
  qh_freeqhull(qh, !qh_ALL);
  int unfreed = 0, blocks = 0;
  qh_memfreeshort(qh, &unfreed, &blocks);
  std::fclose(sink);
  return faces;
}

/// Drops inner points and renumbers; the input's order is kept.
void number_vertices(Hull& hull, std::vector<RawFace>& faces, std::span<const Vec3> points) {
  std::vector<int> number(points.size(), -1);
  for (const RawFace& f : faces)
    for (int v : f.corners) number[v] = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (number[i] == 0) {
      number[i] = static_cast<int>(hull.vertices.size());
      hull.vertices.push_back(points[i]);
    }
  for (RawFace& f : faces)
    for (int& v : f.corners) v = number[v];
}

void flatten(const std::vector<std::vector<int>>& lists, std::vector<int>& first, std::vector<int>& items) {
  first.assign(1, 0);
  for (const std::vector<int>& l : lists) {
    items.insert(items.end(), l.begin(), l.end());
    first.push_back(static_cast<int>(items.size()));
  }
}

void connect(Hull& hull, const std::vector<RawFace>& faces) {
  std::vector<std::vector<int>> loops, near(hull.vertices.size()), around(hull.vertices.size());
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const std::vector<int>& c = faces[f].corners;
    loops.push_back(c);
    hull.face_normal.push_back(faces[f].normal);
    double offset =
        -std::numeric_limits<double>::infinity();  // a merged facet is planar to rounding: take its outermost corner
    for (int v : c) offset = std::max(offset, dot(faces[f].normal, hull.vertices[v]));
    hull.face_offset.push_back(offset);
    for (std::size_t i = 0; i < c.size(); ++i) {
      const int v = c[i], w = c[(i + 1) % c.size()];
      near[v].push_back(w);
      near[w].push_back(v);
      around[v].push_back(static_cast<int>(f));
    }
  }
  for (std::vector<int>& l : near) {
    std::sort(l.begin(), l.end());
    l.erase(std::unique(l.begin(), l.end()), l.end());
  }
  flatten(loops, hull.face_first, hull.face_vertex);
  flatten(near, hull.neighbour_first, hull.neighbour);
  flatten(around, hull.vertex_face_first, hull.vertex_face);
}

/// Each edge runs along two faces, once in either direction.
void find_edges(Hull& hull) {
  std::map<std::pair<int, int>, int> left;  // face to the left of each directed edge
  for (int f = 0; f < hull.face_count(); ++f)
    for (std::size_t i = 0; i < hull.face(f).size(); ++i)
      left[{hull.face(f)[i], hull.face(f)[(i + 1) % hull.face(f).size()]}] = f;
  for (const auto& [way, f] : left) {
    const auto back = left.find({way.second, way.first});
    const int other = back == left.end() ? f : back->second;
    if (way.first < way.second || back == left.end()) hull.edges.push_back({way.first, way.second, f, other});
  }
}

}  // namespace

Result<Hull> build_hull(std::span<const Vec3> points) {
  auto fail = [](std::string text) { return Diagnostics{{{}, Severity::error, std::move(text), ""}}; };
  if (points.size() < 4) return fail(fmt::format("a convex hull needs at least 4 points, not {}", points.size()));
  for (const Vec3& p : points)
    if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
      return fail("a point of the hull is not finite");
  std::string problem;
  std::vector<RawFace> faces = run_qhull(points, problem);
  if (faces.empty()) return fail(problem);
  Hull hull;
  number_vertices(hull, faces, points);
  connect(hull, faces);
  find_edges(hull);
  for (const Vec3& v : hull.vertices) include(hull.box, v);
  hull.centre = (hull.box.lo + hull.box.hi) * 0.5;
  for (const Vec3& v : hull.vertices) hull.radius = std::max(hull.radius, norm(v - hull.centre));
  return hull;
}

int farthest_vertex(const Hull& hull, Vec3 d, int hint) {
  int best = hint >= 0 && hint < static_cast<int>(hull.vertices.size()) ? hint : 0;
  double reach = dot(hull.vertices[best], d);
  if (hull.vertices.size() <= 16) {  // a short list is read faster than a graph is climbed
    for (std::size_t i = 0; i < hull.vertices.size(); ++i)
      if (const double r = dot(hull.vertices[i], d); r > reach) reach = r, best = static_cast<int>(i);
    return best;
  }
  for (bool climbing = true; climbing;) {
    climbing = false;
    int next = best;
    for (int v : hull.neighbours(best))
      if (const double r = dot(hull.vertices[v], d); r > reach) reach = r, next = v, climbing = true;
    best = next;
  }
  return best;
}

double volume(const Hull& hull) {
  double six = 0;
  for (int f = 0; f < hull.face_count(); ++f) {
    const std::span<const int> c = hull.face(f);
    for (std::size_t i = 2; i < c.size(); ++i)
      six += dot(hull.vertices[c[0]], cross(hull.vertices[c[i - 1]], hull.vertices[c[i]]));
  }
  return six / 6;
}

}  // namespace gradus
