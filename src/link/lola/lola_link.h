/// LoLA, the interface of the Nao V6 that robot soccer teams use [docs/links.md; facts/nao.md 2]: a UNIX stream socket,
/// one packet of 896 bytes every 12 ms, answers of any subset of keys. Beside it, on TCP, images with 16-byte headers.
///
/// Options, items between commas: a path (default /tmp/robocup; further robots get PATH.NAME), robot=NAME, free,
/// patience=TIME, wait=TIME, images[=PORT], body=ID, head=ID.
#pragma once
#include "link/lights.h"
#include "link/lola/packet.h"
#include "link/nao/body.h"
#include "link/seats.h"

namespace gradus::lola {

class LolaLink : public SeatLink {
 public:
  static Result<std::unique_ptr<LolaLink>> open(World& world);
  std::string_view name() const override { return "lola"; }
  std::vector<std::string> addresses() const override;
  Figures figures() const override;
  void publish(const World& world) override;
  /// What programs asked of LEDs, hands and sonars, robot by robot.
  const Actuators& actuators(std::size_t seat) const { return robots_[seat].asked; }
  std::uint16_t image_port(std::size_t robot, int camera) const {
    return robots_[robot].cameras[camera].listener.port();
  }

 private:
  struct Camera {
    Listener listener;
    Wire wire;
    std::string sensor;
    std::int64_t last = -1;  // frame sent
    bool is_read = true;     // in time
  };
  struct Robot {
    nao::Body body;
    Actuators asked;
    Sensors told;
    std::vector<Camera> cameras;  // top, bottom; or none
    std::uint16_t cycle = 0;
    Leds shown;  // as they are in `lights`
    Lights lights;
  };
  explicit LolaLink(const SeatOptions& options) : SeatLink("lola", options) {}
  int seat_of(Guest& guest, std::string& refusal) override;
  bool tell(const World& world, Seat& seat) override;
  Heard hear(const World& world, Seat& seat, std::string& fault) override;
  void obey(const Actuators& asked, Robot& robot, Orders& orders);
  void fill(const RobotOutput& output, const Orders& orders, Robot& robot) const;
  void show_lights(const World& world, Seat& seat, Robot& robot);
  void send_images(const World& world, Seat& seat, Robot& robot);
  void send_image(const SensorReading& reading, Camera& camera, int number, std::uint16_t cycle);

  std::vector<Robot> robots_;  // (seats)
  Bytes packet_, image_;
  std::int64_t images_ = 0, images_missed_ = 0, out_of_range_ = 0;
};

bool asked_for(const SceneSpec& scene);
Diagnostics prepare(const std::string& options, SceneSpec& scene);
Result<std::unique_ptr<ProtocolLink>> open_link(const std::string& options, World& world);
inline constexpr LinkTable kLink{"lola",
                                 "a Nao's own software drives it over LoLA",
                                 "PATH (default /tmp/robocup), robot=NAME, free, patience=TIME, images[=PORT], …",
                                 asked_for,
                                 prepare,
                                 open_link};

}  // namespace gradus::lola
