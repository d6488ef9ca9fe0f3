/// What generated terrain is made from [load/terrain.h]: kept in the scene, so that its numbers can be set.
#pragma once
#include <cstdint>

namespace gradus {

enum class TerrainKind { slope, stairs, wave, rough, discrete, stepping_stones, gaps };

struct TerrainSpec {
  TerrainKind kind = TerrainKind::rough;
  double difficulty = 0.5;    // 0 … 1
  double size[2] = {6, 6};    // along x, y; rounded to whole cells                        [m]
  double cell = 0.02;         // distance of heights, 1 mm … 10 cm                         [m]
  double start = 0.5;         // radius of the flat circle in the middle                   [m]
  std::uint64_t seed = 0;     // of rough, discrete, stepping_stones, gaps
  bool walls = false;         // heights are flat cells with upright walls between         [model/walls.h]
};

}  // namespace gradus
