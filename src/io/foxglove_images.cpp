/// RawImage, CompressedImage and CameraCalibration: messages, and the descriptors by which any protobuf library reads them.
#include "io/descriptor.h"
#include "io/foxglove_schemas.h"

namespace gradus::foxglove {
namespace {

using namespace descriptor;

std::string schema(std::string_view name, std::initializer_list<FieldInfo> fields) {
  std::vector<std::uint8_t> out;
  Writer w(out);
  append_timestamp_file(w);
  const std::size_t file = begin_file(w, "foxglove/" + std::string(name) + ".proto", "foxglove");
  w.text(3, kTimestampFile);
  append_message_type(w, name, fields);
  end_file(w, file);
  return {out.begin(), out.end()};
}

/// repeated double, packed
void append_doubles(Writer& w, int field, std::span<const double> numbers) {
  w.text(field, {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
}

std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::string raw_image_schema() {
  return schema("RawImage", {{"timestamp", kMessage, kTimestamp},
                             {"frame_id", kString, {}, kOptional, 7},
                             {"width", kFixed32, {}, kOptional, 2},
                             {"height", kFixed32},
                             {"encoding", kString},
                             {"step", kFixed32},
                             {"data", kBytes}});
}

std::string compressed_image_schema() {
  return schema("CompressedImage", {{"timestamp", kMessage, kTimestamp},
                                    {"frame_id", kString, {}, kOptional, 4},
                                    {"data", kBytes, {}, kOptional, 2},
                                    {"format", kString}});
}

std::string camera_calibration_schema() {
  return schema("CameraCalibration", {{"timestamp", kMessage, kTimestamp},
                                      {"frame_id", kString, {}, kOptional, 9},
                                      {"width", kFixed32, {}, kOptional, 2},
                                      {"height", kFixed32},
                                      {"distortion_model", kString},
                                      {"D", kDouble, {}, kRepeated},
                                      {"K", kDouble, {}, kRepeated},
                                      {"R", kDouble, {}, kRepeated},
                                      {"P", kDouble, {}, kRepeated}});
}

void append_raw_image(std::vector<std::uint8_t>& out, std::uint64_t time_ns, std::string_view frame, const RawImage& image) {
  Writer w(out);
  append_time(w, 1, time_ns);
  w.fixed32(2, image.width), w.fixed32(3, image.height);
  w.text(4, image.encoding);
  w.fixed32(5, image.row_bytes);
  w.text(6, as_text(image.bytes));
  w.text(7, frame);
}

void append_compressed_image(std::vector<std::uint8_t>& out, std::uint64_t time_ns, std::string_view frame,
                             std::string_view format, std::span<const std::uint8_t> bytes) {
  Writer w(out);
  append_time(w, 1, time_ns);
  w.text(2, as_text(bytes));
  w.text(3, format);
  w.text(4, frame);
}

void append_camera_calibration(std::vector<std::uint8_t>& out, std::uint64_t time_ns, std::string_view frame,
                               const Calibration& c) {
  Writer w(out);
  append_time(w, 1, time_ns);
  w.fixed32(2, c.width), w.fixed32(3, c.height);
  w.text(4, "plumb_bob");
  const double K[] = {c.fx, 0, c.cx, 0, c.fy, c.cy, 0, 0, 1}, R[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double P[] = {c.fx, 0, c.cx, 0, 0, c.fy, c.cy, 0, 0, 0, 1, 0};
  append_doubles(w, 5, c.distortion);
  append_doubles(w, 6, K), append_doubles(w, 7, R), append_doubles(w, 8, P);
  w.text(9, frame);
}

}  // namespace gradus::foxglove
