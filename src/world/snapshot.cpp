// Snapshot as bytes:
//   8  "GRADSNAP"        4  version          8  k
//   4  robots, then of each: 2 length, name of its motion
//   from version 2 on:  4  parameters that were set, then of each: 2 length, path; 8 value
//   from version 3 on:  8  numbers of frames that cameras have on their way, then these
//   8  state numbers     8  input numbers    4  impulses
//   the numbers as IEEE doubles; of each impulse: 4 robot, 4 link, 3 + 3 doubles
//   8  xxh3 of all bytes before
// The lowest version that can say all is written, so that older programs read it. All little-endian. Counts are compared with
// what is left of the bytes before anything is allocated.
#include <bit>

#include "base/bytes.h"
#include "base/hash.h"
#include "world/world.h"

namespace gradus {
namespace {

constexpr std::string_view kMagic = "GRADSNAP";
constexpr std::uint32_t kPlain = 1, kWithSettings = 2, kWithFrames = 3;  // versions
constexpr std::size_t kImpulseBytes = 4 + 4 + 6 * 8;

void append_double(Bytes& out, double x) { append_le(out, std::bit_cast<std::uint64_t>(x)); }
double take_double(ByteReader& in) { return std::bit_cast<double>(in.le<std::uint64_t>()); }

/// Checks that n pieces of `size` bytes can still come.
bool can_hold(const ByteReader& in, std::uint64_t n, std::size_t size) { return n <= in.rest().size() / size; }

bool take_names(ByteReader& in, std::vector<std::string>& out) {
  const auto count = in.le<std::uint32_t>();
  if (!can_hold(in, count, 2)) return false;
  out.resize(count);
  for (std::string& name : out) name = as_text(in.take(in.le<std::uint16_t>()));
  return in.ok();
}

bool take_settings(ByteReader& in, std::vector<Setting>& out) {
  const auto count = in.le<std::uint32_t>();
  if (!can_hold(in, count, 2 + 8)) return false;
  out.resize(count);
  for (Setting& s : out) {
    s.path = as_text(in.take(in.le<std::uint16_t>()));
    s.value = take_double(in);
  }
  return in.ok();
}

void take_impulse(ByteReader& in, Impulse& i) {
  i.robot = static_cast<int>(in.le<std::uint32_t>());
  i.link = static_cast<int>(in.le<std::uint32_t>());
  for (double* x : {&i.p_L.x, &i.p_L.y, &i.p_L.z, &i.impulse.x, &i.impulse.y, &i.impulse.z}) *x = take_double(in);
}

bool take_body(ByteReader& in, std::uint32_t version, Snapshot& s) {
  const auto k = in.le<std::uint64_t>();
  s.k = static_cast<std::int64_t>(k);
  if (!in.ok() || s.k < 0 || !take_names(in, s.motion)) return false;
  if (version >= kWithSettings && !take_settings(in, s.settings)) return false;
  if (version >= kWithFrames) {
    const auto frames = in.le<std::uint64_t>();
    if (!can_hold(in, frames, 8)) return false;
    s.frames.resize(frames);
    for (double& x : s.frames) x = take_double(in);
  }
  const auto states = in.le<std::uint64_t>(), inputs = in.le<std::uint64_t>();
  const auto impulses = in.le<std::uint32_t>();
  if (!can_hold(in, states, 8) || !can_hold(in, inputs, 8) || !can_hold(in, impulses, kImpulseBytes)) return false;
  if (in.rest().size() != 8 * (states + inputs) + kImpulseBytes * impulses) return false;
  s.state.resize(states);
  s.input.resize(inputs);
  s.impulses.resize(impulses);
  for (double& x : s.state) x = take_double(in);
  for (double& x : s.input) x = take_double(in);
  for (Impulse& i : s.impulses) take_impulse(in, i);
  return in.ok() && in.at_end();
}

}  // namespace

std::vector<std::byte> Snapshot::bytes() const {
  Bytes out;
  append_bytes(out, as_byte_view(kMagic));
  const std::uint32_t version = !frames.empty() ? kWithFrames : settings.empty() ? kPlain : kWithSettings;
  append_le(out, version);
  append_le(out, static_cast<std::uint64_t>(k));
  append_le(out, static_cast<std::uint32_t>(motion.size()));
  for (const std::string& name : motion) {
    append_le(out, static_cast<std::uint16_t>(name.size()));
    append_bytes(out, as_byte_view(name));
  }
  if (version >= kWithSettings) append_le(out, static_cast<std::uint32_t>(settings.size()));
  for (const Setting& x : settings) {
    append_le(out, static_cast<std::uint16_t>(x.path.size()));
    append_bytes(out, as_byte_view(x.path));
    append_double(out, x.value);
  }
  if (version >= kWithFrames) {
    append_le(out, static_cast<std::uint64_t>(frames.size()));
    for (double x : frames) append_double(out, x);
  }
  append_le(out, static_cast<std::uint64_t>(state.size()));
  append_le(out, static_cast<std::uint64_t>(input.size()));
  append_le(out, static_cast<std::uint32_t>(impulses.size()));
  for (double x : state) append_double(out, x);
  for (double x : input) append_double(out, x);
  for (const Impulse& i : impulses) {
    append_le(out, static_cast<std::uint32_t>(i.robot));
    append_le(out, static_cast<std::uint32_t>(i.link));
    for (double x : {i.p_L.x, i.p_L.y, i.p_L.z, i.impulse.x, i.impulse.y, i.impulse.z}) append_double(out, x);
  }
  append_le(out, hash_bytes(out.data(), out.size()));
  return out;
}

std::optional<Snapshot> Snapshot::from_bytes(std::span<const std::byte> bytes) {
  if (bytes.size() < kMagic.size() + 4 + 8) return {};
  const ByteView body = bytes.first(bytes.size() - 8);
  ByteReader tail(bytes.last(8)), in(body);
  if (as_text(in.take(kMagic.size())) != kMagic) return {};
  const auto version = in.le<std::uint32_t>();
  if (version < kPlain || version > kWithFrames) return {};
  if (tail.le<std::uint64_t>() != hash_bytes(body.data(), body.size())) return {};
  Snapshot s;
  if (!take_body(in, version, s)) return {};
  return s;
}

}  // namespace gradus
