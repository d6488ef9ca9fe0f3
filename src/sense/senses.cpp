#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/clones.h"
#include "base/hash.h"
#include "render/cast.h"
#include "sense/channel.h"
#include "sense/sense.h"

namespace gradus::sense {
namespace {

using namespace dimension;

constexpr double kAny = std::numeric_limits<double>::infinity();
constexpr int kMostOnTheWay = 4096;  // samples between exposure and arrival

const Key kCommon[] = {
    {"rate", kFrequency, false, 1, 1e-6, 1e6, "samples per second; every step if not given"},
    {"phase", kTime, false, 1, 0, 1e6, "time of the first sample"},
    {"delay", kTime, false, 1, 0, 100, "from a sample to its arrival"},
    {"bandwidth", kFrequency, false, 1, 0, 1e9, "of the low-pass before the samples; 0: none"},
    {"noise", kNumber, true, 1, 0, kAny, "standard deviation of a sample"},
    {"noise_per_root_hz", kNumber, true, 1, 0, kAny, "density of noise before the low-pass, one-sided"},
    {"offset", kNumber, true, 1, 0, kAny, "standard deviation of the offset that is drawn once"},
    {"offset.value", kNumber, true, 1, -kAny, kAny, "an offset that is known"},
    {"scale", kNumber, false, 1, 0, 10, "standard deviation of the scale error that is drawn once"},
    {"scale.value", kNumber, false, 1, -10, 10, "a scale error that is known"},
    {"drift.deviation", kNumber, true, 1, 0, kAny, "of an offset that wanders"},
    {"drift.time", kTime, false, 1, 1e-3, 1e9, "over which it forgets; 1000 s if not given"},
    {"range", kNumber, true, 2, -kAny, kAny, "least and most that it can show"},
    {"bits", kNumber, false, 1, 1, 32, "of the A/D conversion, over the range or over `per`"},
    {"per", kNumber, true, 1, 0, kAny, "what 2^bits digits measure"},
    {"resolution", kNumber, true, 1, 0, kAny, "of one digit, instead of bits"},
    {"detail", kNumber, false, 0, 0, 0, "real, or ideal: the truth at once"},
    {"ideal", kNumber, false, 1, 0, 1, "1: the truth at once, as detail = \"ideal\""},
    {"sensing", kNumber, false, 1, 0, 3, "level: 0 truth, 1 objects, 2 image, 3 real"},
};

std::uint64_t hash_of(std::string_view text) { return hash_bytes(text.data(), text.size()); }

const SensorTable* find_table(std::string_view name) {
  for (const SensorTable& t : all_sensors())
    if (t.name == name) return &t;
  return nullptr;
}

const Key* find_key(const SensorTable& table, std::string_view name) {
  for (const Key& k : table.keys)
    if (name == k.name) return &k;
  for (const Key& k : kCommon)
    if (name == k.name) return &k;
  return nullptr;
}

/// A number of the common way from truth to sample, which kinds with a way of their own do not go.
bool is_of_channels(const Key& key) {
  if (&key < std::begin(kCommon) || &key >= std::end(kCommon)) return false;
  constexpr std::string_view kOfAll[] = {"rate", "phase", "delay", "detail", "ideal", "sensing"};
  return std::find(std::begin(kOfAll), std::end(kOfAll), std::string_view(key.name)) == std::end(kOfAll);
}

/// What is wrong with one setting, or "".
std::string fault_of(const Key& key, const SensorSetting& s, const SensorTable& table, int channels) {
  if (key.most == 0) return s.words.empty() ? "a word in quotes is due here" : "";
  if (!s.words.empty()) return "a number is due here, not a word";
  const Dimension due = key.of_channel ? table.unit : key.unit;
  if (s.unit && !(*s.unit == due)) return name_of(due) + " is due here, not " + name_of(*s.unit);
  const auto n = static_cast<int>(s.numbers.size());
  const bool each = key.most == 1 && channels > 1 && n == channels;  // one for each channel
  if (key.most < 0 && (n < 1 || n > -key.most)) return fmt::format("1 to {} numbers are due here, not {}", -key.most, n);
  if (key.most > 0 && n != key.most && !each)
    return fmt::format("{} number{} due here, not {}", key.most, key.most == 1 ? " is" : "s are", n);
  for (const double x : s.numbers) {
    if (!std::isfinite(x)) return "must be a finite number";
    if (!(x >= key.lower && x <= key.upper))
      return fmt::format("must be {:g} to {:g} in SI units, not {:g}", key.lower, key.upper, x);
  }
  return "";
}

/// Keys that nobody knows, wrong units and numbers.
void check_settings(const SensorSpec& spec, const Sensor& s, Diagnostics& log) {
  for (const SensorSetting& x : spec.settings) {
    const Key* key = find_key(*s.table, x.key);
    const auto wrong = [&](std::string text, std::string suggestion) {
      log.push_back({x.place.line > 0 ? x.place : spec.place, Severity::error,
                     "sensor '" + spec.name + "': " + x.key + ": " + std::move(text), std::move(suggestion)});
    };
    if (!key || (s.table->perceive && is_of_channels(*key))) {
      std::vector<std::string> names;
      for (const Key& k : s.table->keys) names.emplace_back(k.name);
      for (const Key& k : kCommon)
        if (!s.table->perceive || !is_of_channels(k)) names.emplace_back(k.name);
      wrong("a sensor of kind '" + spec.kind + "' has no such number", did_you_mean(x.key, names));
    } else if (const std::string text = fault_of(*key, x, *s.table, s.count()); !text.empty()) {
      wrong(text, key->about);
    }
  }
}

/// The number of one channel.
double of_channel(const SensorSpec& spec, const char* key, int channel, double otherwise) {
  const SensorSetting* s = spec.find(key);
  if (!s || s->numbers.empty()) return otherwise;
  return s->numbers[s->numbers.size() == 1 ? 0 : static_cast<std::size_t>(channel)];
}

Channel make_channel(const SensorSpec& spec, const Sensor& s, int i, std::uint64_t key, double h) {
  const auto number = [&](const char* name, double otherwise) { return of_channel(spec, name, i, otherwise); };
  Channel c{};
  c.key = mix64(key + 0x9e3779b97f4a7c15ull * static_cast<std::uint64_t>(i + 1));
  c.gain = 1 + number("scale.value", 0) + number("scale", 0) * normal(c.key, Purpose::scale, 0);
  c.offset = number("offset.value", 0) + number("offset", 0) * normal(c.key, Purpose::offset, 0);
  c.density = number("noise_per_root_hz", 0) * std::sqrt(1 / (2 * h));
  const double W = 2 * std::numbers::pi * number("bandwidth", 0) * h;
  c.share = W > 0 ? W / (1 + W) : 1;
  c.noise = number("noise", 0);
  c.lower = -kAny, c.upper = kAny;
  if (const SensorSetting* range = spec.find("range"))
    c.lower = range->numbers[0], c.upper = range->numbers[1];
  c.digit = number("resolution", 0);
  if (const double bits = number("bits", 0); bits > 0) {
    double whole = number("per", 0);
    if (!(whole > 0)) whole = c.upper - c.lower;
    c.digit = std::ldexp(whole, -static_cast<int>(bits));
  }
  const double T = number("drift.time", 1000), period = std::max(s.period, h);
  c.keeps = 1 / (1 + period / T);
  c.drift = number("drift.deviation", 0) * std::sqrt(1 - c.keeps * c.keeps);
  return c;
}

/// Rules that hold between numbers.
void check_together(const SensorSpec& spec, const Sensor& s, Diagnostics& log) {
  const auto wrong = [&](const char* key, std::string text, std::string suggestion) {
    const SensorSetting* at = spec.find(key);
    log.push_back({at && at->place.line > 0 ? at->place : spec.place, Severity::error,
                   "sensor '" + spec.name + "': " + key + ": " + std::move(text), std::move(suggestion)});
  };
  if (const SensorSetting* range = spec.find("range"); range && !(range->numbers[0] < range->numbers[1]))
    wrong("range", "its ends are reversed", "write the lower one first");
  if (spec.find("bits") && !spec.find("range") && !spec.find("per"))
    wrong("bits", "over what?", "add range = [lower, upper], or per = \"360 deg\"");
  if (spec.find("bits") && spec.find("resolution"))
    wrong("bits", "bits and resolution say the same thing", "give one of them");
  if (s.ring > kMostOnTheWay)
    wrong("delay", fmt::format("more than {} samples would be on their way", kMostOnTheWay), "a lower rate or delay");
  if (const SensorSetting* detail = spec.find("detail"))
    if (detail->words.size() != 1 || (detail->words[0] != "real" && detail->words[0] != "ideal" &&
                                      !(spec.kind == "camera" && detail->words[0] == "image") &&
                                      !(spec.kind == "objects" && (detail->words[0] == "truth" || detail->words[0] == "objects"))))
      wrong("detail", "this is neither real nor ideal", "");
}

}  // namespace

std::span<const Key> common_keys() { return kCommon; }

double Binding::number(const char* key, double otherwise) const {
  const SensorSetting* s = sensor_.spec.find(key);
  return s && !s->numbers.empty() ? s->numbers[0] : otherwise;
}

std::vector<double> Binding::numbers(const char* key) const {
  const SensorSetting* s = sensor_.spec.find(key);
  return s ? s->numbers : std::vector<double>{};
}

std::string Binding::word(const char* key, const char* otherwise) const {
  const SensorSetting* s = sensor_.spec.find(key);
  return s && !s->words.empty() ? s->words[0] : otherwise;
}

std::vector<std::string> Binding::words(const char* key) const {
  const SensorSetting* s = sensor_.spec.find(key);
  return s ? s->words : std::vector<std::string>{};
}

void Binding::channel(std::string name, const char* unit) {
  out_.channels.push_back(std::move(name));
  out_.units.push_back(unit);
}

void Binding::joint_channels(const char* revolute_unit, const char* prismatic_unit) {
  std::vector<std::string> all;
  for (const Joint& j : kind_.joints) all.push_back(kind_.objects[static_cast<std::size_t>(j.object)].name);
  const std::vector<std::string> wanted = words("joints");
  for (const std::string& name : wanted.empty() ? all : wanted) {
    const int joint = kind_.find_joint(name);
    if (joint < 0) {
      fault("joints", "there is no joint '" + name + "'", did_you_mean(name, all));
      continue;
    }
    out_.ids.push_back(joint);
    channel(name, kind_.links[static_cast<std::size_t>(joint + 1)].prismatic ? prismatic_unit : revolute_unit);
  }
}

void Binding::remember(int count) { out_.own_size += count; }
void Binding::keep(double number) { out_.numbers.push_back(number); }
void Binding::late(double seconds) { out_.late = seconds; }
void Binding::id(int number) { out_.ids.push_back(number); }
void Binding::aims(int rays) { out_.aims = rays; }
void Binding::every_step() { out_.every_step = true; }
void Binding::wants_touches() { out_.wants_touches = true; }
void Binding::wants_motors() { out_.wants_motors = true; }
void Binding::of_motors() { out_.of_motors = true; }
void Binding::rays(const std::vector<Vec3>& directions_S) {
  out_.directions = directions_S;
  out_.fan = std::make_shared<const RayFan>(std::span<const Vec3>(directions_S));
}

std::size_t Senses::most_rays() const {
  std::size_t most = 0;
  for (const Sensor& s : sensors_) most = std::max({most, s.directions.size(), static_cast<std::size_t>(s.aims)});
  return most;
}

void Binding::fault(const char* key, const std::string& text, const std::string& suggestion) {
  const SensorSetting* s = sensor_.spec.find(key);
  log_.push_back({s && s->place.line > 0 ? s->place : sensor_.spec.place, Severity::error,
                  "sensor '" + sensor_.spec.name + "': " + (*key ? std::string(key) + ": " : "") + text, suggestion});
}

Diagnostics Senses::bind(const Model& model, const RobotModel& robot, std::span<const SensorModel> sensors) {
  Diagnostics log;
  sensors_.clear();
  size_ = 0;
  touches_ = motors_ = false;
  const double h = model.step;
  for (const SensorModel& m : sensors) {
    Sensor s;
    s.table = find_table(m.spec.kind);
    if (!s.table) {
      std::vector<std::string> names;
      for (const SensorTable& t : all_sensors()) names.emplace_back(t.name);
      log.push_back({m.spec.place, Severity::error,
                     "sensor '" + m.spec.name + "': there is no kind '" + m.spec.kind + "' of sensor",
                     did_you_mean(m.spec.kind, names)});
      continue;
    }
    s.name = m.spec.name;
    s.link = m.link;
    s.X_LS = m.X_LS;
    Binding binding(model, robot, m, s, log);
    s.table->bind(binding);
    check_settings(m.spec, s, log);
    if (has_errors(log)) continue;
    const std::string detail = binding.word("detail", "real");
    s.ideal = binding.number("ideal", detail == "ideal" || detail == "truth") != 0 || sensing_of(m.spec) == Sensing::truth;
    s.period = binding.has("rate") ? 1 / binding.number("rate", 1) : 0;
    s.phase = binding.number("phase", 0);
    s.delay = binding.number("delay", 0) + s.late;
    s.samples = Rate(s.period, s.phase, h);
    s.arrivals = Rate(s.period, s.phase + s.delay, h);
    // (6); one more, so that the sample before the newest that has arrived is still there
    s.ring = static_cast<int>(std::min(std::ceil(s.delay / std::max(s.period, h)) + 3, 1e6));
    check_together(m.spec, s, log);
    if (has_errors(log)) continue;
    if (s.period > 0 && s.period < h * (1 - 1e-9))
      log.push_back({m.spec.place, Severity::warning,
                     fmt::format("sensor '{}': {:g} Hz is more than steps of {:g} ms allow: it is sampled at every step",
                                 s.name, 1 / s.period, 1e3 * h),
                     "a lower rate, or a shorter step"});
    const std::uint64_t key = mix64(mix64(model.seed + hash_of(robot.name)) + hash_of(s.name));
    for (int i = 0; i < s.count(); ++i) s.channel.push_back(make_channel(m.spec, s, i, key, h));
    for (const Channel& c : s.channel) s.every_step |= c.share < 1;
    s.at = size_;
    size_ += s.size();
    touches_ |= s.wants_touches, motors_ |= s.wants_motors;
    sensors_.push_back(std::move(s));
  }
  return log;
}

/// Compiled for newer processors too: they count bits and round down in one instruction each.
GRADUS_CLONES void Senses::look(const Surroundings& around, double* memory) const {
  const std::int64_t k = around.robot->k;
  for (const Sensor& s : sensors_) {
    double& begun = memory[s.at];
    const std::int64_t taken = s.samples.calls_until(k);
    const bool due = taken > s.samples.calls_until(k - 1), first = begun == 0;
    if (!due && !first && !s.every_step && !s.ideal) continue;
    double* truth = memory + s.truth_at();
    s.table->truth(around, s, memory + s.at + 1, truth);
    if (s.ideal) {
      begun = 1;
      continue;
    }
    const std::int64_t n = std::max<std::int64_t>(taken - 1, 0);
    double* filter = memory + s.filter_at();
    double* ring = memory + s.ring_at();
    const int count = s.count();
    if (s.table->perceive) {
      if (!due && !first) continue;
      double* sample = ring + (first ? 0 : static_cast<int>(n % s.ring) * count);
      s.table->perceive(s, n, truth, sample);
      for (int slot = 1; first && slot < s.ring; ++slot) std::copy_n(ring, count, ring + slot * count);
      begun = 1;
      continue;
    }
    for (int i = 0; i < count; ++i) {
      const Channel& c = s.channel[static_cast<std::size_t>(i)];
      double &y = filter[2 * i], &b = filter[2 * i + 1];
      if (first) y = c.gain * truth[i] + c.offset;  // it was so before
      y = filtered(c, truth[i], y, b, k);
      if (!due && !first) continue;
      const double z = sampled(c, y, n);
      if (first)
        for (int slot = 0; slot < s.ring; ++slot) ring[slot * count + i] = z;
      else
        ring[static_cast<int>(n % s.ring) * count + i] = z;
      b = drifted(c, b, n);
    }
    begun = 1;
  }
}

Reading Senses::read(int sensor, std::int64_t k, double h, const double* memory) const {
  const Sensor& s = sensors_[static_cast<std::size_t>(sensor)];
  const auto count = static_cast<std::size_t>(s.count());
  const std::span<const double> truth(memory + s.truth_at(), count);
  if (s.ideal) return {truth, truth, truth, static_cast<double>(k) * h, k};
  const std::int64_t n = s.arrivals.calls_until(k) - 1, shown = std::max<std::int64_t>(n, 0);
  const auto slot = [&](std::int64_t number) {
    return std::span<const double>(memory + s.ring_at() + static_cast<std::size_t>(number % s.ring) * count, count);
  };
  const double period = std::max(s.period, h);
  return {slot(shown), slot(std::max<std::int64_t>(shown - 1, 0)), truth,
          s.phase + static_cast<double>(shown) * period, n};
}

}  // namespace gradus::sense
