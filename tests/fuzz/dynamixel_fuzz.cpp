/// Any bytes on a Dynamixel bus, of both protocols, in pieces: bounded answers, targets that are numbers.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "link/dynamixel/bus.h"

namespace {

namespace dxl = gradus::dynamixel;

void demand(bool holds) {
  if (!holds) std::abort();
}

void serve(const char* model, bool board, gradus::ByteView bytes) {
  const dxl::Model& m = *dxl::find_model(model);
  dxl::Bus bus(m.protocol, 1e6);
  const std::int32_t baud = dxl::value_of_baud(m.protocol, 1e6);
  for (std::uint8_t id = 1; id <= 3; ++id) bus.servos().emplace_back(m, id, baud);
  if (board) bus.servos().emplace_back(*dxl::find_board("cm730"), dxl::kBoardId, baud);
  std::vector<dxl::Reply> replies;
  double t = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t piece = std::min<std::size_t>(bytes.size() - at, 1 + static_cast<std::size_t>(bytes[at]) % 64);
    bus.receive(bytes.subspan(at, piece), t);
    at += piece, t += 0.003;
    replies.clear();
    while (bus.serve(t, replies)) {
    }
    std::size_t sent = 0;
    for (const dxl::Reply& r : replies) sent += r.bytes.size();
    demand(sent < 1u << 20);
    for (dxl::Servo& s : bus.servos()) {
      if (s.model().is_board) {
        s.see(dxl::BoardSight{});
        continue;
      }
      s.see({0.1, 0.2, 0.3, 0.1, 5}, t, 0.001);
      demand(std::isfinite(s.target()) && std::isfinite(s.gain()) && std::isfinite(s.damping()));
      demand(s.most_output() >= 0 && s.most_output() <= 1 && s.most_current() >= 0 && std::isfinite(s.velocity_gain()));
      demand(std::isfinite(s.wanted_velocity()) && std::isfinite(s.wanted_current()) && std::isfinite(s.wanted_pwm()));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  for (const char* model : {"xm430", "mx28-2"}) serve(model, false, bytes);
  for (const char* model : {"mx28", "ax12"}) serve(model, true, bytes);
  return 0;
}
