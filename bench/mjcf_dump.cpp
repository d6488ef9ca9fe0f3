// mjcf_dump SCENE: the first robot of a scene as MJCF on standard output, for peers outside this build
// [bench/mujoco_pypi.py].
#include <cstdio>

#include "bench/mjcf.h"
#include "load/scene_toml.h"

int main(int argc, char** argv) {
  using namespace gradus;
  if (argc != 2) return 2;
  auto scene = load_scene(argv[1]);
  if (!scene || scene->robots.empty()) return 1;
  auto kind = compile(scene->robots[0].robot, scene->contact);
  if (!kind) return 1;
  std::printf("%s", bench::to_mjcf(**kind, scene->contact).c_str());
}
