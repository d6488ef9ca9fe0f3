/// One moment of the simulation as viewers see it, and its bytes on the wire.
///
/// Little-endian, version 2; the same layout is read by web/src/feed/codec.ts and frozen by
/// tests/golden/view_frames.json.
///
///   header  80 B  u8 version | u8 type | u16 flags | u32 scene revision | u64 k | f64 time | f64 t_min | f64 t_max |
///                 u64 state hash | f32 speed target | f32 speed actual | u32 bodies | u32 contacts | u16 robots |
///                 u16 signals | u32 sequence | u16 ghost signals | u16 volumes | u32 0
///   body    20 B  f32 x, y, z | i16 qx, qy, qz, qw (· 32767)
///   ghost   20 B  as body, all bodies once more, if flag ghost
///   robot   48 B  u8 level | u8 flags | u16 0 | f32 µs per step | f32 error | f32 com x, y, z |
///                 f32 com velocity x, y, z | f32 centre of pressure x, y, z
///   contact 28 B  f32 point x, y, z | f32 force x, y, z | u16 body | u16 other body
///   signal   8 B  u16 property | u16 0 | f32 value; then the ghost signals likewise
///   volume  28 B  f32 centre x, y, z | f32 half extents x, y, z | u16 depth in its tree | u16 0
///
/// All vectors in the world frame, SI units. A value that is not known is NaN.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "math/vec.h"

namespace gradus::view {

inline constexpr std::uint8_t kProtocolVersion = 2;
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct BodyPose {
  Vec3 p_WB{0, 0, 0};
  Quat q_WB{1, 0, 0, 0};
};

struct RobotStatus {
  int level = 0;  // index into Robot::levels
  bool fallen = false;
  double us_per_step = kUnknown;                            // cost of this robot's part of a step             [µs]
  double error = kUnknown;                                  // distance from the reference, where there is one [m]
  Vec3 com_W{kUnknown, kUnknown, kUnknown};                 // common centre of mass                           [m]
  Vec3 com_velocity_W{kUnknown, kUnknown, kUnknown};        //                                        [m/s]
  Vec3 centre_of_pressure_W{kUnknown, kUnknown, kUnknown};  // NaN while nothing presses              [m]
};

inline constexpr std::uint16_t kStaticWorld = 0xFFFF;  // Contact::other: field object
inline constexpr std::uint16_t kUserPush = 0xFFFE;     // Contact::other: the mouse of the viewer in control

struct Contact {
  Vec3 point_W{0, 0, 0};
  Vec3 force_W{0, 0, 0};  // on `body`                                                  [N]
  std::uint16_t body = 0;
  std::uint16_t other = kStaticWorld;  // body number, kStaticWorld or kUserPush
};

struct Signal {
  std::uint16_t property = 0;  // index into SceneDescription::properties
  float value = 0;
};

/// An axis-aligned box of a collision tree.
struct Volume {
  Vec3 centre_W{0, 0, 0};  // [m]
  Vec3 half{0, 0, 0};      // extents  [m]
  int depth = 0;           // 0: the root
};

/// What viewers want to see beyond poses.
struct Wanted {
  std::span<const std::uint16_t> signals;  // property numbers, ascending
  bool volumes = false;                    // of the collision trees
  std::span<const std::uint16_t> cameras{};  // numbers of sensors, ascending
};

/// A picture of a robot's camera, for people.
///   header  32 B  u8 version | u8 type, 2 | u16 sensor | u32 scene revision | u64 frame | f64 time | f32 ms | u32 bytes
///   then          JPEG
struct Picture {
  std::uint16_t sensor = 0;  // index into SceneDescription::sensors
  std::uint32_t scene_revision = 1;
  std::uint64_t frame = 0;
  double time = 0;          // of its exposure         [s]
  double milliseconds = 0;  // processor time that rendering took
  std::span<const std::uint8_t> jpeg;
};
void encode(const Picture& picture, std::vector<std::uint8_t>& bytes);

struct Frame {
  std::uint32_t scene_revision = 1;
  std::uint64_t k = 0;          // step number; time = k h
  double time = 0;              // simulated                                                  [s]
  double t_min = 0, t_max = 0;  // the past that can be reached by seek                       [s]
  std::uint64_t hash = 0;       // state hash; 0 = not computed
  bool paused = false;
  bool behind = false;      // real time is being missed
  bool replay = false;      // from a log, nothing is being simulated
  bool past = false;        // a moment before t_max is shown
  double speed_target = 1;  // simulated over wall time; infinity = as fast as possible
  double speed_actual = 1;
  std::vector<BodyPose> bodies;  // all robots' bodies in the order of the description
  std::vector<BodyPose> ghosts;  // empty, or as many as bodies: the other branch
  std::vector<RobotStatus> robots;
  std::vector<Contact> contacts;
  std::vector<Signal> signals;        // those wanted that exist
  std::vector<Signal> ghost_signals;  // of the other branch, those of them that exist there
  std::vector<Volume> volumes;        // of the collision trees, if wanted
};

/// Replaces `bytes`; no allocation once its capacity suffices.
void encode(const Frame& frame, std::uint32_t sequence, std::vector<std::uint8_t>& bytes);

/// The frame in `bytes`, or nothing when version, counts or length do not fit. Checks lengths before allocating.
std::optional<Frame> decode(std::span<const std::uint8_t> bytes);

}  // namespace gradus::view
