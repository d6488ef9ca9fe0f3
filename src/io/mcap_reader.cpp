#include "io/mcap_reader.h"

#include <zstd.h>

#include <algorithm>

#include "base/crc32.h"

namespace gradus {
namespace {

using mcap::Op;

// What an Attachment record may need before its data: two times, name, media type. Longer names count as damage.
constexpr std::uint64_t kMaxAttachmentHead = 1 << 16;
// A zstd block of 4 bytes gives at most 128 KiB, so no honest frame unpacks to more than this times its size.
constexpr std::uint64_t kMaxZstdRatio = (std::uint64_t{128} << 10) / 4;

std::string take_string(ByteReader& in) {
  const auto size = in.le<std::uint32_t>();
  return std::string(as_text(in.take(size)));
}

bool take_map(ByteReader& in, McapMap& map) {
  const auto size = in.le<std::uint32_t>();
  ByteReader entries(in.take(size));
  while (!entries.at_end()) {
    std::string key = take_string(entries);
    std::string value = take_string(entries);
    if (!entries.ok()) return false;
    map.insert_or_assign(std::move(key), std::move(value));
  }
  return in.ok();
}

bool same(const McapSchema& a, const McapSchema& b) {
  return a.name == b.name && a.encoding == b.encoding && a.data == b.data;
}

bool same(const McapChannel& a, const McapChannel& b) {
  return a.schema_id == b.schema_id && a.topic == b.topic && a.message_encoding == b.message_encoding &&
         a.metadata == b.metadata;
}

template <class List>
auto find_name(const List& list, std::string_view name) -> decltype(list.data()) {
  const auto it = std::find_if(list.begin(), list.end(), [&](const auto& x) { return x.name == name; });
  return it == list.end() ? nullptr : &*it;
}

}  // namespace

Result<McapReader> McapReader::open(const std::string& path, const McapReadOptions& options) {
  Result<RandomFile> file = RandomFile::open(path);
  if (!file) return file.notes();
  std::array<std::byte, mcap::kMagic.size()> start{};
  if (!file->read(0, start) || !std::equal(start.begin(), start.end(), mcap::magic().begin())) {
    return file_error(path, "is not an MCAP file", "a log begins with the bytes 0x89 M C A P 0");
  }
  McapReader reader(path, std::move(*file), options);
  reader.skim();
  return reader;
}

McapReader::McapReader(std::string path, RandomFile file, const McapReadOptions& options)
    : path_(std::move(path)), file_(std::move(file)), options_(options) {
  rewind();
}

const McapChannel* McapReader::channel(std::string_view topic) const {
  for (const auto& [id, channel] : channels_) {
    if (channel.topic == topic) return &channel;
  }
  return nullptr;
}

const McapMetadata* McapReader::metadata(std::string_view name) const { return find_name(metadata_, name); }

const McapAttachmentInfo* McapReader::attachment(std::string_view name) const { return find_name(attachments_, name); }

/// Notes a problem at a place of the file; what lies behind it is not used any more.
bool McapReader::damaged(std::uint64_t offset, const std::string& what) {
  notes_.push_back(file_error(path_, "byte " + std::to_string(offset) + ": " + what).front());
  data_end_ = std::min(data_end_, offset);
  chunk_.clear();
  chunk_position_ = 0;
  return false;
}

// ---------------------------------------------------------------- finding out what the file holds

void McapReader::skim() {
  std::uint64_t offset = mcap::kMagic.size();
  data_end_ = offset;
  for (auto record = record_at(offset); record; record = record_at(offset)) {
    const bool first = offset == mcap::kMagic.size();
    if (first != (record->op == Op::header)) {
      damaged(offset, first ? "the file does not begin with a Header record" : "a second Header record");
      return;
    }
    if (!skim_record(*record) || record->op == Op::footer) return;
    offset = record->end;
    if (summary_start_ == 0) data_end_ = offset;
  }
  const bool whole = offset == file_.size();
  damaged(offset, whole ? "the log was not closed: it has no summary"
                        : "the file is cut off in the middle of a record; what is before it is read");
}

bool McapReader::skim_record(const Record& record) {
  const std::uint64_t offset = record.content - mcap::kRecordHeaderBytes;
  if (record.op == Op::attachment) return list_attachment(record);
  if (record.op == Op::footer) return check_summary(record);
  const bool needed = record.op == Op::header || record.op == Op::schema || record.op == Op::channel ||
                      record.op == Op::metadata || record.op == Op::data_end || record.op == Op::statistics;
  if (!needed) return record.op != Op{0} || damaged(offset, "not a record");
  if (!read_content(record, content_)) return false;
  return take_content(record) || damaged(offset, "a malformed or contradictory record");
}

/// What content_ says, of a record that skim_record needs. False if it is malformed or contradicts an earlier one.
bool McapReader::take_content(const Record& record) {
  ByteReader in(content_);
  bool good = true;
  switch (record.op) {
    case Op::header:
      profile_ = take_string(in);
      library_ = take_string(in);
      break;
    case Op::schema:
      good = define_schema(content_);
      break;
    case Op::channel:
      good = define_channel(content_);
      break;
    case Op::metadata:
      good = list_metadata(content_);
      break;
    case Op::data_end:
      good = summary_start_ == 0;
      data_crc_ = in.le<std::uint32_t>();
      summary_start_ = record.end;
      break;
    default:
      message_count_in_summary_ = in.le<std::uint64_t>();
  }
  return good && in.ok();
}

/// The footer says where the summary is and gives the sum over it; then the file ends.
bool McapReader::check_summary(const Record& footer) {
  const std::uint64_t offset = footer.content - mcap::kRecordHeaderBytes;
  if (summary_start_ == 0) return damaged(offset, "a Footer without a DataEnd record before it");
  std::array<std::byte, mcap::kMagic.size()> end{};
  if (footer.size != mcap::kFooterBytes - mcap::kRecordHeaderBytes || !read_content(footer, content_) ||
      footer.end + end.size() != file_.size() || !file_.read(footer.end, end) ||
      !std::equal(end.begin(), end.end(), mcap::magic().begin())) {
    return damaged(offset, "the file does not end with a Footer and the magic bytes");
  }
  ByteReader in(content_);
  const auto start = in.le<std::uint64_t>();
  in.le<std::uint64_t>();  // where the summary offsets begin: not needed, the summary was read in one go
  const auto expected = in.le<std::uint32_t>();
  if (start != 0 && start != summary_start_) return damaged(offset, "the Footer points to the wrong place");
  std::uint32_t crc = 0;
  if (expected == 0) return true;
  if (!crc_of_range(start == 0 ? offset : start, footer.content + 16, crc) || crc != expected) {
    return damaged(summary_start_, "the summary is damaged (wrong CRC)");
  }
  return true;
}

std::optional<McapReader::Record> McapReader::record_at(std::uint64_t offset) {
  std::array<std::byte, mcap::kRecordHeaderBytes> head{};
  if (!file_.read(offset, head)) return std::nullopt;
  ByteReader in(head);
  Record r;
  r.op = static_cast<Op>(in.le<std::uint8_t>());
  r.size = in.le<std::uint64_t>();
  r.content = offset + head.size();
  if (r.size > file_.size() - r.content) return std::nullopt;
  r.end = r.content + r.size;
  return r;
}

bool McapReader::read_content(const Record& record, Bytes& out) {
  if (record.size > ZSTD_compressBound(options_.max_chunk_bytes)) {
    return damaged(record.content, "a record of " + std::to_string(record.size) + " bytes, more than the limit");
  }
  out.resize(static_cast<std::size_t>(record.size));
  return file_.read(record.content, out) || damaged(record.content, "cannot be read");
}

bool McapReader::crc_of_range(std::uint64_t begin, std::uint64_t end, std::uint32_t& crc) {
  Bytes buffer(static_cast<std::size_t>(std::min<std::uint64_t>(end - begin, 1 << 20)));
  crc = 0;
  while (begin < end) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(end - begin, buffer.size()));
    if (!file_.read(begin, std::span(buffer).first(size))) return false;
    crc = crc32(ByteView(buffer).first(size), crc);
    begin += size;
  }
  return true;
}

bool McapReader::define_schema(ByteView content) {
  ByteReader in(content);
  McapSchema s;
  s.id = in.le<std::uint16_t>();
  s.name = take_string(in);
  s.encoding = take_string(in);
  s.data = take_string(in);
  if (!in.ok()) return false;
  if (s.id == 0) return true;  // to be ignored, says the specification
  const auto [it, is_new] = schemas_.try_emplace(s.id, s);
  return is_new || same(it->second, s);
}

bool McapReader::define_channel(ByteView content) {
  ByteReader in(content);
  McapChannel c;
  c.id = in.le<std::uint16_t>();
  c.schema_id = in.le<std::uint16_t>();
  c.topic = take_string(in);
  c.message_encoding = take_string(in);
  if (!take_map(in, c.metadata)) return false;
  if (c.schema_id != 0 && !schemas_.contains(c.schema_id)) return false;
  const auto [it, is_new] = channels_.try_emplace(c.id, c);
  return is_new || same(it->second, c);
}

bool McapReader::list_metadata(ByteView content) {
  ByteReader in(content);
  McapMetadata m;
  m.name = take_string(in);
  if (!take_map(in, m.values)) return false;
  metadata_.push_back(std::move(m));
  return true;
}

bool McapReader::list_attachment(const Record& record) {
  const std::uint64_t offset = record.content - mcap::kRecordHeaderBytes;
  content_.resize(static_cast<std::size_t>(std::min(record.size, kMaxAttachmentHead)));
  if (!file_.read(record.content, content_)) return damaged(offset, "cannot be read");
  ByteReader in(content_);
  McapAttachmentInfo a;
  a.log_time = in.le<std::uint64_t>();
  a.create_time = in.le<std::uint64_t>();
  a.name = take_string(in);
  a.media_type = take_string(in);
  a.data_size = in.le<std::uint64_t>();
  a.offset = offset;
  const std::uint64_t head = content_.size() - in.rest().size();
  if (!in.ok() || record.size < head + 4 || a.data_size > record.size - head - 4) {
    return damaged(offset, "a malformed attachment");
  }
  attachments_.push_back(std::move(a));
  return true;
}

Result<Bytes> McapReader::load(const McapAttachmentInfo& attachment) {
  const std::uint64_t content = attachment.offset + mcap::kRecordHeaderBytes;
  const std::uint64_t data = content + 16 + 4 + attachment.name.size() + 4 + attachment.media_type.size() + 8;
  const std::uint64_t data_end = data + attachment.data_size;
  std::array<std::byte, 4> crc_bytes{};
  std::uint32_t crc = 0;
  if (data_end < data || !file_.read(data_end, crc_bytes) || !crc_of_range(content, data_end, crc)) {
    return file_error(path_, "attachment '" + attachment.name + "' cannot be read");
  }
  const auto expected = ByteReader(crc_bytes).le<std::uint32_t>();
  if (expected != 0 && crc != expected) {
    return file_error(path_, "attachment '" + attachment.name + "' is damaged (wrong CRC)");
  }
  Bytes out(static_cast<std::size_t>(attachment.data_size));
  if (!file_.read(data, out)) return file_error(path_, "attachment '" + attachment.name + "' cannot be read");
  return out;
}

// ---------------------------------------------------------------- the messages

void McapReader::rewind() {
  position_ = mcap::kMagic.size();
  chunk_.clear();
  chunk_position_ = 0;
}

void McapReader::seek(std::uint64_t log_time) {
  rewind();
  if (!message_count_in_summary_) return;  // definitions may hide in chunks: every one must be looked at
  for (auto r = record_at(position_); r && position_ < data_end_; r = record_at(position_)) {
    std::array<std::byte, mcap::kMessageHeaderBytes> head{};
    const bool readable = r->size >= head.size() && file_.read(r->content, head);
    const bool timed = readable && (r->op == Op::chunk || r->op == Op::message);
    // Second time of a Chunk: its last message. Message: channel and sequence, then its time.
    ByteReader in(ByteView(head).subspan(r->op == Op::chunk ? 8 : 6));
    if (timed && in.le<std::uint64_t>() >= log_time) return;
    position_ = r->end;
  }
}

bool McapReader::next(McapMessage& message) {
  bool found = false;
  while (!found) {
    const bool inside = chunk_position_ < chunk_.size();
    if (!(inside ? next_in_chunk(message, found) : step_over_record(message, found))) return false;
  }
  return true;
}

bool McapReader::step_over_record(McapMessage& message, bool& found) {
  if (position_ >= data_end_) return false;
  const std::uint64_t offset = position_;
  const auto record = record_at(offset);
  if (!record) return damaged(offset, "the file has changed");
  position_ = record->end;
  if (record->op == Op::chunk) return unpack_chunk(*record);
  if (record->op != Op::message) return true;  // the rest was seen by skim()
  if (!read_content(*record, content_)) return false;
  found = parse_message(content_, message);
  return found || damaged(offset, "a malformed message");
}

bool McapReader::next_in_chunk(McapMessage& message, bool& found) {
  ByteReader in(ByteView(chunk_).subspan(chunk_position_));
  const auto op = static_cast<Op>(in.le<std::uint8_t>());
  const auto size = in.le<std::uint64_t>();
  const ByteView content = in.take(size);
  bool good = in.ok();
  chunk_position_ = chunk_.size() - in.rest().size();
  if (good && op == Op::message) good = found = parse_message(content, message);
  if (good && op == Op::schema) good = define_schema(content);
  if (good && op == Op::channel) good = define_channel(content);
  return good || damaged(position_, "the chunk before this place holds a malformed record");
}

bool McapReader::parse_message(ByteView content, McapMessage& message) {
  ByteReader in(content);
  const auto channel = channels_.find(in.le<std::uint16_t>());
  message.sequence = in.le<std::uint32_t>();
  message.log_time = in.le<std::uint64_t>();
  message.publish_time = in.le<std::uint64_t>();
  message.data = in.rest();
  if (!in.ok() || channel == channels_.end()) return false;
  message.channel = &channel->second;
  return true;
}

bool McapReader::unpack_chunk(const Record& record) {
  const std::uint64_t offset = record.content - mcap::kRecordHeaderBytes;
  if (!read_content(record, content_)) return false;
  ByteReader in(content_);
  in.take(16);  // its earliest and latest time
  const auto size = in.le<std::uint64_t>();
  const auto expected_crc = in.le<std::uint32_t>();
  const std::string compression = take_string(in);
  const auto packed_size = in.le<std::uint64_t>();
  const ByteView packed = in.take(packed_size);
  if (!in.ok()) return damaged(offset, "a malformed chunk");
  if (size > options_.max_chunk_bytes) {
    return damaged(offset, "a chunk of " + std::to_string(size) + " bytes, more than the limit");
  }
  if (compression != "zstd" && !compression.empty()) {
    return damaged(offset, "chunk compression '" + compression + "' is not known (only zstd and none)");
  }
  chunk_position_ = 0;
  if (!decompress(packed, compression, size)) return damaged(offset, "a chunk that does not unpack");
  if (expected_crc != 0 && crc32(chunk_) != expected_crc) return damaged(offset, "a damaged chunk (wrong CRC)");
  return true;
}

bool McapReader::decompress(ByteView packed, std::string_view compression, std::uint64_t size) {
  if (compression.empty()) {
    chunk_.assign(packed.begin(), packed.end());
    return packed.size() == size;
  }
  if (size / kMaxZstdRatio > packed.size()) return false;
  chunk_.resize(static_cast<std::size_t>(size));
  return ZSTD_decompress(chunk_.data(), chunk_.size(), packed.data(), packed.size()) == size;
}

bool McapReader::verify() {
  std::uint32_t crc = 0;
  if (summary_start_ != 0 && data_crc_ != 0 && complete()) {
    if (!crc_of_range(0, data_end_, crc) || crc != data_crc_) damaged(data_end_, "the data section has a wrong CRC");
  }
  std::uint64_t count = 0;
  McapMessage message;
  rewind();
  while (next(message)) ++count;
  rewind();
  if (complete() && message_count_in_summary_.value_or(count) != count) {
    damaged(data_end_, "the summary counts " + std::to_string(*message_count_in_summary_) +
                           " messages, the log holds " + std::to_string(count));
  }
  for (const McapAttachmentInfo& a : attachments_) {
    const Result<Bytes> content = load(a);
    notes_.insert(notes_.end(), content.notes().begin(), content.notes().end());
  }
  return complete();
}

}  // namespace gradus
