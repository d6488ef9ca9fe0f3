/// USARSim's interface [facts/nao.md 3; docs/links.md]: a line protocol on TCP 3000, one connection a robot, ground
/// truth on 3989, an image server on 5003. Robots are those of the scene: INIT takes one, and may move it. Nothing
/// waits for programs, as in USARSim. Naos take SET, MULTIDRIVE and STIFFNESS by joint, ACT and MISPKG by chain; other
/// robots with joints ACT and MISPKG of the package "Arm"; wheeled robots of groups DRIVE.
///
/// Options, items between commas: a port or address (default 3000), truth=PORT (3989), images=PORT (no image server
/// without it; as a word: 5003), jpeg=1 … 5 (best to worst), robot=NAME.
#pragma once
#include <optional>

#include "base/rate.h"
#include "link/link.h"
#include "link/nao/body.h"
#include "link/program/orders.h"
#include "link/stream/stream.h"
#include "link/usarsim/lines.h"
#include "world/world.h"

namespace gradus::usarsim {

struct Options {
  std::string address = "3000";
  std::string truth = "3989", images;  // images "": none
  int jpeg = 0;                        // 0: raw pictures, else their type on the wire
  RobotChoice robots;
};

class UsarsimLink : public ProtocolLink {
 public:
  static Result<std::unique_ptr<UsarsimLink>> open(World& world, const Options& options);
  std::string_view name() const override { return "usarsim"; }
  std::span<const Command> receive(const World& world) override;
  void publish(const World& world) override;
  bool wants_real_time() const override { return true; }
  bool keeps_programs() const override { return true; }
  std::vector<LinkNotice> take_notices() override { return std::exchange(notices_, {}); }
  std::vector<std::string> addresses() const override;
  Figures figures() const override;
  std::vector<std::string> summary() const override;
  std::uint16_t port() const { return robots_in_.port(); }
  std::uint16_t truth_port() const { return truth_in_.port(); }
  std::uint16_t image_port() const { return images_in_ ? images_in_->port() : std::uint16_t{0}; }

 private:
  /// Joints that are commanded together, by their place in the row.
  struct Package {
    std::string name;
    std::vector<std::size_t> joints;
  };
  struct Robot {
    int number = 0;
    std::string name, kind;         // kind: the ClassName after "USARBot."
    std::optional<nao::Body> body;  // of a Nao
    int left = -1, right = -1;      // wheels of a wheeled robot
    double left_sense = 1, right_sense = 1, fastest = 0;
    std::vector<Package> packages;
    Orders orders;
    bool spoke = false;
    bool taken = false;
    NoticeLimit limit;
    OutputRoom room;
  };
  struct Connection {
    Wire wire;
    Robot* robot = nullptr;
    Rate status, truth, sonar, acceleration;
    bool acts = false, sends_packages = false;  // which words it used: it is answered in kind
  };
  /// A part of the window that all cameras share.
  struct Rectangle {
    std::uint32_t x = 0, y = 0, width = 0, height = 0;
  };
  struct Window {
    std::uint32_t width = 0, height = 0;
  };
  class Driver;
  UsarsimLink() = default;
  void add_robot(World& world, int number);
  void accept(const World& world);
  void hear(const World& world, Connection& c);
  void obey(const World& world, Connection& c, const Line& line);
  void init(const World& world, Connection& c, const Line& line);
  void move(const World& world, const Robot& robot, const Line& line);
  void set_joint(Robot& robot, const Line& line);
  void set_one(Robot& robot, std::string_view joint, std::string_view value, bool stiffness);
  void drive(Robot& robot, const Line& line);
  void act(Robot& robot, const Line& line);
  std::string package_lines(const World& world, const Connection& c) const;
  Window window() const;
  bool take_request(Wire& wire, Rectangle& part, bool& is_asked) const;
  void send_picture(const World& world, Wire& wire, const Rectangle& part);
  void describe(const World& world, Connection& c, const Line& line);
  std::string camera_lines(const Robot& robot, const Line& line) const;
  void tell(const World& world, Connection& c);
  void serve_truth(const World& world);
  void serve_images(const World& world);
  void refuse() { ++refused_; }

  Listener robots_in_, truth_in_;
  std::optional<Listener> images_in_;
  std::vector<std::unique_ptr<Robot>> robots_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<Wire> truth_, images_;
  std::vector<Command> commands_;
  std::vector<LinkNotice> notices_;
  std::string scene_, text_;
  int jpeg_ = 0;
  std::vector<std::uint8_t> pixels_;
  std::int64_t lines_ = 0, refused_ = 0, told_ = 0, missed_ = 0, pictures_ = 0;
};

bool asked_for(const SceneSpec& scene);
Diagnostics prepare(const std::string& options, SceneSpec& scene);
Result<std::unique_ptr<ProtocolLink>> open_link(const std::string& options, World& world);
inline constexpr LinkTable kLink{"usarsim",
                                 "programs written for USARSim drive robots",
                                 "PORT (default 3000), truth=PORT, images[=PORT], jpeg=1…5, robot=NAME",
                                 asked_for,
                                 prepare,
                                 open_link};

/// A picture as the image server sends it: type, size big-endian, then raw (type 0): width and height big-endian, rows
/// of blue, green, red, padded to four bytes; else a JPEG of one of five qualities. `rgb`: 3 · width · height bytes.
void append_picture(std::span<const std::uint8_t> rgb, std::uint32_t width, std::uint32_t height, int type, Bytes& out);
/// Copies what of a camera's image (yuyv) at x0, y0 of the window lies in the part of it, as red, green, blue.
void copy_image(const SensorImage& yuyv, std::uint32_t x0, std::uint32_t y0, std::uint32_t part_x, std::uint32_t part_y,
                std::uint32_t part_width, std::uint32_t part_height, std::span<std::uint8_t> rgb);

}  // namespace gradus::usarsim
