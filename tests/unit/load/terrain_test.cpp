/// Generated terrain: every kind has the sizes that docs/scene_files.md states, the same bits everywhere, a start that
/// is flat; and maps that are written are read back.
#include "load/terrain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/hash.h"
#include "load/map.h"
#include "load/map_write.h"
#include "load/mesh.h"
#include "load/scene_toml.h"
#include "unit/load/scratch_folder.h"

namespace gradus {
namespace {

constexpr double kPi = 3.14159265358979323846;

TerrainSpec terrain(TerrainKind kind, double difficulty, std::uint64_t seed = 7) {
  TerrainSpec t;
  t.kind = kind, t.difficulty = difficulty, t.seed = seed;
  return t;
}

std::vector<TerrainKind> all_kinds() {
  std::vector<TerrainKind> kinds;
  for (std::size_t k = 0; k < terrain_kinds().size(); ++k) kinds.push_back(static_cast<TerrainKind>(k));
  return kinds;
}

double node(const HeightGrid& g, int i, int j) {
  return g.z[static_cast<std::size_t>(j) * static_cast<std::size_t>(g.nx) + static_cast<std::size_t>(i)];
}
double x_of(const HeightGrid& g, int i) { return g.x0 + i * g.dx; }
double y_of(const HeightGrid& g, int j) { return g.y0 + j * g.dy; }

std::size_t holes_of(const HeightGrid& g) {
  std::size_t n = 0;
  for (const double z : g.z) n += std::isnan(z);
  return n;
}

double rms_of(const HeightGrid& g) {
  double s = 0;
  for (const double z : g.z) s += z * z;
  return std::sqrt(s / static_cast<double>(g.z.size()));
}

TEST(Terrain, HasItsSizeAndItsMiddleAtTheOrigin) {
  TerrainSpec t = terrain(TerrainKind::rough, 0.5);
  t.size[0] = 3, t.size[1] = 1.5, t.cell = 0.05;
  const HeightGrid g = make_terrain(t);
  EXPECT_EQ(g.nx, 61);
  EXPECT_EQ(g.ny, 31);
  EXPECT_DOUBLE_EQ(g.x0, -1.5);
  EXPECT_DOUBLE_EQ(g.y0, -0.75);
  EXPECT_EQ(g.z.size(), node_count(t));
}

/// 30° at difficulty 1; up towards +x, from the edge of the start on.
TEST(Terrain, ASlopeHasItsAngle) {
  for (const double d : {0.2, 0.5, 1.0}) {
    const HeightGrid g = make_terrain(terrain(TerrainKind::slope, d));
    const double grade = std::tan(30 * d * kPi / 180);
    for (const double y : {-2.0, 0.3}) {
      EXPECT_NEAR(height_at(g, 2, y) - height_at(g, 1, y), grade, 1e-12);
      EXPECT_NEAR(height_at(g, 2, y), 1.5 * grade, 1e-12);
      EXPECT_NEAR(height_at(g, -2, y), -1.5 * grade, 1e-12);
    }
  }
}

/// Rise 20 cm · d, tread 30 cm, first risers at the edge of the start; a riser is one cell wide.
TEST(Terrain, StairsHaveTheirRiseAndRun) {
  const HeightGrid g = make_terrain(terrain(TerrainKind::stairs, 0.7));
  std::vector<double> risers;
  for (int i = 1; i < g.nx; ++i) {
    const double step = node(g, i, 40) - node(g, i - 1, 40);
    if (std::abs(step) < 1e-12) continue;
    EXPECT_NEAR(step, 0.14, 1e-12) << "up towards +x, in one cell";
    risers.push_back(x_of(g, i) > 0 ? x_of(g, i - 1) : x_of(g, i));  // the edge on the side of the start
  }
  ASSERT_EQ(risers.size(), 18u);
  for (int n = 0; n < 9; ++n) {
    EXPECT_NEAR(risers[static_cast<std::size_t>(9 + n)], 0.5 + 0.3 * n, 1e-9);
    EXPECT_NEAR(risers[static_cast<std::size_t>(8 - n)], -0.5 - 0.3 * n, 1e-9);
  }
}

TEST(Terrain, AWaveHasItsHeightAndLength) {
  const HeightGrid g = make_terrain(terrain(TerrainKind::wave, 0.4));
  EXPECT_NEAR(height_at(g, 2.5, 1), 0.08, 1e-12);
  EXPECT_NEAR(height_at(g, -1.5, 1), 0.08, 1e-12);
  EXPECT_NEAR(height_at(g, 1.5, -1), -0.08, 1e-12);
  EXPECT_NEAR(height_at(g, 2, 2), 0, 1e-12);
}

/// rms 5 cm · d. Waves of wave number k uniform in 2π/1 m … 2π/0.25 m and any direction: the mean square of ∂z/∂x is
/// ⟨k²⟩/2 rms² = (2π)² 7/2 rms², whatever the phases; a band that is an octave off is 2 times off here.
TEST(Terrain, RoughHasItsRmsAndItsBand) {
  TerrainSpec t = terrain(TerrainKind::rough, 0.6);
  t.start = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    t.seed = seed;
    const HeightGrid g = make_terrain(t);
    EXPECT_NEAR(rms_of(g), 0.03, 1e-12);
    double mean = 0, squares = 0;
    for (int j = 0; j < g.ny; ++j)
      for (int i = 0; i < g.nx; ++i) {
        mean += node(g, i, j);
        if (i > 0) squares += std::pow((node(g, i, j) - node(g, i - 1, j)) / g.dx, 2);
      }
    EXPECT_NEAR(mean / static_cast<double>(g.z.size()), 0, 0.003);
    const double slope = std::sqrt(squares / ((g.nx - 1) * g.ny));
    EXPECT_NEAR(slope / 0.03, 2 * kPi * std::sqrt(3.5), 2.5) << seed;
  }
}

/// 1.5 boxes a m² with sides of 0.3 to 1 m and tops within ±20 cm · d.
TEST(Terrain, DiscreteIsMadeOfBoxes) {
  const HeightGrid g = make_terrain(terrain(TerrainKind::discrete, 0.5));
  std::map<double, std::vector<double>> boxes;  // height -> least x, greatest x, least y, greatest y
  for (int j = 0; j < g.ny; ++j)
    for (int i = 0; i < g.nx; ++i) {
      const double z = node(g, i, j), x = x_of(g, i), y = y_of(g, j);
      ASSERT_LE(std::abs(z), 0.1);
      if (z == 0) continue;
      auto& b = boxes.try_emplace(z, std::vector<double>{x, x, y, y}).first->second;
      b = {std::min(b[0], x), std::max(b[1], x), std::min(b[2], y), std::max(b[3], y)};
    }
  EXPECT_GT(boxes.size(), 35u);
  EXPECT_LE(boxes.size(), 54u) << "1.5 · 36 m²";
  bool up = false, down = false;
  double widest = 0;
  for (const auto& [z, b] : boxes) {
    up = up || z > 0.05, down = down || z < -0.05;
    widest = std::max({widest, b[1] - b[0], b[3] - b[2]});
  }
  EXPECT_TRUE(up && down);
  EXPECT_LE(widest, 1 + 1e-9);
  EXPECT_GT(widest, 0.9);
}

/// Squares of 50 cm − 30 cm · d, one in each field of 50 cm; the rest is holes.
TEST(Terrain, SteppingStonesHaveHolesBetween) {
  TerrainSpec t = terrain(TerrainKind::stepping_stones, 0.5);
  t.start = 0, t.cell = 0.01;
  const HeightGrid g = make_terrain(t);
  std::map<double, std::vector<int>> stones;  // height -> least i, greatest i, least j, greatest j, nodes
  for (int j = 0; j < g.ny; ++j)
    for (int i = 0; i < g.nx; ++i) {
      const double z = node(g, i, j);
      if (std::isnan(z)) continue;
      ASSERT_LE(std::abs(z), 0.025);
      auto& s = stones.try_emplace(z, std::vector<int>{i, i, j, j, 0}).first->second;
      s = {std::min(s[0], i), std::max(s[1], i), std::min(s[2], j), std::max(s[3], j), s[4] + 1};
    }
  int whole = 0;
  for (const auto& [z, s] : stones) {
    EXPECT_EQ(s[4], (s[1] - s[0] + 1) * (s[3] - s[2] + 1)) << "no holes inside";
    if (s[0] == 0 || s[1] == g.nx - 1 || s[2] == 0 || s[3] == g.ny - 1) continue;
    ++whole;
    EXPECT_NEAR((s[1] - s[0]) * g.dx, 0.35, 0.0101);
    EXPECT_NEAR((s[3] - s[2]) * g.dy, 0.35, 0.0101);
    const double x = 0.5 * (x_of(g, s[0]) + x_of(g, s[1]));
    EXPECT_LT(std::abs(x - 0.5 * std::round(x / 0.5)), 0.075 + 0.01) << "within its field";
  }
  EXPECT_EQ(whole, 121) << "11 × 11 fields lie wholly on 6 m × 6 m";
  EXPECT_NEAR(1 - static_cast<double>(holes_of(g)) / static_cast<double>(g.z.size()), 0.49, 0.03) << "(0.35 / 0.5)²";
}

/// 40 cm · d wide from the last node before to the first node behind; platforms of 0.6 to 1.2 m.
TEST(Terrain, GapsHaveTheirWidth) {
  const HeightGrid g = make_terrain(terrain(TerrainKind::gaps, 0.5));
  std::vector<int> begins, ends;  // last known node before a gap, first known behind it
  for (int i = 1; i < g.nx; ++i) {
    for (int j = 1; j < g.ny; ++j) ASSERT_EQ(std::isnan(node(g, i, j)), std::isnan(node(g, i, 0)));
    if (std::isnan(node(g, i, 0)) && !std::isnan(node(g, i - 1, 0))) begins.push_back(i - 1);
    if (!std::isnan(node(g, i, 0)) && std::isnan(node(g, i - 1, 0))) ends.push_back(i);
  }
  if (!ends.empty() && !begins.empty() && ends.front() < begins.front()) ends.erase(ends.begin());
  ASSERT_GE(ends.size(), 3u);
  for (std::size_t n = 0; n < ends.size(); ++n) {
    EXPECT_EQ(ends[n] - begins[n], 10) << "20 cm in cells of 2 cm";
    if (n + 1 >= begins.size() || (x_of(g, ends[n]) < 0 && x_of(g, begins[n + 1]) > 0)) continue;  // with the start
    EXPECT_GE((begins[n + 1] - ends[n]) * g.dx, 0.6 - 1e-9);
    EXPECT_LE((begins[n + 1] - ends[n]) * g.dx, 1.2 + 1e-9);
  }
}

TEST(Terrain, TheStartIsFlatAndWhole) {
  for (const TerrainKind kind : all_kinds())
    for (const double start : {0.3, 1.0}) {
      TerrainSpec t = terrain(kind, 1);
      t.start = start;
      const HeightGrid g = make_terrain(t);
      for (int j = 0; j < g.ny; ++j)
        for (int i = 0; i < g.nx; ++i)
          if (std::hypot(x_of(g, i), y_of(g, j)) <= start) {
            ASSERT_EQ(node(g, i, j), 0) << terrain_kinds()[static_cast<std::size_t>(kind)] << " at " << i << ", " << j;
          }
    }
}

/// 3 s² − 2 s³ with s = 0.1 one tenth into the rim: 0.028 of a rough height of at most some 20 cm.
TEST(Terrain, TheRimOfTheStartIsSmooth) {
  TerrainSpec t = terrain(TerrainKind::rough, 1);
  const HeightGrid rim = make_terrain(t);
  t.start = 0;
  const HeightGrid bare = make_terrain(t);
  for (int i = 0; i < rim.nx; ++i) {
    const double s = std::clamp((std::abs(x_of(rim, i)) - 0.5) / 0.25, 0.0, 1.0);
    EXPECT_NEAR(node(rim, i, 150), node(bare, i, 150) * (3 * s * s - 2 * s * s * s), 1e-12);
  }
}

TEST(Terrain, SeedsDifferWhereThereIsChance) {
  for (const TerrainKind kind : all_kinds()) {
    const bool chance = kind == TerrainKind::rough || kind == TerrainKind::discrete ||
                        kind == TerrainKind::stepping_stones || kind == TerrainKind::gaps;
    const std::uint64_t a = hash_doubles(make_terrain(terrain(kind, 0.5, 1)).z),
                        b = hash_doubles(make_terrain(terrain(kind, 0.5, 2)).z);
    EXPECT_EQ(a != b, chance) << terrain_kinds()[static_cast<std::size_t>(kind)];
  }
}

/// With every compiler and option.
TEST(Terrain, HasTheSameBitsEverywhere) {
  const std::uint64_t expected[] = {0x88a648246ae5a67dull, 0xdd5854931cda0233ull, 0xc225359f5767d77eull,
                                    0xf230035426dda7e4ull, 0x531d6517a2f66910ull, 0x19168bc4c4766e59ull,
                                    0xd9b5628da82510c7ull};
  for (const TerrainKind kind : all_kinds()) {
    const auto k = static_cast<std::size_t>(kind);
    HeightGrid g = make_terrain(terrain(kind, 0.4));
    for (double& z : g.z) z = std::isnan(z) ? -9999 : z + 0.0;  // neither the bits of NaN nor −0 are promised
    EXPECT_EQ(hash_doubles(g.z), expected[k]) << terrain_kinds()[k];
  }
}

/// Flat and whole at 0; then heights and holes never fall.
TEST(Terrain, DifficultyIsMonotone) {
  for (const TerrainKind kind : all_kinds()) {
    const std::string name = terrain_kinds()[static_cast<std::size_t>(kind)];
    double height = 0;
    std::size_t holes = 0;
    for (const double d : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      const HeightGrid g = make_terrain(terrain(kind, d));
      const MapRange range = range_of(g);
      if (d == 0) {
        EXPECT_EQ(range.highest - range.lowest, 0) << name;
        EXPECT_EQ(holes_of(g), 0u) << name;
      } else {
        EXPECT_GE(range.highest - range.lowest, height) << name << " at " << d;
        EXPECT_GE(holes_of(g), holes) << name << " at " << d;
        EXPECT_GT(range.highest - range.lowest + static_cast<double>(holes_of(g)),
                  height + static_cast<double>(holes))
            << name << " at " << d;
      }
      height = range.highest - range.lowest, holes = holes_of(g);
    }
  }
}

TEST(Terrain, ASceneMakesIt) {
  const auto scene = parse_scene(R"([field.ground]
shape = { terrain = { kind = "gaps", difficulty = 0.4, size = ["3 m", "2 m"], cell = "5 cm", start = "40 cm", seed = 3 } }
)",
                                 "scene.toml");
  ASSERT_TRUE(scene) << messages(scene.notes());
  ASSERT_EQ(scene->maps.size(), 1u);
  TerrainSpec t = terrain(TerrainKind::gaps, 0.4, 3);
  t.size[0] = 3, t.size[1] = 2, t.cell = 0.05, t.start = 0.4;
  const HeightGrid g = make_terrain(t);
  EXPECT_GT(holes_of(g), 0u);
  EXPECT_EQ(hash_doubles(scene->maps[0].grid.z), hash_doubles(g.z));
  EXPECT_EQ(scene->field[0].shape.kind, ShapeKind::height_field);
}

/// Each terrain alone is allowed; a text of some bytes may not ask for any amount of memory.
TEST(Terrain, ManyLargeOnesAreRefused) {
  std::string text;
  for (int i = 0; i < 3; ++i)
    text += "[field.f" + std::to_string(i) + "]\nshape = { terrain = { kind = \"slope\", size = \"25 m\", cell = \"1 cm\" } }\n";
  const auto scene = parse_scene(text, "scene.toml");
  ASSERT_FALSE(scene);
  EXPECT_EQ(messages(scene.notes()),
            "scene.toml:6:21: error: the maps of the scene have more than 16000000 heights together; make the terrain "
            "smaller or its cells larger\n");
}

TEST(Terrain, NumbersThatAreNoneAreFaults) {
  const double nan = std::nan(""), infinity = HUGE_VAL;
  for (const double x : {nan, infinity, -infinity, -1.0, 1e300}) {
    TerrainSpec t = terrain(TerrainKind::rough, x);
    EXPECT_EQ(faults_of(t).size(), 1u) << x;
    t = terrain(TerrainKind::rough, 1), t.cell = x;
    EXPECT_EQ(faults_of(t).size(), 1u) << x;
    t = terrain(TerrainKind::rough, 1), t.size[1] = x;
    EXPECT_EQ(faults_of(t).size(), 1u) << x;
    t = terrain(TerrainKind::rough, 1), t.start = x;
    EXPECT_EQ(faults_of(t).size(), 1u) << x;
  }
}

/// The smallest and the longest that are allowed, of every kind, stay within their arrays.
TEST(Terrain, OddSizesAreMade) {
  const double sizes[][3] = {{0.001, 0.001, 0.001}, {0.1, 0.3, 0.1}, {1000, 0.1, 0.1}, {0.1, 1000, 0.1}, {0.333, 0.777, 0.013}};
  for (const TerrainKind kind : all_kinds())
    for (const auto& s : sizes)
      for (const double start : {0.0, 0.2, 1000.0}) {
        TerrainSpec t = terrain(kind, 1);
        t.size[0] = s[0], t.size[1] = s[1], t.cell = s[2], t.start = start;
        ASSERT_TRUE(faults_of(t).empty());
        const HeightGrid g = make_terrain(t);
        EXPECT_EQ(g.z.size(), node_count(t));
        for (const double z : g.z) ASSERT_FALSE(std::isinf(z));
      }
}

TEST(WrittenMap, AscIsReadBackToTheSameBits) {
  const ScratchFolder folder;
  for (const TerrainKind kind : {TerrainKind::rough, TerrainKind::stepping_stones}) {
    const HeightGrid g = make_terrain(terrain(kind, 0.4));
    const std::string file = folder.path() + "/map.asc";
    ASSERT_EQ(write_map(file, g), "");
    const auto read = load_map(file, {});
    ASSERT_TRUE(read) << messages(read.notes());
    EXPECT_EQ(read->nx, g.nx);
    EXPECT_EQ(read->x0, g.x0);
    EXPECT_EQ(read->y0, g.y0);
    EXPECT_EQ(read->dx, g.dx);
    ASSERT_EQ(read->z.size(), g.z.size());
    for (std::size_t i = 0; i < g.z.size(); ++i)
      ASSERT_TRUE(read->z[i] == g.z[i] || (std::isnan(read->z[i]) && std::isnan(g.z[i]))) << i;
  }
}

TEST(WrittenMap, PngIsReadBackWithin16Bits) {
  const ScratchFolder folder;
  TerrainSpec t = terrain(TerrainKind::stepping_stones, 0.6);
  t.size[1] = 3;
  const HeightGrid g = make_terrain(t);
  const std::string file = folder.path() + "/map.png";
  ASSERT_EQ(write_map(file, g), "");
  const MapRange range = range_of(g);
  MapImport import;
  import.cell[0] = import.cell[1] = g.dx;
  import.offset = range.lowest, import.range = range.highest - range.lowest;
  const auto read = load_map(file, import);
  ASSERT_TRUE(read) << messages(read.notes());
  ASSERT_EQ(read->z.size(), g.z.size());
  for (std::size_t i = 0; i < g.z.size(); ++i) {
    ASSERT_EQ(std::isnan(read->z[i]), std::isnan(g.z[i])) << i;
    if (std::isnan(g.z[i])) continue;
    ASSERT_NEAR(read->z[i], g.z[i], 0.51 * *import.range / 65535) << i;
  }
}

TEST(WrittenMap, StlHasTheTrianglesThatAreTouched) {
  const ScratchFolder folder;
  HeightGrid g{3, 2, 0.5, 0.5, -0.5, -0.25, {0, 0.1, std::nan(""), 0.2, 0.4, 0.5}};
  const std::string file = folder.path() + "/map.stl";
  ASSERT_EQ(write_map(file, g), "");
  const auto mesh = load_mesh(file, {1, 1, 1});
  ASSERT_TRUE(mesh) << messages(mesh.notes());
  ASSERT_EQ(mesh->triangles.size(), 2u) << "the cell with an unknown corner is open";
  for (const auto& t : mesh->triangles) {
    Vec3 middle{0, 0, 0}, p[3];
    for (std::size_t k = 0; k < 3; ++k) p[k] = mesh->vertices[static_cast<std::size_t>(t[k])], middle = middle + p[k];
    middle = middle * (1.0 / 3);
    EXPECT_GT(cross(p[1] - p[0], p[2] - p[0]).z, 0) << "seen from above";
    EXPECT_NEAR(middle.z, height_at({2, 2, 0.5, 0.5, -0.5, -0.25, {0, 0.1, 0.2, 0.4}}, middle.x, middle.y), 1e-7);
  }
}

TEST(WrittenMap, WhatCannotBeWrittenIsTold) {
  const HeightGrid g{2, 2, 0.5, 0.25, 0, 0, {0, 0, 0, 0}};
  EXPECT_EQ(write_map("map.tif", g), "map.tif: maps are written as .asc, .png or .stl");
  EXPECT_EQ(write_map("map.asc", g), "map.asc: an .asc map has square cells; write .png or .stl");
  EXPECT_EQ(write_map("/no/such/folder/map.stl", g), "cannot write /no/such/folder/map.stl");
  EXPECT_NE(write_map("/no/such/folder/map.png", g), "");
}

/// Cells instead of nodes: the step lies where it is stated, not between two nodes.
TEST(Terrain, walls_stand_where_the_risers_are) {
  TerrainSpec t = terrain(TerrainKind::stairs, 0.5);
  t.walls = true;
  const HeightGrid g = make_terrain(t);
  EXPECT_EQ(g.nx, 300);
  EXPECT_NEAR(g.x0 - 0.5 * g.dx, -3, 1e-12);
  for (int i = 0; i < g.nx; ++i) {
    const double x = x_of(g, i), left = x - 0.5 * g.dx;  // a cell's borders are whole multiples of 2 cm
    const double steps = x > 0 ? std::max(0.0, std::floor((left - 0.5) / 0.3 + 1e-9) + 1) : -std::max(0.0, std::floor((-x - 0.5 * g.dx - 0.5) / 0.3 + 1e-9) + 1);
    EXPECT_NEAR(node(g, i, 7), 0.1 * steps, 1e-12) << x;
  }
  EXPECT_EQ(node_count(t), g.z.size());
  t.kind = TerrainKind::rough;
  ASSERT_EQ(faults_of(t).size(), 1u);
  EXPECT_STREQ(faults_of(t)[0].key, "risers");
}

}  // namespace
}  // namespace gradus
