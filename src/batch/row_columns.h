/// Where the columns of a batch lie in rows of worlds [world_step.h]: for lanes and GPUs.
#pragma once
#include <optional>

#include "batch/columns.h"
#include "batch/world_step.h"

namespace gradus {

/// How a column comes out of a row.
struct RowSource {
  enum class Kind { slot, base, angle, link, kept, time } kind;
  int index;                  // slot; axis 0 … 2 of base or angle; link; number of the kept column
  ObservedColumn::Kind what;  // of base and kept
};
/// None: not in a row.
std::optional<RowSource> row_source_of(const ObservedColumn& c, const RobotModel& robot, const RowLayout& at);

}  // namespace gradus
