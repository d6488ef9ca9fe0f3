#include "model/walls.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace gradus {

std::vector<FlatRectangle> flat_rectangles(const HeightGrid& g) {
  std::vector<FlatRectangle> out;
  std::vector<bool> taken(g.z.size());
  const auto at = [&](int i, int j) { return static_cast<std::size_t>(j) * static_cast<std::size_t>(g.nx) + static_cast<std::size_t>(i); };
  for (int j = 0; j < g.ny; ++j)
    for (int i = 0; i < g.nx; ++i) {
      const double z = g.z[at(i, j)];
      const auto free = [&](int u, int v) { return !taken[at(u, v)] && g.z[at(u, v)] == z; };  // never of NaN
      if (!free(i, j)) continue;
      FlatRectangle r{i, i, j, j, z};
      while (r.i1 + 1 < g.nx && free(r.i1 + 1, j)) ++r.i1;
      const auto row_is_free = [&](int v) {
        for (int u = r.i0; u <= r.i1; ++u)
          if (!free(u, v)) return false;
        return true;
      };
      while (r.j1 + 1 < g.ny && row_is_free(r.j1 + 1)) ++r.j1;
      for (int v = r.j0; v <= r.j1; ++v)
        for (int u = r.i0; u <= r.i1; ++u) taken[at(u, v)] = true;
      out.push_back(r);
    }
  return out;
}

std::vector<FieldObjectSpec> with_walls(const std::vector<FieldObjectSpec>& field, const std::vector<HeightMapSpec>& maps) {
  std::vector<FieldObjectSpec> out;
  for (const FieldObjectSpec& f : field) {
    const HeightMapSpec* map = f.shape.kind == ShapeKind::height_field ? &maps[static_cast<std::size_t>(f.shape.map)] : nullptr;
    if (map == nullptr || !map->walls) {
      out.push_back(f);
      continue;
    }
    const HeightGrid& g = map->grid;
    double lowest = std::numeric_limits<double>::infinity();
    for (const double z : g.z)
      if (z < lowest) lowest = z;
    int number = 0;
    for (const FlatRectangle& r : flat_rectangles(g)) {
      FieldObjectSpec box = f;
      box.name = fmt::format("{}_{}", f.name, number++);
      box.shape.kind = ShapeKind::box;
      box.shape.map = -1;
      box.shape.size = {(r.i1 - r.i0 + 1) * g.dx, (r.j1 - r.j0 + 1) * g.dy, r.z - lowest + kBelow};
      const Vec3 middle{g.x0 + 0.5 * (r.i0 + r.i1) * g.dx, g.y0 + 0.5 * (r.j0 + r.j1) * g.dy, r.z - 0.5 * box.shape.size.z};
      box.shape.X_OS = f.shape.X_OS * Pose{identity3<double>(), middle};
      out.push_back(std::move(box));
    }
  }
  return out;
}

}  // namespace gradus
