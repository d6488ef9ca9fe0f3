#include "papers/paper_world.h"

#include "common/files.h"

namespace gradus::cli {

std::unique_ptr<World> make_world(const SceneSpec& scene) {
  Result<Model> model = compile(scene);
  if (!model) return print(model.notes()), nullptr;
  auto world = World::make(std::move(*model));
  if (!world) return print(world.notes()), nullptr;
  return std::move(*world);
}

}  // namespace gradus::cli
