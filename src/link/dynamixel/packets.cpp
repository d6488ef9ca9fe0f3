#include "link/dynamixel/packets.h"

#include <algorithm>

namespace gradus::dynamixel {
namespace {

constexpr std::size_t kLongest = 4096;  // that a length field may announce

/// Sum of everything after the header, inverted.
std::uint8_t checksum(std::span<const std::uint8_t> data) {
  unsigned sum = 0;
  for (const std::uint8_t b : data) sum += b;
  return static_cast<std::uint8_t>(~sum);
}

bool ends_like_a_header(const Data& d, std::size_t from) {
  const std::size_t n = d.size();
  return n >= from + 3 && d[n - 3] == 0xff && d[n - 2] == 0xff && d[n - 1] == 0xfd;
}

/// Instruction and parameters with FD after every FF FF FD.
Data stuffed(const Data& plain) {
  Data out;
  for (const std::uint8_t b : plain) {
    out.push_back(b);
    if (ends_like_a_header(out, 0)) out.push_back(0xfd);
  }
  return out;
}

Data unstuffed(std::span<const std::uint8_t> wire) {
  Data out;
  for (std::size_t i = 0; i < wire.size(); ++i) {
    out.push_back(wire[i]);
    if (ends_like_a_header(out, 0) && i + 1 < wire.size() && wire[i + 1] == 0xfd) ++i;
  }
  return out;
}

Data wrapped(Protocol protocol, std::uint8_t id, const Data& body) {
  const Data wire = protocol == Protocol::two ? stuffed(body) : body;
  Data out;
  const auto add = [&](std::size_t byte) { out.push_back(static_cast<std::uint8_t>(byte)); };
  add(0xff), add(0xff);
  if (protocol == Protocol::one) {
    add(id), add(wire.size() + 1);
    for (const std::uint8_t b : wire) add(b);
    add(checksum(std::span(out).subspan(2)));
    return out;
  }
  const std::size_t length = wire.size() + 2;
  add(0xfd), add(0x00), add(id), add(length), add(length >> 8);
  for (const std::uint8_t b : wire) add(b);
  const std::uint16_t crc = crc16(out);
  add(crc), add(static_cast<std::size_t>(crc >> 8));
  return out;
}

}  // namespace

std::uint16_t crc16(std::span<const std::uint8_t> data) {
  unsigned crc = 0;
  for (const std::uint8_t b : data) {
    crc ^= static_cast<unsigned>(b) << 8;
    for (int bit = 0; bit < 8; ++bit) crc = crc & 0x8000 ? (crc << 1 ^ 0x8005) & 0xffff : crc << 1 & 0xffff;
  }
  return static_cast<std::uint16_t>(crc);
}

Data instruction_packet(Protocol protocol, std::uint8_t id, std::uint8_t instruction, const Data& parameters) {
  Data body{instruction};
  body.insert(body.end(), parameters.begin(), parameters.end());
  return wrapped(protocol, id, body);
}

Data status_packet(Protocol protocol, std::uint8_t id, std::uint8_t error, const Data& parameters) {
  Data body;
  if (protocol == Protocol::two) body.push_back(kStatus);
  body.push_back(error);
  body.insert(body.end(), parameters.begin(), parameters.end());
  return wrapped(protocol, id, body);
}

Data fast_status_packet(std::span<const FastPart> parts, std::size_t length) {
  Data out{
      0xff,   0xff, 0xfd, 0x00, kBroadcast, static_cast<std::uint8_t>(length), static_cast<std::uint8_t>(length >> 8),
      kStatus};
  for (const FastPart& p : parts) {
    out.push_back(p.error), out.push_back(p.id);
    out.insert(out.end(), p.data.begin(), p.data.end());
    const std::uint16_t crc = crc16(out);
    out.push_back(static_cast<std::uint8_t>(crc)), out.push_back(static_cast<std::uint8_t>(crc >> 8));
  }
  return out;
}

void PacketReader::add(ByteView bytes) {
  for (const std::byte b : bytes) buffer_.push_back(static_cast<std::uint8_t>(b));
}

void PacketReader::drop(std::size_t bytes, bool as_noise) {
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(bytes));
  if (as_noise) skipped_ += static_cast<std::int64_t>(bytes);
}

void PacketReader::forget() { drop(buffer_.size(), true); }

bool PacketReader::next(Packet& out) {
  for (;;) {
    // The header may begin anywhere; what stands before it is noise.
    const auto start = std::find(buffer_.begin(), buffer_.end(), std::uint8_t{0xff});
    drop(static_cast<std::size_t>(start - buffer_.begin()), true);
    const Found found = protocol_ == Protocol::one ? next_one(out) : next_two(out);
    if (found != Found::nothing) return found == Found::packet;
    drop(1, true);
  }
}

PacketReader::Found PacketReader::next_one(Packet& out) {
  const Data& b = buffer_;
  if (b.size() < 2) return Found::wait;
  if (b[1] != 0xff) return Found::nothing;
  if (b.size() < 4) return Found::wait;
  if (b[2] == 0xff) return Found::nothing;  // FF FF FF: the header begins later
  const std::size_t length = b[3], size = 4 + length;
  if (length < 2) return Found::nothing;
  if (b.size() < size) return Found::wait;
  out = {b[2], b[4], Data(b.begin() + 5, b.begin() + static_cast<std::ptrdiff_t>(size) - 1),
         checksum(std::span(b).subspan(2, size - 3)) == b[size - 1], size};
  drop(size, false);
  return Found::packet;
}

PacketReader::Found PacketReader::next_two(Packet& out) {
  const Data& b = buffer_;
  constexpr std::uint8_t kHeader[] = {0xff, 0xff, 0xfd, 0x00};
  for (std::size_t i = 0; i < 4; ++i) {
    if (b.size() <= i) return Found::wait;
    if (b[i] != kHeader[i]) return Found::nothing;
  }
  if (b.size() < 7) return Found::wait;
  const std::size_t length = b[5] | static_cast<std::size_t>(b[6]) << 8, size = 7 + length;
  if (length < 3 || length > kLongest) return Found::nothing;
  if (b.size() < size) return Found::wait;
  const Data body = unstuffed(std::span(b).subspan(7, length - 2));
  const auto crc = static_cast<std::uint16_t>(b[size - 2] | b[size - 1] << 8);
  out = {b[4], body[0], Data(body.begin() + 1, body.end()), crc16(std::span(b).first(size - 2)) == crc, size};
  drop(size, false);
  return Found::packet;
}

}  // namespace gradus::dynamixel
