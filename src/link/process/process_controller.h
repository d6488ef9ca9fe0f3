/// A controller in a program of its own, in any language: gradus starts it and speaks with it over its standard input
/// and output, one JSON object a line [docs/controllers.md].
///   gradus → program   once: robot, kind, joints, limits, period; then, at every call, what the robot sees
///   program → gradus   at every call: {"target": …, "stiffness": …}, or {} to leave all as it is
/// Synchronous as every controller: gradus waits for the answer, so a slow program makes the run slower, never
/// different. A program that ends, answers something else or nothing within kPatience is not asked again, and failure()
/// says why.
///
/// **Going back.** A program that answers {"saves": true} is asked for its state and given it back. Any other is taken to
/// be a function of what it was told: all lines are kept. Where the run repeats what happened its answers are those of the
/// time, and nobody is asked; where it goes another way the program is started again and told all that led there, and its
/// answers must be the same.
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
  static constexpr std::size_t kMostLines = 128u << 20;  // bytes of what was said, kept to go back

  /// path: an executable file, or a Python file (.py), which python3 runs. options: its arguments, between blanks.
  static Result<std::unique_ptr<ProcessController>> start(const std::string& path, const std::string& robot_name,
                                                          const RobotKind& kind, double period,
                                                          const std::string& options, const Place& place);
  ~ProcessController() override;  // its input ends; a program that does not end then is killed
  void control(const RobotOutput& output, RobotCommand& command) override;
  void save(Bytes& out) override;
  bool restore(ByteView memory) override;
  std::string forgets() const override;
  /// Why the program is no longer asked; empty: all is well.
  const std::string& failure() const { return failure_; }

 private:
  struct Call {
    std::string told, answer;
  };
  ProcessController() = default;
  int launch();  // 0, or the error why it could not be started
  void stop();
  bool start_again();
  bool catch_up();  // the program is told all calls of the run as it is now
  bool ask(const std::string& line, std::string& answer) { return send(line) && receive(answer); }
  bool send(const std::string& line);
  bool receive(std::string& line);
  void take(const std::string& line, RobotCommand& command);
  void fail(const std::string& why);
  std::string how_it_ended();

  std::string path_, robot_, options_, first_line_, failure_, received_, sent_;
  std::vector<std::string> joints_;
  ImageShare images_;
  int socket_ = -1;
  pid_t child_ = -1;
  bool saves_ = false, sees_images_ = false, too_long_ = false;
  std::vector<Call> calls_;    // of the course so far, unless the program saves
  std::size_t lines_ = 0;      // their bytes
  std::size_t at_ = 0;         // calls of the run as it is now
  std::size_t asked_ = 0;      // calls that the running program was told: the first of calls_
};

}  // namespace gradus
