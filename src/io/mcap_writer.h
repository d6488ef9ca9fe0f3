/// Writes MCAP log files (io/mcap_format.h; docs/log.md says what gradus puts into them).
///
/// Messages are gathered into chunks, each compressed with zstd and followed by its message indexes; the file ends with
/// a summary of everything, so that readers can seek. The bytes depend only on the calls made, not on time or machine.
///
/// A disk that is full ends the log, never the run: whole units only (a chunk with its indexes, an attachment, ...)
/// stay in the file, and before each unit the room that it *and the closing summary* need is reserved, so that the file
/// is closed properly with all that was written. From then on everything is dropped and error() says why. Nothing
/// throws but std::bad_alloc.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/mcap_format.h"
#include "base/result.h"
#include "io/sink.h"

struct ZSTD_CCtx_s;

namespace gradus {

struct McapWriteOptions {
  std::size_t chunk_bytes = 1 << 20;  // a chunk is written when its messages reach this size, uncompressed
  int zstd_level = 1;                 // 1 (fast) .. 19 (small)
  std::string profile;                // meaning of the topics, by agreement; none by default
  std::string library = "gradus";
};

/// What is in the file so far. Messages count when their chunk is in the file.
struct McapStatistics {
  std::uint64_t message_count = 0;
  std::uint32_t chunk_count = 0, attachment_count = 0, metadata_count = 0;
  std::uint64_t message_start_time = 0, message_end_time = 0;  // least and greatest log time [ns]
};

class McapWriter {
 public:
  static Result<McapWriter> open(const std::string& path, const McapWriteOptions& options = {});
  McapWriter(std::unique_ptr<Sink> sink, const McapWriteOptions& options);
  McapWriter(McapWriter&&) noexcept;
  McapWriter& operator=(McapWriter&&) = delete;
  ~McapWriter();  // closes

  /// Declares what messages look like, and where they appear. The number is for channel() and message(); 0: failed.
  std::uint16_t schema(std::string_view name, std::string_view encoding, std::string_view data);
  std::uint16_t channel(std::string_view topic, std::string_view message_encoding, std::uint16_t schema_id,
                        const McapMap& metadata = {});

  /// False: not logged, see error(). An unknown channel is the caller's mistake, refused without ending the log.
  bool message(std::uint16_t channel, std::uint64_t log_time_ns, ByteView data);
  bool attachment(std::string_view name, std::string_view media_type, ByteView data, std::uint64_t log_time_ns = 0);
  bool metadata(std::string_view name, const McapMap& values);

  bool flush();  // writes the chunk begun, so that a crash after it loses nothing
  bool close();  // flushes and writes the summary; false if anything was ever lost
  const std::string& error() const { return error_; }
  const McapStatistics& statistics() const { return statistics_; }

 private:
  struct ChannelState {
    std::uint32_t sequence = 0;       // of the next message
    std::uint64_t message_count = 0;  // in the file
    Bytes index;                      // of the chunk begun: log time, offset; log time, offset; ...
  };
  struct CloseContext {
    void operator()(ZSTD_CCtx_s* context) const;
  };

  bool write_unit(Bytes& group, ByteView index);
  bool write_chunk();
  bool append_compressed_chunk();
  void append_message_indexes(Bytes& chunk_index);
  void count_chunk();
  std::size_t ending_size() const;
  std::uint64_t append_summary(Bytes& out) const;
  Bytes build_ending() const;
  void append_statistics(Bytes& out) const;
  void finish_file();
  bool fail(const std::string& why);

  std::unique_ptr<Sink> sink_;  // empty once closed or moved from
  McapWriteOptions options_;
  std::unique_ptr<ZSTD_CCtx_s, CloseContext> compressor_;
  std::uint64_t position_ = 0;  // bytes in the file, all of them whole units
  std::uint32_t data_crc_ = 0;  // of those bytes
  std::string error_;

  Bytes chunk_;                                    // the chunk begun: uncompressed records
  std::uint64_t chunk_start_ = 0, chunk_end_ = 0;  // its least and greatest log time [ns]
  Bytes unit_;                                     // the unit being built; kept for its capacity

  std::uint16_t schema_count_ = 0;
  std::vector<ChannelState> channels_;  // channel id - 1
  McapStatistics statistics_;
  // The summary section grows with the file, as finished records: one group per opcode.
  Bytes schema_records_, channel_records_, chunk_indexes_, attachment_indexes_, metadata_indexes_;
};

}  // namespace gradus
