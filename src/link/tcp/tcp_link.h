/// Robots driven over plain TCP, by programs in any language, on this machine or another [docs/links.md]. One
/// connection a robot; robots with the same address share a port.
///
///   program → gradus   once: {"robot": "blue1", "form": "lines", "token": "…"}⏎, all of it optional: {}⏎ [program/hello.h]
///   gradus → program   once: the line about the robot [program/lines.h]; {"error": "…"}⏎ before it hangs up
///   then states and answers, as lines or as frames
///
/// Options, items between commas: free, patience=TIME, wait=TIME, token=TEXT; on the command line also an address
/// (default 4000), rate=RATE and robot=NAME (again for more).
#pragma once
#include "link/program/hello.h"
#include "link/program/image_frames.h"
#include "link/program/image_share.h"
#include "link/seats.h"

namespace gradus::tcp {

class TcpLink : public SeatLink {
 public:
  static Result<std::unique_ptr<TcpLink>> open(World& world);
  std::string_view name() const override { return "tcp"; }
  std::vector<std::string> addresses() const override;
  std::uint16_t port() const { return listeners().front().port(); }

 private:
  explicit TcpLink(const SeatOptions& options) : SeatLink("tcp", options) {}
  int seat_of(Guest& guest, std::string& refusal) override;
  void refuse(Wire& wire, const std::string& why) override;
  void welcome(const World& world, Seat& seat) override;
  bool tell(const World& world, Seat& seat) override;
  Heard hear(const World& world, Seat& seat, std::string& fault) override;
  Heard hear_line(const World& world, Seat& seat, std::string& fault);
  Heard hear_frame(Seat& seat, std::string& fault);

  struct Place {
    std::size_t listener;
    std::string token;
    std::vector<std::string> joints;
    Hello hello;  // of its program
    std::unique_ptr<ImageShare> images;  // for it, in lines
    ImageFrames frames;                  // and in the binary form
  };
  std::vector<Place> places_;  // (seats)
  std::string line_;
  Bytes frame_;
};

bool asked_for(const SceneSpec& scene);
Diagnostics prepare(const std::string& options, SceneSpec& scene);
Result<std::unique_ptr<ProtocolLink>> open_link(const std::string& options, World& world);
inline constexpr LinkTable kLink{"tcp",
                                 "programs in any language drive robots over TCP",
                                 "PORT or ADDRESS:PORT (default 4000), robot=NAME, rate=RATE, free, token=TEXT, …",
                                 asked_for,
                                 prepare,
                                 open_link};

}  // namespace gradus::tcp
