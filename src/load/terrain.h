/// Terrain that is made, not measured: a grid of heights from a kind, a difficulty and a seed. The same bits on every
/// machine: own sine and tangent, random numbers addressed by what they are for.
///
/// Symbols: d difficulty 0 … 1, a start radius, r distance from the middle; all heights in metres, all flat at d = 0.
///
/// | kind            | surface                                                                                      |
/// |-----------------|----------------------------------------------------------------------------------------------|
/// | slope           | z = tan(30° d) (x − clamp(x, −a, a)): up towards +x, down towards −x                          |
/// | stairs          | risers of 0.2 d at x = ±(a + 0.3 n): up towards +x, down towards −x; treads of 0.3            |
/// | wave            | z = 0.2 d sin(2π x / 2), times the rim                                                        |
/// | rough           | 64 plane waves, wavelengths 0.25 … 1, any direction and phase; rms 0.05 d, times the rim      |
/// | discrete        | 1.5 boxes a m², sides 0.3 … 1, tops at ±0.2 d; the later one wins where two overlap            |
/// | stepping_stones | squares of 0.5 − 0.3 d, one in each field of 0.5, heights ±0.05 d; holes between               |
/// | gaps            | trenches across x of width 0.4 d without a bottom, platforms of 0.6 … 1.2 between              |
///
/// The middle is flat and whole for r ≤ a, so that a robot can start there. The rim of wave and rough rises from 0 at
/// r = a to 1 at r = a + 0.25 as 3 s² − 2 s³. Boxes that reach into the circle are left out, stones that do lie at 0.
///
/// A riser, a box's side and a stone's edge lie between two nodes: risers and sides are one cell wide, stones up to a
/// cell smaller. A gap is a whole number of cells wide; one cell cannot be a gap. With `walls` the heights are those of
/// square cells, taken at their middles, and risers are upright: stairs, discrete, stepping_stones and gaps only.
#pragma once
#include <string>
#include <vector>

#include "model/height_grid.h"
#include "model/terrain_spec.h"

namespace gradus {

/// In the order of TerrainKind.
const std::vector<std::string>& terrain_kinds();

/// What is wrong with one number: "size", "must be …".
struct TerrainFault {
  const char* key;
  std::string text, suggestion;
};
std::vector<TerrainFault> faults_of(const TerrainSpec& terrain);

/// Nodes of a terrain without faults.
std::size_t node_count(const TerrainSpec& terrain);
/// Of a terrain without faults. NaN in holes. The middle of the grid is the origin, as of a map from a file. With walls
/// the heights are of cells, one fewer along each side than of nodes.
HeightGrid make_terrain(const TerrainSpec& terrain);

}  // namespace gradus
