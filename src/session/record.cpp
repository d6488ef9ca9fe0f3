#include "session/record.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>

#include "base/number_text.h"
#include "io/jpeg.h"
#include "load/scene_json.h"

namespace gradus {
namespace {

constexpr int kJpegQuality = 80;

std::uint64_t nanoseconds(double time) { return static_cast<std::uint64_t>(std::llround(time * 1e9)); }

foxglove::Pose to_foxglove(const Pose& X) {
  const Quat q = to_quaternion(X.R);
  return {{X.p.x, X.p.y, X.p.z}, {q.w, q.x, q.y, q.z}};
}

/// The shapes that Foxglove can draw for one of ours.
void add_shape(const ShapeSpec& s, const Pose& X, Vec3 colour, std::vector<foxglove::Shape>& out) {
  foxglove::Shape f;
  f.pose = to_foxglove(X);
  f.color = {colour.x, colour.y, colour.z, 1};
  const double d = 2 * s.radius;
  switch (s.kind) {
    case ShapeKind::box:
      f.kind = foxglove::ShapeKind::cube;
      f.size = {s.size.x, s.size.y, s.size.z};
      break;
    case ShapeKind::sphere:
      f.kind = foxglove::ShapeKind::sphere;
      f.size = {d, d, d};
      break;
    case ShapeKind::cylinder:
      f.kind = foxglove::ShapeKind::cylinder;
      f.size = {d, d, s.length};
      break;
    case ShapeKind::capsule:
      f.kind = foxglove::ShapeKind::cylinder;
      f.size = {d, d, s.length};
      for (double end : {-0.5, 0.5}) {
        foxglove::Shape cap = f;
        cap.kind = foxglove::ShapeKind::sphere;
        cap.pose = to_foxglove({X.R, X * Vec3{0, 0, end * s.length}});
        cap.size = {d, d, d};
        out.push_back(cap);
      }
      break;
    case ShapeKind::plane:
      f.kind = foxglove::ShapeKind::cube;
      f.pose = to_foxglove({X.R, X * Vec3{0, 0, -0.005}});
      f.size = {20, 20, 0.01};
      break;
    case ShapeKind::mesh:
    case ShapeKind::hull:
    case ShapeKind::height_field:
      return;  // their triangles are in scene.json
  }
  out.push_back(f);
}

}  // namespace

namespace {

/// A camera whose images are wanted.
struct Chosen {
  int robot, sensor;
  std::string name;
};

/// All cameras that the patterns name; each pattern must name one.
Result<std::vector<Chosen>> chosen_cameras(const World& world, const std::vector<std::string>& patterns) {
  std::vector<Chosen> all, out;
  std::vector<std::string> names;
  for (int r = 0; r < world.robot_count(); ++r)
    for (std::size_t s = 0; s < world.sensors(r).size(); ++s)
      if (world.sensors(r)[s].table->images) {
        names.push_back(world.model().robots[static_cast<std::size_t>(r)].name + "." + world.sensors(r)[s].name);
        all.push_back({r, static_cast<int>(s), names.back()});
      }
  std::vector<bool> wanted(all.size());
  for (const std::string& p : patterns) {
    bool any = false;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (fnmatch(p.c_str(), names[i].c_str(), 0) == 0) any = wanted[i] = true;
    if (!any) return Diagnostics{{{}, Severity::error, "there is no camera '" + p + "'", did_you_mean(p, names)}};
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (wanted[i]) out.push_back(all[i]);
  return out;
}

/// By Foxglove's name.
std::string_view encoding_of(std::string_view format) {
  return format == "rgb" ? "rgb8" : format == "grey" ? "mono8" : format == "yuyv" ? "yuyv" : format == "depth" ? "32FC1" : "16UC1";
}
bool has_colours(sense::ImageFormat f) { return f != sense::ImageFormat::depth && f != sense::ImageFormat::segmentation; }

}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::open(const std::string& path, const SceneSpec& scene, World& world,
                                                 const std::vector<std::string>& properties, const ImageLog& images) {
  const auto cameras = chosen_cameras(world, images.cameras);
  if (!cameras) return cameras.notes();
  std::vector<Property> chosen;
  Diagnostics problems;
  for (const std::string& p : properties) {
    auto view = find_property(world, p);
    if (view)
      chosen.push_back({p, *view});
    else
      problems.insert(problems.end(), view.notes().begin(), view.notes().end());
  }
  if (!problems.empty()) return problems;
  auto writer = McapWriter::open(path);
  if (!writer) return writer.notes();
  McapWriter& w = *writer;
  w.metadata("gradus", {{"version", "0.1.0"}, {"scene", scene.name}, {"seed", std::to_string(scene.seed)}});
  w.attachment("scene.json", "application/json", as_byte_view(to_json(scene)));
  w.attachment("start.snapshot", "application/x-gradus-snapshot", world.snapshot().bytes());
  const auto input = w.schema("gradus.Input", "", ""), hash = w.schema("gradus.Hash", "", "");
  const auto json = w.schema("gradus.Command", "jsonschema", R"({"type":"object"})");
  const auto values = w.schema("gradus.Properties", "jsonschema", R"({"type":"object"})");
  const auto tf = w.schema(foxglove::kFrameTransforms, foxglove::kProtobuf, foxglove::frame_transforms_schema());
  const auto sc = w.schema(foxglove::kSceneUpdate, foxglove::kJsonSchema, foxglove::scene_update_schema());
  const Topics t{w.channel("/input", "gradus", input),     w.channel("/command", "json", json),
                 w.channel("/hash", "gradus", hash),       w.channel("/tf", foxglove::kProtobuf, tf),
                 w.channel("/scene", foxglove::kJson, sc), w.channel("/properties", "json", values),
                 w.channel("/image_hash", "gradus", w.schema("gradus.ImageHash", "", ""))};
  std::vector<LoggedCamera> logged;
  for (const Chosen& c : *cameras) logged.push_back(declare_camera(w, world, c.robot, c.sensor, c.name, images.raw));
  std::unique_ptr<Recorder> r(new Recorder(std::make_unique<LogThread>(std::move(w)), t, world));
  r->properties_ = std::move(chosen);
  r->cameras_ = std::move(logged), r->raw_ = images.raw;
  std::vector<SeenImage> nobody;
  world.take_seen(nobody);  // from now on they are kept
  r->write_scene(world);
  r->write_sample(world);
  append_le(r->hashes_, static_cast<std::uint64_t>(world.k()));
  append_le(r->hashes_, world.hash());
  return r;
}

/// A topic for each format, and what lens it is, once.
Recorder::LoggedCamera Recorder::declare_camera(McapWriter& w, const World& world, int robot, int sensor,
                                                const std::string& name, bool raw) {
  LoggedCamera out{robot, sensor, name, {}, -1};
  const std::uint16_t rows = w.schema(foxglove::kRawImage, foxglove::kProtobuf, foxglove::raw_image_schema());
  const std::uint16_t jpeg = w.schema(foxglove::kCompressedImage, foxglove::kProtobuf, foxglove::compressed_image_schema());
  const std::uint16_t lens =
      w.schema(foxglove::kCameraCalibration, foxglove::kProtobuf, foxglove::camera_calibration_schema());
  std::string topic = "/" + name;
  std::replace(topic.begin(), topic.end(), '.', '/');
  const SensorSpec& spec =
      world.model().robots[static_cast<std::size_t>(robot)].kind->sensors[static_cast<std::size_t>(sensor)].spec;
  for (const sense::ImageFormat f : sense::image_formats(spec))
    out.topics.push_back(
        w.channel(topic + "/" + sense::name_of(f), foxglove::kProtobuf, raw || !has_colours(f) ? rows : jpeg));
  const CameraSpec c = resolved(sense::camera_spec(spec));
  const LensSpec& l = c.lens;
  std::vector<std::uint8_t> message;
  foxglove::append_camera_calibration(message, nanoseconds(world.time()), name,
                                      {static_cast<std::uint32_t>(c.width), static_cast<std::uint32_t>(c.height), c.fx, c.fy,
                                       c.cx, c.cy, {l.k1, l.k2, l.p1, l.p2, l.k3}});
  w.message(w.channel(topic + "/calibration", foxglove::kProtobuf, lens), nanoseconds(world.time()),
            std::as_bytes(std::span(message)));
  return out;
}

Recorder::Recorder(std::unique_ptr<LogThread> log, Topics topics, const World& world)
    : log_(std::move(log)),
      topics_(topics),
      period_(std::max<std::int64_t>(1, std::llround(world.model().log_period / world.model().step))) {
  for (const RobotModel& robot : world.model().robots)
    for (const ObjectInfo& o : robot.kind->objects)
      if (o.body) frame_names_.push_back(robot.name + "." + o.name);
}

void Recorder::send(std::uint16_t topic, double time, ByteView data) {
  if (!log_->message(topic, nanoseconds(time), data)) failed_ = true;
}

void Recorder::write_scene(const World& world) {
  std::vector<std::vector<foxglove::Shape>> shapes;
  std::vector<std::string> names;
  for (const RobotModel& robot : world.model().robots)
    for (std::size_t o = 0; o < robot.kind->objects.size(); ++o) {
      const ObjectInfo& info = robot.kind->objects[o];
      if (!info.body) continue;
      names.push_back(robot.name + "." + info.name);
      shapes.emplace_back();
      for (const ShapeInfo& s : robot.kind->shapes)
        if (s.object == static_cast<int>(o) && s.spec.visible)
          add_shape(s.spec, inverse(info.X_LO) * s.X_LS, info.colour, shapes.back());
    }
  for (const FieldObjectSpec& f : world.model().field) {
    names.push_back("field." + f.name);
    shapes.emplace_back();
    add_shape(f.shape, f.X_WO * f.shape.X_OS, f.colour.value_or(Vec3{0.25, 0.45, 0.25}), shapes.back());
  }
  std::vector<foxglove::Entity> entities;
  for (std::size_t i = 0; i < names.size(); ++i)
    entities.push_back({i < frame_names_.size() ? std::string_view(names[i]) : "world", names[i], shapes[i]});
  json_.clear();
  foxglove::append_scene_update(json_, nanoseconds(world.time()), entities);
  send(topics_.scene, world.time(), as_byte_view(json_));
}

void Recorder::write_sample(const World& world) {
  transforms_.clear();
  for (int r = 0; r < world.robot_count(); ++r) {
    const RobotKind& kind = *world.model().robots[static_cast<std::size_t>(r)].kind;
    for (std::size_t o = 0; o < kind.objects.size(); ++o)
      if (kind.objects[o].body)
        transforms_.push_back(
            {"world", frame_names_[transforms_.size()], to_foxglove(world.X_WO(r, static_cast<int>(o)))});
  }
  poses_.clear();
  foxglove::append_frame_transforms(poses_, nanoseconds(world.time()), transforms_);
  send(topics_.tf, world.time(), std::as_bytes(std::span(poses_)));
  if (properties_.empty()) return;
  json_ = "{\"time\":";
  append_json_number(json_, world.time());
  for (const Property& p : properties_) {
    json_ += ",\"" + p.path + "\":";
    append_json_number(json_, p.view.get(world));
  }
  json_ += "}";
  send(topics_.properties, world.time(), as_byte_view(json_));
}

void Recorder::write_hashes(const World& world) {
  if (hashes_.empty()) return;
  send(topics_.hash, world.time(), hashes_);
  hashes_.clear();
}

void Recorder::command(const World& world, const Command& c) {
  const std::string text = "{\"k\":" + std::to_string(world.k()) + ",\"command\":" + to_json(c) + "}";
  send(topics_.command, world.time(), as_byte_view(text));
}

void Recorder::write_seen(double time, std::span<const SeenImage> seen) {
  for (std::size_t i = 0; i < seen.size();) {
    const std::int64_t k = seen[i].k;
    buffer_.clear();
    append_le(buffer_, static_cast<std::uint64_t>(k));
    for (; i < seen.size() && seen[i].k == k; ++i) {
      append_le(buffer_, static_cast<std::uint32_t>(seen[i].robot)), append_le(buffer_, static_cast<std::uint32_t>(seen[i].sensor));
      append_le(buffer_, static_cast<std::uint64_t>(seen[i].frame)), append_le(buffer_, seen[i].hash);
    }
    send(topics_.image_hash, time, buffer_);
  }
}

void Recorder::write_images(World& world) {
  for (LoggedCamera& c : cameras_) {
    const std::span<const SensorImage> formats = world.image(c.robot, c.sensor);
    if (formats.empty() || formats[0].frame == c.frame) continue;
    c.frame = formats[0].frame;
    for (std::size_t i = 0; i < formats.size() && i < c.topics.size(); ++i) {
      const SensorImage& x = formats[i];
      message_.clear();
      if (!raw_ && to_rgb(x, rgb_)) {
        encode_jpeg(x.width, x.height, rgb_, kJpegQuality, jpeg_);
        foxglove::append_compressed_image(message_, nanoseconds(x.time), c.name, "jpeg", jpeg_);
      } else {
        foxglove::append_raw_image(message_, nanoseconds(x.time), c.name,
                                   {static_cast<std::uint32_t>(x.width), static_cast<std::uint32_t>(x.height),
                                    static_cast<std::uint32_t>(x.row_bytes), encoding_of(x.format), x.bytes});
      }
      send(c.topics[i], world.time(), std::as_bytes(std::span(message_)));
    }
  }
}

void Recorder::after_step(World& world, std::span<const SeenImage> seen) {
  write_seen(world.time(), seen);
  write_images(world);
  const auto before = static_cast<std::uint64_t>(world.k() - 1);
  if (world.inputs_changed()) {
    buffer_.clear();
    append_le(buffer_, before);
    append_bytes(buffer_, std::as_bytes(world.input()));
    send(topics_.input, static_cast<double>(before) * world.model().step, buffer_);
  }
  if (hashes_.empty()) append_le(hashes_, static_cast<std::uint64_t>(world.k()));
  append_le(hashes_, world.hash());
  if (world.k() % period_ != 0) return;
  write_hashes(world);
  write_sample(world);
}

bool Recorder::close(double time, std::span<const SeenImage> seen) {
  if (!log_) return error_.empty();
  write_seen(time, seen);
  if (!hashes_.empty()) send(topics_.hash, 0, hashes_);
  McapWriter& w = log_->finish();
  const bool whole = w.close();
  error_ = w.error();
  log_.reset();
  return whole;
}

}  // namespace gradus
