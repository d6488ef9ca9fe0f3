#include "world/cameras.h"

#include <algorithm>

namespace gradus {
namespace {

/// Bytes of a row of one format.
std::size_t row_bytes(sense::ImageFormat format, int width) {
  const auto w = static_cast<std::size_t>(width);
  switch (format) {
    case sense::ImageFormat::rgb:
      return 3 * w;
    case sense::ImageFormat::grey:
      return w;
    case sense::ImageFormat::yuyv:
      return yuyv_row_bytes(width);
    case sense::ImageFormat::depth:
      return sizeof(float) * w;
    case sense::ImageFormat::segmentation:
      return sizeof(std::uint16_t) * w;
  }
  return 0;
}

}  // namespace

Result<std::unique_ptr<Cameras>> Cameras::make(const Model& model, const Engine& engine) {
  std::unique_ptr<Cameras> c;
  Diagnostics notes;
  for (int r = 0; r < engine.robot_count(); ++r) {
    const auto sensors = engine.senses(r).sensors();
    for (std::size_t s = 0; s < sensors.size(); ++s) {
      if (sensors[s].table->name != sense::CameraSensor::name) continue;
      if (!c) {
        c.reset(new Cameras(model));
        auto scene = DrawnScene::make(model);
        append(notes, scene.notes());
        if (!scene) return notes;
        c->scene_ = *scene;
        c->poses_ = make_poses(*c->scene_);
        for (int i = 0; i < engine.robot_count(); ++i)
          c->numbers_ += static_cast<std::size_t>(engine.kind(i).nq() + engine.kind(i).nv());
      }
      append(notes, c->add(engine, r, static_cast<int>(s)));
    }
  }
  if (has_errors(notes)) return notes;
  return {std::move(c), std::move(notes)};
}

Diagnostics Cameras::add(const Engine& engine, int robot, int sensor) {
  const sense::Sensor& s = engine.senses(robot).sensors()[static_cast<std::size_t>(sensor)];
  const RobotModel& owner = model_.robots[static_cast<std::size_t>(robot)];
  const SensorModel& m = owner.kind->sensors[static_cast<std::size_t>(sensor)];
  const CameraSpec spec = sense::camera_spec(m.spec);
  One c{};
  c.robot = robot, c.sensor = sensor;
  for (const One& other : cameras_)  // cameras of one make share the table of its lens
    if (other.lens->camera() == resolved(spec)) c.lens = other.lens;
  if (!c.lens) c.lens = std::make_shared<const LensTable>(spec);
  c.formats = sense::image_formats(m.spec);
  CameraMount mount{owner.name + "." + s.name, robot, s.link, {camera_axes_from(s.X_LS.R), s.X_LS.p}, {}};
  if (const SensorSetting* hides = m.spec.find("hides")) {
    mount.hidden.assign(scene_->shapes.size(), 0);
    for (std::size_t i = 0; i < scene_->shapes.size(); ++i) {
      const DrawnShape& shape = scene_->shapes[i];
      if (shape.robot != robot) continue;
      const std::string& object = owner.kind->objects[static_cast<std::size_t>(shape.object)].name;
      mount.hidden[i] = std::find(hides->words.begin(), hides->words.end(), object) != hides->words.end();
    }
  }
  RenderOptions options;
  for (const sense::ImageFormat f : c.formats) {
    options.depth |= f == sense::ImageFormat::depth, options.segmentation |= f == sense::ImageFormat::segmentation;
    const std::size_t row = row_bytes(f, spec.width);
    c.buffers.emplace_back(row * static_cast<std::size_t>(spec.height));
    c.images.push_back({sense::name_of(f), spec.width, spec.height, row, c.buffers.back(), -1, 0});
  }
  c.camera = std::make_unique<Camera>(scene_, c.lens, std::move(mount), options);
  c.key = camera_key(model_.seed, robot, s.name);
  if (!room_ || spec.width > room_width_) room_ = std::make_unique<BandRoom>(*scene_, spec.width), room_width_ = spec.width;
  c.first = frames_.size();
  frames_.resize(frames_.size() + static_cast<std::size_t>(s.ring) * numbers_);
  cameras_.push_back(std::move(c));
  return {};
}

void Cameras::look(const Engine& engine, const State& state) {
  for (One& c : cameras_) {
    const sense::Sensor& s = engine.senses(c.robot).sensors()[static_cast<std::size_t>(c.sensor)];
    if (!s.samples.due(state.k)) continue;
    const std::int64_t n = s.samples.calls_until(state.k) - 1;
    double* to = frames_.data() + c.first + static_cast<std::size_t>(n % s.ring) * numbers_;
    for (int r = 0; r < engine.robot_count(); ++r) {
      const RobotLayout& at = engine.at(r);
      to = std::copy_n(state.slab.data() + at.q, engine.kind(r).nq(), to);
      to = std::copy_n(state.slab.data() + at.v, engine.kind(r).nv(), to);
    }
    if (c.rendered == n) c.rendered = -1;  // taken again, after a change from outside
  }
}

std::span<const SensorImage> Cameras::image(const Engine& engine, std::int64_t k, int robot, int sensor) {
  for (One& c : cameras_) {
    if (c.robot != robot || c.sensor != sensor) continue;
    const sense::Sensor& s = engine.senses(robot).sensors()[static_cast<std::size_t>(sensor)];
    const std::int64_t n = (s.ideal ? s.samples : s.arrivals).calls_until(k) - 1;
    if (n < 0) return {};
    if (c.rendered != n) render(engine, c, n);
    return c.images;
  }
  return {};
}

void Cameras::render(const Engine& engine, One& c, std::int64_t n) {
  const sense::Sensor& s = engine.senses(c.robot).sensors()[static_cast<std::size_t>(c.sensor)];
  const double* from = frames_.data() + c.first + static_cast<std::size_t>(n % s.ring) * numbers_;
  for (int r = 0; r < engine.robot_count(); ++r) {
    const RobotKind& kind = engine.kind(r);
    maker_.set(*scene_, kind, r, from, from + kind.nq(), poses_);
    from += kind.nq() + kind.nv();
  }
  Image out;
  for (std::size_t i = 0; i < c.formats.size(); ++i) {
    std::uint8_t* buffer = c.buffers[i].data();
    switch (c.formats[i]) {
      case sense::ImageFormat::rgb:
        out.rgb = buffer;
        break;
      case sense::ImageFormat::grey:
        out.grey = buffer;
        break;
      case sense::ImageFormat::yuyv:
        out.yuyv = buffer;
        break;
      case sense::ImageFormat::depth:
        out.depth = reinterpret_cast<float*>(buffer);
        break;
      case sense::ImageFormat::segmentation:
        out.segment = reinterpret_cast<std::uint16_t*>(buffer);
        break;
    }
  }
  c.camera->render(poses_, c.key, static_cast<std::uint32_t>(n), *room_, out);
  for (SensorImage& image : c.images) {
    image.frame = n;
    image.time = s.phase + static_cast<double>(n) * std::max(s.period, model_.step);
  }
  c.rendered = n;
  ++rendered_;
}

bool Cameras::restore(std::span<const double> frames) {
  if (frames.size() != frames_.size()) return false;
  std::copy(frames.begin(), frames.end(), frames_.begin());
  for (One& c : cameras_) c.rendered = -1;
  return true;
}

}  // namespace gradus
