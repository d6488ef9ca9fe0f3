/// A robot's float constants and starting worlds in one flat file, so that a machine with a GPU needs neither loaders nor
/// compilers of models: header, then the arrays of KindArraysT<float> and the drives, then the rows of the worlds.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "batch/world_step.h"

namespace gradus::bench {

struct GpuFile {
  std::int32_t nlink = 0, npoint = 0, branch_count = 0, root = 0, worlds = 0, row_size = 0;
  float h = 0;
  Vec3T<float> gravity{};
  PlaneT<float> ground;
  std::vector<LinkT<float>> links;
  std::vector<ContactPointT<float>> points;
  std::vector<int> point_begin;
  std::vector<Vec3T<float>> bound_centre;
  std::vector<float> bound_radius;
  std::vector<DriveConstantsT<float>> joints;
  std::vector<float> rows;  // [world][number]

  BatchConstantsT<float> view() const {
    return {{nlink, branch_count, static_cast<RootKind>(root), links.data(), points.data(), point_begin.data(),
             bound_centre.data(), bound_radius.data()},
            joints.data(), ground, gravity, h};
  }
  /// Calls f(pointer, bytes) for every part in order. Arrays must have their sizes.
  template <class Fn>
  bool parts(const Fn& f) {
    auto all = [&](auto& v) { return f(v.data(), v.size() * sizeof(v[0])); };
    return all(links) && all(points) && all(point_begin) && all(bound_centre) && all(bound_radius) && all(joints) && all(rows);
  }
  bool header(std::FILE* file, bool write) {
    auto one = [&](auto& x) { return (write ? std::fwrite(&x, sizeof x, 1, file) : std::fread(&x, sizeof x, 1, file)) == 1; };
    return one(nlink) && one(npoint) && one(branch_count) && one(root) && one(worlds) && one(row_size) && one(h) && one(gravity) &&
           one(ground);
  }
  bool save(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (!file) return false;
    const bool ok = header(file, true) && parts([&](void* p, std::size_t n) { return std::fwrite(p, 1, n, file) == n; });
    return (std::fclose(file) == 0) && ok;
  }
  bool load(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (!file) return false;
    bool ok = header(file, false) && nlink > 0 && nlink < 1000 && npoint >= 0 && npoint < 10000 && worlds > 0 &&
              worlds < (1 << 20) && row_size > 0 && row_size < 100000;
    if (ok) {
      const auto n = static_cast<std::size_t>(nlink);
      links.resize(n);
      points.resize(static_cast<std::size_t>(npoint));
      point_begin.resize(n + 1);
      bound_centre.resize(n);
      bound_radius.resize(n);
      joints.resize(n - 1);
      rows.resize(static_cast<std::size_t>(worlds) * static_cast<std::size_t>(row_size));
      ok = parts([&](void* p, std::size_t size) { return std::fread(p, 1, size, file) == size; });
    }
    std::fclose(file);
    return ok;
  }
};

}  // namespace gradus::bench
