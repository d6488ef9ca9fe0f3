// What can be read from a World between steps, and the changes that users may make there.
#include <algorithm>
#include <cmath>
#include <utility>

#include "contact/contact_set.h"
#include "drive/drives.h"
#include "world/world.h"
#include "tree/kernels.h"
#include "tree/pairs.h"

namespace gradus {

std::span<const double> World::q(int robot) const {
  return {numbers(engine_->at(robot).q), static_cast<std::size_t>(engine_->kind(robot).nq())};
}

std::span<const double> World::v(int robot) const {
  return {numbers(engine_->at(robot).v), static_cast<std::size_t>(engine_->kind(robot).nv())};
}

std::span<const double> World::tau(int robot) const {
  return {numbers(engine_->at(robot).r), static_cast<std::size_t>(engine_->kind(robot).njoint())};
}

const ChainState* World::chain_of(int robot, int joint) const {
  const int drive = engine_->kind(robot).joints[static_cast<std::size_t>(joint)].drive;
  if (drive < 0 || !engine_->needs(robot).uses_drives) return nullptr;
  return &chain_state(engine_->chains(robot)[static_cast<std::size_t>(drive)], numbers(engine_->at(robot).drive));
}

double World::motor_angle(int robot, int joint) const {
  const ChainState* chain = chain_of(robot, joint);
  const RobotKind& kind = engine_->kind(robot);
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
  double sum = 0;
  if (!engine_->needs(robot).uses_drives) return sum;
  for (const Chain& c : engine_->chains(robot))
    sum += stored_energy(c, chain_state(c, numbers(engine_->at(robot).drive)),
                         q(robot)[static_cast<std::size_t>(7 + c.joint)]);
  return sum;
}

ContactSet World::contacts() const { return engine_->contacts(); }
double World::contact_force(int robot, int link) const { return contacts().load(robot, link); }

std::span<const double> World::private_state(int robot) const {
  const RobotLayout& at = engine_->at(robot);
  return {numbers(at.z), static_cast<std::size_t>(at.z_size)};
}

Pose World::X_WL(int robot, int link) const {
  const Frame& f = engine_->frames(robot)[static_cast<std::size_t>(link)];
  return {f.R, base_position(q(robot).data()) + f.p};
}

Pose World::X_WO(int robot, int object) const {
  const ObjectInfo& o = engine_->kind(robot).objects[static_cast<std::size_t>(object)];
  return X_WL(robot, o.link) * o.X_LO;
}

std::vector<Frame> World::moving_frames(int robot) const {
  const RobotKind& kind = engine_->kind(robot);
  std::vector<Frame> frames(kind.links.size());
  compute_frames(kind, q(robot).data(), v(robot).data(), frames.data());
  return frames;
}

Vec3 World::velocity(int robot, int link, Vec3 p_L) const {
  const Frame f = moving_frames(robot)[static_cast<std::size_t>(link)];
  return base_velocity(v(robot).data()) + velocity_at(f.V, f.p + f.R * p_L);
}

Vec3 World::centre_of_mass(int robot) const {
  const RobotKind& kind = engine_->kind(robot);
  double mass;
  Vec3 com;
  Sym3 J;
  common_body(kind, engine_->frames(robot).data(), mass, com, J);
  return base_position(q(robot).data()) + com;
}

Vec6 World::momentum(int robot) const {
  const RobotKind& kind = engine_->kind(robot);
  const Vec3 p = base_position(q(robot).data());
  const Vec6 about_root =
      gradus::momentum(kind.links.data(), kind.nlink(), moving_frames(robot).data(), base_velocity(v(robot).data()));
  return {about_root.a + cross(p, about_root.l), about_root.l};
}

double World::energy(int robot) const {
  const RobotKind& kind = engine_->kind(robot);
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

namespace {

/// Puts what sensors show into the places of what they measure.
void look_through_sensors(const World& w, ImageSource* images, int robot, OutputRoom& room, RobotOutput& o) {
  const std::span<const sense::Sensor> sensors = w.sensors(robot);
  room.sensors.resize(sensors.size());
  room.q.assign(o.q.begin(), o.q.end());
  room.v.assign(o.v.begin(), o.v.end());
  bool gyro = false, accelerometer = false;  // the first one of the base counts
  for (std::size_t i = 0; i < sensors.size(); ++i) {
    const sense::Sensor& s = sensors[i];
    const sense::Reading r = w.read(robot, static_cast<int>(i));
    room.sensors[i] = {s.name, s.table->name, s.channels, r.values, r.truth, r.time, r.sample,
                       s.table->images ? images : nullptr, robot, static_cast<int>(i)};
    const auto in_base = [&] { return s.X_LS.R * Vec3{r.values[0], r.values[1], r.values[2]}; };
    const auto into = [&](std::vector<double>& out) {
      for (std::size_t c = 0; c < s.ids.size(); ++c) out[static_cast<std::size_t>(s.ids[c])] = r.values[c];
    };
    switch (s.feeds()) {
      case sense::Feeds::nothing:
        break;
      case sense::Feeds::joints:
        into(room.q);
        for (std::size_t c = 0; c < s.ids.size() && !s.ideal; ++c)
          room.v[static_cast<std::size_t>(s.ids[c])] = (r.values[c] - r.before[c]) / std::max(s.period, w.model().step);
        break;
      case sense::Feeds::motors:
        into(room.q_motor);
        break;
      case sense::Feeds::current:
        into(room.current);
        break;
      case sense::Feeds::gyro:
        if (s.link == 0 && !std::exchange(gyro, true)) o.gyro = in_base();
        break;
      case sense::Feeds::accelerometer:
        if (s.link == 0 && !std::exchange(accelerometer, true)) o.accelerometer = in_base();
        break;
      case sense::Feeds::feet:
        for (std::size_t f = 0; f < o.kind->feet.size(); ++f)
          if (o.kind->feet[f] == s.link) room.foot_force[f] = r.values[0] + r.values[1] + r.values[2] + r.values[3];
        break;
    }
  }
  o.q = room.q;
  o.v = room.v;
  o.sensors = room.sensors;
}

}  // namespace

RobotOutput World::output(int robot, OutputRoom& room) const {
  const RobotKind& kind = engine_->kind(robot);
  const auto nj = static_cast<std::size_t>(kind.njoint());
  const double* r = numbers(engine_->at(robot).r) + nj;
  RobotOutput o{};
  o.kind = &kind;
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
  room.foot_force.resize(kind.feet.size());
  for (std::size_t i = 0; i < kind.feet.size(); ++i) room.foot_force[i] = contact_force(robot, kind.feet[i]);
  // What encoders and shunts of the motors show; of joints without a chain, the joint's coordinate and no current.
  room.q_motor.assign(o.q.begin(), o.q.end());
  room.current.assign(nj, 0.0);
  room.voltage.assign(nj, 0.0);
  if (engine_->needs(robot).uses_drives)
    for (const Chain& c : engine_->chains(robot)) {
      const ChainState& chain = chain_state(c, numbers(engine_->at(robot).drive));
      const auto j = static_cast<std::size_t>(c.joint);
      if (c.gear == GearModel::elastic) room.q_motor[j] = chain.theta;
      room.current[j] = chain.current;
      room.voltage[j] = chain.voltage;
    }
  o.foot_force = room.foot_force;
  o.q_motor = room.q_motor;
  o.current = room.current;
  o.voltage = room.voltage;
  if (!sensors(robot).empty()) look_through_sensors(*this, images_, robot, room, o);
  return o;
}

bool World::fallen(int robot) const {
  if (motion(robot).grouped) return false;                                                   // stays in its plane
  if (model_.robots[static_cast<std::size_t>(robot)].kind->ball_radius() > 0) return false;  // a ball rolls
  const Vec3 up = to_matrix(base_orientation(q(robot).data())) * up_[static_cast<std::size_t>(robot)];
  return dot(up, model_.ground.n) < 0.5;
}

namespace {

bool all_finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

bool World::set_q(int robot, std::span<const double> q) {
  if (q.size() != this->q(robot).size() || !all_finite(q)) return false;
  const double error = energy_error();
  wake(robot);
  carry(robot, q, v(robot));
  std::copy(q.begin(), q.end(), state_[0].slab.begin() + engine_->at(robot).q);
  engine_->adopt(robot, state_[0], input_);
  refresh(robot);
  keep_error(error);
  return true;
}

bool World::set_v(int robot, std::span<const double> v) {
  if (v.size() != this->v(robot).size() || !all_finite(v)) return false;
  const double error = energy_error();
  wake(robot);
  carry(robot, q(robot), v);
  std::copy(v.begin(), v.end(), state_[0].slab.begin() + engine_->at(robot).v);
  engine_->adopt(robot, state_[0], input_);
  refresh(robot);
  keep_error(error);
  return true;
}

void World::carry(int robot, std::span<const double> q_after, std::span<const double> v_after) {
  if (!engine_->needs(robot).uses_drives) return;
  carry_rotors(engine_->chains(robot), q(robot).data() + 7, q_after.data() + 7, v_after.data() + 6,
               state_[0].slab.data() + engine_->at(robot).drive);
}

std::span<const double> World::targets(int robot) const {
  return {input_.slab.data() + engine_->at(robot).target, static_cast<std::size_t>(engine_->kind(robot).njoint())};
}
std::span<double> World::targets(int robot) {
  return {input_.slab.data() + engine_->at(robot).target, static_cast<std::size_t>(engine_->kind(robot).njoint())};
}

std::span<const double> World::stiffness(int robot) const {
  if (engine_->kind(robot).drives.empty()) return {};
  return {input_.slab.data() + engine_->at(robot).stiffness, static_cast<std::size_t>(engine_->kind(robot).njoint())};
}
std::span<double> World::stiffness(int robot) {
  if (engine_->kind(robot).drives.empty()) return {};
  return {input_.slab.data() + engine_->at(robot).stiffness, static_cast<std::size_t>(engine_->kind(robot).njoint())};
}

RobotCommand World::command(int robot) {
  RobotCommand c{targets(robot), stiffness(robot), {}, {}, {}, {}};
  const int at = engine_->at(robot).impedance;
  if (at < 0) return c;
  const auto n = static_cast<std::size_t>(engine_->kind(robot).njoint());
  double* numbers = input_.slab.data() + at;
  c.velocity = {numbers, n}, c.torque = {numbers + n, n}, c.kp = {numbers + 2 * n, n}, c.kd = {numbers + 3 * n, n};
  return c;
}

void World::set_push(int robot, int link, Vec3 force, Vec3 p_L) {
  double* push = input_.slab.data() + engine_->at(robot).target + engine_->kind(robot).njoint() + kPushLink;
  const double out[7] = {double(link), force.x, force.y, force.z, p_L.x, p_L.y, p_L.z};
  pushes_ += (link >= 0) - (push[0] >= 0);
  std::copy(out, out + 7, push);
  if (link >= 0) wake(robot);
}

World::Push World::push(int robot) const {
  const double* push = input_.slab.data() + engine_->at(robot).target + engine_->kind(robot).njoint() + kPushLink;
  return {static_cast<int>(push[0]), {push[1], push[2], push[3]}, {push[4], push[5], push[6]}};
}

bool World::fits(const Impulse& i) const {
  return i.robot >= 0 && i.robot < robot_count() && i.link >= 0 && i.link < engine_->kind(i.robot).nlink();
}

bool World::add_impulse(const Impulse& impulse) {
  if (!fits(impulse) || input_.impulses.size() == input_.impulses.capacity()) return false;
  input_.impulses.push_back(impulse);
  wake(impulse.robot);
  return true;
}

bool World::fits(std::span<const double> input) const {
  if (input.size() != input_.slab.size()) return false;
  for (int r = 0; r < robot_count(); ++r) {
    const RobotKind& kind = engine_->kind(r);
    const double link = input[static_cast<std::size_t>(engine_->at(r).target + kind.njoint() + kPushLink)];
    if (!(link >= -1 && link < kind.nlink())) return false;
  }
  return true;
}

bool World::set_input(std::span<const double> input) {
  if (!fits(input)) return false;
  std::copy(input.begin(), input.end(), input_.slab.begin());
  count_pushes();
  for (int r = 0; pushes_ > 0 && r < robot_count(); ++r)
    if (push(r).link >= 0) wake(r);
  return true;
}

}  // namespace gradus
