// What can be read from a World between steps, and the changes that users may make there.
#include <algorithm>
#include <cmath>

#include "drive/drives.h"
#include "session/world.h"
#include "tree/kernels.h"
#include "tree/pairs.h"

namespace gradus {

std::span<const double> World::q(int robot) const {
  const RobotContext& c = slot(robot).context;
  return {state_[0].slab.data() + c.at.q, static_cast<std::size_t>(c.kind->nq())};
}

std::span<const double> World::v(int robot) const {
  const RobotContext& c = slot(robot).context;
  return {state_[0].slab.data() + c.at.v, static_cast<std::size_t>(c.kind->nv())};
}

std::span<const double> World::tau(int robot) const {
  const RobotContext& c = slot(robot).context;
  return {state_[0].slab.data() + c.at.r, static_cast<std::size_t>(c.kind->njoint())};
}

const ChainState* World::chain_of(int robot, int joint) const {
  const Slot& s = slot(robot);
  const int drive = s.context.kind->joints[static_cast<std::size_t>(joint)].drive;
  if (drive < 0 || !s.needs.uses_drives) return nullptr;
  const Chain& c = chains_of(*s.context.kind, s.scratch.drive_own)[static_cast<std::size_t>(drive)];
  return &chain_state(c, state_[0].slab.data() + s.context.at.drive);
}

double World::motor_angle(int robot, int joint) const {
  const ChainState* chain = chain_of(robot, joint);
  const RobotKind& kind = *slot(robot).context.kind;
  const auto j = static_cast<std::size_t>(joint);
  const bool own = chain != nullptr && kind.drives[static_cast<std::size_t>(kind.joints[j].drive)].spec.has_rotor();
  return own ? chain->theta : q(robot)[7 + j];
}

double World::motor_current(int robot, int joint) const {
  const ChainState* chain = chain_of(robot, joint);
  return chain ? chain->current : 0;
}

double World::motor_voltage(int robot, int joint) const {
  const ChainState* chain = chain_of(robot, joint);
  return chain ? chain->voltage : 0;
}

double World::drive_energy(int robot) const {
  const Slot& s = slot(robot);
  double sum = 0;
  if (!s.needs.uses_drives) return sum;
  for (const Chain& c : chains_of(*s.context.kind, s.scratch.drive_own))
    sum += stored_energy(c, chain_state(c, state_[0].slab.data() + s.context.at.drive),
                         q(robot)[static_cast<std::size_t>(7 + c.joint)]);
  return sum;
}

std::span<const ContactMemory> World::contact_memory(int robot) const {
  const RobotContext& c = slot(robot).context;
  return {reinterpret_cast<const ContactMemory*>(state_[0].slab.data() + c.at.contact), c.kind->points.size()};
}

std::span<const FieldMemory> World::field_memory(int robot) const {
  const RobotLayout& at = slot(robot).context.at;
  if (at.field_size == 0) return {};
  const double* memory = state_[0].slab.data() + at.field;
  const double count = memory[0] >= 0 && memory[0] <= at.field_size ? memory[0] : 0;  // a snapshot may hold anything
  return {reinterpret_cast<const FieldMemory*>(memory + 1), static_cast<std::size_t>(count)};
}

int World::link_of(int robot, const FieldMemory& contact) const {
  const auto& shapes = slot(robot).context.kind->shapes;
  const int shape = shape_of(contact);
  return shape >= 0 && shape < static_cast<int>(shapes.size()) ? shapes[static_cast<std::size_t>(shape)].link : 0;
}

std::span<const double> World::private_state(int robot) const {
  const RobotLayout& at = slot(robot).context.at;
  return {state_[0].slab.data() + at.z, static_cast<std::size_t>(at.z_size)};
}

Pose World::X_WL(int robot, int link) const {
  const Frame& f = slot(robot).scratch.frames[static_cast<std::size_t>(link)];
  return {f.R, base_position(q(robot).data()) + f.p};
}

Pose World::X_WO(int robot, int object) const {
  const ObjectInfo& o = slot(robot).context.kind->objects[static_cast<std::size_t>(object)];
  return X_WL(robot, o.link) * o.X_LO;
}

std::vector<Frame> World::moving_frames(int robot) const {
  const RobotKind& kind = *slot(robot).context.kind;
  std::vector<Frame> frames(kind.links.size());
  compute_frames(kind, q(robot).data(), v(robot).data(), frames.data());
  return frames;
}

Vec3 World::velocity(int robot, int link, Vec3 p_L) const {
  const Frame f = moving_frames(robot)[static_cast<std::size_t>(link)];
  return base_velocity(v(robot).data()) + velocity_at(f.V, f.p + f.R * p_L);
}

Vec3 World::centre_of_mass(int robot) const {
  const RobotKind& kind = *slot(robot).context.kind;
  double mass;
  Vec3 com;
  Sym3 J;
  common_body(kind, slot(robot).scratch.frames.data(), mass, com, J);
  return base_position(q(robot).data()) + com;
}

Vec6 World::momentum(int robot) const {
  const RobotKind& kind = *slot(robot).context.kind;
  const Vec3 p = base_position(q(robot).data());
  const Vec6 about_root =
      gradus::momentum(kind.links.data(), kind.nlink(), moving_frames(robot).data(), base_velocity(v(robot).data()));
  return {about_root.a + cross(p, about_root.l), about_root.l};
}

double World::energy(int robot) const {
  const RobotKind& kind = *slot(robot).context.kind;
  const Vec3 p = base_position(q(robot).data()), v0 = base_velocity(v(robot).data());
  const std::vector<Frame> frames = moving_frames(robot);
  double sum = 0;
  for (int i = 0; i < kind.nlink(); ++i) {
    const Link& l = kind.links[static_cast<std::size_t>(i)];
    const Frame& f = frames[static_cast<std::size_t>(i)];
    const Vec3 c = f.p + f.R * l.com, u = v0 + velocity_at(f.V, c), w = transpose_times(f.R, f.V.a);
    sum += 0.5 * l.mass * dot(u, u) + 0.5 * dot(w, l.J * w) - l.mass * dot(model_.gravity, p + c);
    if (i > 0)
      sum += 0.5 * l.rotor * v(robot)[static_cast<std::size_t>(5 + i)] * v(robot)[static_cast<std::size_t>(5 + i)];
  }
  return sum;
}

double World::contact_force(int robot, int link) const {
  const RobotKind& kind = *slot(robot).context.kind;
  const auto memory = contact_memory(robot);
  double sum = 0;
  for (int k = kind.point_begin[static_cast<std::size_t>(link)];
       k < kind.point_begin[static_cast<std::size_t>(link) + 1]; ++k)
    sum += memory[static_cast<std::size_t>(k)].fn;
  for (const MovingContact& c : contacts())
    if (c.robot_a == robot && c.link_a == link && c.robot_b < 0) sum += c.force;
  for (const FieldMemory& m : field_memory(robot))
    if (link_of(robot, m) == link) sum += m.fn;
  return sum;
}

/// What encoders and shunts of the motors show; of joints without a chain, the joint's coordinate and no current.
void World::read_motors(Slot& s) const {
  const double* q = state_[0].slab.data() + s.context.at.q + 7;
  std::copy(q, q + s.context.kind->njoint(), s.q_motor.begin());
  for (std::vector<double>* electrical : {&s.current, &s.voltage})
    std::fill(electrical->begin(), electrical->end(), 0.0);
  if (!s.needs.uses_drives) return;
  for (const Chain& c : chains_of(*s.context.kind, s.scratch.drive_own)) {
    const ChainState& chain = chain_state(c, state_[0].slab.data() + s.context.at.drive);
    const auto j = static_cast<std::size_t>(c.joint);
    if (c.gear == GearModel::elastic) s.q_motor[j] = chain.theta;
    s.current[j] = chain.current;
    s.voltage[j] = chain.voltage;
  }
}

RobotOutput World::output(int robot) const {
  const Slot& s = slot(robot);
  const auto nj = static_cast<std::size_t>(s.context.kind->njoint());
  const double* r = state_[0].slab.data() + s.context.at.r + nj;
  RobotOutput o{};
  o.kind = s.context.kind;
  o.k = k();
  o.time = time();
  o.q = q(robot).subspan(7);
  o.v = v(robot).subspan(6);
  o.tau = tau(robot);
  o.p_WB = base_position(q(robot).data());
  o.q_WB = base_orientation(q(robot).data());
  o.w_WB = base_angular_velocity(v(robot).data());
  o.v_WB = base_velocity(v(robot).data());
  const Mat3 R = to_matrix(o.q_WB);
  o.gyro = transpose_times(R, o.w_WB);
  o.accelerometer = transpose_times(R, Vec3{r[3], r[4], r[5]} - model_.gravity);
  Slot& room = const_cast<Slot&>(s);  // made at compile, private to this robot: what the spans below point to
  for (std::size_t i = 0; i < room.foot_force.size(); ++i)
    room.foot_force[i] = contact_force(robot, s.context.kind->feet[i]);
  read_motors(room);
  o.foot_force = s.foot_force;
  o.q_motor = s.q_motor;
  o.current = s.current;
  o.voltage = s.voltage;
  return o;
}

bool World::fallen(int robot) const {
  if (slot(robot).motion->grouped) return false;                                             // stays in its plane
  if (model_.robots[static_cast<std::size_t>(robot)].kind->ball_radius() > 0) return false;  // a ball rolls
  const Vec3 up = to_matrix(base_orientation(q(robot).data())) * slot(robot).up;
  return dot(up, model_.ground.n) < 0.5;
}

void World::set_q(int robot, std::span<const double> q) {
  carry(robot, q, v(robot));
  std::copy(q.begin(), q.end(), state_[0].slab.begin() + slot(robot).context.at.q);
  adopt(robot);
  refresh(robot);
}

void World::set_v(int robot, std::span<const double> v) {
  carry(robot, q(robot), v);
  std::copy(v.begin(), v.end(), state_[0].slab.begin() + slot(robot).context.at.v);
  adopt(robot);
  refresh(robot);
}

void World::carry(int robot, std::span<const double> q_after, std::span<const double> v_after) {
  const Slot& s = slot(robot);
  if (!s.needs.uses_drives) return;
  carry_rotors(chains_of(*s.context.kind, s.scratch.drive_own), q(robot).data() + 7, q_after.data() + 7,
               v_after.data() + 6, state_[0].slab.data() + s.context.at.drive);
}

std::span<double> World::targets(int robot) {
  const RobotContext& c = slot(robot).context;
  return {input_.slab.data() + c.at.target, static_cast<std::size_t>(c.kind->njoint())};
}

std::span<double> World::stiffness(int robot) {
  const RobotContext& c = slot(robot).context;
  if (c.kind->drives.empty()) return {};
  return {input_.slab.data() + c.at.stiffness, static_cast<std::size_t>(c.kind->njoint())};
}

void World::set_push(int robot, int link, Vec3 force, Vec3 p_L) {
  double* push = input_.slab.data() + slot(robot).context.at.target + slot(robot).context.kind->njoint() + kPushLink;
  const double out[7] = {double(link), force.x, force.y, force.z, p_L.x, p_L.y, p_L.z};
  std::copy(out, out + 7, push);
}

World::Push World::push(int robot) const {
  const RobotContext& c = slot(robot).context;
  const double* push = input_.slab.data() + c.at.target + c.kind->njoint() + kPushLink;
  return {static_cast<int>(push[0]), {push[1], push[2], push[3]}, {push[4], push[5], push[6]}};
}

bool World::fits(const Impulse& i) const {
  return i.robot >= 0 && i.robot < robot_count() && i.link >= 0 && i.link < slot(i.robot).context.kind->nlink();
}

bool World::add_impulse(const Impulse& impulse) {
  if (!fits(impulse) || impulses_.size() == impulses_.capacity()) return false;
  impulses_.push_back(impulse);
  return true;
}

bool World::fits(std::span<const double> input) const {
  if (input.size() != input_.slab.size()) return false;
  for (const Slot& s : slots_) {
    const double link = input[static_cast<std::size_t>(s.context.at.target + s.context.kind->njoint() + kPushLink)];
    if (!(link >= -1 && link < s.context.kind->nlink())) return false;
  }
  return true;
}

bool World::set_input(std::span<const double> input) {
  if (!fits(input)) return false;
  std::copy(input.begin(), input.end(), input_.slab.begin());
  return true;
}

}  // namespace gradus
