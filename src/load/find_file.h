/// Where files named in other files are looked for.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace gradus {

struct LoadOptions {
  std::vector<std::string> search;  // further folders, e.g. where gradus keeps its robots and fields once installed
};

/// The file `name`, mentioned in file `from` at `mentioned`: beside `from`, in the parent folder, in the folder `kind`
/// ("robots", "fields", "motions") of the parent, then the same in every further folder. Reports and returns "" if it
/// is nowhere. The answer is written as `from` is: relative stays relative.
std::string find_file(const std::string& name, const std::string& from, const std::string& kind,
                      const LoadOptions& options, const Place& mentioned, Diagnostics& out);

}  // namespace gradus
