#include "session/record.h"

#include <cmath>

#include "base/number_text.h"
#include "load/scene_json.h"

namespace gradus {
namespace {

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

Result<std::unique_ptr<Recorder>> Recorder::open(const std::string& path, const SceneSpec& scene, const World& world,
                                                 const std::vector<std::string>& properties) {
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
                 w.channel("/scene", foxglove::kJson, sc), w.channel("/properties", "json", values)};
  std::unique_ptr<Recorder> r(new Recorder(std::make_unique<LogThread>(std::move(w)), t, world));
  r->properties_ = std::move(chosen);
  r->write_scene(world);
  r->write_sample(world);
  append_le(r->hashes_, static_cast<std::uint64_t>(world.k()));
  append_le(r->hashes_, world.hash());
  return r;
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

void Recorder::after_step(const World& world) {
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

bool Recorder::close() {
  if (!log_) return error_.empty();
  if (!hashes_.empty()) send(topics_.hash, 0, hashes_);
  McapWriter& w = log_->finish();
  const bool whole = w.close();
  error_ = w.error();
  log_.reset();
  return whole;
}

}  // namespace gradus
