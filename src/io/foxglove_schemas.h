/// Poses, shapes and images as messages under the public Foxglove schema names, so that Foxglove and other viewers show a log
/// without set-up. A scene is described once (SceneUpdate, JSON: shapes fixed to named frames) and then moved by
/// FrameTransforms (protobuf, because they are most of a log: a third of the bytes of JSON and a tenth of the time).
/// Names, types and numbers of fields are those of the public definitions [foxglove-sdk, schemas]; tests/mcap_js
/// compares.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gradus::foxglove {

inline constexpr std::string_view kJsonSchema = "jsonschema", kJson = "json";  // encodings of SceneUpdate
inline constexpr std::string_view kProtobuf = "protobuf";  // of FrameTransforms, schema and messages
inline constexpr std::string_view kFrameTransforms = "foxglove.FrameTransforms";
inline constexpr std::string_view kSceneUpdate = "foxglove.SceneUpdate";

/// The schemas, for McapWriter::schema(). That of FrameTransforms is a FileDescriptorSet.
std::string frame_transforms_schema();
std::string scene_update_schema();

using Vector = std::array<double, 3>;      // x, y, z
using Quaternion = std::array<double, 4>;  // w, x, y, z; written by name, so that no reader can mix up the order

struct Pose {
  Vector position{0, 0, 0};  // [m]
  Quaternion orientation{1, 0, 0, 0};
};

/// Where frame `child` is, seen from frame `parent`: X_parent_child.
struct FrameTransform {
  std::string_view parent, child;
  Pose pose;
};

struct Color {
  double r = 0.7, g = 0.7, b = 0.7, a = 1;  // 0 .. 1
};

enum class ShapeKind { cube, sphere, cylinder, triangles };

struct Shape {
  ShapeKind kind = ShapeKind::cube;
  Pose pose;             // of the shape in the entity's frame
  Vector size{1, 1, 1};  // full extent along the shape's x, y, z [m]; a cylinder stands along z; not for triangles
  Color color;
  std::span<const Vector> points;          // triangles: corners [m]
  std::span<const std::uint32_t> indices;  // triangles: three per triangle; empty: points are taken three by three
};

/// Shapes that move with a frame. An entity replaces the earlier one of the same id.
struct Entity {
  std::string_view frame, id;
  std::span<const Shape> shapes;
};

/// Append one message. In JSON, numbers that are not finite become null, which no viewer draws.
void append_frame_transforms(std::vector<std::uint8_t>& out, std::uint64_t time_ns,
                             std::span<const FrameTransform> transforms);
void append_scene_update(std::string& json, std::uint64_t time_ns, std::span<const Entity> entities);
void append_json_string(std::string& json, std::string_view text);

// ---- images, protobuf
inline constexpr std::string_view kRawImage = "foxglove.RawImage", kCompressedImage = "foxglove.CompressedImage";
inline constexpr std::string_view kCameraCalibration = "foxglove.CameraCalibration";
std::string raw_image_schema();
std::string compressed_image_schema();
std::string camera_calibration_schema();

struct RawImage {
  std::uint32_t width, height, row_bytes;
  std::string_view encoding;  // rgb8, mono8, yuyv, 32FC1, 16UC1
  std::span<const std::uint8_t> bytes;
};
/// OpenCV's lens: x right, y down, z forward; pixels.
struct Calibration {
  std::uint32_t width, height;
  double fx, fy, cx, cy;
  std::array<double, 5> distortion;  // k1, k2, p1, p2, k3
};
/// frame: name of the frame that the camera sits in. format: "jpeg".
void append_raw_image(std::vector<std::uint8_t>& out, std::uint64_t time_ns, std::string_view frame, const RawImage& image);
void append_compressed_image(std::vector<std::uint8_t>& out, std::uint64_t time_ns, std::string_view frame,
                             std::string_view format, std::span<const std::uint8_t> bytes);
void append_camera_calibration(std::vector<std::uint8_t>& out, std::uint64_t time_ns, std::string_view frame,
                               const Calibration& calibration);

}  // namespace gradus::foxglove
