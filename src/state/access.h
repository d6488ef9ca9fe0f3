/// Algorithms declare what they read and write; undeclared access does not compile. From the declarations the plan
/// derives what may run in parallel and that exactly one motion owns each robot.
#pragma once
#include <cstdint>

#include "state/state.h"

namespace gradus {

using Fields = std::uint32_t;
namespace Field {
constexpr Fields q = 1;               // coordinates
constexpr Fields v = 2;               // velocities
constexpr Fields z = 4;               // the motion's private numbers
constexpr Fields r = 8;               // results of the last step
constexpr Fields target = 16;         // Input: what controllers asked for
constexpr Fields frames = 32;         // A1: link frames
constexpr Fields contacts = 64;       // B2: static contacts with forces and slopes
constexpr Fields drive = 128;         // B1: joint forces with slopes
constexpr Fields acc = 256;           // B3: accelerations
constexpr Fields impulse = 512;       // B4: impulses and their effect
constexpr Fields memory = 1024;       // contact memory
constexpr Fields drive_state = 2048;  // the actuator chains' numbers
}  // namespace Field

struct Access {
  Fields reads = 0, writes = 0;
};
constexpr bool has(Fields set, Fields one) { return (set & one) == one; }

struct StaticKind;  // contact/find/static_world.h

/// The static world as a motion may ask for it, besides the ground plane: terrain, boxes, ramps.
class GroundSight {
 public:
  /// The first surface below a point, at most `depth` under it. False: there is none.
  virtual bool below(Vec3 p_W, double depth, Vec3& at_W, Vec3& normal) const = 0;

 protected:
  ~GroundSight() = default;
};

/// Everything of one robot in one step: `now` is State[k], `next` is State[k+1].
struct RobotContext {
  const RobotKind* kind;
  const Plane* ground;
  Vec3 gravity;
  std::int64_t k;
  const double* now;
  double* next;
  const double* input;
  RobotLayout at;
  RobotScratch* s;
  const StaticKind* statics = nullptr;    // the field's objects as this kind of robot meets them; null: none
  const ContactSpec* contact = nullptr;   // the scene's numbers of contact
  const GroundSight* sight = nullptr;     // what lies on the ground plane; null: nothing
};

/// The declared part of a RobotContext.
template <Access A>
class View {
 public:
  explicit View(const RobotContext& c) : c_(c) {}
  const RobotKind& kind() const { return *c_.kind; }
  const Plane& ground() const { return *c_.ground; }
  Vec3 gravity() const { return c_.gravity; }
  std::int64_t k() const { return c_.k; }
  const StaticKind* statics() const { return c_.statics; }
  const GroundSight* sight() const { return c_.sight; }
  const ContactSpec& contact_numbers() const { return *c_.contact; }

  const double* q() const requires(has(A.reads, Field::q)) { return c_.now + c_.at.q; }
  const double* v() const requires(has(A.reads, Field::v)) { return c_.now + c_.at.v; }
  const double* z() const requires(has(A.reads, Field::z)) { return c_.now + c_.at.z; }
  const double* r() const requires(has(A.reads, Field::r)) { return c_.now + c_.at.r; }
  const double* target() const requires(has(A.reads, Field::target)) { return c_.input + c_.at.target; }
  const double* stiffness() const requires(has(A.reads, Field::target)) { return c_.input + c_.at.stiffness; }
  /// Speeds, torques, kp and kd that joints are commanded with (njoint each); null: positions alone.
  const double* impedance() const requires(has(A.reads, Field::target)) {
    return c_.at.impedance < 0 ? nullptr : c_.input + c_.at.impedance;
  }
  const double* drive_state() const requires(has(A.reads, Field::drive_state)) { return c_.now + c_.at.drive; }
  const Frame* frames() const requires(has(A.reads, Field::frames)) { return c_.s->frames.data(); }
  const DriveForce* drive() const requires(has(A.reads, Field::drive)) { return c_.s->drive.data(); }
  const Vec6* acc() const requires(has(A.reads, Field::acc)) { return c_.s->acc.data(); }
  const double* d_inv() const requires(has(A.reads, Field::acc)) { return c_.s->d_inv.data(); }
  double* d_inv_out() const requires(has(A.writes, Field::acc)) { return c_.s->d_inv.data(); }
  const double* a() const requires(has(A.reads, Field::acc)) { return c_.s->a.data(); }
  std::span<const StaticContact> contacts() const requires(has(A.reads, Field::contacts)) {
    return {c_.s->contacts.data(), static_cast<std::size_t>(c_.s->contact_count)};
  }
  /// Moments that contacts oppose to turning, per rate; empty unless the law has some.
  std::span<const double> spin() const requires(has(A.reads, Field::contacts)) { return c_.s->spin; }
  std::span<double> spin_out() const requires(has(A.writes, Field::contacts)) { return c_.s->spin; }
  const int* contact_begin() const requires(has(A.reads, Field::contacts)) { return c_.s->contact_begin.data(); }
  const ContactMemory* memory() const requires(has(A.reads, Field::memory)) {
    return reinterpret_cast<const ContactMemory*>(c_.now + c_.at.contact);
  }

  /// Records of the static objects' contacts; the first number is how many.
  const double* field_memory() const requires(has(A.reads, Field::memory)) { return c_.now + c_.at.field; }
  double* field_memory_next() const requires(has(A.writes, Field::memory)) { return c_.next + c_.at.field; }
  int field_room() const { return c_.at.field_size; }
  std::span<const FieldContact> field_contacts() const requires(has(A.writes, Field::contacts)) {
    return {c_.s->field.data(), static_cast<std::size_t>(c_.s->field_count)};
  }
  RobotScratch& contact_room() const requires(has(A.writes, Field::contacts)) { return *c_.s; }

  /// Frames of State[k+1] of a motion that needs them itself; `flew`: they are complete, nobody need make them again.
  Frame* frames_next() const requires(has(A.writes, Field::q)) { return c_.s->frames_next.data(); }
  bool& flew() const requires(has(A.writes, Field::q)) { return c_.s->flew; }
  double* q_next() const requires(has(A.writes, Field::q)) { return c_.next + c_.at.q; }
  double* v_next() const requires(has(A.writes, Field::v)) { return c_.next + c_.at.v; }
  double* z_next() const requires(has(A.writes, Field::z)) { return c_.next + c_.at.z; }
  double* r_next() const requires(has(A.writes, Field::r)) { return c_.next + c_.at.r; }
  double* drive_state_next() const requires(has(A.writes, Field::drive_state)) { return c_.next + c_.at.drive; }
  void* drive_own() const requires(has(A.writes, Field::drive_state)) { return c_.s->drive_own.data(); }
  DriveForce* drive_out() const requires(has(A.writes, Field::drive)) { return c_.s->drive.data(); }
  Vec6* acc_out() const requires(has(A.writes, Field::acc)) { return c_.s->acc.data(); }
  double* a_out() const requires(has(A.writes, Field::acc)) { return c_.s->a.data(); }
  Vec6* impulse() const requires(has(A.writes, Field::impulse)) { return c_.s->impulse.data(); }
  Vec6* dV() const requires(has(A.writes, Field::impulse)) { return c_.s->dV.data(); }
  double* dv() const requires(has(A.writes, Field::impulse)) { return c_.s->dv.data(); }
  ResponseRoom& response_room() const requires(has(A.writes, Field::impulse)) { return c_.s->response; }
  const Vec6* given() const requires(has(A.reads, Field::impulse)) { return c_.s->given.data(); }
  int impulses() const requires(has(A.reads, Field::impulse)) { return c_.s->impulses; }
  bool rests() const requires(has(A.reads, Field::impulse)) { return c_.s->rests; }
  const Vec6& kick() const requires(has(A.reads, Field::impulse)) { return c_.s->kick; }
  StaticContact* contacts_out() const requires(has(A.writes, Field::contacts)) { return c_.s->contacts.data(); }
  int& contact_count() const requires(has(A.writes, Field::contacts)) { return c_.s->contact_count; }
  int* contact_begin_out() const requires(has(A.writes, Field::contacts)) { return c_.s->contact_begin.data(); }
  ContactMemory* memory_next() const requires(has(A.writes, Field::memory)) {
    return reinterpret_cast<ContactMemory*>(c_.next + c_.at.contact);
  }
  /// The algorithm's own scratch, sized at bind.
  template <class Own>
  Own& own() const {
    return *reinterpret_cast<Own*>(c_.s->own.data());
  }

 private:
  const RobotContext& c_;
};

}  // namespace gradus
