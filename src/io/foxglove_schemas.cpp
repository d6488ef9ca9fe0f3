#include "io/foxglove_schemas.h"

#include <initializer_list>
#include <utility>

#include "base/number_text.h"

namespace gradus::foxglove {
namespace {

// ---------------------------------------------------------------- schemas, put together from their parts

using Field = std::pair<std::string_view, std::string>;  // name, schema

const std::string kNumber = R"({"type":"number"})";
const std::string kString = R"({"type":"string"})";
const std::string kBoolean = R"({"type":"boolean"})";
const std::string kIndex = R"({"type":"integer","minimum":0})";
const std::string kNanoseconds = R"("nsec":{"type":"integer","minimum":0,"maximum":999999999}}})";
const std::string kTime =
    R"({"type":"object","title":"time","properties":{"sec":{"type":"integer","minimum":0},)" + kNanoseconds;
const std::string kDuration =
    R"({"type":"object","title":"duration","properties":{"sec":{"type":"integer"},)" + kNanoseconds;

std::string array_of(const std::string& item) { return R"({"type":"array","items":)" + item + "}"; }

/// An object all of whose fields are required, as in every Foxglove schema.
std::string object(std::string_view name, std::initializer_list<Field> fields) {
  std::string properties, required;
  for (const auto& [field, schema] : fields) {
    if (!required.empty()) {
      properties += ',';
      required += ',';
    }
    properties.append("\"").append(field).append("\":").append(schema);
    required.append("\"").append(field).append("\"");
  }
  std::string out = R"({"title":"foxglove.)";
  out.append(name).append(R"(","type":"object","properties":{)").append(properties);
  return out.append(R"(},"required":[)").append(required).append("]}");
}

/// Numbers 0, 1, ... with names.
std::string enumeration(std::string_view name, std::initializer_list<std::string_view> values) {
  std::string out = R"({"title":"foxglove.)";
  out.append(name).append(R"(","oneOf":[)");
  int i = 0;
  for (const std::string_view value : values) {
    if (i > 0) out += ',';
    out.append(R"({"title":")").append(value).append(R"(","const":)").append(std::to_string(i++)).append("}");
  }
  return out.append("]}");
}

std::string vector_schema(std::string_view name = "Vector3") {
  return object(name, {{"x", kNumber}, {"y", kNumber}, {"z", kNumber}});
}

std::string quaternion_schema() {
  return object("Quaternion", {{"x", kNumber}, {"y", kNumber}, {"z", kNumber}, {"w", kNumber}});
}

std::string pose_schema() {
  return object("Pose", {{"position", vector_schema()}, {"orientation", quaternion_schema()}});
}

std::string color_schema() { return object("Color", {{"r", kNumber}, {"g", kNumber}, {"b", kNumber}, {"a", kNumber}}); }

std::string solid_schema(std::string_view name) {
  return object(name, {{"pose", pose_schema()}, {"size", vector_schema()}, {"color", color_schema()}});
}

std::string arrow_schema() {
  return object("ArrowPrimitive", {{"pose", pose_schema()},
                                   {"shaft_length", kNumber},
                                   {"shaft_diameter", kNumber},
                                   {"head_length", kNumber},
                                   {"head_diameter", kNumber},
                                   {"color", color_schema()}});
}

std::string cylinder_schema() {
  return object("CylinderPrimitive", {{"pose", pose_schema()},
                                      {"size", vector_schema()},
                                      {"bottom_scale", kNumber},
                                      {"top_scale", kNumber},
                                      {"color", color_schema()}});
}

std::string line_schema() {
  return object("LinePrimitive", {{"type", enumeration("LineType", {"LINE_STRIP", "LINE_LOOP", "LINE_LIST"})},
                                  {"pose", pose_schema()},
                                  {"thickness", kNumber},
                                  {"scale_invariant", kBoolean},
                                  {"points", array_of(vector_schema("Point3"))},
                                  {"color", color_schema()},
                                  {"colors", array_of(color_schema())},
                                  {"indices", array_of(kIndex)}});
}

std::string triangles_schema() {
  return object("TriangleListPrimitive", {{"pose", pose_schema()},
                                          {"points", array_of(vector_schema("Point3"))},
                                          {"color", color_schema()},
                                          {"colors", array_of(color_schema())},
                                          {"indices", array_of(kIndex)}});
}

std::string text_schema() {
  return object("TextPrimitive", {{"pose", pose_schema()},
                                  {"billboard", kBoolean},
                                  {"font_size", kNumber},
                                  {"scale_invariant", kBoolean},
                                  {"color", color_schema()},
                                  {"text", kString}});
}

std::string model_schema() {
  return object("ModelPrimitive", {{"pose", pose_schema()},
                                   {"scale", vector_schema()},
                                   {"color", color_schema()},
                                   {"override_color", kBoolean},
                                   {"url", kString},
                                   {"media_type", kString},
                                   {"data", R"({"type":"string","contentEncoding":"base64"})"}});
}

std::string entity_schema() {
  return object("SceneEntity", {{"timestamp", kTime},
                                {"frame_id", kString},
                                {"id", kString},
                                {"lifetime", kDuration},
                                {"frame_locked", kBoolean},
                                {"metadata", array_of(object("KeyValuePair", {{"key", kString}, {"value", kString}}))},
                                {"arrows", array_of(arrow_schema())},
                                {"cubes", array_of(solid_schema("CubePrimitive"))},
                                {"spheres", array_of(solid_schema("SpherePrimitive"))},
                                {"cylinders", array_of(cylinder_schema())},
                                {"lines", array_of(line_schema())},
                                {"triangles", array_of(triangles_schema())},
                                {"texts", array_of(text_schema())},
                                {"models", array_of(model_schema())}});
}

// ---------------------------------------------------------------- messages

void append_time(std::string& json, std::uint64_t time_ns) {
  json += R"({"sec":)";
  append_integer(json, time_ns / 1'000'000'000);
  json += R"(,"nsec":)";
  append_integer(json, time_ns % 1'000'000'000);
  json += '}';
}

/// {"x":1,"y":2,...}: one number per letter of `names`.
template <class... Numbers>
void append_numbers(std::string& json, const char* names, Numbers... numbers) {
  char separator = '{';
  const auto append = [&](double number) {
    json += separator;
    json.append("\"").append(1, *names++).append("\":");
    append_json_number(json, number);
    separator = ',';
  };
  (append(numbers), ...);
  json += '}';
}

void append_vector(std::string& json, const Vector& v) { append_numbers(json, "xyz", v[0], v[1], v[2]); }

void append_quaternion(std::string& json, const Quaternion& q) { append_numbers(json, "xyzw", q[1], q[2], q[3], q[0]); }

void append_pose(std::string& json, const Pose& pose) {
  json += R"({"position":)";
  append_vector(json, pose.position);
  json += R"(,"orientation":)";
  append_quaternion(json, pose.orientation);
  json += '}';
}

/// [item,item,...]
template <class Items, class Append>
void append_array(std::string& json, const Items& items, Append append) {
  json += '[';
  bool first = true;
  for (const auto& item : items) {
    if (!first) json += ',';
    first = false;
    append(item);
  }
  json += ']';
}

void append_triangles(std::string& json, const Shape& shape) {
  json += R"(,"points":)";
  append_array(json, shape.points, [&](const Vector& v) { append_vector(json, v); });
  json += R"(,"colors":[],"indices":)";
  append_array(json, shape.indices, [&](std::uint32_t i) { append_integer(json, i); });
}

void append_shape(std::string& json, const Shape& shape) {
  json += R"({"pose":)";
  append_pose(json, shape.pose);
  if (shape.kind == ShapeKind::triangles) {
    append_triangles(json, shape);
  } else {
    json += R"(,"size":)";
    append_vector(json, shape.size);
  }
  if (shape.kind == ShapeKind::cylinder) json += R"(,"bottom_scale":1,"top_scale":1)";
  json += R"(,"color":)";
  append_numbers(json, "rgba", shape.color.r, shape.color.g, shape.color.b, shape.color.a);
  json += '}';
}

void append_shapes_of_kind(std::string& json, std::string_view list, std::span<const Shape> shapes, ShapeKind kind) {
  json.append(",\"").append(list).append("\":[");
  bool first = true;
  for (const Shape& shape : shapes) {
    if (shape.kind != kind) continue;
    if (!first) json += ',';
    first = false;
    append_shape(json, shape);
  }
  json += ']';
}

void append_entity(std::string& json, std::uint64_t time_ns, const Entity& entity) {
  json += R"({"timestamp":)";
  append_time(json, time_ns);
  json += R"(,"frame_id":)";
  append_json_string(json, entity.frame);
  json += R"(,"id":)";
  append_json_string(json, entity.id);
  // No lifetime: it stays. Locked to its frame: it moves with the transforms that follow.
  json += R"(,"lifetime":{"sec":0,"nsec":0},"frame_locked":true,"metadata":[],"arrows":[])";
  append_shapes_of_kind(json, "cubes", entity.shapes, ShapeKind::cube);
  append_shapes_of_kind(json, "spheres", entity.shapes, ShapeKind::sphere);
  append_shapes_of_kind(json, "cylinders", entity.shapes, ShapeKind::cylinder);
  json += R"(,"lines":[])";
  append_shapes_of_kind(json, "triangles", entity.shapes, ShapeKind::triangles);
  json += R"(,"texts":[],"models":[]})";
}

}  // namespace

std::string scene_update_schema() {
  const std::string deletion =
      object("SceneEntityDeletion", {{"timestamp", kTime},
                                     {"type", enumeration("SceneEntityDeletionType", {"MATCHING_ID", "ALL"})},
                                     {"id", kString}});
  return object("SceneUpdate", {{"deletions", array_of(deletion)}, {"entities", array_of(entity_schema())}});
}

void append_scene_update(std::string& json, std::uint64_t time_ns, std::span<const Entity> entities) {
  json += R"({"deletions":[],"entities":)";
  append_array(json, entities, [&](const Entity& e) { append_entity(json, time_ns, e); });
  json += '}';
}

void append_json_string(std::string& json, std::string_view text) {
  json += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json.append(1, '\\').append(1, c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr std::string_view kHex = "0123456789abcdef";
      json.append("\\u00").append(1, kHex[static_cast<unsigned char>(c) >> 4]).append(1, kHex[c & 15]);
    } else {
      json += c;
    }
  }
  json += '"';
}

}  // namespace gradus::foxglove
