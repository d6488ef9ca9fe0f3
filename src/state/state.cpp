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
    l.field = take(section_size(l.field_size));
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

namespace {

/// Hands out parts of a block, each from a cache line of its own on; returns how many lines they are. No block: counts alone.
std::size_t give_all(RobotScratch& s, CacheLine* block, std::size_t nlink, std::size_t njoint, std::size_t own) {
  std::size_t used = 0;
  const auto give = [&]<class T>(std::span<T>& out, std::size_t n) {
    out = block ? std::span<T>(reinterpret_cast<T*>(block + used), n) : std::span<T>();
    used += (n * sizeof(T) + sizeof(CacheLine) - 1) / sizeof(CacheLine);
  };
  for (auto* x : {&s.acc, &s.impulse, &s.dV, &s.acc_alone, &s.given}) give(*x, nlink);
  for (auto* x : {&s.a, &s.d_inv, &s.dv, &s.a_alone}) give(*x, njoint);
  give(s.drive, njoint), give(s.own, own);
  return used;
}

}  // namespace

std::size_t block_size(std::size_t nlink, std::size_t njoint, std::size_t own) {
  RobotScratch nobody;
  return give_all(nobody, nullptr, nlink, njoint, own);
}

void use_block(RobotScratch& s, Block& block, std::size_t njoint, std::size_t own) {
  give_all(s, block.data(), s.frames.size(), njoint, own);
}

}  // namespace gradus
