#include "control/wheels_load.h"

#include <algorithm>

#include "control/wheels_team.h"

namespace gradus::control {
namespace {

/// At the ball, forwards or backwards.
WheelOrder chase(const Sight& me, const Sight& ball, double top) {
  double s, c;
  sine_cosine(me.theta, s, c);
  const double dx = ball.x - me.x, dy = ball.y - me.y, way = maximum(square_root(dx * dx + dy * dy), 1e-6);
  const double ahead = (c * dx + s * dy) / way, left = (c * dy - s * dx) / way, sense = ahead < 0 ? -1 : 1;
  const double v = sense * top * maximum(0.2, sense * ahead), turn = 25 * sense * left;
  return {std::clamp(v - turn, -top, top), std::clamp(v + turn, -top, top)};
}

}  // namespace

void WheelsLoad::control(const GroupOutput& see, std::span<RobotCommand> members) {
  const auto period = static_cast<std::int64_t>(see.time / kHold + 1e-9);
  if (kind_ == WheelsLoadKind::random && period == chosen_) return;
  chosen_ = period;
  for (std::size_t i = 0; i + 1 < see.members.size(); ++i) {
    WheelOrder order;
    if (kind_ == WheelsLoadKind::chase) {
      order = chase(see.members[i], see.members.back(), kTop);
    } else {
      const auto draw = static_cast<std::uint32_t>(2 * i);
      order.left = random_in(key_, static_cast<std::uint64_t>(period), draw, -kTop, kTop);
      order.right = random_in(key_, static_cast<std::uint64_t>(period), draw + 1, -kTop, kTop);
    }
    command_wheels(*see.model->robots[static_cast<std::size_t>(see.group->members[i])].kind, order, members[i]);
  }
}

}  // namespace gradus::control
