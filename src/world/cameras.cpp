#include "world/cameras.h"

#include <algorithm>
#include <string_view>

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

/// Where the formats of an image go.
Image places(const std::vector<sense::ImageFormat>& formats, std::vector<std::vector<std::uint8_t>>& buffers) {
  Image out;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    std::uint8_t* buffer = buffers[i].data();
    switch (formats[i]) {
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
  return out;
}

/// Frames that may be begun and not yet arrived, at most.
int on_their_way(const sense::Sensor& s) { return s.ring - 2; }

}  // namespace

bool to_rgb(const SensorImage& image, std::vector<std::uint8_t>& out) {
  const std::string_view format = image.format;
  const auto width = static_cast<std::size_t>(image.width), height = static_cast<std::size_t>(image.height);
  const auto limited = [](int x) { return static_cast<std::uint8_t>(std::clamp((x + 32768) >> 16, 0, 255)); };
  if (format != "rgb" && format != "grey" && format != "yuyv") return false;
  out.resize(3 * width * height);
  std::uint8_t* to = out.data();
  for (std::size_t y = 0; y < height; ++y) {
    const std::uint8_t* row = image.bytes.data() + y * image.row_bytes;
    for (std::size_t x = 0; x < width; ++x, to += 3) {
      if (format == "rgb") {
        std::copy_n(row + 3 * x, 3, to);
      } else if (format == "grey") {
        std::fill_n(to, 3, row[x]);
      } else {  // BT.601, full range
        const std::uint8_t* pair = row + x / 2 * 4;
        const int Y = pair[x % 2 * 2] << 16, Cb = pair[1] - 128, Cr = pair[3] - 128;
        to[0] = limited(Y + 91881 * Cr), to[1] = limited(Y - 22554 * Cb - 46802 * Cr), to[2] = limited(Y + 116130 * Cb);
      }
    }
  }
  return true;
}

Cameras::~Cameras() {
  for (One& c : cameras_) forget(c);
}

Result<std::unique_ptr<Cameras>> Cameras::make(const Model& model, const Engine& engine, int threads, double (*clock)()) {
  std::unique_ptr<Cameras> c;
  Diagnostics notes;
  for (int r = 0; r < engine.robot_count(); ++r) {
    const auto sensors = engine.senses(r).sensors();
    for (std::size_t s = 0; s < sensors.size(); ++s) {
      if (sensors[s].table->name != sense::CameraSensor::name) continue;
      if (!c) {
        c.reset(new Cameras(model, threads));
        auto scene = DrawnScene::make(model);
        append(notes, scene.notes());
        if (!scene) return notes;
        c->scene_ = *scene;
        for (int i = 0; i < engine.robot_count(); ++i)
          c->numbers_ += static_cast<std::size_t>(engine.kind(i).nq() + engine.kind(i).nv());
      }
      append(notes, c->add(engine, r, static_cast<int>(s)));
    }
  }
  if (has_errors(notes)) return notes;
  if (c) {
    std::size_t jobs = 0;
    int width = 1;
    for (const One& one : c->cameras_) jobs += one.jobs.size(), width = std::max(width, one.lens->camera().width);
    c->darkroom_ = std::make_unique<Darkroom>(threads, *c->scene_, width, jobs, clock);
  }
  return {std::move(c), std::move(notes)};
}

Diagnostics Cameras::add(const Engine& engine, int robot, int sensor) {
  const sense::Sensor& s = engine.senses(robot).sensors()[static_cast<std::size_t>(sensor)];
  One c{};
  c.robot = robot, c.sensor = sensor;
  c.key = camera_key(model_.seed, robot, s.name);
  c.first = frames_.size();
  frames_.resize(frames_.size() + static_cast<std::size_t>(s.ring) * numbers_);
  set_up(engine, c);
  cameras_.push_back(std::move(c));
  return {};
}

/// Lens, mount and room for images, as the sensor is described now.
void Cameras::set_up(const Engine& engine, One& c) {
  const sense::Sensor& s = sensor_of(engine, c);
  const RobotModel& owner = model_.robots[static_cast<std::size_t>(c.robot)];
  const SensorModel& m = owner.kind->sensors[static_cast<std::size_t>(c.sensor)];
  const CameraSpec spec = sense::camera_spec(m.spec);
  c.is_on = sense::gives_images(m.spec);
  if (c.lens && !(c.lens->camera() == resolved(spec))) c.lens = nullptr;
  for (const One& other : cameras_)  // cameras of one make share the table of its lens
    if (!c.lens && other.lens && other.lens->camera() == resolved(spec)) c.lens = other.lens;
  if (!c.lens) c.lens = std::make_shared<const LensTable>(spec);
  c.formats = sense::image_formats(m.spec);
  CameraMount mount{owner.name + "." + s.name, c.robot, s.link, {camera_axes_from(s.X_LS.R), s.X_LS.p}, {}};
  if (const SensorSetting* hides = m.spec.find("hides")) {
    mount.hidden.assign(scene_->shapes.size(), 0);
    for (std::size_t i = 0; i < scene_->shapes.size(); ++i) {
      const DrawnShape& shape = scene_->shapes[i];
      if (shape.robot != c.robot) continue;
      const std::string& object = owner.kind->objects[static_cast<std::size_t>(shape.object)].name;
      mount.hidden[i] = std::find(hides->words.begin(), hides->words.end(), object) != hides->words.end();
    }
  }
  RenderOptions options;
  for (const sense::ImageFormat f : c.formats)
    options.depth |= f == sense::ImageFormat::depth, options.segmentation |= f == sense::ImageFormat::segmentation;
  c.camera = std::make_unique<Camera>(scene_, c.lens, std::move(mount), options);
  c.jobs.clear();
  for (int i = threads_ > 0 ? on_their_way(s) + 2 : 1; i > 0; --i) {
    auto job = std::make_unique<ImageJob>();
    job->camera = c.camera.get(), job->key = c.key, job->poses = make_poses(*scene_);
    for (const sense::ImageFormat f : c.formats) {
      const std::size_t row = row_bytes(f, spec.width);
      job->buffers.emplace_back(row * static_cast<std::size_t>(spec.height));
      job->images.push_back({sense::name_of(f), spec.width, spec.height, row, job->buffers.back(), -1, 0});
    }
    job->out = places(c.formats, job->buffers);
    c.jobs.push_back(std::move(job));
  }
  c.shown = nullptr;
}

void Cameras::rebind(const Engine& engine, int robot) {
  for (One& c : cameras_) {
    if (c.robot != robot) continue;
    forget(c);
    set_up(engine, c);
  }
}

Cameras::One* Cameras::find(int robot, int sensor) {
  for (One& c : cameras_)
    if (c.robot == robot && c.sensor == sensor) return &c;
  return nullptr;
}

const sense::Sensor& Cameras::sensor_of(const Engine& engine, const One& c) const {
  return engine.senses(c.robot).sensors()[static_cast<std::size_t>(c.sensor)];
}

std::int64_t Cameras::newest(const Engine& engine, const One& c, std::int64_t k) const {
  const sense::Sensor& s = sensor_of(engine, c);
  return (s.ideal ? s.samples : s.arrivals).calls_until(k) - 1;
}

double Cameras::time_of(const sense::Sensor& s, std::int64_t frame) const {
  return s.phase + static_cast<double>(frame) * std::max(s.period, model_.step);
}

void Cameras::look(const Engine& engine, const State& state) {
  for (One& c : cameras_) {
    const sense::Sensor& s = sensor_of(engine, c);
    if (!s.samples.due(state.k)) continue;
    const std::int64_t n = s.samples.calls_until(state.k) - 1;
    double* to = frames_.data() + c.first + static_cast<std::size_t>(n % s.ring) * numbers_;
    for (int r = 0; r < engine.robot_count(); ++r) {
      const RobotLayout& at = engine.at(r);
      to = std::copy_n(state.slab.data() + at.q, engine.kind(r).nq(), to);
      to = std::copy_n(state.slab.data() + at.v, engine.kind(r).nv(), to);
    }
    for (const auto& job : c.jobs)  // taken again, after a change from outside
      if (job->frame == n) darkroom_->drop(*job), c.shown = c.shown == job.get() ? nullptr : c.shown;
    const std::int64_t ahead = n - c.asked;
    if (threads_ > 0 && c.is_on && c.asked >= 0 && ahead > 0 && ahead % c.stride == 0 && ahead <= c.stride + on_their_way(s))
      begin(engine, c, n);
  }
}

/// Into the place of the oldest image but the one that is shown.
ImageJob& Cameras::begin(const Engine& engine, One& c, std::int64_t frame) {
  ImageJob* job = nullptr;
  for (const auto& j : c.jobs)
    if ((j.get() != c.shown || c.jobs.size() == 1) && (!job || j->frame < job->frame)) job = j.get();
  darkroom_->drop(*job);
  pose(engine, c, frame, job->poses);
  job->frame = frame;
  job->wants_hash = keeps_seen_;
  ++rendered_;
  darkroom_->begin(*job);
  return *job;
}

void Cameras::pose(const Engine& engine, const One& c, std::int64_t frame, Poses& out) {
  const sense::Sensor& s = sensor_of(engine, c);
  const double* from = frames_.data() + c.first + static_cast<std::size_t>(frame % s.ring) * numbers_;
  for (int r = 0; r < engine.robot_count(); ++r) {
    const RobotKind& kind = engine.kind(r);
    maker_.set(*scene_, kind, r, from, from + kind.nq(), out);
    from += kind.nq() + kind.nv();
  }
}

std::span<const SensorImage> Cameras::image(const Engine& engine, std::int64_t k, int robot, int sensor) {
  One* const found = find(robot, sensor);
  if (!found || !found->is_on) return {};
  One& c = *found;
  const std::int64_t n = newest(engine, c, k);
  if (n < 0) return {};
  if (c.shown && c.shown->frame == n) return c.shown->images;
  ImageJob* job = nullptr;
  for (const auto& j : c.jobs)
    if (j->frame == n) job = j.get();
  if (!job) job = &begin(engine, c, n);
  darkroom_->finish(*job);
  c.stride = c.asked >= 0 && n > c.asked ? n - c.asked : 1;
  c.asked = n;
  c.shown = job;
  seconds_ += job->seconds, ++asked_;
  for (SensorImage& image : job->images) image.frame = n, image.time = time_of(sensor_of(engine, c), n);
  if (keeps_seen_) seen_.push_back({k, robot, sensor, n, job->wants_hash ? job->hash : hash_of(job->images)});
  return job->images;
}

void Cameras::take_seen(std::vector<SeenImage>& out) {
  out.swap(seen_);
  seen_.clear();
  if (!keeps_seen_) seen_.reserve(4 * cameras_.size()), out.reserve(4 * cameras_.size());
  keeps_seen_ = true;
}

void Cameras::view(const Engine& engine, std::int64_t k, int robot, int sensor, FrameView& out) {
  out.frame = -1;
  const One* const c = find(robot, sensor);
  if (!c || !c->is_on) return;
  const std::int64_t n = newest(engine, *c, k);
  if (n < 0) return;
  if (out.scene != scene_) out.poses = make_poses(*scene_);
  out.scene = scene_, out.lens = c->lens, out.mount = c->camera->mount(), out.key = c->key;
  out.time = time_of(sensor_of(engine, *c), n);
  pose(engine, *c, n, out.poses);
  out.frame = n;
}

/// Nothing that was rendered, or is being rendered, holds any more.
void Cameras::forget(One& c) {
  if (darkroom_)
    for (const auto& job : c.jobs) darkroom_->drop(*job);
  c.shown = nullptr;
  c.asked = -1, c.stride = 1;
}

bool Cameras::restore(std::span<const double> frames) {
  if (frames.size() != frames_.size()) return false;
  std::copy(frames.begin(), frames.end(), frames_.begin());
  for (One& c : cameras_) forget(c);
  return true;
}

}  // namespace gradus
