// gpu_dump ROBOT FILE: writes a robot's constants for gpu_check [gpu_file.h].
#include <cstdio>

#include "bench/gpu_dump.h"

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: gpu_dump ROBOT.toml FILE\n"), 2;
  auto f = gradus::bench::gpu_file_of(argv[1]);
  for (const gradus::Diagnostic& d : f.notes()) std::fprintf(stderr, "%s\n", gradus::to_string(d).c_str());
  if (!f) return 1;
  std::FILE* out = std::fopen(argv[2], "w");
  if (!out) return std::fprintf(stderr, "cannot write %s\n", argv[2]), 1;
  const std::string text = f->text();
  const bool ok = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  return std::fclose(out) == 0 && ok ? 0 : 1;
}
