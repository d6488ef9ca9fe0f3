/// Actuator chains in TOML: servo files and the tables that change parts of them [docs/actuators.md].
///
///   [servo]       name, about, source, valid, notes      only in files; source and valid are due there
///   delay = "5 ms"
///   [controller]  kp, ki, kd, limit, stiffness, derivative = "speed" | "error", encoder = "joint" | "motor"
///   [motor]       resistance, inductance, torque_constant, back_emf, inertia, speed, power
///   [friction]    coulomb, viscous, stribeck, stribeck_speed, load, load_stribeck
///   [passport]    what gradus fit found: errors, spread, range (speed, torque); only in files
///   [gear]        model = "rigid" | "elastic" | "motoflex", ratio, efficiency, play, stiffness, damping, inertia
///
/// A joint names a file, servo = "servos/nao_v6_leg.toml", or gives a table: { file = …, gear = { play = "1.4 deg" } },
/// in which every stage given changes the numbers that it names. gear = "motoflex" changes the model alone.
#pragma once
#include <optional>

#include "load/find_file.h"
#include "load/toml_file.h"
#include "model/spec.h"

namespace gradus {

/// Does the table describe a chain, not a plain servo?
bool is_chain(const toml::table& table);

/// Overrides the numbers of `out` that the table gives, after those of the file it names.
bool read_chain(const toml::table& table, const LoadOptions& options, DriveSpec& out, Diagnostics& log);

/// The servo file that `name`, written at `place`, means.
bool read_chain_file(const std::string& name, const Place& place, const LoadOptions& options, DriveSpec& out,
                     Diagnostics& log);

/// A servo file alone, with all its problems.
Result<DriveSpec> load_servo(const std::string& path);

/// What a joint's `servo` key says, whichever form: a plain servo silences a chain and the other way round.
bool read_any_servo(const toml::table& table, ObjectKind kind, const LoadOptions& options, ServoSpec& servo,
                    std::optional<DriveSpec>& drive, Diagnostics& log);

}  // namespace gradus
