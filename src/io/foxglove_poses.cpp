/// FrameTransforms: messages, and the descriptors by which any protobuf library reads them.
#include <initializer_list>

#include "io/foxglove_schemas.h"
#include "io/protobuf.h"

namespace gradus::foxglove {
namespace {

using protobuf::Writer;

// ---------------------------------------------------------------- descriptors [protobuf, descriptor.proto]

// FieldDescriptorProto.Type and .Label
constexpr int kDouble = 1, kInt64 = 3, kInt32 = 5, kString = 9, kMessage = 11;
constexpr int kOptional = 1, kRepeated = 3;

struct FieldInfo {
  std::string_view name;
  int type;
  std::string_view message = {};  // its full name, with a dot in front
  int label = kOptional;
};

/// DescriptorProto: the fields are numbered 1, 2, ... in their order.
void append_message_type(Writer& w, std::string_view name, std::initializer_list<FieldInfo> fields) {
  constexpr int kMessageType = 4;  // of FileDescriptorProto
  const std::size_t type = w.begin(kMessageType);
  w.text(1, name);
  std::uint64_t number = 1;
  for (const FieldInfo& f : fields) {
    const std::size_t field = w.begin(2);
    w.text(1, f.name);
    w.varint(3, number++);
    w.varint(4, static_cast<std::uint64_t>(f.label));
    w.varint(5, static_cast<std::uint64_t>(f.type));
    w.text(6, f.message);
    w.end(field);
  }
  w.end(type);
}

std::size_t begin_file(Writer& w, std::string_view name, std::string_view package) {
  const std::size_t file = w.begin(1);  // of FileDescriptorSet
  w.text(1, name);
  w.text(2, package);
  return file;
}

void end_file(Writer& w, std::size_t file) {
  w.text(12, "proto3");
  w.end(file);
}

// ---------------------------------------------------------------- messages

void append_numbers(Writer& w, int field, std::initializer_list<double> numbers) {
  const std::size_t mark = w.begin(field);
  int number = 1;
  for (const double x : numbers) w.number(number++, x);
  w.end(mark);
}

void append_time(Writer& w, int field, std::uint64_t time_ns) {
  const std::size_t mark = w.begin(field);
  w.varint(1, time_ns / 1'000'000'000);
  w.varint(2, time_ns % 1'000'000'000);
  w.end(mark);
}

}  // namespace

std::string frame_transforms_schema() {
  constexpr std::string_view kTimestampFile = "google/protobuf/timestamp.proto";
  std::vector<std::uint8_t> out;
  Writer w(out);
  std::size_t file = begin_file(w, kTimestampFile, "google.protobuf");
  append_message_type(w, "Timestamp", {{"seconds", kInt64}, {"nanos", kInt32}});
  end_file(w, file);
  file = begin_file(w, "foxglove/FrameTransforms.proto", "foxglove");
  w.text(3, kTimestampFile);
  append_message_type(w, "Vector3", {{"x", kDouble}, {"y", kDouble}, {"z", kDouble}});
  append_message_type(w, "Quaternion", {{"x", kDouble}, {"y", kDouble}, {"z", kDouble}, {"w", kDouble}});
  append_message_type(w, "FrameTransform",
                      {{"timestamp", kMessage, ".google.protobuf.Timestamp"},
                       {"parent_frame_id", kString},
                       {"child_frame_id", kString},
                       {"translation", kMessage, ".foxglove.Vector3"},
                       {"rotation", kMessage, ".foxglove.Quaternion"}});
  append_message_type(w, "FrameTransforms", {{"transforms", kMessage, ".foxglove.FrameTransform", kRepeated}});
  end_file(w, file);
  return {out.begin(), out.end()};
}

void append_frame_transforms(std::vector<std::uint8_t>& out, std::uint64_t time_ns,
                             std::span<const FrameTransform> transforms) {
  Writer w(out);
  for (const FrameTransform& t : transforms) {
    const std::size_t transform = w.begin(1);
    append_time(w, 1, time_ns);
    w.text(2, t.parent);
    w.text(3, t.child);
    const auto& [x, y, z] = t.pose.position;
    append_numbers(w, 4, {x, y, z});
    const auto& [qw, qx, qy, qz] = t.pose.orientation;
    append_numbers(w, 5, {qx, qy, qz, qw});
    w.end(transform);
  }
}

}  // namespace gradus::foxglove
