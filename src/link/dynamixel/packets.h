/// Packets of the Dynamixel bus, protocols 1.0 and 2.0 [the maker's manual: emanual.robotis.com, protocol1, protocol2].
///
///   1.0   FF FF id length instruction parameters… ~sum
///   2.0   FF FF FD 00 id length16 instruction parameters… crc16      FF FF FD inside is stuffed: FF FF FD FD
///
/// A status packet has the error byte as its first parameter (2.0: instruction 0x55; 1.0: in the instruction's place).
#pragma once
#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace gradus::dynamixel {

using Data = std::vector<std::uint8_t>;

enum class Protocol { one = 1, two = 2 };

enum Instruction : std::uint8_t {
  kPing = 0x01,
  kRead = 0x02,
  kWrite = 0x03,
  kRegWrite = 0x04,
  kAction = 0x05,
  kFactoryReset = 0x06,
  kReboot = 0x08,
  kClear = 0x10,
  kStatus = 0x55,
  kSyncRead = 0x82,
  kSyncWrite = 0x83,
  kFastSyncRead = 0x8a,
  kBulkRead = 0x92,
  kBulkWrite = 0x93,
  kFastBulkRead = 0x9a,
};

constexpr std::uint8_t kBroadcast = 0xfe;

struct Packet {
  std::uint8_t id = 0;
  std::uint8_t instruction = 0;
  Data parameters;
  bool sound = true;      // the check sum is right
  std::size_t bytes = 0;  // on the wire
};

std::uint16_t crc16(std::span<const std::uint8_t> data);  // polynomial 0x8005, begins at 0, highest bit first

/// Takes packets off a stream of bytes; what belongs to none is skipped.
class PacketReader {
 public:
  explicit PacketReader(Protocol protocol) : protocol_(protocol) {}
  void add(ByteView bytes);
  bool next(Packet& out);
  std::size_t waiting() const { return buffer_.size(); }  // bytes of what is no whole packet yet, or not taken
  void forget();                                          // half a packet whose rest did not come in time
  std::int64_t skipped() const { return skipped_; }       // bytes

 private:
  enum class Found { packet, nothing, wait };
  Found next_one(Packet& out);
  Found next_two(Packet& out);
  void drop(std::size_t bytes, bool as_noise);

  Protocol protocol_;
  Data buffer_;
  std::int64_t skipped_ = 0;
};

/// The bytes of an instruction or, with the error as its first parameter, of a status.
Data instruction_packet(Protocol protocol, std::uint8_t id, std::uint8_t instruction, const Data& parameters);
Data status_packet(Protocol protocol, std::uint8_t id, std::uint8_t error, const Data& parameters);

/// What one servo adds to the common status of a fast read.
struct FastPart {
  std::uint8_t id, error;
  Data data;
};
/// FF FF FD 00 FE length16 55 (error id data… crc16)…: the servos speak one after the other as if they were one, each
/// check sum covers everything before it, nothing is stuffed. `length` is that of the whole answer, also where a servo
/// did not speak up and the rest is missing.
Data fast_status_packet(std::span<const FastPart> parts, std::size_t length);

}  // namespace gradus::dynamixel
