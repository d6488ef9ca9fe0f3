/// Any bytes as every kind of elevation map: a sound grid or errors.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "load/map.h"

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

void check(const gradus::Result<gradus::HeightGrid>& g) {
  demand(static_cast<bool>(g) != gradus::has_errors(g.notes()));
  demand(g.notes().size() <= 102);
  if (!g) return;
  demand(g->nx >= 2 && g->ny >= 2 && g->dx > 0 && g->dy > 0);
  demand(g->z.size() == static_cast<std::size_t>(g->nx) * static_cast<std::size_t>(g->ny));
  for (const double z : g->z) demand(!std::isinf(z));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  gradus::MapImport lengths, fractions;
  lengths.cell[0] = lengths.cell[1] = fractions.cell[0] = fractions.cell[1] = 0.04;
  fractions.range = 1.25;
  for (const char* file : {"f.txt", "f.asc", "f.npy"}) check(gradus::parse_map(file, bytes, lengths));
  for (const char* file : {"f.png", "f.hfield"}) check(gradus::parse_map(file, bytes, fractions));
  return 0;
}
