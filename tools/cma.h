/// CMA-ES [Hansen 2016, arXiv 1604.00772], shared by the tools that fit servos and look for motions.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

namespace gradus::tools {

using Vector = std::vector<double>;

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
inline void diagonalise(Square& C, Square& B) {
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

/// Minimises a function of some ten to a hundred coordinates of similar scale.
class Cma {
 public:
  /// Starts around `mean` with steps of about `sigma` in each coordinate.
  Cma(Vector mean, double sigma, std::size_t lambda, unsigned seed)
      : n_(mean.size()),
        lambda_(lambda),
        mean_(std::move(mean)),
        path_c_(n_, 0.0),
        path_s_(n_, 0.0),
        scale_(n_, 1.0),
        C_(n_),
        B_(n_),
        sigma_(sigma),
        random_(seed) {
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

  /// Mean, paths, covariance and step size from the best of a generation.
  void learn(const std::vector<std::pair<double, Vector>>& people) {
    const double n = static_cast<double>(n_), m = mu_eff_;
    const double cc = (4 + m / n) / (n + 4 + 2 * m / n), cs = (m + 2) / (n + m + 5),
                 c1 = 2 / ((n + 1.3) * (n + 1.3) + m);
    const double cm = std::min(1 - c1, 2 * (m - 2 + 1 / m) / ((n + 2) * (n + 2) + m));
    const double ds = 1 + cs + 2 * std::max(0.0, std::sqrt((m - 1) / (n + 1)) - 1);
    const double chi = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
    const Vector old = mean_;
    move_mean(people);
    const double length = lengthen_path(old, cs);
    const bool steady = length / chi < 1.4 + 2 / (n + 1);
    for (std::size_t i = 0; i < n_; ++i)
      path_c_[i] = (1 - cc) * path_c_[i] + (steady ? std::sqrt(cc * (2 - cc) * m) : 0) * (mean_[i] - old[i]) / sigma_;
    learn_covariance(people, old, c1, cm);
    sigma_ *= std::exp(cs / ds * (length / chi - 1));
    Square D = C_, B(n_);
    diagonalise(D, B);
    turn_path(B);
    B_ = B;
    for (std::size_t i = 0; i < n_; ++i) scale_[i] = std::sqrt(std::max(D(i, i), 1e-20));
  }

  void move_mean(const std::vector<std::pair<double, Vector>>& people) {
    for (std::size_t i = 0; i < n_; ++i) {
      mean_[i] = 0;
      for (std::size_t k = 0; k < weight_.size(); ++k) mean_[i] += weight_[k] * people[k].second[i];
    }
  }

  /// The step from `old` in the frame of the eigenvectors, scaled to a sphere, into its path. Returns the path's
  /// length.
  double lengthen_path(const Vector& old, double cs) {
    double square = 0;
    for (std::size_t k = 0; k < n_; ++k) {
      double y = 0;
      for (std::size_t i = 0; i < n_; ++i) y += B_(i, k) * (mean_[i] - old[i]) / sigma_;
      path_s_[k] = (1 - cs) * path_s_[k] + std::sqrt(cs * (2 - cs) * mu_eff_) * y / scale_[k];
      square += path_s_[k] * path_s_[k];
    }
    return std::sqrt(square);
  }

  void learn_covariance(const std::vector<std::pair<double, Vector>>& people, const Vector& old, double c1, double cm) {
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) {
        double rank = 0;
        for (std::size_t k = 0; k < weight_.size(); ++k)
          rank += weight_[k] * (people[k].second[i] - old[i]) * (people[k].second[j] - old[j]) / (sigma_ * sigma_);
        C_(i, j) = (1 - c1 - cm) * C_(i, j) + c1 * path_c_[i] * path_c_[j] + cm * rank;
      }
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
  double sigma_, mu_eff_ = 1, best_ = 1e300;
  Vector best_x_;
  std::mt19937_64 random_;
};

/// Somewhere inside the unit cube.
inline Vector random_start(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> inside(0.2, 0.8);
  Vector out(n);
  for (double& x : out) x = inside(random);
  return out;
}

}  // namespace gradus::tools
