/// The referee's two streams: VSSRef_Command to the teams, VSSRef_Placement from them. Our own referee speaks; without
/// one we listen to an external referee (VSSReferee).
#pragma once
#include "link/firasim/messages.h"
#include "link/firasim/udp.h"

namespace gradus::firasim {

struct RefereeOptions {
  Address commands{"224.5.23.2", 10003}, placements{"224.5.23.2", 10004};
  std::string interface = "127.0.0.1";
  bool speaks = true;  // ours is the referee; false: listen to another one
};

struct RefereeCounters {
  std::int64_t sent = 0, send_failures = 0;
  std::int64_t commands = 0, placements = 0;  // understood
  std::int64_t malformed = 0;                 // neither, or not finite
};

class RefereeLink {
 public:
  static Result<RefereeLink> open(const RefereeOptions& options);
  void send(const RefereeCommand& command);
  /// What has arrived since the last call, in order; each list is cleared first.
  void poll(std::vector<RefereeCommand>& commands, std::vector<RefereePlacement>& placements);
  const RefereeCounters& counters() const { return counters_; }

  static constexpr int kMostDatagrams = 64;  // of one stream in one poll

 private:
  explicit RefereeLink(const RefereeOptions& o) : options_(o) {}
  template <class Message>
  void poll(UdpSocket& socket, std::vector<Message>& out, std::int64_t& understood);
  RefereeOptions options_;
  UdpSocket out_, commands_in_, placements_in_;
  RefereeCounters counters_;
  std::vector<std::uint8_t> buffer_ = std::vector<std::uint8_t>(8192), encoded_;
};

}  // namespace gradus::firasim
