#include "load/shipped.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

namespace gradus {
namespace {

namespace fs = std::filesystem;

/// PREFIX/share/gradus for PREFIX/bin/gradus, PREFIX/lib/libgradus.so and PREFIX/lib/TRIPLET/libgradus.so.
std::vector<fs::path> beside_this_code() {
  Dl_info self{};
  if (!dladdr(reinterpret_cast<const void*>(&shipped_files), &self) || !self.dli_fname) return {};
  std::error_code error;
  fs::path file = fs::read_symlink("/proc/self/exe", error);  // what dladdr says of a program is how it was called
  if (std::string(self.dli_fname).find(".so") != std::string::npos) file = fs::canonical(self.dli_fname, error);
  if (error) return {};
  const fs::path up = file.parent_path().parent_path();
  return {up / "share/gradus", up.parent_path() / "share/gradus"};
}

}  // namespace

LoadOptions shipped_files() {
  std::vector<fs::path> candidates = beside_this_code();
  candidates.insert(candidates.end(), {GRADUS_CHECKOUT_DIR, GRADUS_DATA_DIR});
  LoadOptions options;
  std::error_code missing;
  for (const fs::path& folder : candidates) {
    const std::string name = folder.string();
    const bool known = std::find(options.search.begin(), options.search.end(), name) != options.search.end();
    if (!known && fs::is_directory(folder / "robots", missing)) options.search.push_back(name);
  }
  return options;
}

std::string find_shipped(const std::string& name, const std::string& kind) {
  std::error_code missing;
  if (fs::is_regular_file(name, missing)) return name;
  for (const std::string& folder : shipped_files().search)
    for (const std::string& candidate : {folder + "/" + name, folder + "/" + kind + "/" + name + ".toml", folder + "/" + kind + "/" + name + ".urdf"})
      if (fs::is_regular_file(candidate, missing)) return candidate;
  return name;
}

}  // namespace gradus
