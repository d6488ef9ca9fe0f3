#include "batch/gpu/gpu_library.h"

#include <dlfcn.h>

#include <cstdlib>

namespace gradus {
namespace {

constexpr const char* kName = "libgradus_gpu.so";

/// Folder of the object that holds this code, with its slash.
std::string own_folder() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void*>(&own_folder), &info) || !info.dli_fname) return "";
  const std::string file = info.dli_fname;
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

/// The library, opened once and never closed.
MakeGpuWorlds* find_maker(std::string& why) {
  const char* asked = std::getenv("GRADUS_GPU_LIBRARY");
  void* library = nullptr;
  if (asked)
    library = dlopen(asked, RTLD_NOW | RTLD_LOCAL);
  else
    for (const std::string& path : {own_folder() + kName, std::string(kName)})
      if (!library) library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    why = asked ? std::string("GRADUS_GPU_LIBRARY: ") + dlerror()
                : std::string("there is no ") + kName + "; it is built with CMake's GRADUS_GPU=ON where nvcc is installed (docs/gpu.md)";
    return nullptr;
  }
  auto* maker = reinterpret_cast<MakeGpuWorlds*>(dlsym(library, kMakeGpuWorlds));
  if (!maker) why = std::string(kName) + " is none of gradus";
  return maker;
}

}  // namespace

std::unique_ptr<GpuWorlds> make_gpu_worlds(const BatchConstantsT<float>& constants, int worlds, std::string& why) {
  MakeGpuWorlds* maker = find_maker(why);
  if (!maker) return nullptr;
  char error[256] = "";
  std::unique_ptr<GpuWorlds> made(maker(kGpuVersion, sizeof constants, &constants, worlds, error, sizeof error));
  if (!made) why = error;
  return made;
}

}  // namespace gradus
