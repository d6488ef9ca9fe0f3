/// Any lines as NaoQi calls to one robot: a result, or the reason why not; the angles that follow are numbers within
/// the joints' limits.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <sstream>

#include "link/naoqi/calls.h"
#include "load/scene_toml.h"
#include "load/shipped.h"

namespace {

using namespace gradus;

struct Nao {
  std::unique_ptr<World> world;
  std::unique_ptr<nao::Body> body;
  WalkFile walk;
  Nao() {
    const auto scene = parse_scene("[world]\nstep = \"1 ms\"\n[robot.nao]\nmodel = \"robots/nao_h25_v6.toml\"\n",
                                   std::string(GRADUS_SOURCE_DIR) + "/scenes/fuzz.toml");
    world = std::move(*World::make(std::move(*compile(*scene))));
    body = std::make_unique<nao::Body>(*nao::Body::of(*world->model().robots[0].kind, "nao"));
    walk = *load_walk(find_shipped("motions/nao_walk.toml", "motions"));
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Nao nao;
  const World& world = *nao.world;
  const auto motion = std::move(
      *naoqi::Motion::make(*nao.body, world.model().robots[0].kind, nao.walk, 9.81, Orders::of(nao.world->command(0))));
  naoqi::Calls calls(*nao.body, *motion, 0, "nao");
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  int count = 0;
  for (std::string line; std::getline(lines, line) && count < 8; ++count) {
    const auto j = nlohmann::json::parse(line, nullptr, false);
    if (!j.is_object() || !j.contains("call") || !j["call"].is_string()) continue;
    const std::string name = j["call"];
    const std::size_t dot = std::min(name.find('.'), name.size());
    try {
      calls.call(world, name.substr(0, dot), dot < name.size() ? name.substr(dot + 1) : "",
                 j.value("args", nlohmann::json::array()));
    } catch (const naoqi::CallFault& fault) {
      if (fault.text.empty()) std::abort();
    } catch (const nlohmann::json::exception&) {
    }
    for (int tick = 0; tick < 3; ++tick) motion->advance(motion->time() + 0.01);
    calls.look(world);
    for (int i = 0; i < static_cast<int>(naoqi::kJoints); ++i)
      if (!std::isfinite(motion->commanded(i)) || !(motion->stiffness(i) >= 0 && motion->stiffness(i) <= 1))
        std::abort();
    naoqi::Callback callback;
    while (calls.subscriptions().pop(callback)) {
    }
  }
  return 0;
}
