// Runs a recorded log again: same scene, same start, same inputs and commands, and compares the hash of every state.
#include <deque>
#include <nlohmann/json.hpp>

#include "io/mcap_reader.h"
#include "load/scene_json.h"
#include "session/record.h"

namespace gradus {
namespace {

Diagnostics failure(const std::string& file, const std::string& text, const std::string& suggestion = "") {
  Diagnostic d;
  d.place.file = file;
  d.text = text;
  d.suggestion = suggestion;
  return {d};
}

/// What a log holds for replay, by the step before which it takes effect.
struct Script {
  std::deque<std::pair<std::int64_t, std::vector<double>>> inputs;
  std::deque<std::pair<std::int64_t, Command>> commands;
  std::deque<SeenImage> images;
  std::vector<std::uint64_t> hashes;  // of states start, start + 1, …
  std::int64_t start = 0;
  std::string problem;
};

void take_hashes(ByteView data, Script& s) {
  ByteReader r(data);
  const auto k = static_cast<std::int64_t>(r.le<std::uint64_t>());
  if (s.hashes.empty()) s.start = k;
  if (k != s.start + static_cast<std::int64_t>(s.hashes.size())) s.problem = "hashes of some steps are missing";
  while (r.ok() && !r.at_end()) s.hashes.push_back(r.le<std::uint64_t>());
}

void take_input(ByteView data, Script& s) {
  ByteReader r(data);
  const auto k = static_cast<std::int64_t>(r.le<std::uint64_t>());
  std::vector<double> slab(r.rest().size() / sizeof(double));
  std::memcpy(slab.data(), r.rest().data(), slab.size() * sizeof(double));
  s.inputs.emplace_back(k, std::move(slab));
}

void take_command(ByteView data, Script& s) {
  try {
    const auto j = nlohmann::json::parse(as_text(data));
    auto c = command_from_json(j.at("command").dump());
    if (c)
      s.commands.emplace_back(j.at("k").get<std::int64_t>(), *c);
    else
      s.problem = to_string(c.notes().front());
  } catch (const std::exception& e) {
    s.problem = std::string("damaged command: ") + e.what();
  }
}

void take_images(ByteView data, Script& s) {
  ByteReader r(data);
  const auto k = static_cast<std::int64_t>(r.le<std::uint64_t>());
  while (r.ok() && !r.at_end()) {
    SeenImage i{k, static_cast<int>(r.le<std::uint32_t>()), static_cast<int>(r.le<std::uint32_t>()), 0, 0};
    i.frame = static_cast<std::int64_t>(r.le<std::uint64_t>());
    i.hash = r.le<std::uint64_t>();
    if (r.ok()) s.images.push_back(i);
  }
  if (!r.ok()) s.problem = "damaged hashes of images";
}

Script read_script(McapReader& log) {
  Script s;
  McapMessage m;
  while (log.next(m)) {
    if (m.channel->topic == "/hash")
      take_hashes(m.data, s);
    else if (m.channel->topic == "/input")
      take_input(m.data, s);
    else if (m.channel->topic == "/command")
      take_command(m.data, s);
    else if (m.channel->topic == "/image_hash")
      take_images(m.data, s);
  }
  return s;
}

Result<SceneSpec> scene_in(McapReader& log, const std::string& path) {
  const McapAttachmentInfo* scene = log.attachment("scene.json");
  if (!scene) return failure(path, "this is not a log of gradus: the scene is missing");
  auto bytes = log.load(*scene);
  if (!bytes) return bytes.notes();
  return scene_from_json(std::string(as_text(*bytes)), path);
}

/// The world at the start of the log.
Result<std::unique_ptr<World>> start_world(McapReader& log, const std::string& path, const ReplayOptions& replay) {
  auto spec = scene_in(log, path);
  if (!spec) return spec.notes();
  const McapAttachmentInfo* start = log.attachment("start.snapshot");
  if (!start) return failure(path, "this is not a log of gradus: the start state is missing");
  auto start_bytes = log.load(*start);
  if (!start_bytes) return start_bytes.notes();
  auto model = compile(*spec);
  if (!model) return model.notes();
  World::Options options;
  options.threads = replay.threads, options.render_threads = replay.images ? replay.render_threads : 0;
  auto world = World::make(std::move(*model), options);
  if (!world) return world;
  const auto snapshot = Snapshot::from_bytes(*start_bytes);
  if (!snapshot || !(*world)->restore(*snapshot))
    return failure(path, "the start state does not fit its scene", "the log is of another version of gradus");
  return world;
}

/// The next step, with what came from outside before it.
void repeat_step(Script& s, World& w) {
  while (!s.commands.empty() && s.commands.front().first <= w.k()) {
    apply(w, s.commands.front().second);
    s.commands.pop_front();
  }
  if (!s.inputs.empty() && s.inputs.front().first == w.k()) {
    w.set_input(s.inputs.front().second);
    s.inputs.pop_front();
  }
  w.step();
}

/// The images that programs asked for at this state, rendered again.
void repeat_images(Script& s, World& w, Replay& out) {
  for (; !s.images.empty() && s.images.front().k <= w.k(); s.images.pop_front()) {
    const SeenImage& i = s.images.front();
    if (i.k < w.k() || !out.different_image.empty()) continue;
    const bool known = i.robot >= 0 && i.robot < w.robot_count() && i.sensor >= 0 &&
                       i.sensor < static_cast<int>(w.sensors(i.robot).size());
    const std::span<const SensorImage> formats = known ? w.image(i.robot, i.sensor) : std::span<const SensorImage>{};
    ++out.images;
    if (!formats.empty() && formats[0].frame == i.frame && hash_of(formats) == i.hash) continue;
    const std::string name = known ? w.model().robots[static_cast<std::size_t>(i.robot)].name + "." +
                                         w.sensors(i.robot)[static_cast<std::size_t>(i.sensor)].name
                                   : "a camera that is not there";
    out.different_image = name + ", frame " + std::to_string(i.frame) + ", seen at step " + std::to_string(i.k);
  }
}

}  // namespace

Result<SceneSpec> scene_of_log(const std::string& path) {
  auto log = McapReader::open(path);
  if (!log) return log.notes();
  return scene_in(*log, path);
}

Result<Replay> replay(const std::string& path, const ReplayOptions& options, const std::function<void(double, double)>& progress,
                      const std::function<void(const World&)>& observe) {
  auto log = McapReader::open(path);
  if (!log) return log.notes();
  auto world = start_world(*log, path, options);
  if (!world) return world.notes();
  Script s = read_script(*log);
  Replay out;
  out.notes = log->notes();
  if (!s.problem.empty()) return failure(path, s.problem, "the log is damaged");
  World& w = **world;
  const auto count = static_cast<std::int64_t>(s.hashes.size());
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) repeat_step(s, w);
    out.hash = w.hash();
    if (out.hash != s.hashes[static_cast<std::size_t>(i)]) {
      out.first_difference = w.k();
      break;
    }
    out.steps = i;
    if (options.images) repeat_images(s, w, out);
    if (observe) observe(w);
    if (progress && i % 256 == 0) progress(static_cast<double>(i), static_cast<double>(count));
  }
  return out;
}

}  // namespace gradus
