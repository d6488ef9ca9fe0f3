#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/commands.h"
#include "load/map_write.h"
#include "load/terrain.h"
#include "load/units.h"

namespace gradus::cli {
namespace {

struct TerrainOptions {
  std::string kind, output;
  TerrainSpec terrain;
  std::vector<std::string> size;
  std::string cell, start, risers;
};

/// "2 cm"; what is wrong with it, or "".
std::string read_length(const std::string& text, double& metres) {
  const auto fault = parse_quantity(text, dimension::kLength, metres);
  return fault ? fault->text + "; " + fault->suggestion : "";
}

std::string check_length(const std::string& text) {
  double metres = 0;
  return read_length(text, metres);
}

/// The lengths have been checked by the command line's parser.
TerrainSpec spec_of(const TerrainOptions& o) {
  TerrainSpec t = o.terrain;
  t.kind = static_cast<TerrainKind>(std::find(terrain_kinds().begin(), terrain_kinds().end(), o.kind) -
                                    terrain_kinds().begin());
  if (!o.size.empty()) read_length(o.size.front(), t.size[0]), read_length(o.size.back(), t.size[1]);
  if (!o.cell.empty()) read_length(o.cell, t.cell);
  if (!o.start.empty()) read_length(o.start, t.start);
  t.walls = o.risers == "vertical";
  return t;
}

/// What a scene says to use the file.
void print_use(const std::string& file, const MapRange& range, double cell, bool walls) {
  const char* more = walls ? ", risers = \"vertical\"" : "";
  if (file.ends_with(".png"))
    std::printf("  shape = { height_field = { file = \"%s\", cell = \"%.10g m\", offset = \"%.10g m\", range = \"%.10g m\"%s } }\n",
                file.c_str(), cell, range.lowest, range.highest - range.lowest, more);
  else if (file.ends_with(".asc"))
    std::printf("  shape = { height_field = { file = \"%s\"%s } }\n", file.c_str(), more);
  else
    std::printf("  shape = { mesh = { file = \"%s\" } }\n", file.c_str());
}

int make(const TerrainOptions& o) {
  const TerrainSpec terrain = spec_of(o);
  const std::vector<TerrainFault> faults = faults_of(terrain);
  for (const TerrainFault& f : faults)
    std::fprintf(stderr, "error: --%s: %s; %s\n", f.key, f.text.c_str(), f.suggestion.c_str());
  if (!faults.empty()) return 2;
  if (terrain.walls && o.output.ends_with(".stl"))
    return std::fprintf(stderr, "error: --risers: an .stl goes through the heights of nodes, its risers are slanted; write .asc or .png\n"), 2;
  const HeightGrid grid = make_terrain(terrain);
  if (const std::string fault = write_map(o.output, grid); !fault.empty())
    return std::fprintf(stderr, "error: %s\n", fault.c_str()), 1;
  const MapRange range = range_of(grid);
  const auto holes = std::count_if(grid.z.begin(), grid.z.end(), [](double z) { return z != z; });
  std::printf("%s: %s, %d × %d heights, %.4g m to %.4g m", o.output.c_str(), o.kind.c_str(), grid.nx, grid.ny,
              range.lowest, range.highest);
  if (holes > 0) std::printf(", %td unknown (holes)", holes);
  std::printf("\n");
  print_use(o.output, range, grid.dx, terrain.walls);
  return 0;
}

}  // namespace

void add_terrain(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<TerrainOptions>();
  auto* cmd = app.add_subcommand("terrain", "Make a terrain by kind, difficulty and seed, and write it as a map");
  std::string kinds;
  for (const std::string& k : terrain_kinds()) kinds += (kinds.empty() ? "" : ", ") + k;
  const CLI::Validator length([](std::string& s) { return check_length(s); }, "LENGTH");
  cmd->add_option("KIND", o->kind, kinds)->required()->check(CLI::IsMember(terrain_kinds()));
  cmd->add_option("-d,--difficulty", o->terrain.difficulty, "from 0, flat, to 1 (default 0.5)");
  cmd->add_option("--seed", o->terrain.seed, "whole number: another one, another terrain (default 0)");
  cmd->add_option("--size", o->size, "along x and y, as in 8m 4m; one means both (default 6m)")
      ->expected(1, 2)->check(length);
  cmd->add_option("--cell", o->cell, "distance of heights (default 2cm)")->check(length);
  cmd->add_option("--start", o->start, "radius of the flat circle in the middle (default 50cm)")->check(length);
  cmd->add_option("--risers", o->risers, "vertical: heights of flat cells with upright walls between (.asc, .png)")
      ->check(CLI::IsMember({"slanted", "vertical"}));
  cmd->add_option("-o,--output", o->output, "map to write: .asc, .png (16 bits) or .stl (surface)")->required();
  cmd->footer(
      "What difficulty means for each kind is in docs/scene_files.md, \"Generated terrain\". A scene makes the same\n"
      "terrain without a file: shape = { terrain = { kind = \"rough\", difficulty = 0.4, seed = 7 } }.\n"
      "Examples:\n"
      "  gradus terrain rough --difficulty 0.4 --seed 7 -o rough.asc\n"
      "  gradus terrain stairs --difficulty 0.8 --size 8m 3m --cell 1cm -o stairs.png\n"
      "  gradus terrain discrete --risers vertical -o blocks.asc\n"
      "  gradus terrain stepping_stones -o stones.stl");
  cmd->callback([o, &outcome] { outcome.status = make(*o); });
}

}  // namespace gradus::cli
