/// The contract of motions that own a group: several robots that only move together, because events between them decide
/// when each of them moves how (planar_wheels). The extension of motion.h, as small as it can be:
///
///   make     once, at load: a compiled model of the group, or all that is missing
///   enter    fills the group's section of State from q and v of its members
///   predict  the whole step of all members, into the section of State[k+1]; leaves what `respond` of each member needs
///   commit   adds what coupling did to the members (acc), writes q, v and r of State[k+1] from the section
///   adopt    q or v of a member was changed from outside: the section follows
///
/// The section is the truth, q and v of members are what the group publishes of it for everybody else: viewer, sensors,
/// logs, contacts with robots outside the group. Between predict and commit a member takes part in B4 like any robot,
/// by `respond` of its own MotionTable, whose predict and commit have nothing left to do (MotionTable::grouped).
#pragma once
#include <memory>

#include "state/motion.h"

namespace gradus {

struct GroupContext {
  std::span<const RobotContext> members;  // in the order of GroupModel::members
  const double* section;                  // of State[k]
  double* section_next;                   // of State[k+1]; where only one state is changed, both are the same
  double h;                               // [s]
};

/// A member as seen from above, in the plane.
struct Sight {
  double x = 0, y = 0, theta = 0;  // [m], [rad]
  double vx = 0, vy = 0, w = 0;    // world axes [m/s], [rad/s]
  bool seen = false;
};

/// A wish to put a member somewhere, and what became of it.
struct PlaceWish {
  double x = 0, y = 0, theta = 0;  // [m], [rad]
  double vx = 0, vy = 0;           // of the ball [m/s]
  bool present = true;             // false: taken from the field
};
struct PlaceResult {
  bool placed = false;  // false: no room, or not finite; nothing was changed
  double moved = 0;     // how far from the wished place, because something was there [m]
};

class GroupMotion {
 public:
  virtual ~GroupMotion() = default;
  virtual int section_size() const = 0;                             // doubles in State
  virtual std::span<const PrivateProperty> properties() const = 0;  // numbers of the section that people may look at
  virtual void enter(const GroupContext& c) = 0;
  virtual void predict(const GroupContext& c) = 0;
  virtual void commit(const GroupContext& c) = 0;
  virtual void adopt(const GroupContext& c, int member) = 0;
  virtual PlaceResult place(const GroupContext& c, int member, const PlaceWish& wish) = 0;
  virtual void look(std::span<const double> section, std::span<Sight> members) const = 0;  // the truth
};

/// One entry of the registry.
struct GroupMotionTable {
  std::string_view name;
  Result<std::unique_ptr<GroupMotion>> (*make)(const Model& model, const GroupModel& group);
};

}  // namespace gradus
