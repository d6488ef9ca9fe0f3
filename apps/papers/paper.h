/// Experiments of the papers that gradus unites, as commands: `gradus paper NAME`. One file per experiment in this
/// folder, one line each in registry.cpp.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

namespace gradus::cli {

using Json = nlohmann::ordered_json;

struct PaperOptions {
  std::string data;    // --data DIR: recordings that are not shipped with gradus; "" when not given
  std::string out;     // --out DIR: where CSV files and SVG plots go; "" writes none
  bool quick = false;  // --quick: a shorter run for tests; its figures are not those of the documentation
};

/// What a paper, its real robots, other simulators and gradus say of a quantity: a number, or an object of numbers by
/// variant; null where there is none.
struct PaperRow {
  std::string quantity, unit;
  Json paper = nullptr, real = nullptr, peers = Json::object(), gradus = nullptr;
};
void to_json(Json& out, const PaperRow& row);

/// One experiment. Its result is an object: name, rows, and verdict (one line: what agrees and what does not).
/// None when it could not run; the reason is on standard error then.
struct Paper {
  const char *name, *about;
  std::optional<Json> (*run)(const PaperOptions&);
};
std::span<const Paper> all_papers();

std::optional<Json> klancar(const PaperOptions&);
std::optional<Json> murosimf_levels(const PaperOptions&);
std::optional<Json> murosimf_cameras(const PaperOptions&);
std::optional<Json> usarsim_sonar(const PaperOptions&);
std::optional<Json> usarsim_gravity(const PaperOptions&);
std::optional<Json> usarsim_timestep(const PaperOptions&);
std::optional<Json> usarsim_framerate(const PaperOptions&);
std::optional<Json> usarsim_walk(const PaperOptions&);
std::optional<Json> usarsim_turn(const PaperOptions&);
std::optional<Json> usarsim_circle(const PaperOptions&);
std::optional<Json> usarsim_taichi(const PaperOptions&);
std::optional<Json> motoflex_200(const PaperOptions&);
std::optional<Json> motoflex_50(const PaperOptions&);
std::optional<Json> motoflex_ablation(const PaperOptions&);
std::optional<Json> motoflex_fit(const PaperOptions&);
std::optional<Json> murosimf_counting(const PaperOptions&);
std::optional<Json> servos(const PaperOptions&);
std::optional<Json> simbenchmark(const PaperOptions&);
std::optional<Json> tosses(const PaperOptions&);
std::optional<Json> contact_sweep(const PaperOptions&);
std::optional<Json> belter_gait(const PaperOptions&);
std::optional<Json> belter_plan(const PaperOptions&);
std::optional<Json> belter_foothold(const PaperOptions&);

}  // namespace gradus::cli
