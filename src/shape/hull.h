/// Convex polyhedron from points, with the adjacency that support queries climb along. Built once by qhull when the
/// model is compiled; faces are the merged (planar) facets, so a cube has six.
#pragma once
#include <span>
#include <vector>

#include "shape/geometry.h"
#include "base/result.h"

namespace gradus {

struct Hull {
  struct Edge {
    int from, to;     // vertices, from < to
    int face, other;  // that meet there
  };
  std::vector<Vec3> vertices;          // (nv) corners only, in the order of the input                 [m]
  std::vector<Vec3> face_normal;       // (nf) outward, unit
  std::vector<double> face_offset;     // (nf) n · x = offset on the face                              [m]
  std::vector<int> face_first;         // (nf + 1) ranges into face_vertex
  std::vector<int> face_vertex;        // corners of each face, counter-clockwise seen from outside
  std::vector<int> neighbour_first;    // (nv + 1) ranges into neighbour
  std::vector<int> neighbour;          // vertices joined by an edge, ascending
  std::vector<int> vertex_face_first;  // (nv + 1) ranges into vertex_face
  std::vector<int> vertex_face;        // faces around each vertex, ascending
  std::vector<Edge> edges;             // (ne) sorted by their vertices
  Box3 box = empty_box();
  Vec3 centre{0, 0, 0};  // of the bounding sphere
  double radius = 0;     //                                                               [m]

  std::span<const int> face(int f) const {
    return {face_vertex.data() + face_first[f], static_cast<std::size_t>(face_first[f + 1] - face_first[f])};
  }
  std::span<const int> neighbours(int v) const {
    return {neighbour.data() + neighbour_first[v],
            static_cast<std::size_t>(neighbour_first[v + 1] - neighbour_first[v])};
  }
  std::span<const int> faces_of(int v) const {
    return {vertex_face.data() + vertex_face_first[v],
            static_cast<std::size_t>(vertex_face_first[v + 1] - vertex_face_first[v])};
  }
  int face_count() const { return static_cast<int>(face_normal.size()); }
};

/// Fails on fewer than four points, on points that are not finite, and on flat sets (no volume).
Result<Hull> build_hull(std::span<const Vec3> points);
/// Vertex farthest along d. Climbs along edges from `hint`; exact, since a linear function on a convex polyhedron has
/// no local maxima (ties climb on to the lowest number).
int farthest_vertex(const Hull& hull, Vec3 d, int hint);
/// Volume [m³]; for tests and for masses.
double volume(const Hull& hull);

}  // namespace gradus
