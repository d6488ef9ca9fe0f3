/// FrameTransforms: messages, and the descriptors by which any protobuf library reads them.
#include <initializer_list>

#include "io/descriptor.h"
#include "io/foxglove_schemas.h"

namespace gradus::foxglove {
namespace {

using protobuf::Writer;

using namespace descriptor;

// ---------------------------------------------------------------- messages

void append_numbers(Writer& w, int field, std::initializer_list<double> numbers) {
  const std::size_t mark = w.begin(field);
  int number = 1;
  for (const double x : numbers) w.number(number++, x);
  w.end(mark);
}

}  // namespace

std::string frame_transforms_schema() {
  std::vector<std::uint8_t> out;
  Writer w(out);
  append_timestamp_file(w);
  const std::size_t file = begin_file(w, "foxglove/FrameTransforms.proto", "foxglove");
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
