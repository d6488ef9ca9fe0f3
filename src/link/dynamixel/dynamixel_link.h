/// A robot's joints as Dynamixel servos on a serial line [docs/links.md]: a pseudo-terminal behind which every joint is
/// a servo with its maker's control table, joint 1 with id 1 and so on. Bytes and answers take the time that baud rate
/// and return delay say, in simulated time.
///
/// Free (default): the run keeps time with the wall clock; an answer comes at the end of the step in which it is due.
/// Lock-step: whenever the bus is silent simulated time waits for the program's next instruction, also within a step,
/// so that a cycle of instructions takes exactly what its bytes take.
///
/// Options, items between commas: a path (a symbolic link to the pseudo-terminal; "auto": none), robot=NAME,
/// model=xm430|xl330|mx28|mx28-2|ax12, model.JOINT=…, id.JOINT=7, board=cm730, fail.JOINT=encoder@2s, baud=1M, lockstep,
/// patience=TIME, wait=TIME.
#pragma once
#include "link/dynamixel/bus.h"
#include "link/dynamixel/terminal.h"
#include "link/lights.h"
#include "link/link.h"
#include "link/stream/stream.h"
#include "world/world.h"

namespace gradus::dynamixel {

class DynamixelLink : public ProtocolLink {
 public:
  static Result<std::unique_ptr<DynamixelLink>> open(World& world);
  ~DynamixelLink() override;

  std::string_view name() const override { return "dynamixel"; }
  std::span<const Command> receive(const World& world) override;
  void publish(const World& world) override;
  bool wants_real_time() const override { return !lockstep_; }
  bool keeps_programs() const override { return true; }
  std::vector<LinkNotice> take_notices() override { return std::exchange(notices_, {}); }
  std::vector<std::string> addresses() const override;
  Figures figures() const override;
  std::vector<std::string> summary() const override;
  std::string terminal(std::size_t line) const { return lines_[line]->terminal.name; }

 private:
  /// What moves a joint, behind its servo's table.
  struct JointDrive {
    bool chain = false;
    double kp = 0, kd = 0;                // of a plain servo, or of a chain at the gains of its file, as parameters
    double strongest = 0;                 // torque, or volts of a chain   [N m], [V]
    double torque_per_ampere = 0;         // of the servo, by its maker    [N m/A]
    double gain = 1, damping = 0;         // in force, of a chain: see Servo
    double limit = 0;                     // in force, of torque or volts
    double fastest = 0;                   // no-load speed of a plain servo                    [rad/s]
    bool unlimited = false;               // without a limit of its own
    double wheel = 0;                     // target of a chain in velocity mode  [rad]
    double delay = 0;                     // of a chain                    [s]
    double torque_of_ampere = 0;          // of a chain's motor, at the joint; 0: it has none  [N m/A]
    double constant = 0;                  // its back EMF, the same              [V s/rad]
    double volts_per_ampere = 0;          // that it needs at rest for an ampere of the maker's  [V/A]
    double speed = 0;                     // of the last step              [rad/s]
    double far_until = 0;                 // commands beyond reach are in the chain's delay until then  [s]
    int led = 0;
  };
  /// One robot's serial line.
  struct Line {
    int robot = 0;
    std::string name;  // of the robot
    Terminal terminal;
    std::string link;  // the symbolic link to it
    Bus bus{Protocol::two, 1e6};
    std::vector<Reply> replies;  // on their way
    std::vector<JointDrive> joints;
    int board = -1;        // number among the bus's servos; −1: there is none
    Lights lights;         // of the board
    bool is_deaf = false;  // to the program's speed
    OutputRoom room;
    bool heard = false, waited_for = true;
    double since = 0;  // wall time at which waiting began
  };
  class Driver;
  DynamixelLink() = default;
  static Diagnostics add_line(World& world, int robot, DynamixelLink& out);
  static JointDrive drive_of(World& world, int robot, std::size_t joint, const std::string& name, const Model& servo);
  static double limit_of(const JointDrive& drive, const Servo& servo);
  void see(const World& world, Line& line, double h);
  void see_board(const RobotOutput& output, Line& line, double supply);
  void look_at_speed(Line& line);
  void hear(const World& world, Line& line);
  void serve(const World& world, Line& line);
  void serve_in_step(const World& world, Line& line);
  void send(Line& line, double until);
  void update_numbers(Line& line, const World& world);
  static void light(Line& line, const RobotKind& kind);

  std::vector<std::unique_ptr<Line>> lines_;
  std::vector<Command> commands_;
  std::vector<LinkNotice> notices_;
  bool lockstep_ = false;
  double patience_ = 1, wait_ = 60;
  std::int64_t lost_bytes_ = 0, impatient_ = 0;
};

bool asked_for(const SceneSpec& scene);
Diagnostics prepare(const std::string& options, SceneSpec& scene);
Result<std::unique_ptr<ProtocolLink>> open_link(const std::string& options, World& world);
inline constexpr LinkTable kLink{
    "dynamixel",
    "joints are Dynamixel servos on a serial line",
    "PATH or auto, robot=NAME, model=xm430|xl330|mx28|mx28-2|ax12, board=cm730, baud=1M, …",
    asked_for,
    prepare,
    open_link};

}  // namespace gradus::dynamixel
