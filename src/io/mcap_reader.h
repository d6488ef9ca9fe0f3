/// Reads MCAP log files (io/mcap_format.h), ours and other programs'.
///
/// open() walks once over the records, without unpacking chunks, and lists what the file holds; next() then gives the
/// messages in the order of the file, checking the sum of every chunk. A file that was cut off or damaged is read up to
/// that place, and notes() says so. The sum over the whole file is checked only by verify(), which reads all of it.
/// Every length is checked before memory is taken for it.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/mcap_format.h"
#include "io/random_file.h"
#include "base/result.h"

namespace gradus {

struct McapReadOptions {
  std::size_t max_chunk_bytes = mcap::kMaxChunkBytes;  // uncompressed; a larger chunk counts as damage
};

struct McapMessage {
  const McapChannel* channel = nullptr;  // lives as long as the reader
  std::uint32_t sequence = 0;
  std::uint64_t log_time = 0, publish_time = 0;  // [ns]
  ByteView data;                                 // until the next call of the reader
};

struct McapAttachmentInfo {
  std::string name, media_type;
  std::uint64_t log_time = 0, create_time = 0;  // [ns]
  std::uint64_t data_size = 0;                  // [bytes]
  std::uint64_t offset = 0;                     // of the record in the file
};

class McapReader {
 public:
  static Result<McapReader> open(const std::string& path, const McapReadOptions& options = {});

  const std::string& profile() const { return profile_; }
  const std::string& library() const { return library_; }
  /// By id. In a file without a summary those that another program hid in chunks appear as next() comes to them.
  const std::map<std::uint16_t, McapSchema>& schemas() const { return schemas_; }
  const std::map<std::uint16_t, McapChannel>& channels() const { return channels_; }
  const std::vector<McapMetadata>& metadata() const { return metadata_; }
  const std::vector<McapAttachmentInfo>& attachments() const { return attachments_; }
  const McapChannel* channel(std::string_view topic) const;  // nullptr: no such topic
  const McapMetadata* metadata(std::string_view name) const;
  const McapAttachmentInfo* attachment(std::string_view name) const;
  Result<Bytes> load(const McapAttachmentInfo& attachment);  // its content, CRC checked

  /// The next message; false at the end of the log or of its undamaged part.
  bool next(McapMessage& message);
  void rewind();
  /// Goes to the first chunk that may hold a message logged at `log_time` [ns] or later.
  void seek(std::uint64_t log_time);

  /// Closed properly by its writer, and no damage met so far.
  bool complete() const { return notes_.empty(); }
  const Diagnostics& notes() const { return notes_; }
  /// Reads everything there is and checks all sums and counts; true if the file is whole. Problems go to notes().
  bool verify();

 private:
  struct Record {
    mcap::Op op{};
    std::uint64_t content = 0, size = 0, end = 0;  // offsets of content and next record, size of content [bytes]
  };

  McapReader(std::string path, RandomFile file, const McapReadOptions& options);
  void skim();
  bool skim_record(const Record& record);
  bool take_content(const Record& record);
  bool check_summary(const Record& footer);
  std::optional<Record> record_at(std::uint64_t offset);
  bool read_content(const Record& record, Bytes& out);
  bool crc_of_range(std::uint64_t begin, std::uint64_t end, std::uint32_t& crc);
  bool define_schema(ByteView content);
  bool define_channel(ByteView content);
  bool list_attachment(const Record& record);
  bool list_metadata(ByteView content);

  bool step_over_record(McapMessage& message, bool& found);
  bool next_in_chunk(McapMessage& message, bool& found);
  bool parse_message(ByteView content, McapMessage& message);
  bool unpack_chunk(const Record& record);
  bool decompress(ByteView packed, std::string_view compression, std::uint64_t size);
  bool damaged(std::uint64_t offset, const std::string& what);

  std::string path_;
  RandomFile file_;
  McapReadOptions options_;
  std::string profile_, library_;
  std::map<std::uint16_t, McapSchema> schemas_;
  std::map<std::uint16_t, McapChannel> channels_;
  std::vector<McapMetadata> metadata_;
  std::vector<McapAttachmentInfo> attachments_;
  Diagnostics notes_;

  std::uint64_t data_end_ = 0;                             // end of the last whole record of the data section
  std::uint64_t summary_start_ = 0;                        // 0: there was no DataEnd record
  std::uint32_t data_crc_ = 0;                             // as DataEnd says; 0: not given
  std::optional<std::uint64_t> message_count_in_summary_;  // as Statistics says

  std::uint64_t position_ = 0;  // of the next record outside of the chunk being read
  Bytes content_, chunk_;       // a record as read; records of the chunk being read
  std::size_t chunk_position_ = 0;
};

}  // namespace gradus
