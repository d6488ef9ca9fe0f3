/// Images of the robots' cameras. A frame is taken at the step that its sensor says [sense/kinds/camera.h]: the coordinates
/// of all robots are kept. It is rendered when somebody asks for it after its arrival, and only then: a camera that nobody
/// reads costs the copy of some numbers. An image is a function of those numbers, the camera and the frame's number, so it
/// does not matter when, where and whether it is rendered: the same bits for any number of threads, in a replay and after
/// a rewind.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "render/image.h"
#include "sense/kinds/camera.h"
#include "state/controller.h"

namespace gradus {

class Cameras {
 public:
  /// Null, without notes, if no robot has a camera.
  static Result<std::unique_ptr<Cameras>> make(const Model& model, const Engine& engine);
  /// After every look: takes the frames that are due at the state.
  void look(const Engine& engine, const State& state);
  /// The newest image that has arrived at step k, in the formats that its camera names, the first one first; empty: the
  /// sensor is no camera, or nothing has arrived yet.
  std::span<const SensorImage> image(const Engine& engine, std::int64_t k, int robot, int sensor);
  std::int64_t rendered() const { return rendered_; }  // images, since the start

  /// What a snapshot must keep besides State: coordinates of frames on their way.
  std::span<const double> frames() const { return frames_; }
  bool restore(std::span<const double> frames);  // false: of another model

 private:
  struct One {
    int robot, sensor;
    std::shared_ptr<const LensTable> lens;
    std::unique_ptr<Camera> camera;
    std::uint64_t key;
    std::size_t first;           // of its ring in frames_
    std::int64_t rendered = -1;  // frame that the buffers hold
    std::vector<sense::ImageFormat> formats;
    std::vector<std::vector<std::uint8_t>> buffers;  // one a format
    std::vector<SensorImage> images;
  };

  explicit Cameras(const Model& model) : model_(model), maker_(model) {}
  Diagnostics add(const Engine& engine, int robot, int sensor);
  void render(const Engine& engine, One& c, std::int64_t frame);

  const Model& model_;
  std::shared_ptr<const DrawnScene> scene_;
  PoseMaker maker_;
  Poses poses_;
  std::unique_ptr<BandRoom> room_;
  int room_width_ = 0;
  std::vector<One> cameras_;
  std::size_t numbers_ = 0;      // coordinates of all robots in one state
  std::vector<double> frames_;   // rings, camera after camera
  std::int64_t rendered_ = 0;
};

}  // namespace gradus
