/// A controller in a user's shared library, called through the C interface of include/gradus/controller.h.
/// A library that crashes, throws, calls exit() or asks to end does not take the run's results with it: the call is
/// abandoned [guard.h], the controller is not called again and failure() names the library; the program then closes its
/// logs and says so. Nor does it change a bit of the simulation other than through its targets.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "state/controller.h"

namespace gradus {

class LibraryController : public Controller {
 public:
  static Result<std::unique_ptr<LibraryController>> load(const std::string& path, const std::string& robot_name,
                                                         const RobotKind& kind, double period,
                                                         const std::string& options, const Place& place);
  ~LibraryController() override;
  void control(const RobotOutput& output, RobotCommand& command) override;
  void save(Bytes& out) override;
  bool restore(ByteView memory) override;
  std::string forgets() const override;
  /// Why the controller is no longer called; empty: all is well.
  const std::string& failure() const { return failure_; }

 private:
  struct Functions;
  struct Sensors;
  LibraryController() = default;
  void fail(const std::string& why) {
    failure_ = "controller library '" + path_ + "' (robot '" + robot_ + "'): " + why;
  }
  void tell_sensors(const RobotOutput& output);

  std::string path_, robot_, failure_;
  void* handle_ = nullptr;
  void* self_ = nullptr;
  std::unique_ptr<Functions> functions_;
  std::unique_ptr<Sensors> sensors_;
  std::vector<double> target_, stiffness_, impedance_;  // (njoint) what the library writes to
};

}  // namespace gradus
