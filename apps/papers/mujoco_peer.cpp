#include "papers/mujoco_peer.h"

#include <fmt/format.h>

#include "bench/mujoco.h"

namespace gradus::cli::mujoco {
namespace {

std::string triple(Vec3 a) { return fmt::format("{:.17g} {:.17g} {:.17g}", a.x, a.y, a.z); }

std::string body_of(const Body& b, bool pushed) {
  std::string s = fmt::format("<body pos='{}'><freejoint/>", triple(b.at));
  if (b.inertia > 0)
    s += fmt::format("<inertial pos='0 0 0' mass='{0:.17g}' diaginertia='{1:.17g} {1:.17g} {1:.17g}'/>", b.mass,
                     b.inertia);
  s += fmt::format("<geom type='{}' size='{}' mass='{:.17g}' friction='{:.17g} 0 0' condim='{}'/>",
                   b.is_box ? "box" : "sphere", b.is_box ? triple(b.half) : fmt::format("{:.17g}", b.half.x), b.mass,
                   b.friction, b.friction > 0 ? 3 : 1);
  if (pushed) s += "<site name='push'/>";
  return s + "</body>";
}

std::string mjcf_of(const Task& t) {
  const bool smooth = t.floor_friction == 0;
  const std::size_t contacts = 40 + 8 * t.bodies.size(),
                    rows = (smooth ? 1 : 3) * contacts;  // its memory grows with their square
  std::string s = fmt::format(
      "<mujoco><size nconmax='{}' njmax='{}'/><option timestep='{:.17g}' gravity='{}' cone='elliptic'/><worldbody>"
      "<geom type='plane' size='100 100 1' friction='{:.17g} 0 0' condim='{}'/>",
      contacts, rows, t.step, triple(t.gravity), t.floor_friction, smooth ? 1 : 3);
  const bool pushed = norm(t.push) > 0;
  for (std::size_t i = 0; i < t.bodies.size(); ++i) s += body_of(t.bodies[i], pushed && i == 0);
  s += "</worldbody>";
  if (pushed)
    s += fmt::format("<actuator><motor site='push' refsite='origin' gear='{} 0 0 0'/></actuator>", triple(t.push));
  return s + "</mujoco>";
}

}  // namespace

bool installed() { return bench::Mujoco::installed(); }
std::string name() { return "MuJoCo " + bench::Mujoco::version(); }

bool run(const Task& task, int steps, const std::function<void(View)>& begin,
         const std::function<void(View, int)>& look) {
  if (!installed()) return false;
  std::string text = mjcf_of(task);
  if (const std::size_t at = text.find("<worldbody>"); norm(task.push) > 0)
    text.insert(at + 11, "<site name='origin'/>");
  auto m = bench::Mujoco::make(text);
  if (!m) {
    for (const Diagnostic& d : m.notes()) std::fprintf(stderr, "%s\n", to_string(d).c_str());
    return false;
  }
  const View view{(*m)->q(), (*m)->v()};
  for (double& c : (*m)->ctrl()) c = 1;
  begin(view);
  for (int i = 0; i < steps; ++i) {
    look(view, i);
    (*m)->step(1);
  }
  look(view, steps);
  return true;
}

}  // namespace gradus::cli::mujoco
