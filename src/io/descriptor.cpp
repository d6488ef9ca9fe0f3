#include "io/descriptor.h"

namespace gradus::descriptor {

void append_message_type(Writer& w, std::string_view name, std::initializer_list<FieldInfo> fields) {
  constexpr int kMessageType = 4;  // of FileDescriptorProto
  const std::size_t type = w.begin(kMessageType);
  w.text(1, name);
  int number = 0;
  for (const FieldInfo& f : fields) {
    number = f.number > 0 ? f.number : number + 1;
    const std::size_t field = w.begin(2);
    w.text(1, f.name);
    w.varint(3, static_cast<std::uint64_t>(number));
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

void append_timestamp_file(Writer& w) {
  const std::size_t file = begin_file(w, kTimestampFile, "google.protobuf");
  append_message_type(w, "Timestamp", {{"seconds", kInt64}, {"nanos", kInt32}});
  end_file(w, file);
}

void append_time(Writer& w, int field, std::uint64_t time_ns) {
  const std::size_t mark = w.begin(field);
  w.varint(1, time_ns / 1'000'000'000);
  w.varint(2, time_ns % 1'000'000'000);
  w.end(mark);
}

}  // namespace gradus::descriptor
