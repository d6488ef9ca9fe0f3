#include "state/state.h"

#include <algorithm>

namespace gradus {

int field_contact_room(const Model& model, const RobotKind& kind) {
  constexpr int kPerShape = 4, kMost = 48;
  if (model.static_objects.empty()) return 0;
  const auto shapes =
      std::count_if(kind.shapes.begin(), kind.shapes.end(), [](const ShapeInfo& s) { return s.spec.collides; });
  return std::min(kPerShape * static_cast<int>(shapes), kMost);
}

Layout make_layout(const Model& model, std::span<const int> z_size, std::span<const int> drive_size,
                   std::span<const int> sense_size, int coupling) {
  Layout out;
  for (std::size_t i = 0; i < model.robots.size(); ++i) {
    const RobotKind& kind = *model.robots[i].kind;
    RobotLayout l{};
    auto take = [&](int n) {
      const int at = out.state_size;
      out.state_size += n;
      return at;
    };
    l.q = take(kind.nq());
    l.v = take(kind.nv());
    l.contact = take(4 * static_cast<int>(kind.points.size()));
    l.field_size = field_contact_room(model, kind);
    l.field = take(l.field_size > 0 ? 1 + kFieldRecord * l.field_size : 0);
    l.z = take(z_size[i]);
    l.drive = take(drive_size[i]);
    l.r = take(kind.njoint() + 6);
    l.sense = take(sense_size[i]);
    l.z_size = z_size[i];
    l.drive_size = drive_size[i];
    l.target = out.input_size;
    out.input_size += kind.njoint() + kInputTail;
    l.stiffness = out.input_size;
    if (!kind.drives.empty()) out.input_size += kind.njoint();
    l.impedance = model.robots[i].impedance ? out.input_size : -1;
    if (model.robots[i].impedance) out.input_size += 4 * kind.njoint();
    out.robots.push_back(l);
  }
  out.coupling = out.state_size;
  out.state_size += coupling;
  return out;
}

}  // namespace gradus
