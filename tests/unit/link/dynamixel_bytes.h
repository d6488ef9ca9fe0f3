/// Bytes of the Dynamixel protocols as tests write them.
#pragma once
#include <string>

#include "link/dynamixel/packets.h"

namespace gradus::dynamixel {

inline Data from_hex(const std::string& hex) {
  Data out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return out;
}

inline std::uint8_t error_of_two(const Data& status) { return status.size() > 8 ? status[8] : 0xff; }
inline Data write_two(std::uint8_t id, std::uint16_t address, Data data) {
  data.insert(data.begin(), {static_cast<std::uint8_t>(address), static_cast<std::uint8_t>(address >> 8)});
  return instruction_packet(Protocol::two, id, kWrite, data);
}

}  // namespace gradus::dynamixel
