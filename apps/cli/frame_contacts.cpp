#include "cli/frame_contacts.h"

namespace gradus::cli {
namespace {

class ContactWriter {
 public:
  ContactWriter(const World& world, std::span<const FrameBody> bodies, view::Frame& frame)
      : world_(world), bodies_(bodies), frame_(frame) {}

  /// Points of the robot's outline that the ground plane carries.
  void add_ground_points(std::size_t number) {
    const FrameBody& body = bodies_[number];
    const RobotKind& kind = kind_of(body.robot);
    const Plane& ground = world_.model().ground;
    const auto memory = world_.contact_memory(body.robot);
    const auto link = static_cast<std::size_t>(kind.objects[static_cast<std::size_t>(body.object)].link);
    for (int i = kind.point_begin[link]; i < kind.point_begin[link + 1]; ++i) {
      const ContactPoint& p = kind.points[static_cast<std::size_t>(i)];
      const ContactMemory& m = memory[static_cast<std::size_t>(i)];
      if (m.fn <= 0 || p.object != body.object) continue;
      const Vec3 at = world_.X_WL(body.robot, static_cast<int>(link)) * p.p_BC - ground.n * p.radius;
      add(at, ground.n * m.fn - ground.t1 * (m.s1 * p.kt) - ground.t2 * (m.s2 * p.kt), number, view::kStaticWorld);
    }
  }

  /// Contacts with terrain, posts and whatever else stands on the field.
  void add_field(int robot) {
    const RobotScratch& room = world_.scratch(robot);
    const int point_count = static_cast<int>(kind_of(robot).points.size());
    for (int i = 0; i < room.contact_count; ++i) {
      const StaticContact& c = room.contacts[static_cast<std::size_t>(i)];
      if (c.point < point_count) continue;
      const FieldContact& f = room.field[static_cast<std::size_t>(c.point - point_count)];
      if (f.m.fn <= 0) continue;
      const Vec3 force = f.n * f.m.fn - f.t1 * (f.m.s1 * f.law.kt) - f.t2 * (f.m.s2 * f.law.kt);
      add(world_.X_WL(robot, c.link) * f.p_L, force, body_on(robot, c.link), view::kStaticWorld);
    }
  }

  /// Between moving bodies, and of free bodies with the static world; drawn on the first of the two.
  void add_moving() {
    for (const MovingContact& c : world_.contacts()) {
      const Vec3 force = c.impulse * (1 / world_.model().step);
      if (!(norm(force) > 0)) continue;
      const std::uint16_t other =
          c.robot_b < 0 ? view::kStaticWorld : static_cast<std::uint16_t>(body_on(c.robot_b, c.link_b));
      add(c.point, force, body_on(c.robot_a, c.link_a), other);
    }
  }

  void add_push(int robot) {
    const World::Push p = world_.push(robot);
    if (p.link >= 0) add(world_.X_WL(robot, p.link) * p.p_L, p.force, body_on(robot, p.link), view::kUserPush);
  }

 private:
  const RobotKind& kind_of(int robot) const { return *world_.model().robots[static_cast<std::size_t>(robot)].kind; }
  /// Number of the first body on a link; 0 for links without one, which nothing can touch.
  std::size_t body_on(int robot, int link) const {
    for (std::size_t b = 0; b < bodies_.size(); ++b)
      if (bodies_[b].robot == robot && kind_of(robot).objects[static_cast<std::size_t>(bodies_[b].object)].link == link)
        return b;
    return 0;
  }
  void add(Vec3 at, Vec3 force, std::size_t body, std::uint16_t other) {
    frame_.contacts.push_back({at, force, static_cast<std::uint16_t>(body), other});
  }

  const World& world_;
  std::span<const FrameBody> bodies_;
  view::Frame& frame_;
};

}  // namespace

void fill_contacts(const World& world, std::span<const FrameBody> bodies, view::Frame& frame) {
  frame.contacts.clear();
  ContactWriter writer(world, bodies, frame);
  for (std::size_t b = 0; b < bodies.size(); ++b) writer.add_ground_points(b);
  for (int r = 0; r < world.robot_count(); ++r) {
    writer.add_field(r);
    writer.add_push(r);
  }
  writer.add_moving();
}

}  // namespace gradus::cli
