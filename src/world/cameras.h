/// Images of the robots' cameras. A frame is taken at the step that its sensor says [sense/kinds/camera.h]: the coordinates
/// of all robots are kept. It is seen from the step of its arrival on, and rendered only if somebody asks for it: a camera
/// that nobody reads costs the copy of some numbers. Of a camera that is read, the frames that its reader will ask for next
/// are begun at their own step on spare threads [darkroom.h], so that they are ready when they arrive. An image is a
/// function of the coordinates, the camera and the frame's number, so it does not matter when, where and whether it is
/// rendered: the same bits for any number of threads, in a replay and after a rewind.
///
///   frame n taken          begun, if n = last asked + a multiple of the reader's stride          arrives: asked for
///   k_n  ─────────────────────────────────────────────────────────────────────────────────────▶  k_a
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "render/image.h"
#include "sense/kinds/camera.h"
#include "state/controller.h"
#include "world/darkroom.h"

namespace gradus {

/// An image that somebody got.
struct SeenImage {
  std::int64_t k;      // step at which it was asked for first
  int robot, sensor;
  std::int64_t frame;
  std::uint64_t hash;  // of its bytes in all formats
};

/// What it takes to render a frame once more, elsewhere.
struct FrameView {
  std::shared_ptr<const DrawnScene> scene;
  std::shared_ptr<const LensTable> lens;
  CameraMount mount;
  std::uint64_t key;
  std::int64_t frame;  // −1: there is none
  double time;         // of the middle of its exposure     [s]
  Poses poses;
};

/// The same picture as RGB, rows without gaps; false: it has no colours (depth, segmentation).
bool to_rgb(const SensorImage& image, std::vector<std::uint8_t>& out);

class Cameras {
 public:
  /// Null, without notes, if no robot has a camera. threads: that render beside the calling one; clock: processor time of
  /// the calling thread, may be null.
  static Result<std::unique_ptr<Cameras>> make(const Model& model, const Engine& engine, int threads, double (*clock)());
  ~Cameras();
  /// After every look: takes the frames that are due at the state.
  void look(const Engine& engine, const State& state);
  /// The newest image that has arrived at step k, in the formats that its camera names, the first one first; empty: the
  /// sensor is no camera, is switched off, or nothing has arrived yet.
  std::span<const SensorImage> image(const Engine& engine, std::int64_t k, int robot, int sensor);
  /// After a parameter of the robot was set.
  void rebind(const Engine& engine, int robot);

  std::int64_t rendered() const { return rendered_; }  // images begun, since the start
  double seconds() const { return seconds_; }          // processor time of those that were asked for  [s]
  std::int64_t asked() const { return asked_; }        // how many that were

  /// For logs: which images were asked for since the last call, hashed. Nothing is kept until it was called once.
  void take_seen(std::vector<SeenImage>& out);

  /// For people who look on: the frame that a program would see now. Counts as no reader and leaves no trace.
  void view(const Engine& engine, std::int64_t k, int robot, int sensor, FrameView& out);

  /// What a snapshot must keep besides State: coordinates of frames on their way.
  std::span<const double> frames() const { return frames_; }
  bool restore(std::span<const double> frames);  // false: of another model

 private:
  struct One {
    int robot, sensor;
    bool is_on;  // false: its robot's level of sensing has no images
    std::shared_ptr<const LensTable> lens;
    std::unique_ptr<Camera> camera;
    std::uint64_t key;
    std::size_t first;           // of its ring in frames_
    std::vector<sense::ImageFormat> formats;
    std::vector<std::unique_ptr<ImageJob>> jobs;  // the image that is shown, and those that may be on their way
    ImageJob* shown = nullptr;
    std::int64_t asked = -1, stride = 1;  // the last frame that was asked for, and how many before it the one before was
  };

  Cameras(const Model& model, int threads) : model_(model), maker_(model), threads_(threads) {}
  Diagnostics add(const Engine& engine, int robot, int sensor);
  void set_up(const Engine& engine, One& c);
  One* find(int robot, int sensor);
  const sense::Sensor& sensor_of(const Engine& engine, const One& c) const;
  std::int64_t newest(const Engine& engine, const One& c, std::int64_t k) const;
  double time_of(const sense::Sensor& s, std::int64_t frame) const;
  void pose(const Engine& engine, const One& c, std::int64_t frame, Poses& out);
  ImageJob& begin(const Engine& engine, One& c, std::int64_t frame);
  void forget(One& c);

  const Model& model_;
  std::shared_ptr<const DrawnScene> scene_;
  PoseMaker maker_;
  int threads_;
  std::vector<One> cameras_;
  std::unique_ptr<Darkroom> darkroom_;
  std::size_t numbers_ = 0;      // coordinates of all robots in one state
  std::vector<double> frames_;   // rings, camera after camera
  std::int64_t rendered_ = 0, asked_ = 0;
  double seconds_ = 0;
  bool keeps_seen_ = false;
  std::vector<SeenImage> seen_;
};

}  // namespace gradus
