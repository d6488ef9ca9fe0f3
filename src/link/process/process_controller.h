/// A controller in a program of its own, in any language: gradus starts it and speaks with it over its standard input
/// and output, one JSON object a line [docs/controllers.md].
///   gradus → program   once: robot, kind, joints, limits, period; then, at every call, what the robot sees
///   program → gradus   at every call: {"target": …, "stiffness": …}, or {} to leave all as it is
/// Synchronous as every controller: gradus waits for the answer, so a slow program makes the run slower, never
/// different. A program that ends, answers something else or nothing within kPatience is not asked again, and failure()
/// says why.
#pragma once
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "link/program/image_share.h"
#include "state/controller.h"

namespace gradus {

class ProcessController : public Controller {
 public:
  static constexpr double kPatience = 10;  // wall time to wait for an answer                   [s]

  /// path: an executable file, or a Python file (.py), which python3 runs. options: its arguments, between blanks.
  static Result<std::unique_ptr<ProcessController>> start(const std::string& path, const std::string& robot_name,
                                                          const RobotKind& kind, double period,
                                                          const std::string& options, const Place& place);
  ~ProcessController() override;  // its input ends; a program that does not end then is killed
  void control(const RobotOutput& output, RobotCommand& command) override;
  /// Why the program is no longer asked; empty: all is well.
  const std::string& failure() const { return failure_; }

 private:
  ProcessController() = default;
  bool send(const std::string& line);
  bool receive(std::string& line);
  void take(const std::string& line, RobotCommand& command);
  void fail(const std::string& why);
  std::string how_it_ended();

  std::string path_, robot_, failure_, received_, sent_;
  std::vector<std::string> joints_;
  ImageShare images_;
  int socket_ = -1;
  pid_t child_ = -1;
};

}  // namespace gradus
