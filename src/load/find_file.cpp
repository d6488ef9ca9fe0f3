#include "load/find_file.h"

#include <algorithm>
#include <filesystem>

#include "load/source_text.h"

namespace gradus {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders(const std::string& from, const std::string& kind, const LoadOptions& options) {
  const fs::path beside = fs::path(from).parent_path();
  const fs::path parent = beside.empty() ? fs::path("..") : (beside / "..").lexically_normal();
  std::vector<fs::path> all{beside, parent, parent / kind};
  for (const std::string& folder : options.search) {
    all.emplace_back(folder);
    all.push_back(fs::path(folder) / kind);
  }
  return all;
}

/// The name of an existing file that is nearly the wanted one.
std::string similar(const fs::path& wanted, const std::vector<fs::path>& places) {
  std::vector<std::string> names;
  for (const fs::path& place : places) {
    const fs::path folder = (place / wanted).parent_path();
    std::error_code error;
    fs::directory_iterator it(folder.empty() ? fs::path(".") : folder, error);
    for (std::size_t count = 0; !error && it != fs::directory_iterator() && count < 1000;
         it.increment(error), ++count) {
      names.push_back(it->path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());  // the answer must not depend on the order of a directory
  return nearest(wanted.filename().string(), names);
}

}  // namespace

std::string find_file(const std::string& name, const std::string& from, const std::string& kind,
                      const LoadOptions& options, const Place& mentioned, Diagnostics& out) {
  const bool usable = !name.empty() && name.size() < 1000 && name.find('\0') == std::string::npos;
  const std::vector<fs::path> places =
      fs::path(name).is_absolute() ? std::vector<fs::path>{fs::path()} : folders(from, kind, options);
  std::error_code error;
  for (const fs::path& place : places) {
    const fs::path candidate = (place / name).lexically_normal();
    if (usable && fs::is_regular_file(candidate, error)) return candidate.string();
  }
  const std::string best = usable ? similar(name, places) : "";
  out.push_back({mentioned, Severity::error, "file " + in_quotes(name, 400) + " is not there",
                 best.empty() ? "looked beside this file, in the folder above and in " + kind + "/ there"
                              : "did you mean '" + best + "'?"});
  return "";
}

}  // namespace gradus
