#include "sense/kinds/overhead.h"

#include <algorithm>
#include <limits>

#include "sense/channel.h"

namespace gradus::sense {
namespace {

enum { kPositionNoise, kHeadingNoise, kMiss, kArea };  // in Sensor::numbers

}  // namespace

void Overhead::bind(Binding& b) {
  const std::vector<RobotModel>& robots = b.model().robots;
  std::vector<std::string> names, wanted = b.words("sees");
  for (const RobotModel& r : robots) names.push_back(r.name);
  if (wanted.empty()) wanted = names;
  for (const std::string& robot : wanted) {
    const auto it = std::find(names.begin(), names.end(), robot);
    if (it == names.end()) {
      b.fault("sees", "there is no robot '" + robot + "'", did_you_mean(robot, names));
      continue;
    }
    b.id(static_cast<int>(it - names.begin()));
    b.channel(robot + ".seen", "");
    for (const char* axis : {".x", ".y"}) b.channel(robot + axis, "m");
    b.channel(robot + ".heading", "rad");
  }
  b.keep(b.number("noise.position", 0)), b.keep(b.number("noise.heading", 0)), b.keep(b.number("miss", 0));
  constexpr double kAll = std::numeric_limits<double>::infinity();
  std::vector<double> area = b.numbers("area");
  if (area.size() != 4) area = {-kAll, -kAll, kAll, kAll};  // a wrong list is told of by whoever checks the settings
  if (!(area[0] < area[2] && area[1] < area[3])) b.fault("area", "its ends are reversed", "write least x, least y, most x, most y");
  for (const double edge : area) b.keep(edge);
}

void Overhead::truth(const Surroundings& w, const Sensor& s, double*, double* x) {
  const double* area = s.numbers.data() + kArea;
  for (const int robot : s.ids) {
    const double* q = w.state + w.layout[static_cast<std::size_t>(robot)].q;
    const Vec3 p = base_position(q);
    x[kSeen] = p.x >= area[0] && p.y >= area[1] && p.x <= area[2] && p.y <= area[3];
    x[kX] = p.x, x[kY] = p.y;
    x[kHeading] = to_roll_pitch_yaw(base_orientation(q)).z;
    x += kChannels;
  }
}

void Overhead::perceive(const Sensor& s, std::int64_t n, const double* truth, double* z) {
  for (std::size_t i = 0; i < s.ids.size(); ++i, truth += kChannels, z += kChannels) {
    const Channel* c = s.channel.data() + kChannels * i;
    std::fill_n(z, kChannels, 0.0);
    if (truth[kSeen] == 0 || uniform(c[kSeen], Purpose::seen, n) < s.numbers[kMiss]) continue;
    const auto noisy = [&](int k, int sigma) { return truth[k] + s.numbers[static_cast<std::size_t>(sigma)] * normal(c[k].key, Purpose::sample, n); };
    z[kSeen] = 1;
    z[kX] = noisy(kX, kPositionNoise), z[kY] = noisy(kY, kPositionNoise), z[kHeading] = noisy(kHeading, kHeadingNoise);
  }
}

}  // namespace gradus::sense
