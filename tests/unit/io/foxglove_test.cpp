#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/foxglove_schemas.h"
#include "base/number_text.h"
#include "io/protobuf.h"
#include "base/rng.h"

namespace gradus::test {
namespace {

using nlohmann::json;

std::string text(double value) {
  std::string s;
  append_number(s, value);
  return s;
}

TEST(NumberText, IsShortestAndReadsBackAsTheSameBits) {
  EXPECT_EQ(text(0.1), "0.1");
  EXPECT_EQ(text(-0.0), "-0");
  EXPECT_EQ(text(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(text(5e-324), "5e-324");
  EXPECT_EQ(text(-std::numeric_limits<double>::infinity()), "-inf");
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const std::uint64_t bits = random_bits({1, 0, 0}, i, 0);
    double x = 0;
    std::memcpy(&x, &bits, sizeof x);
    if (!std::isfinite(x)) continue;
    const double back = std::strtod(text(x).c_str(), nullptr);
    EXPECT_EQ(std::memcmp(&back, &x, sizeof x), 0) << text(x);
  }
}

TEST(NumberText, DoesNotKnowTheLocale) {
  const char* set = std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
  EXPECT_EQ(text(1.5), "1.5");
  if (set != nullptr) std::setlocale(LC_NUMERIC, "C");
}

/// The numbers 1, 2, ... of a message that has only numbers; 0 for those that are not there.
std::vector<double> numbers_of(protobuf::Data message, std::size_t count) {
  std::vector<double> out(count);
  protobuf::Reader r(message);
  while (r.next()) out.at(static_cast<std::size_t>(r.field()) - 1) = r.number();
  EXPECT_TRUE(r.ok());
  return out;
}

std::string text_of(protobuf::Data d) { return {d.begin(), d.end()}; }

struct Transform {
  std::uint64_t seconds = 0, nanos = 0;
  std::string parent, child;
  std::vector<double> translation, rotation;  // x, y, z; x, y, z, w
};

Transform read_transform(protobuf::Data message) {
  Transform t;
  protobuf::Reader r(message);
  while (r.next()) {
    const protobuf::Data field = r.message();
    if (r.field() == 1)
      for (protobuf::Reader time(field); time.next();) (time.field() == 1 ? t.seconds : t.nanos) = time.varint();
    if (r.field() == 2) t.parent = text_of(field);
    if (r.field() == 3) t.child = text_of(field);
    if (r.field() == 4) t.translation = numbers_of(field, 3);
    if (r.field() == 5) t.rotation = numbers_of(field, 4);
  }
  EXPECT_TRUE(r.ok());
  return t;
}

TEST(Foxglove, FrameTransformsHoldEveryNumberBitForBit) {
  const foxglove::FrameTransform transforms[] = {
      {"world", "blue1.base", {{1.5, -2, 1.0 / 3}, {0.5, 0.1, 0.2, 0.3}}},
      {"world", "odd \"name\"\\\n", {{std::nan(""), -INFINITY, -0.0}, {1, 0, 0, 0}}},
  };
  std::vector<std::uint8_t> out;
  foxglove::append_frame_transforms(out, 12'000'000'345, transforms);
  std::vector<Transform> found;
  for (protobuf::Reader r(out); r.next();) found.push_back(read_transform(r.message()));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].seconds, 12u);
  EXPECT_EQ(found[0].nanos, 345u);
  EXPECT_EQ(found[0].parent, "world");
  EXPECT_EQ(found[0].child, "blue1.base");
  EXPECT_EQ(found[0].translation, (std::vector<double>{1.5, -2, 1.0 / 3}));
  EXPECT_EQ(found[0].rotation, (std::vector<double>{0.1, 0.2, 0.3, 0.5}));
  EXPECT_EQ(found[1].child, "odd \"name\"\\\n");
  EXPECT_TRUE(std::isnan(found[1].translation[0]));
  EXPECT_EQ(found[1].translation[1], -INFINITY);
  EXPECT_TRUE(std::signbit(found[1].translation[2]));
}

TEST(Foxglove, NumbersThatAreNotFiniteBecomeNullInJson) {
  const foxglove::Shape shapes[] = {
      {foxglove::ShapeKind::cube, {{std::nan(""), INFINITY, 1}, {1, 0, 0, 0}}, {1, 1, 1}, {}, {}, {}}};
  const foxglove::Entity entities[] = {{"a", "b", shapes}};
  std::string out;
  foxglove::append_scene_update(out, 0, entities);
  const json t = json::parse(out)["entities"][0]["cubes"][0]["pose"]["position"];
  EXPECT_TRUE(t["x"].is_null());
  EXPECT_TRUE(t["y"].is_null());
  EXPECT_EQ(t["z"], 1);
}

TEST(Foxglove, SceneUpdateSortsShapesByKind) {
  const foxglove::Vector corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const std::uint32_t indices[] = {0, 1, 2};
  std::vector<foxglove::Shape> shapes(4);
  shapes[0] = {foxglove::ShapeKind::sphere, {{1, 2, 3}, {1, 0, 0, 0}}, {0.2, 0.2, 0.2}, {1, 0.5, 0, 1}, {}, {}};
  shapes[1] = {foxglove::ShapeKind::cube, {}, {0.1, 0.2, 0.3}, {}, {}, {}};
  shapes[2] = {foxglove::ShapeKind::cylinder, {}, {0.1, 0.1, 0.5}, {}, {}, {}};
  shapes[3] = {foxglove::ShapeKind::triangles, {}, {}, {}, corners, indices};
  const foxglove::Entity entities[] = {{"blue1.base", "blue1.base.shapes", shapes}, {"ball", "ball", {}}};
  std::string out;
  foxglove::append_scene_update(out, 0, entities);
  const json j = json::parse(out);
  ASSERT_EQ(j["entities"].size(), 2u);
  const json& e = j["entities"][0];
  EXPECT_EQ(e["frame_id"], "blue1.base");
  EXPECT_EQ(e["frame_locked"], true);
  ASSERT_EQ(e["spheres"].size(), 1u);
  EXPECT_EQ(e["spheres"][0]["pose"]["position"], (json{{"x", 1}, {"y", 2}, {"z", 3}}));
  EXPECT_EQ(e["spheres"][0]["color"], (json{{"r", 1}, {"g", 0.5}, {"b", 0}, {"a", 1}}));
  EXPECT_EQ(e["cubes"][0]["size"], (json{{"x", 0.1}, {"y", 0.2}, {"z", 0.3}}));
  EXPECT_EQ(e["cylinders"][0]["top_scale"], 1);
  EXPECT_EQ(e["triangles"][0]["points"][1], (json{{"x", 1}, {"y", 0}, {"z", 0}}));
  EXPECT_EQ(e["triangles"][0]["indices"], (json{0, 1, 2}));
  EXPECT_TRUE(j["entities"][1]["cubes"].empty());
}

/// Checks a message against the part of JSON Schema that our schemas use.
void expect_conforms(const json& schema, const json& value, const std::string& where) {
  if (schema.contains("oneOf")) return;  // an enumeration
  const std::string type = schema["type"];
  if (type == "object") {
    ASSERT_TRUE(value.is_object()) << where;
    for (const auto& name : schema.value("required", json::array())) EXPECT_TRUE(value.contains(name)) << where << name;
    for (const auto& [name, item] : value.items()) {
      ASSERT_TRUE(schema["properties"].contains(name)) << where << "." << name << " is not in the schema";
      expect_conforms(schema["properties"][name], item, where + "." + name);
    }
  } else if (type == "array") {
    for (const json& item : value) expect_conforms(schema["items"], item, where + "[]");
  } else {
    const bool good = type == "string"    ? value.is_string()
                      : type == "boolean" ? value.is_boolean()
                      : type == "integer" ? value.is_number_integer()
                                          : value.is_number();
    EXPECT_TRUE(good) << where << " is not a " << type;
  }
}

TEST(Foxglove, MessagesConformToTheSchemasWrittenIntoTheLog) {
  std::vector<foxglove::Shape> shapes(4);
  for (int i = 0; i < 4; ++i) shapes[static_cast<std::size_t>(i)].kind = static_cast<foxglove::ShapeKind>(i);
  const foxglove::Entity entities[] = {{"f", "e", shapes}};
  std::string scene;
  foxglove::append_scene_update(scene, 1, entities);
  expect_conforms(json::parse(foxglove::scene_update_schema()), json::parse(scene), "");
}

}  // namespace
}  // namespace gradus::test
