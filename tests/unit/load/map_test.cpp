/// Elevation maps: which value lands where, in which unit, and what is said about bad files.
#include "load/map.h"

#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "load/scene_toml.h"
#include "unit/load/scratch_folder.h"

namespace gradus {
namespace {

MapImport cells(double size) {
  MapImport m;
  m.cell[0] = m.cell[1] = size;
  m.place = {"scene.toml", 3, 9};
  return m;
}

MapImport ranged(double size, double range) {
  MapImport m = cells(size);
  m.range = range;
  return m;
}

template <class T>
void append(std::string& s, T x) {
  s.append(reinterpret_cast<const char*>(&x), sizeof x);
}

std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                const std::string& order = "False") {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  while ((header.size() + 11) % 64 != 0) header += ' ';
  header += '\n';
  std::string s("\x93NUMPY\x01\x00", 8);
  append(s, static_cast<std::uint16_t>(header.size()));
  return s + header + data;
}

std::string png(png_uint_32 format, unsigned width, unsigned height, const void* pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width, image.height = height, image.format = format;
  png_alloc_size_t size = 0;
  png_image_write_to_memory(&image, nullptr, &size, 0, pixels, 0, nullptr);
  std::string s(size, '\0');
  EXPECT_NE(png_image_write_to_memory(&image, s.data(), &size, 0, pixels, 0, nullptr), 0);
  s.resize(size);
  return s;
}

std::string error_of(const Result<HeightGrid>& g) { return messages(g.notes()); }

TEST(Map, TextRowsGrowAlongYAndColumnsAlongX) {
  MapImport m = cells(0.5);
  m.scale = 0.01, m.offset = 1;  // the file is in centimetres
  const auto g = parse_map("m.txt", "# heights\n 10 20 30\n40, 50\tnan\n", m);
  ASSERT_TRUE(g) << error_of(g);
  EXPECT_EQ(g->nx, 3);
  EXPECT_EQ(g->ny, 2);
  EXPECT_DOUBLE_EQ(g->x0, -0.5);  // three nodes, centred
  EXPECT_DOUBLE_EQ(g->y0, -0.25);
  EXPECT_DOUBLE_EQ(g->z[1], 1.2);
  EXPECT_DOUBLE_EQ(g->z[3], 1.4);
  EXPECT_TRUE(std::isnan(g->z[5]));
}

TEST(Map, AnOriginAndASizePlaceTheGrid) {
  MapImport m;
  m.size[0] = 6, m.size[1] = 3;
  m.origin = {{1, 2}};
  const auto g = parse_map("m.txt", "0 0 0 0\n0 0 0 1\n", m);
  ASSERT_TRUE(g) << error_of(g);
  EXPECT_DOUBLE_EQ(g->dx, 2);
  EXPECT_DOUBLE_EQ(g->dy, 3);
  EXPECT_DOUBLE_EQ(g->x0, 1);
  EXPECT_DOUBLE_EQ(g->y0, 2);
}

TEST(Map, TheFirstRowOfAnAscGridIsTheFarthestInY) {
  const auto g = parse_map(
      "m.asc", "NCOLS 2\nnrows 3\nxllcorner 5e5\nyllcorner 5e6\ncellsize 0.25\nNODATA_value -9999\n1 2\n3 -9999\n5 6\n",
      {});
  ASSERT_TRUE(g) << error_of(g);
  EXPECT_EQ(g->nx, 2);
  EXPECT_EQ(g->ny, 3);
  EXPECT_DOUBLE_EQ(g->dx, 0.25);
  EXPECT_DOUBLE_EQ(g->z[0], 5);
  EXPECT_TRUE(std::isnan(g->z[3]));
  EXPECT_DOUBLE_EQ(g->z[5], 2);
}

TEST(Map, NumpyArraysOfThreeTypes) {
  std::string f8, f4, i2;
  for (double x : {1.5, 2.0, -3.25, 4.0, 5.0, 6.0})
    append(f8, x), append(f4, static_cast<float>(x)), append(i2, static_cast<std::int16_t>(x));
  for (const auto& [type, data] : {std::pair<std::string, std::string>{"<f8", f8}, {"<f4", f4}}) {
    const auto g = parse_map("m.npy", npy(type, "(3, 2)", data), cells(1));
    ASSERT_TRUE(g) << error_of(g);
    EXPECT_EQ(g->nx, 2);
    EXPECT_EQ(g->ny, 3);
    EXPECT_DOUBLE_EQ(g->z[2], -3.25);
  }
  MapImport m = cells(1);
  m.scale = 0.005;
  const auto g = parse_map("m.npy", npy("<i2", "(3, 2)", i2), m);
  ASSERT_TRUE(g) << error_of(g);
  EXPECT_DOUBLE_EQ(g->z[2], -3 * 0.005);
}

TEST(Map, NumpyArraysStoredByColumnsAreTheSameMatrix) {
  std::string rows, columns;
  for (const double x : {1.5, 2.0, -3.25, 4.0, 5.0, 6.0}) append(rows, x);       // 3 × 2
  for (const double x : {1.5, -3.25, 5.0, 2.0, 4.0, 6.0}) append(columns, x);
  const auto a = parse_map("m.npy", npy("<f8", "(3, 2)", rows), cells(1)), b = parse_map("m.npy", npy("<f8", "(3, 2)", columns, "True"), cells(1));
  ASSERT_TRUE(a && b) << error_of(a) << error_of(b);
  EXPECT_EQ(b->nx, 2);
  EXPECT_EQ(a->z, b->z);
}

/// grid_map's index (0, 0) is the corner of largest x and y; rows run towards −x, columns towards −y.
TEST(Map, GridMapRowsRunTowardsMinusXAndColumnsTowardsMinusY) {
  MapImport m = cells(0.5);
  m.grid_map = true;
  const auto g = parse_map("m.txt", "11 12 13\n21 22 nan\n", m);  // value rc: row r, column c
  ASSERT_TRUE(g) << error_of(g);
  EXPECT_EQ(g->nx, 2);
  EXPECT_EQ(g->ny, 3);
  EXPECT_DOUBLE_EQ(g->z[5], 11);  // largest x, largest y
  EXPECT_DOUBLE_EQ(g->z[3], 12);
  EXPECT_DOUBLE_EQ(g->z[1], 13);  // largest x, smallest y
  EXPECT_DOUBLE_EQ(g->z[4], 21);
  EXPECT_DOUBLE_EQ(g->z[2], 22);
  EXPECT_TRUE(std::isnan(g->z[0]));  // smallest x, smallest y
  // The same map when its circular buffer begins with row 1 and column 2: these come first.
  m.start[0] = 1, m.start[1] = 2;
  const auto moved = parse_map("m.txt", "22 nan 21\n12 13 11\n", m);
  ASSERT_TRUE(moved) << error_of(moved);
  for (std::size_t k = 1; k < 6; ++k) EXPECT_DOUBLE_EQ(moved->z[k], g->z[k]) << k;
  EXPECT_TRUE(std::isnan(moved->z[0]));
}

TEST(Map, MujocoHeightsFillTheRange) {
  std::string s;
  append(s, std::int32_t{2}), append(s, std::int32_t{3});
  for (float x : {2.f, 4.f, 6.f, 3.f, 2.f, 2.f}) append(s, x);
  const auto g = parse_map("m.hfield", s, ranged(1, 0.8));
  ASSERT_TRUE(g) << error_of(g);
  EXPECT_EQ(g->nx, 3);
  EXPECT_DOUBLE_EQ(g->z[0], 0);
  EXPECT_DOUBLE_EQ(g->z[2], 0.8);
  EXPECT_DOUBLE_EQ(g->z[3], 0.2);
}

TEST(Map, PicturesOf8And16BitsWithTransparentPixels) {
  const std::uint8_t ga[] = {0, 255, 255, 255, 51, 255, 102, 0};
  const auto g = parse_map("m.png", png(PNG_FORMAT_GA, 2, 2, ga), ranged(0.04, 1.25));
  ASSERT_TRUE(g) << error_of(g);
  EXPECT_DOUBLE_EQ(g->z[0], 0.25);  // the second row of the picture is nearer
  EXPECT_TRUE(std::isnan(g->z[1]));
  EXPECT_DOUBLE_EQ(g->z[3], 1.25);
  const std::uint16_t deep[] = {0, 65535, 257, 1};
  const auto d = parse_map("m.png", png(PNG_FORMAT_LINEAR_Y, 2, 2, deep), ranged(0.04, 65.535));
  ASSERT_TRUE(d) << error_of(d);
  EXPECT_NEAR(d->z[0], 0.257, 1e-12);
  EXPECT_NEAR(d->z[1], 0.001, 1e-12);
  EXPECT_NEAR(d->z[3], 65.535, 1e-12);
}

/// The .asc files beside the pictures were written by another program: two readers, one terrain.
TEST(Map, PicturesAndGridsOfTheSharedMapsAgree) {
  const char* given = std::getenv("GRADUS_SHARED");
  const std::filesystem::path maps =
      (given != nullptr ? std::filesystem::path(given) : std::filesystem::path(GRADUS_SOURCE_DIR) / "../shared") /
      "data/maps";
  if (!std::filesystem::exists(maps)) GTEST_SKIP() << "no shared maps; set GRADUS_SHARED";
  struct Pair {
    const char *picture, *grid;
    double range;
  };
  for (const Pair& p :
       {Pair{"real_stairs_125cm.png", "real_stairs.asc", 1.25}, Pair{"slope_1m_1m_20cm.png", "slope.asc", 0.2},
        Pair{"straight_stairs_1m_1m_60cm.png", "straight_stairs.asc", 0.6}}) {
    const auto a = load_map((maps / p.picture).string(), ranged(0.04, p.range)),
               b = load_map((maps / p.grid).string(), {});
    ASSERT_TRUE(a) << error_of(a);
    ASSERT_TRUE(b) << error_of(b);
    ASSERT_EQ(a->z.size(), b->z.size());
    EXPECT_EQ(a->nx, b->nx);
    EXPECT_DOUBLE_EQ(a->dx, b->dx);
    for (std::size_t i = 0; i < a->z.size(); ++i) EXPECT_NEAR(a->z[i], b->z[i], 0.6e-4);
  }
  const auto unknown = load_map((maps / "terrain.png").string(), ranged(0.04, 1));
  ASSERT_TRUE(unknown) << error_of(unknown);
  EXPECT_EQ(std::count_if(unknown->z.begin(), unknown->z.end(), [](double z) { return std::isnan(z); }), 7959);
}

TEST(Map, BadFilesAreToldWhereTheyAreBad) {
  EXPECT_EQ(error_of(parse_map("m.txt", "1 2 3\n4 x 6\n7 8\n", cells(1))),
            "m.txt:2:3: error: 'x' is not a height; write a number, or nan where it is unknown\n"
            "m.txt:3:1: error: row 3 has 2 heights, the first row has 3; all rows must be equally long\n");
  EXPECT_EQ(error_of(parse_map("m.txt", "1 2\n3 4\n", cells(0))),
            "scene.toml:3:9: error: the map does not say how far its heights are apart; add cell = \"… cm\"\n");
  EXPECT_EQ(error_of(parse_map("m.asc", "ncols 2\nnrows 2\ncellsize 1\nrows 3\n1 2 3 4 5\n", {})),
            "m.asc:4:1: error: unknown key 'rows' in the header; known: ncols, nrows, xllcorner, yllcorner, xllcenter, "
            "yllcenter, cellsize, NODATA_value\nm.asc:5:9: error: more than 2 × 2 heights; check ncols and nrows\n");
  EXPECT_EQ(error_of(parse_map("m.txt", "nan nan\nnan nan\n", cells(1))),
            "m.txt: error: the map knows no height at all; check the file\n");
  EXPECT_EQ(error_of(parse_map("m.gif", "", cells(1))),
            "m.gif: error: maps of this kind cannot be read; use .txt, .asc, .png, .npy or .hfield\n");
  EXPECT_NE(error_of(parse_map("m.png", "\x89PNG\r\n\x1a\nxx", ranged(1, 1))).find("m.png: error: byte "),
            std::string::npos);
  EXPECT_NE(error_of(parse_map("m.npy", npy(">f8", "(2, 2)", std::string(32, '\0')), cells(1)))
                .find("the type ''>f8'' is not read"),
            std::string::npos);
  EXPECT_NE(error_of(parse_map("m.npy", npy("<f8", "(4,)", std::string(32, '\0')), cells(1)))
                .find("does not have two dimensions"),
            std::string::npos);
}

/// Counts that the file cannot hold are refused before room is made for them.
TEST(Map, LyingCountsAreRefused) {
  std::string s;
  append(s, std::int32_t{4000}), append(s, std::int32_t{4000});
  EXPECT_NE(error_of(parse_map("m.hfield", s, ranged(1, 1))).find("byte 8: 0 bytes of heights"), std::string::npos);
  s.clear();
  append(s, std::int32_t{2000000000}), append(s, std::int32_t{2000000000});
  EXPECT_NE(error_of(parse_map("m.hfield", s, ranged(1, 1))).find("more than 16000000"), std::string::npos);
  EXPECT_NE(error_of(parse_map("m.npy", npy("<f8", "(4000, 4000)", ""), cells(1))).find("0 bytes of heights"),
            std::string::npos);
  EXPECT_NE(error_of(parse_map("m.asc", "ncols 4000\nnrows 4000\ncellsize 1\n1 2 3\n", {})).find("cannot be in"),
            std::string::npos);
  const std::uint8_t grey[] = {1, 2, 3, 4};
  std::string picture = png(PNG_FORMAT_GRAY, 2, 2, grey);
  picture[18] = 0x0f, picture[22] = 0x0f;  // 3842 × 3842 pixels in 70 bytes
  EXPECT_FALSE(parse_map("m.png", picture, ranged(1, 1)));
}

TEST(Map, ASceneNamesMapsHullsAndPairs) {
  const ScratchFolder folder;
  folder.write("hill.txt", "0 0 0\n0 20 0\n0 0 0\n");
  folder.write("scene.toml", R"([world]
contact = { law = "spring", s_c = "3e4 N/m", s_b = 0.5, s_mu = "8 s/m", rolling = "1 mm" }
[[contact.pair]]
materials = ["rubber", "grass"]
friction = 0.9
rolling = "5 mm"
[field.hill]
shape = { height_field = { file = "hill.txt", cell = ["10 cm", "20 cm"], scale = "1 cm", offset = "-1 cm", unknown = "refuse" } }
surface = { material = "grass" }
[field.rock]
shape = { hull = { points = [["0 m", "0 m", "0 m"], ["1 m", "0 m", "0 m"], ["0 m", "1 m", "0 m"], ["0 m", "0 m", "1 m"]] } }
)");
  const auto scene = load_scene(folder.path() + "/scene.toml");
  ASSERT_TRUE(scene) << messages(scene.notes());
  ASSERT_EQ(scene->maps.size(), 1u);
  EXPECT_NEAR(scene->maps[0].grid.z[4], 0.19, 1e-15);
  EXPECT_DOUBLE_EQ(scene->maps[0].grid.dy, 0.2);
  EXPECT_EQ(scene->maps[0].unknown, UnknownHeights::refuse);
  EXPECT_EQ(scene->field[0].shape.kind, ShapeKind::height_field);
  EXPECT_EQ(scene->field[1].shape.kind, ShapeKind::hull);
  EXPECT_EQ(scene->meshes[0].vertices.size(), 4u);
  ASSERT_EQ(scene->contact.pairs.size(), 1u);
  EXPECT_EQ(scene->contact.pairs[0].friction, 0.9);
  EXPECT_DOUBLE_EQ(scene->contact.spring.s_c, 3e4);
  EXPECT_DOUBLE_EQ(scene->contact.rolling, 0.001);
}

}  // namespace
}  // namespace gradus
