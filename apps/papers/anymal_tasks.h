/// The three tasks of SimBenchmark for the quadruped ANYmal [facts/legged.md 1.1], robots/anymal.toml.
#pragma once
#include <optional>
#include <vector>

namespace gradus::cli {

/// Free joints, no contact: lifted by twice its weight at the base for 1 s, then free for 2 s. Mean of (E − E at the start of
/// the free phase)² over it [J²]. part: share of these times that is run.
std::optional<double> anymal_energy(double part);

/// No gravity, free joints; a ball of 10 kg comes along y at 5 m/s and stays without bounce. Mean over 10 s of
/// |p − (0, 50, 0)|² [N² s²].
std::optional<double> anymal_momentum(double part);

/// Standing under τ = 40 (q₀ − q) − 1.0 v on friction 0.8, steps of 5 ms.
struct AnymalStanding {
  struct Row {
    int robots;
    double us;            // processor time of a step of one robot                      [µs]
    double mujoco_us;     // of MuJoCo's, in the same run, by turns; 0: not measured
  };
  std::vector<Row> rows;
  double height = 0;         // of the lowest base of all robots at the end             [m]
  double mujoco_height = 0;  // of MuJoCo's one robot, with its no-slip pass
  double drift = 0;          // of the robot alone from second 10 to the end            [m]
};
std::optional<AnymalStanding> anymal_standing(int steps);

}  // namespace gradus::cli
