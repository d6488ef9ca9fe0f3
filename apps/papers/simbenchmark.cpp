#include <fmt/format.h>

#include <cmath>
#include <random>

#include "papers/anymal_tasks.h"
#include "papers/free_scene.h"
#include "papers/mujoco_peer.h"
#include "papers/paper.h"

/// SimBenchmark [leggedrobotics/SimBenchmark; facts/legged.md 1.1], the sliding cube of ContactBench (1.3), Drake's
/// sphere on a slope (1.4) and Gazebo's tumbling box (1.5), all through World, at 1 ms. Peers: figures published or
/// measured before on Debian's packages [facts/legged.md 1.1 to 1.5], and Debian's MuJoCo in the same run where it is
/// installed.
namespace gradus::cli {
namespace {

constexpr double kStep = 0.001, kGravity = 9.81;

double square(double x) { return x * x; }

/// A box on the ground pushed with 150 N, 25 balls on it that must roll. Mean of |v_box − ref|² + |v_ball − ref|².
std::optional<double> rolling(Vec3 direction, double seconds) {
  FreeScene s(kStep);
  s.floor("ground");
  constexpr double kOverlap = 2e-5;
  s.box(10, {20, 20, 1}, {0, 0, 0.5 - kOverlap}, "box");
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) s.sphere(1, 0.5, {-4.0 + 2 * i, -4.0 + 2 * j, 1.5 - 3 * kOverlap}, "ball");
  s.spec.contact.pairs = {{"ground", "box", 0.4, {}, {}, {}, {}, {}, {}}, {"box", "ball", 0.8, {}, {}, {}, {}, {}, {}}};
  const auto w = s.make();
  if (!w) return std::nullopt;
  const double f1 = 0.4 * 35 * kGravity, f2 = (150 - f1) / 10 / (3.5 + 2.5), a_box = (150 - f1 - 25 * f2) / 10;
  w->set_push(0, 0, direction * 150.0, {0, 0, 0});
  const auto steps = static_cast<int>(std::lround(seconds / kStep));
  double sum = 0;
  for (int i = 0; i < steps; ++i) {
    const double t = i * kStep;
    const Vec3 box = base_velocity(w->v(0).data()) - direction * (a_box * t),
               ball = base_velocity(w->v(1).data()) - direction * (f2 * t);
    sum += dot(box, box) + dot(ball, ball);
    w->step();
  }
  return sum / steps;
}

Vec3 place(mujoco::View m, int body) { return {m.q[7 * body], m.q[7 * body + 1], m.q[7 * body + 2]}; }
Vec3 velocity(mujoco::View m, int body) { return {m.v[6 * body], m.v[6 * body + 1], m.v[6 * body + 2]}; }

std::optional<double> mujoco_rolling(Vec3 direction, double seconds) {
  mujoco::Task t;
  t.floor_friction = 0.4;
  t.push = direction * 150.0;
  t.bodies.push_back({true, 10, 0.4, {10, 10, 0.5}, {0, 0, 0.5 - 2e-5}});
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      t.bodies.push_back({false, 1, 0.8, {0.5, 0, 0}, {-4.0 + 2 * i, -4.0 + 2 * j, 1.5 - 6e-5}});
  const double f1 = 0.4 * 35 * kGravity, f2 = (150 - f1) / 10 / (3.5 + 2.5), a_box = (150 - f1 - 25 * f2) / 10;
  const auto steps = static_cast<int>(std::lround(seconds / kStep));
  double sum = 0;
  const bool ran = mujoco::run(
      t, steps, [](mujoco::View) {},
      [&](mujoco::View m, int i) {
        if (i == steps) return;
        const Vec3 box = velocity(m, 0) - direction * (a_box * i * kStep),
                   ball = velocity(m, 1) - direction * (f2 * i * kStep);
        sum += dot(box, box) + dot(ball, ball);
      });
  return ran ? std::optional<double>(sum / steps) : std::nullopt;
}

double total_energy(const World& w) {
  double e = 0;
  for (int i = 0; i < w.robot_count(); ++i) e += w.energy(i);
  return e;
}

/// Mean of (E − E0)² while elastic balls fly and bounce.
std::optional<double> energy_error(FreeScene& s, double seconds) {
  s.spec.contact.restitution = 1;
  s.spec.contact.friction = 0;
  s.spec.contact.impact_speed = 0.001;
  const auto w = s.make();
  if (!w) return std::nullopt;
  const double e0 = total_energy(*w);
  const auto steps = static_cast<int>(std::lround(seconds / kStep));
  double sum = 0;
  for (int i = 0; i < steps; ++i) {
    sum += square(total_energy(*w) - e0);
    w->step();
  }
  return sum / steps;
}

std::optional<double> bouncing(double seconds) {
  FreeScene s(kStep);
  s.floor();
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 7; ++j) s.sphere(10, 0.1, {2.0 * i, 2.0 * j, 5});
  return energy_error(s, seconds);
}

/// 6 × 6 × 6 balls, the lowest with their centres at z.
FreeScene balls_666(double z) {
  FreeScene s(kStep);
  s.floor();
  std::mt19937 generator(42);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      for (int k = 0; k < 6; ++k) {
        const double x = uniform(generator), y = uniform(generator), dz = uniform(generator);
        s.sphere(10, 0.1, {0.21 * i + 0.001 * x, 0.21 * j + 0.001 * y, z + 0.21 * k + 0.001 * dz});
      }
  return s;
}

/// Sum of squared overlaps of n balls with each other and the ground [m²]; at(i): centre of ball i.
template <class At>
double overlaps(int n, double radius, const At& at) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const Vec3 p = at(i);
    if (p.z < radius) sum += square(radius - p.z);
    for (int j = i + 1; j < n; ++j) {
      const Vec3 d = at(j) - p;
      const double d2 = dot(d, d);
      if (d2 < 4 * radius * radius) sum += square(2 * radius - std::sqrt(d2));
    }
  }
  return sum;
}

std::optional<double> stack_666(double seconds) {
  FreeScene s = balls_666(0.101);
  s.spec.contact.friction = 0;
  const auto w = s.make();
  if (!w) return std::nullopt;
  const auto steps = static_cast<int>(std::lround(seconds / kStep));
  double sum = 0;
  for (int i = 0; i < steps; ++i) {
    sum += overlaps(w->robot_count(), 0.1, [&](int b) { return base_position(w->q(b).data()); });
    w->step();
  }
  return sum / steps;
}

std::optional<double> mujoco_666(double seconds) {
  const FreeScene s = balls_666(0.101);
  mujoco::Task t;
  t.floor_friction = 0;
  for (const RobotInstanceSpec& r : s.spec.robots) t.bodies.push_back({false, 10, 0, {0.1, 0, 0}, r.p_WB});
  const auto steps = static_cast<int>(std::lround(seconds / kStep));
  double sum = 0;
  const bool ran = mujoco::run(
      t, steps, [](mujoco::View) {},
      [&](mujoco::View m, int i) {
        if (i < steps) sum += overlaps(216, 0.1, [&](int b) { return place(m, b); });
      });
  return ran ? std::optional<double>(sum / steps) : std::nullopt;
}

/// Stopping distance of a cube of 0.2 m sliding at 1 m/s, friction 0.4: error in percent.
std::optional<double> sliding(double degrees) {
  FreeScene s(kStep);
  s.floor();
  s.spec.contact.friction = 0.4;
  s.box(1, {0.2, 0.2, 0.2}, {0, 0, 0.1});
  const double angle = degrees / 180 * 3.14159265358979324, exact = 1 / (2 * 0.4 * kGravity);
  s.last().v_WB = {std::cos(angle), std::sin(angle), 0};
  const auto w = s.make();
  if (!w) return std::nullopt;
  for (int i = 0; i < 1000; ++i) w->step();
  const Vec3 p = base_position(w->q(0).data());
  return 100 * (std::hypot(p.x, p.y) / exact - 1);
}

std::optional<double> mujoco_sliding(double degrees) {
  mujoco::Task t;
  t.floor_friction = 0.4;
  t.bodies.push_back({true, 1, 0.4, {0.1, 0.1, 0.1}, {0, 0, 0.1}});
  const double angle = degrees / 180 * 3.14159265358979324, exact = 1 / (2 * 0.4 * kGravity);
  double way = 0;
  const bool ran = mujoco::run(
      t, 1000, [&](mujoco::View m) { m.v[0] = std::cos(angle), m.v[1] = std::sin(angle); },
      [&](mujoco::View m, int) { way = std::hypot(m.q[0], m.q[1]); });
  return ran ? std::optional<double>(100 * (way / exact - 1)) : std::nullopt;
}

std::optional<double> mujoco_incline() {
  constexpr double pitch = 15.0 / 180 * 3.14159265358979324;
  mujoco::Task t;
  t.gravity = {kGravity * std::sin(pitch), 0, -kGravity * std::cos(pitch)};
  t.floor_friction = 0.5;
  t.bodies.push_back({false, 0.1, 0.5, {0.05, 0, 0}, {0, 0, 0.05}});
  double error = 0;
  const bool ran = mujoco::run(
      t, 1000, [](mujoco::View) {},
      [&](mujoco::View m, int i) {
        const double fallen = dot(t.gravity, place(m, 0) - Vec3{0, 0, 0.05}) / kGravity;
        if (i == 1000) error = norm(velocity(m, 0)) / std::sqrt(2 * kGravity * fallen / 1.4) - 1;
      });
  return ran ? std::optional<double>(error) : std::nullopt;
}

/// Relative error of the speed of a ball that has rolled down a slope of 15° for a second; v² = 2 g h/1.4.
std::optional<double> incline() {
  constexpr double pitch = 15.0 / 180 * 3.14159265358979324, radius = 0.05;
  FreeScene s(kStep);
  s.floor("", pitch);
  s.spec.contact.friction = 0.5;
  const Vec3 n = s.spec.field[0].X_WO.R.z;
  s.sphere(0.1, radius, n * radius);
  const auto w = s.make();
  if (!w) return std::nullopt;
  for (int i = 0; i < 1000; ++i) w->step();
  const double fallen = (n * radius).z - base_position(w->q(0).data()).z;
  return norm(base_velocity(w->v(0).data())) / std::sqrt(2 * kGravity * fallen / 1.4) - 1;
}

struct Tumble {
  double momentum = 0, energy = 0, place = 0;
};

/// A tumbling box in flight for 10 s: largest relative errors of angular momentum and energy, and of its path.
std::optional<Tumble> boxes() {
  FreeScene s(kStep);
  s.spec.gravity = {0, 0, -9.8};
  s.box(10, {0.1, 0.4, 0.9}, {0, 0, 0});
  const Vec3 v0{-2, 2, 8};
  s.last().v_WB = v0;
  s.last().w_WB = {0.1, 5, 0.1};
  const auto w = s.make();
  if (!w) return std::nullopt;
  const auto spin = [&] {  // about the centre, in the world
    const Mat3 R = to_matrix(base_orientation(w->q(0).data()));
    const Vec3 o = transpose_times(R, base_angular_velocity(w->v(0).data()));
    const Sym3 I = inertia_of_box(10, {0.1, 0.4, 0.9});
    return R * (I * o);
  };
  const Vec3 H0 = spin();
  const double E0 = w->energy(0);
  Tumble t;
  for (int i = 1; i <= 10000; ++i) {
    w->step();
    const double time = i * kStep;
    const Vec3 p = v0 * time + Vec3{0, 0, -4.9 * time * time};
    t.momentum = std::max(t.momentum, norm(spin() - H0) / norm(H0));
    t.energy = std::max(t.energy, std::abs(w->energy(0) - E0) / E0);
    t.place = std::max(t.place, norm(base_position(w->q(0).data()) - p));
  }
  return t;
}

/// Published peers, and the one that runs along.
Json with(Json peers, std::optional<double> here) {
  if (here) peers[mujoco::name() + ", here"] = *here;
  return peers;
}

/// The rows of the report, and how many figures are as asked.
struct Table {
  Json rows = Json::array();
  int kept = 0;

  void add(const char* quantity, const char* unit, std::optional<double> ours, double low, double high, Json peers) {
    peers["asked"] = low == 0 ? fmt::format("≤ {:g}", high) : fmt::format("{:g} … {:g}", low, high);
    rows.push_back(PaperRow{
        .quantity = quantity, .unit = unit, .peers = std::move(peers), .gradus = ours ? Json(*ours) : Json(nullptr)});
    kept += ours && *ours >= low && *ours <= high;
  }
};

void add_balls(double part, Table& table) {
  table.add("rolling y: mean squared velocity error", "m²/s²", rolling({0, 1, 0}, 4 * part), 0, 5e-7,
            with({{"RaiSim", 4.1e-7}, {"Bullet", 4.9e-9}, {"ODE", 7.7e-9}, {"MuJoCo", 8.1e-3}, {"DART", 5e-9}},
                 mujoco_rolling({0, 1, 0}, 4 * part)));
  table.add("rolling xy: mean squared velocity error", "m²/s²", rolling({0.5, 0.86602540378443865, 0}, 4 * part), 0,
            5e-7,
            with({{"RaiSim", 4.1e-7}, {"Bullet", 5.7e-9}, {"ODE", 3.14497}, {"MuJoCo", 6.7e-3}, {"DART", 3.14497}},
                 mujoco_rolling({0.5, 0.86602540378443865, 0}, 4 * part)));
  table.add("bouncing: mean squared energy error", "J²", bouncing(20 * part), 0, 1e-6,
            {{"RaiSim", 0.0186}, {"ODE", 185.03}, {"Bullet", 185.06}, {"DART", 72274}});
  table.add(
      "666: mean squared overlap", "m²", stack_666(10 * part), 0, 1e-5,
      with({{"RaiSim", 1.35e-4}, {"ODE", 1.4e-4}, {"Bullet", 5.3e-5}, {"MuJoCo", 4.3e-4}}, mujoco_666(10 * part)));
  FreeScene elastic = balls_666(1.101);
  table.add("elastic 666: mean squared energy error", "J²", energy_error(elastic, 10 * part), 0, 1,
            {{"RaiSim", 8.4}, {"ODE", 112}, {"Bullet", 4.3e8}});
}

void add_slides(Table& table) {
  table.add("sliding cube, 0°: stopping distance", "%", sliding(0), -0.44, -0.34,
            with({{"ODE", -0.39}, {"Bullet", -3.7}, {"MuJoCo elliptic", -0.24}}, mujoco_sliding(0)));
  table.add("sliding cube, 30°: stopping distance", "%", sliding(30), -0.44, -0.34,
            with({{"ODE", -23}, {"Bullet", -5.6}, {"MuJoCo elliptic", 1.1}}, mujoco_sliding(30)));
  table.add("sliding cube, 45°: stopping distance", "%", sliding(45), -0.44, -0.34,
            with({{"ODE", -30}, {"Bullet", -0.39}, {"MuJoCo elliptic", -0.06}}, mujoco_sliding(45)));
  table.add("ball on a slope: relative error of speed", "", incline(), -5.5e-4, 5.5e-4,
            with({{"ODE", -5e-4}, {"Bullet", -5e-4}, {"MuJoCo elliptic", -1.5e-3}}, mujoco_incline()));
}

void add_tumble(Table& table) {
  const auto tumble = boxes();
  const auto of = [&](double Tumble::*part_of) {
    return tumble ? std::optional<double>((*tumble).*part_of) : std::nullopt;
  };
  table.add("tumbling box: largest relative error of angular momentum", "", of(&Tumble::momentum), 0, 1.3e-2,
            {{"ODE", 2.2e-2}, {"Bullet", 1.3e-2}, {"MuJoCo", 1.3e-2}, {"MuJoCo RK4", 1.6e-6}});
  table.add("tumbling box: largest relative error of energy", "", of(&Tumble::energy), 0, 1.0e-2,
            {{"ODE", 1.4e-2}, {"Bullet", 1.0e-2}, {"MuJoCo", 1.2e-2}, {"MuJoCo RK4", 1.7e-11}});
  table.add("tumbling box: largest error of place", "m", of(&Tumble::place), 0, 0.049,
            {{"ODE", 0.049}, {"Bullet", 0.06}, {"MuJoCo", 0.049}, {"MuJoCo RK4", 0.0}});
}

/// Standing costs time, so it is measured against MuJoCo by turns; the published figures are of other machines.
void add_anymal(double part, Table& table) {
  table.add("ANYmal energy: mean squared error in flight", "J²", anymal_energy(part), 0, 0.0118,
            {{"RaiSim", 0.0118}, {"MuJoCo", 3.48}, {"MuJoCo RK4", 1.6e-17}, {"Bullet", 3.65}, {"ODE", 3.89}, {"DART", 237}});
  table.add("ANYmal momentum: mean squared error", "N² s²", anymal_momentum(part), 0, 4.7e-5,
            {{"RaiSim", 4.7e-5}, {"MuJoCo", 1.1e-3}, {"MuJoCo RK4", 3e-13}, {"Bullet", 2.7e-4}, {"ODE", 5e-26}, {"DART", 169}});
  const auto standing = anymal_standing(part < 1 ? 1000 : 50000);
  if (!standing) return;
  const AnymalStanding::Row &one = standing->rows.front(), &hundred = standing->rows.back();
  Json peers{{"RaiSim (its authors' machine)", 8.2}};
  if (one.mujoco_us > 0) peers[mujoco::name() + ", here"] = one.mujoco_us;
  table.add("ANYmal standing, steps of 5 ms: time of a step", "µs", one.us, 0, one.mujoco_us > 0 ? one.mujoco_us / 8 : 1e9, std::move(peers));
  table.add("ANYmal standing: a step of one of 100 robots, times that of one alone", "", hundred.us / one.us, 0, 1.3, {{"RaiSim", 1.66}, {"MuJoCo", 1.34}});
  peers = Json{{"MuJoCo without its no-slip pass", 0.239}};
  if (standing->mujoco_height > 0) peers[mujoco::name() + ", here"] = standing->mujoco_height;
  table.add("ANYmal standing: height of the lowest of all bases at the end", "m", standing->height, 0.51, 0.54, std::move(peers));
  table.add("ANYmal standing: drift from second 10 to the end", "mm", 1e3 * standing->drift, 0, 0.1, {{"MuJoCo", 0.1}});
}

}  // namespace

std::optional<Json> simbenchmark(const PaperOptions& options) {
  Table table;
  add_balls(options.quick ? 0.02 : 1, table);
  add_slides(table);
  add_tumble(table);
  add_anymal(options.quick ? 0.1 : 1, table);
  return Json{{"name", "simbenchmark"},
              {"rows", table.rows},
              {"verdict", fmt::format("{} of {} figures as asked{}", table.kept, table.rows.size(),
                                      options.quick ? " (short runs)" : "")}};
}

}  // namespace gradus::cli
