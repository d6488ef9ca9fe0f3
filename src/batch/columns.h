/// What a batch observes and what it commands, compiled once from names [gradus/batch.h]: a list of columns, each one
/// number of a world.
#pragma once
#include <string>
#include <vector>

#include "world/properties.h"

namespace gradus {

/// One number of an observation.
struct ObservedColumn {
  enum class Kind {
    property,  // view
    gravity,   // direction of gravity in the base's axes
    velocity,  // of the base, in its axes                                                     [m/s]
    spin,      // angular velocity of the base, in its axes                                    [rad/s]
    most,      // largest normal force on a link since the last act                            [N]
    air,       // time since the link last touched the static world                            [s]
  };
  Kind kind = Kind::property;
  std::string path;
  int robot = -1;
  int index = 0;  // axis 0 … 2, or link
  PropertyView view;
  bool kept() const { return kind == Kind::most || kind == Kind::air; }  // has a memory of its own
};

/// One number of an action: where it lies in Input.
struct ActionColumn {
  enum class Kind { target, speed, torque, kp, kd, stiffness };
  Kind kind = Kind::target;
  std::string path;
  int robot = 0, joint = 0;
  int offset = 0;  // in the input's slab
  double lower, upper;
};

/// Columns that one name of the user stands for.
struct NamedColumns {
  std::string name;
  int begin, count;
};

struct BatchColumns {
  std::vector<ObservedColumn> observed;
  std::vector<NamedColumns> observed_names;
  std::vector<ActionColumn> actions;
  std::vector<NamedColumns> action_names;
};

/// All names that are not known are reported.
Result<BatchColumns> compile_columns(const World& world, const std::vector<std::string>& observe,
                                     const std::vector<std::string>& act);

/// v of the world's axes in those of the base with orientation q.
Vec3 in_base(const Quat& q_WB, Vec3 v_W);
/// A column of kind gravity, velocity or spin.
double base_column(const ObservedColumn& c, Vec3 gravity, const double* q, const double* v);

}  // namespace gradus
