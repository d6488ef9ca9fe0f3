#include "link/firasim/referee.h"

#include <cmath>

namespace gradus::firasim {
namespace {

bool sound(const RefereeCommand& c) { return std::isfinite(c.timestamp); }
bool sound(const RefereePlacement& p) {
  for (const Robot& r : p.robots)
    if (!std::isfinite(r.x) || !std::isfinite(r.y) || !std::isfinite(r.orientation)) return false;
  return p.robots.size() <= kMostEntries;
}

}  // namespace

Result<RefereeLink> RefereeLink::open(const RefereeOptions& options) {
  RefereeLink link(options);
  Diagnostics errors;
  const auto keep = [&](Result<UdpSocket>&& socket, UdpSocket& into) {
    if (socket)
      into = std::move(*socket);
    else
      errors.insert(errors.end(), socket.notes().begin(), socket.notes().end());
  };
  keep(UdpSocket::sender(options.interface), link.out_);
  // Joined on loopback even by the one who speaks, so that Linux delivers to clients that joined elsewhere.
  if (!options.speaks || options.commands.is_multicast())
    keep(UdpSocket::receiver(options.commands, options.interface), link.commands_in_);
  keep(UdpSocket::receiver(options.placements, options.interface), link.placements_in_);
  if (!errors.empty()) return errors;
  return link;
}

void RefereeLink::send(const RefereeCommand& command) {
  encode(command, encoded_);
  ++counters_.sent;
  if (!out_.send(options_.commands, encoded_)) ++counters_.send_failures;
}

template <class Message>
void RefereeLink::poll(UdpSocket& socket, std::vector<Message>& out, std::int64_t& understood) {
  out.clear();
  for (int k = 0; k < kMostDatagrams; ++k) {
    const std::size_t size = socket.receive(buffer_);
    if (size == 0) return;
    Message m;
    if (size > buffer_.size() || !decode(Bytes(buffer_).first(size), m) || !sound(m)) {
      ++counters_.malformed;
      continue;
    }
    ++understood;
    out.push_back(std::move(m));
  }
}

void RefereeLink::poll(std::vector<RefereeCommand>& commands, std::vector<RefereePlacement>& placements) {
  std::int64_t own = 0;  // what we said ourselves comes back
  poll(commands_in_, commands, options_.speaks ? own : counters_.commands);
  if (options_.speaks) commands.clear();
  poll(placements_in_, placements, counters_.placements);
}

}  // namespace gradus::firasim
