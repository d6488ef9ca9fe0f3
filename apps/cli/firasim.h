/// `gradus run --firasim[=…]`: which teams play over FIRASim's protocol, and where.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "cli/runner.h"

namespace gradus::cli {

/// Items between commas, all optional:
///   blue, yellow, both, none   the remote teams (default: those of the scene, or both)
///   sync                       step with the clients instead of the wall clock
///   vision=A:P (again for more), commands=A:P, referee=A:P, placement=A:P, interface=A, watchdog=TIME
/// Changes the scene's group. False after errors, which were printed.
bool apply_firasim(const std::string& items, SceneSpec& scene, bool& waits_for_clients);

/// Where pictures go and commands come in, on standard error: what a client has to be told.
void announce_firasim(const SceneSpec& scene, const control::FirasimMatch& match);
void print_firasim(const control::FirasimMatch& match);
nlohmann::ordered_json firasim_json(const control::FirasimMatch& match);
/// Score and clock of each group, and placements that were moved.
void print_matches(const World& world);
nlohmann::ordered_json matches_json(const World& world);

}  // namespace gradus::cli
