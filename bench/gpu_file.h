/// A robot's float constants and its start in one text file, so that a machine with a GPU needs neither loaders nor
/// compilers of models. bench/humanoid28.gpu is made by gpu_dump from robots/humanoid28.toml; a test compares the two.
#pragma once
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "batch/world_step.h"

namespace gradus::bench {

struct GpuFile {
  int nlink = 0, npoint = 0, branch_count = 0, root = 0;
  float h = 0;
  Vec3T<float> gravity{};
  PlaneT<float> ground;
  std::vector<LinkT<float>> links;
  std::vector<ContactPointT<float>> points;
  std::vector<int> point_begin;
  std::vector<Vec3T<float>> bound_centre;
  std::vector<float> bound_radius;
  std::vector<DriveConstantsT<float>> joints;
  std::vector<float> start;  // one row at its start [RowLayout]

  BatchConstantsT<float> view() const {
    return {{nlink, branch_count, static_cast<RootKind>(root), links.data(), points.data(), point_begin.data(),
             bound_centre.data(), bound_radius.data()},
            joints.data(),
            ground,
            gravity,
            h};
  }

  /// Calls f with every number in order: the one list that writing and reading share.
  template <class Fn>
  void numbers(const Fn& f) {
    auto vec = [&](Vec3T<float>& a) { f(a.x), f(a.y), f(a.z); };
    f(h), vec(gravity), vec(ground.n), vec(ground.t1), vec(ground.t2), f(ground.offset), f(ground.present);
    for (LinkT<float>& l : links) {
      vec(l.p_PB), vec(l.axis), vec(l.com), f(l.J.xx), f(l.J.xy), f(l.J.xz), f(l.J.yy), f(l.J.yz), f(l.J.zz), f(l.mass),
          f(l.rotor);
      f(l.parent), f(l.branch), f(l.axis_kind), f(l.prismatic), f(l.follows), f(l.tip), f(l.on_branch_path),
          f(l.same_origin);
      f(l.diagonal), f(l.round), f(l.second), f(l.leader), f(l.follower), f(l.hold), f(l.ratio);
    }
    for (ContactPointT<float>& p : points)
      vec(p.p_BC), f(p.radius), f(p.friction), f(p.k), f(p.d), f(p.kt), f(p.dt), f(p.link), f(p.object);
    for (int& b : point_begin) f(b);
    for (Vec3T<float>& c : bound_centre) vec(c);
    for (float& r : bound_radius) f(r);
    for (DriveConstantsT<float>& j : joints) {
      f(j.lower), f(j.upper), f(j.stop_k), f(j.stop_d), f(j.damping), f(j.friction), f(j.spring);
      f(j.servo.kp), f(j.servo.kd), f(j.servo.torque), f(j.servo.speed);
      f(j.mimic_of), f(j.mimic_multiplier), f(j.mimic_offset), f(j.passive);
    }
    for (float& x : start) f(x);
  }

  std::string text() {
    std::string out = "gradus gpu 2\n" + std::to_string(nlink) + " " + std::to_string(npoint) + " " +
                      std::to_string(branch_count) + " " + std::to_string(root) + "\n";
    int column = 0;
    numbers([&](auto& x) {
      char word[40];
      std::snprintf(word, sizeof word, "%.9g%c", static_cast<double>(x),
                    ++column % 16 ? ' ' : '\n');  // nine digits give a float back
      out += word;
    });
    return out + "\n";
  }
  bool load(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "r");
    if (!file) return false;
    bool ok = std::fscanf(file, "gradus gpu 2 %d %d %d %d", &nlink, &npoint, &branch_count, &root) == 4 && nlink > 0 &&
              nlink < 1000 && npoint >= 0 && npoint < 10000;
    if (ok) {
      const auto n = static_cast<std::size_t>(nlink);
      links.resize(n);
      points.resize(static_cast<std::size_t>(npoint));
      point_begin.resize(n + 1);
      bound_centre.resize(n);
      bound_radius.resize(n);
      joints.resize(n - 1);
      start.resize(static_cast<std::size_t>(make_row_layout(nlink - 1, npoint).size));
      numbers([&](auto& x) {
        double y = 0;
        ok = ok && std::fscanf(file, "%lf", &y) == 1;
        x = static_cast<std::remove_reference_t<decltype(x)>>(y);
      });
    }
    std::fclose(file);
    return ok;
  }
};

}  // namespace gradus::bench
