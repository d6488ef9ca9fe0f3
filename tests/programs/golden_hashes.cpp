// Prints "name hash" of every golden input; with a file name: writes a snapshot there (save) or goes on from it
// (go_on).
//   golden_hashes | golden_hashes save FILE | golden_hashes go_on FILE
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string_view>

#include "support/golden_inputs.h"

namespace gradus::test {
namespace {

int print_all() {
  fmt::print("# State hashes after 300 steps. Written by tools/check_determinism --update.\n");
  for (const GoldenInput& in : golden_inputs()) {
    const auto world = make_world(in.scene);
    run_golden(in, *world, 300);
    fmt::print("{} {:016x}\n", in.name, world->hash());
  }
  return 0;
}

/// The last input: five robots at all levels. 150 steps, then a snapshot; the hash after 100 more goes to standard
/// output.
int save(const char* file) {
  const GoldenInput in = golden_inputs().back();
  const auto world = make_world(in.scene);
  run_golden(in, *world, 150);
  const std::vector<std::byte> bytes = world->snapshot().bytes();
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) return 1;
  run_golden(in, *world, 100);
  fmt::print("{:016x}\n", world->hash());
  return 0;
}

int go_on(const char* file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  const auto snapshot = Snapshot::from_bytes(std::as_bytes(std::span(text)));
  if (!snapshot) return 1;
  const GoldenInput in = golden_inputs().back();
  const auto world = make_world(in.scene);
  if (!world->restore(*snapshot)) return 1;
  run_golden(in, *world, 100);
  fmt::print("{:016x}\n", world->hash());
  return 0;
}

}  // namespace
}  // namespace gradus::test

int main(int count, char** words) {
  using namespace gradus::test;
  if (count == 1) return print_all();
  if (count == 3 && words[1] == std::string_view("save")) return save(words[2]);
  if (count == 3 && words[1] == std::string_view("go_on")) return go_on(words[2]);
  std::fprintf(stderr, "usage: golden_hashes [save|go_on FILE]\n");
  return 2;
}
