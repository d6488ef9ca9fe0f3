#include "server/frame.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace gradus::view {
namespace {

static_assert(std::endian::native == std::endian::little, "the codec copies little-endian words");

constexpr std::uint8_t kFrameType = 1, kPictureType = 2;
constexpr std::size_t kPictureHeaderSize = 32, kHeaderSize = 80, kBodySize = 20, kRobotSize = 48, kContactSize = 28, kSignalSize = 8,
                      kVolumeSize = 28;
enum FrameFlag : std::uint16_t { kPaused = 1, kBehind = 2, kReplay = 4, kPast = 8, kGhost = 16 };
enum RobotFlag : std::uint8_t { kFallen = 1 };

class Writer {
 public:
  explicit Writer(std::uint8_t* to) : to_(to) {}
  template <class T>
  void put(T value) {
    std::memcpy(to_, &value, sizeof value);
    to_ += sizeof value;
  }
  void put(Vec3 a) {
    for (double x : {a.x, a.y, a.z}) put(static_cast<float>(x));
  }
  void put_unit(double x) {
    put(static_cast<std::int16_t>(std::lround(std::clamp(std::isfinite(x) ? x : 0.0, -1.0, 1.0) * 32767)));
  }

 private:
  std::uint8_t* to_;
};

class Reader {
 public:
  explicit Reader(const std::uint8_t* from) : from_(from) {}
  template <class T>
  T get() {
    T value;
    std::memcpy(&value, from_, sizeof value);
    from_ += sizeof value;
    return value;
  }
  Vec3 get_vector() {
    const float x = get<float>(), y = get<float>(), z = get<float>();
    return {x, y, z};
  }
  double get_unit() { return get<std::int16_t>() / 32767.0; }

 private:
  const std::uint8_t* from_;
};

std::uint16_t flags_of(const Frame& f, bool has_ghosts) {
  return static_cast<std::uint16_t>((f.paused ? kPaused : 0) | (f.behind ? kBehind : 0) | (f.replay ? kReplay : 0) |
                                    (f.past ? kPast : 0) | (has_ghosts ? kGhost : 0));
}

/// As many as the count can say.
std::size_t volume_count(const Frame& f) { return std::min<std::size_t>(f.volumes.size(), 65535); }

void put_header(Writer& w, const Frame& f, bool has_ghosts, std::uint32_t sequence) {
  w.put(kProtocolVersion);
  w.put(kFrameType);
  w.put(flags_of(f, has_ghosts));
  w.put(f.scene_revision);
  w.put(f.k);
  w.put(f.time);
  w.put(f.t_min);
  w.put(f.t_max);
  w.put(f.hash);
  w.put(static_cast<float>(f.speed_target));
  w.put(static_cast<float>(f.speed_actual));
  w.put(static_cast<std::uint32_t>(f.bodies.size()));
  w.put(static_cast<std::uint32_t>(f.contacts.size()));
  w.put(static_cast<std::uint16_t>(f.robots.size()));
  w.put(static_cast<std::uint16_t>(f.signals.size()));
  w.put(sequence);
  w.put(static_cast<std::uint16_t>(f.ghost_signals.size()));
  w.put(static_cast<std::uint16_t>(volume_count(f)));
  w.put(std::uint32_t{0});
}

void put_body(Writer& w, const BodyPose& b) {
  w.put(b.p_WB);
  for (double x : {b.q_WB.x, b.q_WB.y, b.q_WB.z, b.q_WB.w}) w.put_unit(x);
}

void put_robot(Writer& w, const RobotStatus& r) {
  w.put(static_cast<std::uint8_t>(r.level));
  w.put(static_cast<std::uint8_t>(r.fallen ? kFallen : 0));
  w.put(std::uint16_t{0});
  w.put(static_cast<float>(r.us_per_step));
  w.put(static_cast<float>(r.error));
  w.put(r.com_W);
  w.put(r.com_velocity_W);
  w.put(r.centre_of_pressure_W);
}

BodyPose get_body(Reader& r) {
  BodyPose b;
  b.p_WB = r.get_vector();
  const double x = r.get_unit(), y = r.get_unit(), z = r.get_unit(), w = r.get_unit();
  b.q_WB = {w, x, y, z};
  return b;
}

RobotStatus get_robot(Reader& r) {
  RobotStatus s;
  s.level = r.get<std::uint8_t>();
  s.fallen = (r.get<std::uint8_t>() & kFallen) != 0;
  r.get<std::uint16_t>();
  s.us_per_step = r.get<float>();
  s.error = r.get<float>();
  s.com_W = r.get_vector();
  s.com_velocity_W = r.get_vector();
  s.centre_of_pressure_W = r.get_vector();
  return s;
}

struct Counts {
  std::uint64_t bodies, ghosts, contacts, robots, signals, ghost_signals, volumes;
  std::uint64_t bytes() const {
    return kHeaderSize + kBodySize * (bodies + ghosts) + kRobotSize * robots + kContactSize * contacts +
           kSignalSize * (signals + ghost_signals) + kVolumeSize * volumes;
  }
};

Counts get_header(Reader& r, Frame& f) {
  const auto flags = r.get<std::uint16_t>();
  f.paused = flags & kPaused;
  f.behind = flags & kBehind;
  f.replay = flags & kReplay;
  f.past = flags & kPast;
  f.scene_revision = r.get<std::uint32_t>();
  f.k = r.get<std::uint64_t>();
  f.time = r.get<double>();
  f.t_min = r.get<double>();
  f.t_max = r.get<double>();
  f.hash = r.get<std::uint64_t>();
  f.speed_target = r.get<float>();
  f.speed_actual = r.get<float>();
  Counts n{};
  n.bodies = r.get<std::uint32_t>();
  n.contacts = r.get<std::uint32_t>();
  n.robots = r.get<std::uint16_t>();
  n.signals = r.get<std::uint16_t>();
  n.ghosts = flags & kGhost ? n.bodies : 0;
  r.get<std::uint32_t>();
  n.ghost_signals = r.get<std::uint16_t>();
  n.volumes = r.get<std::uint16_t>();
  r.get<std::uint32_t>();
  return n;
}

}  // namespace

void encode(const Frame& f, std::uint32_t sequence, std::vector<std::uint8_t>& bytes) {
  const bool has_ghosts = !f.ghosts.empty() && f.ghosts.size() == f.bodies.size();
  const Counts n{f.bodies.size(),  has_ghosts ? f.bodies.size() : 0, f.contacts.size(), f.robots.size(),
                 f.signals.size(), f.ghost_signals.size(),           volume_count(f)};
  bytes.resize(n.bytes());
  Writer w(bytes.data());
  put_header(w, f, has_ghosts, sequence);
  for (const BodyPose& b : f.bodies) put_body(w, b);
  if (has_ghosts)
    for (const BodyPose& b : f.ghosts) put_body(w, b);
  for (const RobotStatus& r : f.robots) put_robot(w, r);
  for (const Contact& c : f.contacts) {
    w.put(c.point_W);
    w.put(c.force_W);
    w.put(c.body);
    w.put(c.other);
  }
  for (const auto* list : {&f.signals, &f.ghost_signals})
    for (const Signal& s : *list) {
      w.put(s.property);
      w.put(std::uint16_t{0});
      w.put(s.value);
    }
  for (std::size_t i = 0; i < n.volumes; ++i) {
    w.put(f.volumes[i].centre_W);
    w.put(f.volumes[i].half);
    w.put(static_cast<std::uint16_t>(f.volumes[i].depth));
    w.put(std::uint16_t{0});
  }
}

std::optional<Frame> decode(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kHeaderSize || bytes[0] != kProtocolVersion || bytes[1] != kFrameType) return {};
  Frame f;
  Reader r(bytes.data() + 2);
  const Counts n = get_header(r, f);
  if (n.bytes() != bytes.size()) return {};
  for (std::uint64_t i = 0; i < n.bodies; ++i) f.bodies.push_back(get_body(r));
  for (std::uint64_t i = 0; i < n.ghosts; ++i) f.ghosts.push_back(get_body(r));
  for (std::uint64_t i = 0; i < n.robots; ++i) f.robots.push_back(get_robot(r));
  for (std::uint64_t i = 0; i < n.contacts; ++i) {
    const Vec3 point = r.get_vector(), force = r.get_vector();
    const auto body = r.get<std::uint16_t>(), other = r.get<std::uint16_t>();
    f.contacts.push_back({point, force, body, other});
  }
  for (std::uint64_t i = 0; i < n.signals + n.ghost_signals; ++i) {
    const auto property = r.get<std::uint16_t>();
    r.get<std::uint16_t>();
    (i < n.signals ? f.signals : f.ghost_signals).push_back({property, r.get<float>()});
  }
  for (std::uint64_t i = 0; i < n.volumes; ++i) {
    const Vec3 centre = r.get_vector(), half = r.get_vector();
    f.volumes.push_back({centre, half, r.get<std::uint16_t>()});
    r.get<std::uint16_t>();
  }
  return f;
}

void encode(const Picture& p, std::vector<std::uint8_t>& bytes) {
  bytes.resize(kPictureHeaderSize + p.jpeg.size());
  Writer w(bytes.data());
  w.put(kProtocolVersion);
  w.put(kPictureType);
  w.put(p.sensor);
  w.put(p.scene_revision);
  w.put(p.frame);
  w.put(p.time);
  w.put(static_cast<float>(p.milliseconds));
  w.put(static_cast<std::uint32_t>(p.jpeg.size()));
  std::copy(p.jpeg.begin(), p.jpeg.end(), bytes.begin() + kPictureHeaderSize);
}

}  // namespace gradus::view
