#include "io/mcap_writer.h"

#include <zstd.h>

#include <algorithm>
#include <limits>

#include "base/crc32.h"

namespace gradus {
namespace {

using mcap::Op;

constexpr std::string_view kCompression = "zstd";
constexpr std::size_t kChunkHeaderBytes = mcap::kRecordHeaderBytes + 8 + 8 + 8 + 4 + (4 + kCompression.size()) + 8;
constexpr std::size_t kMaxIds = std::numeric_limits<std::uint16_t>::max();
constexpr std::size_t kMaxText = std::numeric_limits<std::uint32_t>::max();

void append_string(Bytes& out, std::string_view s) {
  append_le(out, static_cast<std::uint32_t>(s.size()));
  append_bytes(out, as_byte_view(s));
}

void append_map(Bytes& out, const McapMap& map) {
  std::size_t size = 0;
  for (const auto& [key, value] : map) size += 4 + key.size() + 4 + value.size();
  append_le(out, static_cast<std::uint32_t>(size));
  for (const auto& [key, value] : map) {
    append_string(out, key);
    append_string(out, value);
  }
}

/// Starts a record; its length is filled in by end_record with what begin_record returned.
std::size_t begin_record(Bytes& out, Op op) {
  out.push_back(static_cast<std::byte>(op));
  append_le(out, std::uint64_t{0});
  return out.size();
}

void end_record(Bytes& out, std::size_t content_start) {
  put_le(out, content_start - 8, static_cast<std::uint64_t>(out.size() - content_start));
}

bool fits(std::string_view text) { return text.size() <= kMaxText; }

bool fits(const McapMap& map) {
  std::uint64_t size = 0;
  for (const auto& [key, value] : map) size += 8 + std::uint64_t{key.size()} + value.size();
  return size <= kMaxText;
}

}  // namespace

void McapWriter::CloseContext::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }

Result<McapWriter> McapWriter::open(const std::string& path, const McapWriteOptions& options) {
  Result<std::unique_ptr<Sink>> sink = open_file_sink(path);
  if (!sink) return sink.notes();
  McapWriter writer(std::move(*sink), options);
  if (!writer.error().empty()) {
    return file_error(path, "cannot be written: " + writer.error());
  }
  return writer;
}

McapWriter::McapWriter(std::unique_ptr<Sink> sink, const McapWriteOptions& options)
    : sink_(std::move(sink)), options_(options), compressor_(ZSTD_createCCtx()) {
  options_.chunk_bytes = std::min(options_.chunk_bytes, mcap::kMaxChunkBytes / 2);
  append_bytes(unit_, mcap::magic());
  const std::size_t start = begin_record(unit_, Op::header);
  append_string(unit_, options_.profile);
  append_string(unit_, options_.library);
  end_record(unit_, start);
  Bytes no_group;
  write_unit(no_group, {});
}

McapWriter::McapWriter(McapWriter&&) noexcept = default;
McapWriter::~McapWriter() { close(); }

std::uint16_t McapWriter::schema(std::string_view name, std::string_view encoding, std::string_view data) {
  if (!sink_ || schema_count_ == kMaxIds || !fits(name) || !fits(encoding) || !fits(data)) return 0;
  const auto id = static_cast<std::uint16_t>(schema_count_ + 1);
  unit_.clear();
  const std::size_t start = begin_record(unit_, Op::schema);
  append_le(unit_, id);
  append_string(unit_, name);
  append_string(unit_, encoding);
  append_string(unit_, data);
  end_record(unit_, start);
  if (!write_unit(schema_records_, unit_)) return 0;
  return schema_count_ = id;
}

std::uint16_t McapWriter::channel(std::string_view topic, std::string_view message_encoding, std::uint16_t schema_id,
                                  const McapMap& metadata) {
  if (!sink_ || schema_id > schema_count_ || channels_.size() == kMaxIds) return 0;
  if (!fits(topic) || !fits(message_encoding) || !fits(metadata)) return 0;
  const auto id = static_cast<std::uint16_t>(channels_.size() + 1);
  unit_.clear();
  const std::size_t start = begin_record(unit_, Op::channel);
  append_le(unit_, id);
  append_le(unit_, schema_id);
  append_string(unit_, topic);
  append_string(unit_, message_encoding);
  append_map(unit_, metadata);
  end_record(unit_, start);
  if (!write_unit(channel_records_, unit_)) return 0;
  channels_.emplace_back();
  return id;
}

bool McapWriter::message(std::uint16_t channel, std::uint64_t log_time_ns, ByteView data) {
  if (!sink_ || channel == 0 || channel > channels_.size() || data.size() > mcap::kMaxChunkBytes / 2) return false;
  ChannelState& state = channels_[channel - 1u];
  const bool first = chunk_.empty();
  chunk_start_ = first ? log_time_ns : std::min(chunk_start_, log_time_ns);
  chunk_end_ = first ? log_time_ns : std::max(chunk_end_, log_time_ns);
  append_le(state.index, log_time_ns);
  append_le(state.index, static_cast<std::uint64_t>(chunk_.size()));
  const std::size_t start = begin_record(chunk_, Op::message);
  append_le(chunk_, channel);
  append_le(chunk_, state.sequence++);
  append_le(chunk_, log_time_ns);
  append_le(chunk_, log_time_ns);  // publish time: in a simulation the same
  append_bytes(chunk_, data);
  end_record(chunk_, start);
  return chunk_.size() < options_.chunk_bytes || write_chunk();
}

bool McapWriter::attachment(std::string_view name, std::string_view media_type, ByteView data,
                            std::uint64_t log_time_ns) {
  if (!flush() || !fits(name) || !fits(media_type)) return false;
  unit_.clear();
  const std::size_t start = begin_record(unit_, Op::attachment);
  append_le(unit_, log_time_ns);
  append_le(unit_, std::uint64_t{0});  // time of creation: not given, so that equal runs give equal files
  append_string(unit_, name);
  append_string(unit_, media_type);
  append_le(unit_, std::uint64_t{data.size()});
  append_bytes(unit_, data);
  append_le(unit_, crc32(ByteView(unit_).subspan(start)));
  end_record(unit_, start);

  Bytes index;
  const std::size_t index_start = begin_record(index, Op::attachment_index);
  append_le(index, position_);
  append_le(index, std::uint64_t{unit_.size()});
  append_le(index, log_time_ns);
  append_le(index, std::uint64_t{0});
  append_le(index, std::uint64_t{data.size()});
  append_string(index, name);
  append_string(index, media_type);
  end_record(index, index_start);
  if (!write_unit(attachment_indexes_, index)) return false;
  ++statistics_.attachment_count;
  return true;
}

bool McapWriter::metadata(std::string_view name, const McapMap& values) {
  if (!flush() || !fits(name) || !fits(values)) return false;
  unit_.clear();
  const std::size_t start = begin_record(unit_, Op::metadata);
  append_string(unit_, name);
  append_map(unit_, values);
  end_record(unit_, start);

  Bytes index;
  const std::size_t index_start = begin_record(index, Op::metadata_index);
  append_le(index, position_);
  append_le(index, std::uint64_t{unit_.size()});
  append_string(index, name);
  end_record(index, index_start);
  if (!write_unit(metadata_indexes_, index)) return false;
  ++statistics_.metadata_count;
  return true;
}

bool McapWriter::flush() { return sink_ && (chunk_.empty() || write_chunk()); }

bool McapWriter::close() {
  flush();
  if (sink_) finish_file();
  return error_.empty();
}

/// Puts unit_ into the file and `index`, what the summary says about it, into its group; or, if there is no room for
/// both, leaves the file as it was and ends it.
bool McapWriter::write_unit(Bytes& group, ByteView index) {
  const std::size_t group_size = group.size();
  append_bytes(group, index);
  if (sink_->reserve(unit_.size() + ending_size()) && sink_->write(unit_) == unit_.size()) {
    position_ += unit_.size();
    data_crc_ = crc32(unit_, data_crc_);
    return true;
  }
  group.resize(group_size);
  return fail(sink_->error());
}

bool McapWriter::write_chunk() {
  unit_.clear();
  if (!append_compressed_chunk()) return false;
  const std::uint64_t chunk_size = unit_.size();
  const std::uint64_t compressed_size = chunk_size - kChunkHeaderBytes;

  Bytes index;
  const std::size_t start = begin_record(index, Op::chunk_index);
  append_le(index, chunk_start_);
  append_le(index, chunk_end_);
  append_le(index, position_);
  append_le(index, chunk_size);
  append_message_indexes(index);
  append_le(index, unit_.size() - chunk_size);
  append_string(index, kCompression);
  append_le(index, compressed_size);
  append_le(index, std::uint64_t{chunk_.size()});
  end_record(index, start);

  const bool written = write_unit(chunk_indexes_, index);
  if (written) count_chunk();
  chunk_.clear();
  for (ChannelState& channel : channels_) channel.index.clear();
  return written;
}

/// The Chunk record, to unit_.
bool McapWriter::append_compressed_chunk() {
  const std::size_t start = begin_record(unit_, Op::chunk);
  append_le(unit_, chunk_start_);
  append_le(unit_, chunk_end_);
  append_le(unit_, std::uint64_t{chunk_.size()});
  append_le(unit_, crc32(chunk_));
  append_string(unit_, kCompression);
  append_le(unit_, std::uint64_t{0});
  const std::size_t data_start = unit_.size();
  const std::size_t bound = ZSTD_compressBound(chunk_.size());
  unit_.resize(data_start + bound);
  const std::size_t size = ZSTD_compressCCtx(compressor_.get(), unit_.data() + data_start, bound, chunk_.data(),
                                             chunk_.size(), options_.zstd_level);
  if (ZSTD_isError(size) != 0) return fail(std::string("zstd: ") + ZSTD_getErrorName(size));
  unit_.resize(data_start + size);
  put_le(unit_, data_start - 8, std::uint64_t{size});
  end_record(unit_, start);
  return true;
}

/// The MessageIndex records, to unit_, and the map of where they are, to the chunk's index.
void McapWriter::append_message_indexes(Bytes& chunk_index) {
  const auto used = std::count_if(channels_.begin(), channels_.end(), [](auto& c) { return !c.index.empty(); });
  append_le(chunk_index, static_cast<std::uint32_t>(10 * used));
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    const Bytes& entries = channels_[i].index;
    if (entries.empty()) continue;
    const auto id = static_cast<std::uint16_t>(i + 1);
    append_le(chunk_index, id);
    append_le(chunk_index, position_ + unit_.size());
    const std::size_t start = begin_record(unit_, Op::message_index);
    append_le(unit_, id);
    append_le(unit_, static_cast<std::uint32_t>(entries.size()));
    append_bytes(unit_, entries);
    end_record(unit_, start);
  }
}

void McapWriter::count_chunk() {
  McapStatistics& s = statistics_;
  s.message_start_time = s.chunk_count == 0 ? chunk_start_ : std::min(s.message_start_time, chunk_start_);
  s.message_end_time = std::max(s.message_end_time, chunk_end_);
  ++s.chunk_count;
  for (ChannelState& channel : channels_) {
    channel.message_count += channel.index.size() / 16;
    s.message_count += channel.index.size() / 16;
  }
}

void McapWriter::append_statistics(Bytes& out) const {
  const std::size_t start = begin_record(out, Op::statistics);
  append_le(out, statistics_.message_count);
  append_le(out, schema_count_);
  append_le(out, static_cast<std::uint32_t>(channels_.size()));
  append_le(out, statistics_.attachment_count);
  append_le(out, statistics_.metadata_count);
  append_le(out, statistics_.chunk_count);
  append_le(out, statistics_.message_start_time);
  append_le(out, statistics_.message_end_time);
  append_le(out, static_cast<std::uint32_t>(10 * channels_.size()));
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    append_le(out, static_cast<std::uint16_t>(i + 1));
    append_le(out, channels_[i].message_count);
  }
  end_record(out, start);
}

/// At least as many bytes as build_ending() would give after one more schema or channel.
std::size_t McapWriter::ending_size() const {
  constexpr std::size_t kFixed = mcap::kRecordHeaderBytes + 4 +         // DataEnd
                                 mcap::kRecordHeaderBytes + 46 +        // Statistics without its channels
                                 6 * (mcap::kRecordHeaderBytes + 17) +  // SummaryOffsets
                                 mcap::kFooterBytes + mcap::kMagic.size();
  return kFixed + 10 * (channels_.size() + 1) + schema_records_.size() + channel_records_.size() +
         chunk_indexes_.size() + attachment_indexes_.size() + metadata_indexes_.size();
}

/// The records of the summary, group by group, then where each group is. Returns the place of the latter in the file.
std::uint64_t McapWriter::append_summary(Bytes& out) const {
  Bytes statistics, offsets;
  append_statistics(statistics);
  const auto append_group = [&](Op op, const Bytes& records) {
    if (records.empty()) return;
    const std::size_t start = begin_record(offsets, Op::summary_offset);
    append_le(offsets, static_cast<std::uint8_t>(op));
    append_le(offsets, position_ + out.size());
    append_le(offsets, std::uint64_t{records.size()});
    end_record(offsets, start);
    append_bytes(out, records);
  };
  append_group(Op::schema, schema_records_);
  append_group(Op::channel, channel_records_);
  append_group(Op::statistics, statistics);
  append_group(Op::chunk_index, chunk_indexes_);
  append_group(Op::attachment_index, attachment_indexes_);
  append_group(Op::metadata_index, metadata_indexes_);
  append_bytes(out, offsets);
  return position_ + out.size() - offsets.size();
}

/// DataEnd, summary, summary offsets, Footer and magic.
Bytes McapWriter::build_ending() const {
  Bytes out;
  out.reserve(ending_size());
  append_le(out, static_cast<std::uint8_t>(Op::data_end));
  append_le(out, std::uint64_t{4});
  append_le(out, data_crc_);

  const std::size_t summary = out.size();
  const std::uint64_t offsets_start = append_summary(out);
  append_le(out, static_cast<std::uint8_t>(Op::footer));
  append_le(out, std::uint64_t{mcap::kFooterBytes - mcap::kRecordHeaderBytes});
  append_le(out, position_ + summary);
  append_le(out, offsets_start);
  append_le(out, crc32(ByteView(out).subspan(summary)));
  append_bytes(out, mcap::magic());
  return out;
}

/// Ends the file with its summary. If even that does not fit (a sink that could not reserve), the file ends after its
/// last whole unit: readers get everything but must scan for it.
void McapWriter::finish_file() {
  const Bytes ending = build_ending();
  if (position_ > 0 && sink_->write(ending) != ending.size()) {
    if (error_.empty()) error_ = sink_->error();
    sink_->truncate(position_);
  }
  if (!sink_->close() && error_.empty()) error_ = sink_->error();
  sink_.reset();
}

bool McapWriter::fail(const std::string& why) {
  error_ = why.empty() ? "unknown error of the log's sink" : why;
  sink_->truncate(position_);
  finish_file();
  return false;
}

}  // namespace gradus
