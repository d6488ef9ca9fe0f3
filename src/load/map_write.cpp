#include "load/map_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "io/png.h"
#include "math/vec.h"

namespace gradus {
namespace {

static_assert(std::endian::native == std::endian::little, "binary STL is written by copying");

constexpr int kNoData = -9999;

double height(const HeightGrid& g, int i, int j) {
  return g.z[static_cast<std::size_t>(j) * static_cast<std::size_t>(g.nx) + static_cast<std::size_t>(i)];
}

std::string write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  return out ? "" : "cannot write " + path;
}

std::string write_asc(const std::string& path, const HeightGrid& g) {
  if (g.dx != g.dy) return path + ": an .asc map has square cells; write .png or .stl";
  std::string text;
  auto to = std::back_inserter(text);
  fmt::format_to(to, "ncols {}\nnrows {}\nxllcenter {}\nyllcenter {}\ncellsize {}\nNODATA_value {}\n", g.nx, g.ny, g.x0,
                 g.y0, g.dx, kNoData);
  for (int j = g.ny - 1; j >= 0; --j)
    for (int i = 0; i < g.nx; ++i) {
      const char end = i + 1 < g.nx ? ' ' : '\n';
      const double z = height(g, i, j);
      if (z == kNoData) return fmt::format("{}: a height of {} m would be read as unknown", path, kNoData);
      if (std::isnan(z))
        fmt::format_to(to, "{}{}", kNoData, end);
      else
        fmt::format_to(to, "{}{}", z, end);
    }
  return write_bytes(path, text);
}

std::string write_png_map(const std::string& path, const HeightGrid& g) {
  const MapRange range = range_of(g);
  const double per_metre = range.highest > range.lowest ? 65535 / (range.highest - range.lowest) : 0;
  std::vector<std::uint16_t> pixels;
  pixels.reserve(2 * g.z.size());
  for (int j = g.ny - 1; j >= 0; --j)
    for (int i = 0; i < g.nx; ++i) {
      const double z = height(g, i, j);
      const bool known = !std::isnan(z);
      pixels.push_back(known ? static_cast<std::uint16_t>((z - range.lowest) * per_metre + 0.5) : 0);
      pixels.push_back(known ? 65535 : 0);
    }
  return write_png(path, PngKind::grey16_alpha, g.nx, g.ny, pixels.data());
}

void append_triangle(std::string& out, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 n = cross(b - a, c - a);
  const double length = std::sqrt(dot(n, n));
  const auto append = [&](double x) {
    const auto f = static_cast<float>(x);
    out.append(reinterpret_cast<const char*>(&f), sizeof f);
  };
  for (const Vec3& v : {n * (1 / length), a, b, c}) append(v.x), append(v.y), append(v.z);
  out.append(2, '\0');
}

std::string write_stl(const std::string& path, const HeightGrid& g) {
  std::string bytes(84, '\0'), about = "gradus height map, metres";
  std::copy(about.begin(), about.end(), bytes.begin());
  std::uint32_t count = 0;
  const auto node = [&](int i, int j) { return Vec3{g.x0 + i * g.dx, g.y0 + j * g.dy, height(g, i, j)}; };
  for (int j = 0; j + 1 < g.ny; ++j)
    for (int i = 0; i + 1 < g.nx; ++i) {
      const Vec3 a = node(i, j), b = node(i + 1, j), c = node(i + 1, j + 1), d = node(i, j + 1);
      if (std::isnan(a.z) || std::isnan(b.z) || std::isnan(c.z) || std::isnan(d.z)) continue;
      append_triangle(bytes, a, b, c);
      append_triangle(bytes, a, c, d);
      count += 2;
    }
  std::copy_n(reinterpret_cast<const char*>(&count), sizeof count, bytes.begin() + 80);
  return write_bytes(path, bytes);
}

}  // namespace

MapRange range_of(const HeightGrid& grid) {
  MapRange range;
  bool first = true;
  for (const double z : grid.z) {
    if (std::isnan(z)) continue;
    range.lowest = first ? z : std::min(range.lowest, z);
    range.highest = first ? z : std::max(range.highest, z);
    first = false;
  }
  return range;
}

std::string write_map(const std::string& path, const HeightGrid& grid) {
  const std::string kind = std::filesystem::path(path).extension().string();
  if (kind == ".asc") return write_asc(path, grid);
  if (kind == ".png") return write_png_map(path, grid);
  if (kind == ".stl") return write_stl(path, grid);
  return path + ": maps are written as .asc, .png or .stl";
}

}  // namespace gradus
