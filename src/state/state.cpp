#include "state/state.h"

namespace gradus {

Layout make_layout(const Model& model, std::span<const int> z_size, std::span<const int> drive_size) {
  Layout out;
  for (std::size_t i = 0; i < model.robots.size(); ++i) {
    const RobotKind& kind = *model.robots[i].kind;
    RobotLayout l{};
    auto take = [&](int n) { const int at = out.state_size; out.state_size += n; return at; };
    l.q = take(kind.nq());
    l.v = take(kind.nv());
    l.contact = take(4 * static_cast<int>(kind.points.size()));
    l.z = take(z_size[i]);
    l.drive = take(drive_size[i]);
    l.r = take(kind.njoint() + 6);
    l.z_size = z_size[i];
    l.drive_size = drive_size[i];
    l.target = out.input_size;
    out.input_size += kind.njoint() + kInputTail;
    l.stiffness = out.input_size;
    if (!kind.drives.empty()) out.input_size += kind.njoint();
    out.robots.push_back(l);
  }
  return out;
}

}  // namespace gradus
