// Fits the actuator chains of servos/*.toml to recordings, with the engine itself as the model
// (apps/cli/papers/recordings.h).
//
//   ninja -C build/release fit_servos
//   build/release/tools/fit_servos xl330|go1|xm430 DATA [evaluations] [seed]
//
// Prints the best error so far to standard error and in the end the parameters, which go into the servo file by hand,
// together with the error on each recording. CMA-ES [Hansen 2016, arXiv 1604.00772] in coordinates that map every
// parameter to 0 … 1 (logarithmically where it spans decades), reflected at the borders.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "cli/papers/recordings.h"

namespace {

using gradus::DriveSpec;
using gradus::cli::Recording;
using Vector = std::vector<double>;

struct Parameter {
  const char* name;
  double low, high;
  bool decades;
  std::function<void(DriveSpec&, double)> put;
};

double value(const Parameter& p, double u) {
  u = std::fmod(std::fabs(u), 2.0);
  if (u > 1) u = 2 - u;
  return p.decades ? p.low * std::pow(p.high / p.low, u) : p.low + (p.high - p.low) * u;
}

struct Task {
  std::string set;
  bool rms;
  DriveSpec start;
  std::vector<Parameter> parameters;
};

void add_friction(std::vector<Parameter>& out) {
  out.push_back({"friction.coulomb [N m]", 1e-4, 0.5, true, [](DriveSpec& d, double x) { d.friction.coulomb = x; }});
  out.push_back(
      {"friction.viscous [N m s/rad]", 1e-5, 0.5, true, [](DriveSpec& d, double x) { d.friction.viscous = x; }});
  out.push_back({"friction.stribeck [N m]", 1e-4, 0.5, true, [](DriveSpec& d, double x) { d.friction.stribeck = x; }});
  out.push_back({"friction.stribeck_speed [rad/s]", 0.02, 10, true,
                 [](DriveSpec& d, double x) { d.friction.stribeck_speed = x; }});
  out.push_back({"friction.load", 1e-3, 0.9, true, [](DriveSpec& d, double x) { d.friction.load = x; }});
  out.push_back(
      {"friction.load_stribeck", 1e-3, 0.9, true, [](DriveSpec& d, double x) { d.friction.load_stribeck = x; }});
  out.push_back({"delay [s]", 0, 0.03, false, [](DriveSpec& d, double x) { d.delay = x; }});
}

/// Firmware gain 100 and 7.4 V; figures of the motor behind its gear.
Task xl330() {
  Task t{"xl330_pendulum", false, {}, {}};
  t.start.controller.limit = 7.4;
  t.parameters = {
      {"motor.resistance [ohm]", 1, 10, true, [](DriveSpec& d, double x) { d.motor.resistance = x; }},
      {"motor.torque_constant [N m/A]", 0.2, 2, true,
       [](DriveSpec& d, double x) { d.motor.torque_constant = d.motor.back_emf = x; }},
      {"motor.inertia [kg m^2]", 1e-4, 5e-2, true, [](DriveSpec& d, double x) { d.motor.inertia = x; }},
      {"controller.kp [V/rad]", 0.5, 20, true, [](DriveSpec& d, double x) { d.controller.kp = x; }},
  };
  add_friction(t.parameters);
  return t;
}

/// Torque-controlled: commanded 10 N m/rad and 0.3 N m s/rad, of which a share arrives.
Task go1() {
  Task t{"go1_pendulum", false, {}, {}};
  t.start.controller.limit = 23.7;
  t.parameters = {
      {"controller.kp [N m/rad]", 6, 15, true, [](DriveSpec& d, double x) { d.controller.kp = x; }},
      {"controller.kd [N m s/rad]", 0.03, 1, true, [](DriveSpec& d, double x) { d.controller.kd = x; }},
      {"motor.inertia [kg m^2]", 1e-4, 3e-2, true, [](DriveSpec& d, double x) { d.motor.inertia = x; }},
  };
  add_friction(t.parameters);
  return t;
}

/// Resistance 1 ohm: only gain, limit and back EMF at the joint can be seen.
Task xm430() {
  Task t{"xm430_w210", true, {}, {}};
  t.start.motor.resistance = 1;
  t.parameters = {
      {"motor.torque_constant [N m/A]", 0.01, 0.7, true,
       [](DriveSpec& d, double x) { d.motor.torque_constant = d.motor.back_emf = x; }},
      {"motor.inertia [kg m^2]", 1e-5, 1e-2, true, [](DriveSpec& d, double x) { d.motor.inertia = x; }},
      {"controller.kp [V/rad]", 1, 300, true, [](DriveSpec& d, double x) { d.controller.kp = x; }},
      {"controller.kd [V s/rad]", 1e-3, 5, true, [](DriveSpec& d, double x) { d.controller.kd = x; }},
      {"controller.limit [V]", 0.1, 20, true, [](DriveSpec& d, double x) { d.controller.limit = x; }},
  };
  add_friction(t.parameters);
  return t;
}

DriveSpec drive_of(const Task& t, const Vector& u) {
  DriveSpec d = t.start;
  for (std::size_t i = 0; i < u.size(); ++i) t.parameters[i].put(d, value(t.parameters[i], u[i]));
  return d;
}

double error_on(const Task& t, const Recording& r, const DriveSpec& d) {
  const auto sim = gradus::cli::replay(r, gradus::cli::for_log(d, r));
  const double e = sim ? (t.rms ? sim->rms : sim->mean_abs) : NAN;
  return std::isfinite(e) ? e : 1e3;
}

double cost(const Task& t, const std::vector<Recording>& recordings, const Vector& u) {
  const DriveSpec d = drive_of(t, u);
  double sum = 0;
  for (const Recording& r : recordings) sum += error_on(t, r, d);
  return sum / static_cast<double>(recordings.size());
}

/// Symmetric n × n, row-major.
struct Square {
  explicit Square(std::size_t size) : n(size), m(size * size, 0.0) {
    for (std::size_t i = 0; i < n; ++i) (*this)(i, i) = 1;
  }
  double& operator()(std::size_t r, std::size_t c) { return m[r * n + c]; }
  double operator()(std::size_t r, std::size_t c) const { return m[r * n + c]; }
  std::size_t n;
  Vector m;
};

/// Eigenvalues (left on the diagonal of C) and eigenvectors (columns of B) by Jacobi's rotations.
void diagonalise(Square& C, Square& B) {
  B = Square(C.n);
  for (int sweep = 0; sweep < 30; ++sweep)
    for (std::size_t p = 0; p + 1 < C.n; ++p)
      for (std::size_t q = p + 1; q < C.n; ++q) {
        if (std::fabs(C(p, q)) < 1e-300) continue;
        const double theta = (C(q, q) - C(p, p)) / (2 * C(p, q));
        const double t = (theta < 0 ? -1 : 1) / (std::fabs(theta) + std::sqrt(theta * theta + 1)),
                     c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (std::size_t k = 0; k < C.n; ++k) {
          const double a = C(k, p), b = C(k, q), x = B(k, p), y = B(k, q);
          C(k, p) = c * a - s * b, C(k, q) = s * a + c * b;
          B(k, p) = c * x - s * y, B(k, q) = s * x + c * y;
        }
        for (std::size_t k = 0; k < C.n; ++k) {
          const double a = C(p, k), b = C(q, k);
          C(p, k) = c * a - s * b, C(q, k) = s * a + c * b;
        }
      }
}

class Cma {
 public:
  Cma(std::size_t n, std::size_t lambda, unsigned seed)
      : n_(n),
        lambda_(lambda),
        mean_(n),
        path_c_(n, 0.0),
        path_s_(n, 0.0),
        scale_(n, 1.0),
        C_(n),
        B_(n),
        random_(seed) {
    std::uniform_real_distribution<double> inside(0.2, 0.8);
    for (double& x : mean_) x = inside(random_);
    const std::size_t mu = lambda / 2;
    for (std::size_t i = 0; i < mu; ++i)
      weight_.push_back(std::log(static_cast<double>(mu) + 0.5) - std::log(static_cast<double>(i) + 1));
    double sum = 0, squares = 0;
    for (const double w : weight_) sum += w;
    for (double& w : weight_) {
      w /= sum;
      squares += w * w;
    }
    mu_eff_ = 1 / squares;
  }

  template <class F>
  Vector run(const F& f, int evaluations) {
    for (int done = 0; done < evaluations; done += static_cast<int>(lambda_)) {
      std::vector<std::pair<double, Vector>> people;
      for (std::size_t k = 0; k < lambda_; ++k) {
        Vector x = sample();
        const double y = f(x);
        if (y < best_) best_ = y, best_x_ = x;
        people.emplace_back(y, std::move(x));
      }
      std::stable_sort(people.begin(), people.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      learn(people);
      std::fprintf(stderr, "%d %.6f sigma %.2g\n", done, best_, sigma_);
    }
    return best_x_;
  }
  double best() const { return best_; }

 private:
  Vector sample() {
    std::normal_distribution<double> normal;
    Vector x = mean_;
    for (std::size_t k = 0; k < n_; ++k) {
      const double z = sigma_ * scale_[k] * normal(random_);
      for (std::size_t i = 0; i < n_; ++i) x[i] += B_(i, k) * z;
    }
    return x;
  }

  void learn(const std::vector<std::pair<double, Vector>>& people) {
    const double n = static_cast<double>(n_), m = mu_eff_;
    const double cc = (4 + m / n) / (n + 4 + 2 * m / n), cs = (m + 2) / (n + m + 5),
                 c1 = 2 / ((n + 1.3) * (n + 1.3) + m);
    const double cm = std::min(1 - c1, 2 * (m - 2 + 1 / m) / ((n + 2) * (n + 2) + m));
    const double ds = 1 + cs + 2 * std::max(0.0, std::sqrt((m - 1) / (n + 1)) - 1);
    const double chi = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
    const Vector old = mean_;
    for (std::size_t i = 0; i < n_; ++i) {
      mean_[i] = 0;
      for (std::size_t k = 0; k < weight_.size(); ++k) mean_[i] += weight_[k] * people[k].second[i];
    }
    double length = 0;
    for (std::size_t k = 0; k < n_; ++k) {  // step in the frame of the eigenvectors, scaled to a sphere
      double y = 0;
      for (std::size_t i = 0; i < n_; ++i) y += B_(i, k) * (mean_[i] - old[i]) / sigma_;
      path_s_[k] = (1 - cs) * path_s_[k] + std::sqrt(cs * (2 - cs) * m) * y / scale_[k];
      length += path_s_[k] * path_s_[k];
    }
    length = std::sqrt(length);
    const bool steady = length / chi < 1.4 + 2 / (n + 1);
    for (std::size_t i = 0; i < n_; ++i)
      path_c_[i] = (1 - cc) * path_c_[i] + (steady ? std::sqrt(cc * (2 - cc) * m) : 0) * (mean_[i] - old[i]) / sigma_;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) {
        double rank = 0;
        for (std::size_t k = 0; k < weight_.size(); ++k)
          rank += weight_[k] * (people[k].second[i] - old[i]) * (people[k].second[j] - old[j]) / (sigma_ * sigma_);
        C_(i, j) = (1 - c1 - cm) * C_(i, j) + c1 * path_c_[i] * path_c_[j] + cm * rank;
      }
    sigma_ *= std::exp(cs / ds * (length / chi - 1));
    Square D = C_, B(n_);
    diagonalise(D, B);
    turn_path(B);
    B_ = B;
    for (std::size_t i = 0; i < n_; ++i) scale_[i] = std::sqrt(std::max(D(i, i), 1e-20));
  }

  /// The path of steps is kept in the frame of the eigenvectors, which has just turned.
  void turn_path(const Square& next) {
    Vector plain(n_, 0.0);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < n_; ++k) plain[i] += B_(i, k) * path_s_[k];
    for (std::size_t k = 0; k < n_; ++k) {
      path_s_[k] = 0;
      for (std::size_t i = 0; i < n_; ++i) path_s_[k] += next(i, k) * plain[i];
    }
  }

  std::size_t n_, lambda_;
  Vector mean_, path_c_, path_s_, scale_, weight_;
  Square C_, B_;
  double sigma_ = 0.25, mu_eff_ = 1, best_ = 1e300;
  Vector best_x_;
  std::mt19937_64 random_;
};

}  // namespace

int main(int count, char** words) {
  const std::string name = count > 2 ? words[1] : "";
  if (name != "xl330" && name != "go1" && name != "xm430") {
    std::fprintf(stderr, "usage: fit_servos xl330|go1|xm430 DATA [evaluations] [seed]\n");
    return 2;
  }
  const Task task = name == "xl330" ? xl330() : name == "go1" ? go1() : xm430();
  const std::vector<Recording> recordings = gradus::cli::read_set(words[2], task.set);
  if (recordings.empty()) return 1;
  Cma search(task.parameters.size(), 60, static_cast<unsigned>(count > 4 ? std::atoi(words[4]) : 1));
  const Vector u =
      search.run([&](const Vector& x) { return cost(task, recordings, x); }, count > 3 ? std::atoi(words[3]) : 6000);
  std::printf("error %.6f rad\n", search.best());
  for (std::size_t i = 0; i < u.size(); ++i)
    std::printf("%-34s %.6g\n", task.parameters[i].name, value(task.parameters[i], u[i]));
  const DriveSpec d = drive_of(task, u);
  for (const Recording& r : recordings) std::printf("%-60s %.6f\n", r.file.c_str(), error_on(task, r, d));
}
