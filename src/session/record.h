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
///   /image_hash  u64 k, then for each image that was first asked for at step k: u32 robot, u32 sensor, u64 frame, u64 hash
///   /ROBOT/CAMERA/FORMAT  foxglove.CompressedImage or foxglove.RawImage, and /ROBOT/CAMERA/calibration; on request
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/foxglove_schemas.h"
#include "io/log_thread.h"
#include "world/command.h"

namespace gradus {

/// Which images a log shall hold itself; by default none: it holds their hashes, and a replay makes them again.
struct ImageLog {
  std::vector<std::string> cameras;  // "blue1.camera_top", or patterns
  bool raw = false;                  // as they are, not as JPEG
};

class Recorder {
 public:
  /// properties: paths to log; all must exist.
  static Result<std::unique_ptr<Recorder>> open(const std::string& path, const SceneSpec& scene, World& world,
                                                const std::vector<std::string>& properties, const ImageLog& images = {});
  void command(const World& world, const Command& command);  // about to be applied
  /// seen: images that programs asked for since the last step.
  void after_step(World& world, std::span<const SeenImage> seen = {});
  /// False if anything was lost (disk full); error() says why. What was written stays readable.
  bool close(double time = 0, std::span<const SeenImage> seen = {});
  const std::string& error() const { return error_; }
  bool failed() const { return failed_; }

 private:
  struct Topics {
    std::uint16_t input, command, hash, tf, scene, properties, image_hash;
  };
  struct LoggedCamera {
    int robot, sensor;
    std::string name;
    std::vector<std::uint16_t> topics;  // (formats)
    std::int64_t frame = -1;            // that was written last
  };
  Recorder(std::unique_ptr<LogThread> log, Topics topics, const World& world);
  static LoggedCamera declare_camera(McapWriter& w, const World& world, int robot, int sensor, const std::string& name,
                                     bool raw);
  void send(std::uint16_t topic, double time, ByteView data);
  void write_scene(const World& world);
  void write_sample(const World& world);
  void write_hashes(const World& world);
  void write_seen(double time, std::span<const SeenImage> seen);
  void write_images(World& world);

  std::unique_ptr<LogThread> log_;
  Topics topics_;
  std::vector<Property> properties_;
  std::vector<std::string> frame_names_;  // of every body, robot by robot
  std::int64_t period_;                   // steps between two samples
  Bytes hashes_, buffer_;
  std::vector<foxglove::FrameTransform> transforms_;
  std::vector<std::uint8_t> poses_;
  std::vector<LoggedCamera> cameras_;
  bool raw_ = false;
  std::vector<std::uint8_t> rgb_, jpeg_, message_;
  std::string json_, error_;
  bool failed_ = false;
};

/// The scene that a log was made of, resolved, with the options of its run.
Result<SceneSpec> scene_of_log(const std::string& path);

struct Replay {
  std::int64_t steps = 0;              // compared
  std::int64_t first_difference = -1;  // number of the first state whose hash differs; −1: none
  std::uint64_t hash = 0;              // of the last state
  std::int64_t images = 0;             // compared
  std::string different_image;         // the first that is another one: "blue1.camera_top, frame 12 at step 453"; "": none
  Diagnostics notes;                   // damage of the log, if any
};
struct ReplayOptions {
  int threads = 1, render_threads = 0;
  bool images = false;  // render them again and compare
};
/// Runs a log again and compares the hash of every state. progress(done, total) and observe, which sees every state
/// that is the same, may be empty.
Result<Replay> replay(const std::string& path, const ReplayOptions& options, const std::function<void(double, double)>& progress,
                      const std::function<void(const World&)>& observe = {});

}  // namespace gradus
