/// Any bytes as a table, as a servo's recording and as an index of recordings: rows as long as the header, finite
/// samples in order of time, or errors.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "fit/recording.h"
#include "io/csv.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto table = gradus::parse_csv(text, "fuzz.csv");
  if (static_cast<bool>(table) == gradus::has_errors(table.notes())) std::abort();
  if (table)
    for (const auto& row : table->rows)
      if (row.size() != table->columns.size()) std::abort();
  const MemoryFile file(data, size);
  gradus::fit::Recording r;
  if (gradus::fit::read_recording(file.path(), r).empty()) {
    if (r.t.empty() || r.pos.size() != r.t.size()) std::abort();
    for (std::size_t i = 0; i < r.t.size(); ++i)
      if (!std::isfinite(r.t[i]) || !std::isfinite(r.pos[i]) || (i > 0 && !(r.t[i] > r.t[i - 1]))) std::abort();
  }
  if (gradus::fit::is_index(file.path())) {
    const auto all = gradus::fit::read_index(file.path(), "");
    if (static_cast<bool>(all) == gradus::has_errors(all.notes())) std::abort();
  }
  return 0;
}
