/// Broken files by the thousand: cut off, bytes changed, headers made up. A loader answers each with a sound value or
/// with errors, never with a crash or a huge allocation: all runs happen in a child process with little address space.
/// tests/fuzz has the same properties for libFuzzer.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/rng.h"
#include "load/map.h"
#include "load/mesh.h"
#include "load/urdf.h"
#include "unit/load/scratch_folder.h"

namespace gradus {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // sanitizers map terabytes; they find what the limit would
#else
constexpr bool kSanitized = false;
#endif

constexpr rlim_t kAddressSpace = rlim_t{512} << 20;  // [byte] for program, libraries and loader; the files are small

void limit_memory() {
  if (kSanitized) return;
  const rlimit limit{kAddressSpace, kAddressSpace};
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::abort();
}

void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::exit(1);
}

void check_mesh(const MeshSpec& mesh) {
  demand(!mesh.triangles.empty(), "a loaded mesh has triangles");
  for (const auto& t : mesh.triangles) {
    for (const int v : t) demand(v >= 0 && v < static_cast<int>(mesh.vertices.size()), "indices are in range");
  }
  for (const Vec3& v : mesh.vertices) demand(std::isfinite(v.x + v.y + v.z), "vertices are finite");
}

void try_mesh(const std::string& path, const std::string& bytes) {
  const auto mesh = parse_mesh(path, bytes, {1, 1, 1});
  demand(static_cast<bool>(mesh) != has_errors(mesh.notes()), "a mesh or errors, not both");
  if (mesh) check_mesh(*mesh);
}

void try_map(const std::string& path, const std::string& bytes) {
  MapImport import;
  import.cell[0] = import.cell[1] = 0.1;
  if (path.ends_with(".hfield") || path.ends_with(".png")) import.range = 1;
  const auto map = parse_map(path, bytes, import);
  demand(static_cast<bool>(map) != has_errors(map.notes()), "a map or errors, not both");
  demand(map.notes().size() <= 102, "messages are bounded");
  if (!map) return;
  demand(map->nx >= 2 && map->ny >= 2, "a loaded map has cells");
  demand(map->z.size() == static_cast<std::size_t>(map->nx) * static_cast<std::size_t>(map->ny),
         "a loaded map is full");
  for (const double z : map->z) demand(!std::isinf(z), "heights are finite or unknown");
}

void try_urdf(const std::string& path, const std::string& bytes) {
  const auto robot = parse_urdf(path, bytes);
  demand(static_cast<bool>(robot) != has_errors(robot.notes()), "a robot or errors, not both");
  demand(robot.notes().size() <= 102, "messages are bounded");
  for (const Diagnostic& d : robot.notes())
    demand(!d.text.empty() && !d.place.file.empty(), "messages have a text and a file");
  if (!robot) return;
  demand(check(*robot).empty(), "a loaded robot passes check()");
  for (const MeshSpec& mesh : robot->meshes) check_mesh(mesh);
}

using Try = void (*)(const std::string& path, const std::string& bytes);

/// Cut after every 7th byte, then `count` copies with one to eight bytes changed, inserted or removed.
void torture(const std::string& path, const std::string& good, int count, Try attempt) {
  attempt(path, good);
  for (std::size_t end = 0; end < good.size(); end += 7) attempt(path, good.substr(0, end));
  static const std::string kTelling = "<>\"'=/&-+.eE0129 \n\\#nif";  // bytes that mean something in these formats
  const RandomKey key{2024, 0, 1};
  for (int n = 0; n < count; ++n) {
    std::string bad = good;
    std::uint32_t draw = 0;
    const auto pick = [&](std::size_t size) { return static_cast<std::size_t>(random_bits(key, n, draw++) % size); };
    for (std::size_t changes = 1 + pick(8); changes > 0 && !bad.empty(); --changes) {
      const std::size_t at = pick(bad.size());
      const char c = pick(2) ? kTelling[pick(kTelling.size())] : static_cast<char>(pick(256));
      const std::size_t what = pick(4);
      if (what < 2) bad[at] = c;
      if (what == 2) bad.insert(at, 1, c);
      if (what == 3) bad.erase(at, 1 + pick(20));
    }
    attempt(path, bad);
  }
}

const std::string kRobot = R"(<?xml version="1.0"?>
<!-- ü --><robot name="r"><material name="m"><color rgba="1 0 0.5 1"/></material>
<link name="world"/><link name="a"><inertial><origin xyz="0 0 1" rpy="0 1 0"/><mass value="1.5"/><inertia ixx="1" ixy="0.1" ixz="0"
 iyy="1" iyz="0" izz="1"/></inertial><visual><geometry><mesh filename="m.obj" scale="1 -1 1"/></geometry><material name="m"/></visual>
<collision><origin xyz="1 2 3"/><geometry><box size="1 2 3"/></geometry></collision></link>
<link name="b"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial><collision><geometry><capsule radius="1" length="2"/>
</geometry></collision></link><link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="world"/><child link="a"/><origin xyz="0 0 1" rpy="1 2 3"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="3" velocity="4"/><dynamics damping="1" friction="2"/></joint>
<joint name="k" type="prismatic"><parent link="a"/><child link="b"/><limit lower="-1" upper="1" effort="3" velocity="4"/>
<mimic joint="j" multiplier="0.5" offset="0.1"/></joint><joint name="l" type="continuous"><parent link="a"/><child link="c"/></joint>
</robot>)";

const std::string kObj =
    "v 0 0 0\nv 1 0 0\nv 1 1 0 1\nv 0 1 0\nv 0 0 -1e-1\nvn 0 0 1\nf 1//1 2//1 3 4\nf -1 -2/1/1 1\nf 1 2 \\\n 5\n";
const std::string kAsciiStl =
    "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid "
    "s\n";

std::string binary_stl() {
  std::string s(84 + 3 * 50, '\0');
  s[80] = 3;
  for (std::size_t i = 84; i + 4 <= s.size(); i += 4) {
    const float x = static_cast<float>(i * i % 97);
    std::memcpy(&s[i], &x, 4);
  }
  return s;
}

#define EXPECT_SURVIVED(...)              \
  EXPECT_EXIT(                            \
      {                                   \
        limit_memory();                   \
        __VA_ARGS__;                      \
        std::fprintf(stderr, "survived"); \
        std::exit(0);                     \
      },                                  \
      testing::ExitedWithCode(0), "survived")

TEST(LoaderFuzz, BrokenRobotsAreAnsweredWithErrors) {
  const ScratchFolder folder;
  folder.write("m.obj", kObj);
  EXPECT_SURVIVED(torture(folder.path() + "/r.urdf", kRobot, 20000, try_urdf));
}

TEST(LoaderFuzz, BrokenMeshesAreAnsweredWithErrors) {
  EXPECT_SURVIVED(torture("m.obj", kObj, 20000, try_mesh); torture("a.stl", kAsciiStl, 20000, try_mesh);
                  torture("b.stl", binary_stl(), 20000, try_mesh));
}

/// 3 × 2 grey pixels, written by another program.
const std::string kPng(
    "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x03\x00\x00\x00\x02"
    "\x08\x00\x00\x00\x00\xb8\x1f\x39\xc6\x00\x00\x00\x10\x49\x44\x41\x54\x78\x9c\x63\x10\x50\x30\x60"
    "\x68\x38\xf0\x1f\x00\x06\x27\x02\xa0\xb3\xfd\xf6\x5c\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60"
    "\x82",
    73);

std::string numpy_map() {
  std::string s("\x93NUMPY\x01\x00\x76\x00", 10);
  s += "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }";
  s.resize(128, ' ');
  s.append(24, '\x3f');
  return s;
}

std::string hfield_map() { return std::string("\x03\x00\x00\x00\x02\x00\x00\x00", 8) + std::string(24, '\x3f'); }

TEST(LoaderFuzz, BrokenMapsAreAnsweredWithErrors) {
  EXPECT_SURVIVED(
      torture("m.txt", "0 1 2 nan\n3, 4 5 6 # x\n7 8 9 1e-3\n", 20000, try_map);
      torture("m.asc", "ncols 3\nnrows 2\nxllcorner 0\ncellsize 0.5\nNODATA_value -9\n1 2 -9\n4 5 6\n", 20000, try_map);
      torture("m.npy", numpy_map(), 20000, try_map); torture("m.hfield", hfield_map(), 20000, try_map);
      torture("m.png", kPng, 20000, try_map));
}

TEST(LoaderFuzz, RandomStlHeadersAreAnsweredWithErrors) {
  const auto run = [] {
    const RandomKey key{99, 0, 2};
    for (int n = 0; n < 20000; ++n) {
      std::string s(random_bits(key, n, 0) % 400, '\0');
      for (std::size_t i = 0; i < s.size(); ++i)
        s[i] = static_cast<char>(random_bits(key, n, static_cast<std::uint32_t>(i + 1)));
      if (n % 3 == 0) s.replace(0, 5, "solid");
      try_mesh("h.stl", s);
    }
  };
  EXPECT_SURVIVED(run());
}

/// The limit above must bite, or the tests above prove nothing.
TEST(LoaderFuzz, TheMemoryLimitIsReal) {
  if (kSanitized) GTEST_SKIP() << "no address-space limit under sanitizers";
  EXPECT_EXIT(
      {
        limit_memory();
        try {
          std::string huge(std::size_t{1} << 30, 'x');
          std::exit(huge[5] == 'x' ? 1 : 2);
        } catch (const std::bad_alloc&) {
          std::exit(0);
        }
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace gradus
