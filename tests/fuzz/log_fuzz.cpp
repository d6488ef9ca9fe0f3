/// Any bytes as a log: every message, attachment and sum is read or the damage is noted, and reading ends.
#include <cstdint>
#include <cstdlib>

#include "io/mcap_reader.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  gradus::McapReadOptions options;
  options.max_chunk_bytes = 1 << 20;
  auto reader = gradus::McapReader::open(file.path(), options);
  if (static_cast<bool>(reader) == gradus::has_errors(reader.notes())) std::abort();
  if (!reader) return 0;
  gradus::McapMessage message;
  std::uint64_t first = 0, count = 0;
  while (reader->next(message)) {
    if (!message.channel || reader->channels().at(message.channel->id).topic != message.channel->topic) std::abort();
    if (count++ == 0) first = message.log_time;
  }
  const bool whole = reader->complete();
  reader->rewind();
  std::uint64_t again = 0;
  while (reader->next(message)) ++again;
  if (again != count) std::abort();
  reader->seek(first);
  reader->next(message);
  for (const auto& attachment : reader->attachments()) {
    const auto bytes = reader->load(attachment);
    if (bytes && bytes->size() != attachment.data_size) std::abort();
  }
  if (reader->verify() && !whole) std::abort();
  return 0;
}
