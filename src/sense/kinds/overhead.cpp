#include "sense/kinds/overhead.h"

#include <algorithm>

#include "sense/channel.h"

namespace gradus::sense {
namespace {

enum { kSeenAt, kXAt, kYAt, kHeadingAt, kChannels };
enum { kPosition, kHeading, kMiss };  // in Sensor::numbers

}  // namespace

void Overhead::bind(Binding& b) {
  const std::vector<RobotModel>& robots = b.model().robots;
  std::vector<std::string> names, wanted = b.words("sees");
  for (const RobotModel& r : robots) names.push_back(r.name);
  if (wanted.empty()) wanted = names;
  for (const std::string& name : wanted) {
    const auto it = std::find(names.begin(), names.end(), name);
    if (it == names.end()) {
      b.fault("sees", "there is no robot '" + name + "'", did_you_mean(name, names));
      continue;
    }
    b.id(static_cast<int>(it - names.begin()));
    b.channel(name + ".seen", "");
    for (const char* axis : {".x", ".y"}) b.channel(name + axis, "m");
    b.channel(name + ".heading", "rad");
  }
  b.keep(b.number("noise.position", 0)), b.keep(b.number("noise.heading", 0)), b.keep(b.number("miss", 0));
}

void Overhead::truth(const Surroundings& w, const Sensor& s, double*, double* x) {
  for (const int robot : s.ids) {
    const double* q = w.state + w.layout[static_cast<std::size_t>(robot)].q;
    const Vec3 p = base_position(q);
    x[kSeenAt] = 1, x[kXAt] = p.x, x[kYAt] = p.y;
    x[kHeadingAt] = to_roll_pitch_yaw(base_orientation(q)).z;
    x += kChannels;
  }
}

void Overhead::perceive(const Sensor& s, std::int64_t n, const double* truth, double* z) {
  for (std::size_t i = 0; i < s.ids.size(); ++i, truth += kChannels, z += kChannels) {
    const Channel* c = s.channel.data() + kChannels * i;
    std::fill_n(z, kChannels, 0.0);
    if (uniform(c[kSeenAt], Purpose::seen, n) < s.numbers[kMiss]) continue;
    const auto noisy = [&](int k, int sigma) { return truth[k] + s.numbers[static_cast<std::size_t>(sigma)] * normal(c[k].key, Purpose::sample, n); };
    z[kSeenAt] = 1;
    z[kXAt] = noisy(kXAt, kPosition), z[kYAt] = noisy(kYAt, kPosition), z[kHeadingAt] = noisy(kHeadingAt, kHeading);
  }
}

}  // namespace gradus::sense
