/// Descriptors by which any protobuf library reads the messages of a log [protobuf, descriptor.proto], and the time stamp
/// that they all have.
#pragma once
#include <initializer_list>
#include <string_view>

#include "io/protobuf.h"

namespace gradus::descriptor {

using protobuf::Writer;

// FieldDescriptorProto.Type and .Label
inline constexpr int kDouble = 1, kInt64 = 3, kInt32 = 5, kFixed32 = 7, kString = 9, kMessage = 11, kBytes = 12;
inline constexpr int kOptional = 1, kRepeated = 3;
inline constexpr std::string_view kTimestampFile = "google/protobuf/timestamp.proto", kTimestamp = ".google.protobuf.Timestamp";

struct FieldInfo {
  std::string_view name;
  int type;
  std::string_view message = {};  // its full name, with a dot in front
  int label = kOptional;
  int number = 0;  // 0: one more than the field before
};

/// DescriptorProto.
void append_message_type(Writer& w, std::string_view name, std::initializer_list<FieldInfo> fields);
std::size_t begin_file(Writer& w, std::string_view name, std::string_view package);
void end_file(Writer& w, std::size_t file);
void append_timestamp_file(Writer& w);  // defines kTimestamp

void append_time(Writer& w, int field, std::uint64_t time_ns);

}  // namespace gradus::descriptor
