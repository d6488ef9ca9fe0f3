#include "sense/overhead_camera.h"

#include <cmath>

#include "base/rng.h"

namespace gradus::sense {
namespace {

constexpr double kSlack = 1e-9;  // a frame due "now" is not lost to rounding [s]
constexpr int kHeader = 1;       // memory[0]: frames taken; then per slot: time, sightings
constexpr int kPerBody = 4;

int slot_count(const OverheadOptions& o) { return static_cast<int>(std::ceil(o.delay * o.rate)) + 2; }
int slot_size(int bodies) { return 1 + kPerBody * bodies; }
int bodies_of(const OverheadOptions& o, std::span<const double> memory) {
  return (static_cast<int>(memory.size() - kHeader) / slot_count(o) - 1) / kPerBody;
}

/// Nearly normal, from twelve uniform numbers: the same bits everywhere, bounded by six deviations.
double bell(const RandomKey& key, std::uint64_t frame, std::uint32_t first) {
  double sum = -6;
  for (std::uint32_t k = 0; k < 12; ++k) sum += random_uniform(key, frame, first + k);
  return sum;
}

Sighting disturb(const OverheadOptions& o, const Sighting& truth, std::uint64_t frame, int body) {
  const RandomKey key{o.seed, static_cast<std::uint32_t>(body), 0x0c};
  if (truth.seen == 0 || random_uniform(key, frame, 36) < o.miss) return {};
  return {truth.x + o.position_noise * bell(key, frame, 0), truth.y + o.position_noise * bell(key, frame, 12),
          truth.theta + o.heading_noise * bell(key, frame, 24), 1};
}

}  // namespace

int overhead_memory_size(const OverheadOptions& options, int bodies) {
  return kHeader + slot_count(options) * slot_size(bodies);
}

std::int64_t expose(const OverheadOptions& o, double time, std::span<const Sighting> truth, std::span<double> memory) {
  const int slots = slot_count(o), size = slot_size(static_cast<int>(truth.size()));
  while (memory[0] / o.rate <= time + kSlack) {
    const auto frame = static_cast<std::uint64_t>(memory[0]);
    double* slot = &memory[kHeader + static_cast<std::size_t>(size) * (frame % slots)];
    slot[0] = memory[0] / o.rate;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const Sighting s = disturb(o, truth[i], frame, static_cast<int>(i));
      double* out = slot + 1 + kPerBody * i;
      out[0] = s.x, out[1] = s.y, out[2] = s.theta, out[3] = s.seen;
    }
    ++memory[0];
  }
  return static_cast<std::int64_t>(memory[0]);
}

double look(const OverheadOptions& o, double time, std::span<const double> memory, std::span<Sighting> out) {
  const int slots = slot_count(o), bodies = bodies_of(o, memory), size = slot_size(bodies);
  const auto taken = static_cast<std::int64_t>(memory[0]);
  for (std::int64_t frame = taken - 1; frame >= 0 && frame >= taken - slots; --frame) {
    const double* slot = &memory[kHeader + static_cast<std::size_t>(size) * static_cast<std::size_t>(frame % slots)];
    if (slot[0] + o.delay > time + kSlack) continue;
    for (std::size_t i = 0; i < out.size() && static_cast<int>(i) < bodies; ++i) {
      const double* s = slot + 1 + kPerBody * i;
      out[i] = {s[0], s[1], s[2], s[3]};
    }
    return slot[0];
  }
  return -1;
}

}  // namespace gradus::sense
