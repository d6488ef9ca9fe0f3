/// One [[object]] table of a robot file.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "load/parts_toml.h"
#include "model/spec.h"

namespace gradus {

inline constexpr std::int64_t kMaxCuts = 100;  // of one link

struct NamedServo {
  ServoSpec servo;
  std::optional<DriveSpec> drive;
  ObjectKind kind = ObjectKind::revolute;  // of joint
};

/// What objects may refer to.
struct RobotDefaults {
  std::map<std::string, NamedServo> servos;
  std::optional<NamedServo> servo;
  SurfaceSpec surface;
  std::optional<Vec3> colour;
};

/// An object before its place in the tree is known.
struct ObjectDraft {
  ObjectSpec object;
  std::string after;  // name of the predecessor; "" for none
  const JointType* joint = nullptr;  // whose coordinates were put before it
  /// Where each property was written; nothing if it was bad and has been reported.
  std::map<std::string, std::optional<Place>, std::less<>> places;
};

class ObjectReader {
 public:
  ObjectReader(const RobotDefaults& defaults, ShapeMeshes& meshes, Diagnostics& log)
      : defaults_(defaults), meshes_(meshes), log_(log) {}

  /// Appends the object of `table`; `previous` is the object before it in the same file, or null.
  void read(const toml::table& table, const std::string* previous);
  std::vector<ObjectDraft>& drafts() { return drafts_; }

 private:
  void read_name(TableReader& t);
  void read_kind(TableReader& t);
  void read_copy(TableReader& t);
  const ObjectSpec* read_model(TableReader& t, const char* key);
  void read_after(TableReader& t, const std::string* previous);
  void read_frame(TableReader& t);
  bool read_mass_itself(TableReader& t);
  void read_mass(TableReader& t);
  void read_inertia(const toml::node& node, bool com_given);
  void read_solid_inertia(const toml::table& table);
  void read_inertia_of_own_shape(const Place& place, bool com_given);
  void read_body(TableReader& t);
  void read_joint(TableReader& t);
  void read_limits(TableReader& t, const JointUnits& units);
  void read_servo_key(TableReader& t);
  void take_default_servo();
  void read_flex(const toml::table& table);
  void read_mimic(TableReader& t, const JointUnits& units);
  void read_stop(TableReader& t, const JointUnits& units);
  void put_coordinates();
  std::string_view word_of_kind() const;
  void note(const char* property, const Place& place, bool good);
  bool applies(TableReader& t, const char* key, bool applicable);

  const RobotDefaults& defaults_;
  ShapeMeshes& meshes_;
  Diagnostics& log_;
  std::vector<ObjectDraft> drafts_;
  std::unordered_map<std::string, std::size_t> index_;  // first draft of each name
  ObjectDraft draft_;                                   // the one being read
  bool copied_ = false;                                 // from another by like or mirror
  bool kind_known_ = false;
};

}  // namespace gradus
