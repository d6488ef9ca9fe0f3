/// Logs a run so that it can be replayed: the resolved scene, the state at the start, every input and command, and the
/// state hash of every step; beside them the poses under Foxglove's schema names, for people [docs/log.md].
///
///   attachments  scene.json  start.snapshot
///   /input       u64 k, doubles      the Input slab, when controllers changed it before step k was taken
///   /command     JSON with k         changes from outside, before step k was taken
///   /hash        u64 k, u64 hashes   of State[k], State[k+1], …, once per log period
///   /tf          foxglove.FrameTransforms, once per log period
///   /scene       foxglove.SceneUpdate, once
///   /properties  JSON: time and the chosen properties, once per log period
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/foxglove_schemas.h"
#include "io/log_thread.h"
#include "world/command.h"

namespace gradus {

class Recorder {
 public:
  /// properties: paths to log; all must exist.
  static Result<std::unique_ptr<Recorder>> open(const std::string& path, const SceneSpec& scene, const World& world,
                                                const std::vector<std::string>& properties);
  void command(const World& world, const Command& command);  // about to be applied
  void after_step(const World& world);
  /// False if anything was lost (disk full); error() says why. What was written stays readable.
  bool close();
  const std::string& error() const { return error_; }
  bool failed() const { return failed_; }

 private:
  struct Topics {
    std::uint16_t input, command, hash, tf, scene, properties;
  };
  Recorder(std::unique_ptr<LogThread> log, Topics topics, const World& world);
  void send(std::uint16_t topic, double time, ByteView data);
  void write_scene(const World& world);
  void write_sample(const World& world);
  void write_hashes(const World& world);

  std::unique_ptr<LogThread> log_;
  Topics topics_;
  std::vector<Property> properties_;
  std::vector<std::string> frame_names_;  // of every body, robot by robot
  std::int64_t period_;                   // steps between two samples
  Bytes hashes_, buffer_;
  std::vector<foxglove::FrameTransform> transforms_;
  std::vector<std::uint8_t> poses_;
  std::string json_, error_;
  bool failed_ = false;
};

/// The scene that a log was made of, resolved, with the options of its run.
Result<SceneSpec> scene_of_log(const std::string& path);

struct Replay {
  std::int64_t steps = 0;              // compared
  std::int64_t first_difference = -1;  // number of the first state whose hash differs; −1: none
  std::uint64_t hash = 0;              // of the last state
  Diagnostics notes;                   // damage of the log, if any
};
/// Runs a log again and compares the hash of every state. progress(done, total) and observe, which sees every state
/// that is the same, may be empty.
Result<Replay> replay(const std::string& path, int threads, const std::function<void(double, double)>& progress,
                      const std::function<void(const World&)>& observe = {});

}  // namespace gradus
