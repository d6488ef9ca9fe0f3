#include "optimise/cma.h"

#include <algorithm>
#include <cmath>

#include "math/power.h"

namespace gradus::optimise {

void diagonalise(std::size_t n, std::vector<double> C, std::vector<double>& values, std::vector<double>& B) {
  B.assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) B[i * n + i] = 1;
  for (int sweep = 0; sweep < 30; ++sweep) {
    double off = 0, on = 0;
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = 0; c < n; ++c) (r == c ? on : off) += C[r * n + c] * C[r * n + c];
    if (off <= 1e-30 * on) break;
    for (std::size_t p = 0; p + 1 < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        if (std::fabs(C[p * n + q]) < 1e-300) continue;
        const double theta = (C[q * n + q] - C[p * n + p]) / (2 * C[p * n + q]);
        const double t = (theta < 0 ? -1 : 1) / (std::fabs(theta) + std::sqrt(theta * theta + 1)),
                     c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const double a = C[k * n + p], b = C[k * n + q], x = B[k * n + p], y = B[k * n + q];
          C[k * n + p] = c * a - s * b, C[k * n + q] = s * a + c * b;
          B[k * n + p] = c * x - s * y, B[k * n + q] = s * x + c * y;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double a = C[p * n + k], b = C[q * n + k];
          C[p * n + k] = c * a - s * b, C[q * n + k] = s * a + c * b;
        }
      }
  }
  values.resize(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = C[i * n + i];
}

namespace {

class Cma final : public Optimiser {
 public:
  explicit Cma(const Setup& s) : Optimiser(s), start_(s.start), spread_(s.spread) {
    const double n = static_cast<double>(s.size);
    lambda_ = s.population > 0 ? std::max<std::int64_t>(4, s.population)
                               : 4 + static_cast<std::int64_t>(3 * natural_logarithm(std::max(n, 1.0)));
  }

 private:
  void make_candidates(std::vector<Point>& out) override {
    if (mean_.empty()) begin();
    const std::size_t n = size();
    samples_.clear();
    for (std::int64_t i = 0; i < lambda_; ++i) {
      Point x = mean_;
      for (std::size_t k = 0; k < n; ++k) {
        const double z = sigma_ * scale_[k] * normal();
        for (std::size_t r = 0; r < n; ++r) x[r] += B_[r * n + k] * z;  // (1)
      }
      samples_.push_back(x);
      for (double& u : x) u = reflected(u);
      out.push_back(std::move(x));
    }
  }

  /// At the start, or anywhere after a restart.
  void begin() {
    const std::size_t n = size();
    mean_ = start_.empty() || restarts_ > 0 ? anywhere() : start_;
    sigma_ = spread_;
    path_c_.assign(n, 0.0), path_s_.assign(n, 0.0), scale_.assign(n, 1.0);
    C_.assign(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) C_[i * n + i] = 1;
    B_ = C_;
    recent_.clear();
  }

  void learn(std::span<const Point>, std::span<const double> values) override {
    const std::size_t n = size(), mu = static_cast<std::size_t>(lambda_ / 2);
    const std::vector<std::size_t> order = ranking(values);
    std::vector<double> w(mu);
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < mu; ++i)
      sum += w[i] = natural_logarithm(static_cast<double>(mu) + 0.5) - natural_logarithm(static_cast<double>(i) + 1);
    for (double& x : w) x /= sum, squares += x * x;
    const double N = static_cast<double>(n), m = 1 / squares;  // μ_eff
    const double cc = (4 + m / N) / (N + 4 + 2 * m / N), cs = (m + 2) / (N + m + 5);
    const double c1 = 2 / ((N + 1.3) * (N + 1.3) + m);
    const double cm = std::min(1 - c1, 2 * (m - 2 + 1 / m) / ((N + 2) * (N + 2) + m));
    const double ds = 1 + cs + 2 * std::max(0.0, std::sqrt((m - 1) / (N + 1)) - 1);
    const double chi = std::sqrt(N) * (1 - 1 / (4 * N) + 1 / (21 * N * N));

    const Point old = mean_;
    for (std::size_t r = 0; r < n; ++r) {
      mean_[r] = 0;
      for (std::size_t i = 0; i < mu; ++i) mean_[r] += w[i] * samples_[order[i]][r];
    }
    Point step(n);  // (m′ − m)/σ
    for (std::size_t r = 0; r < n; ++r) step[r] = (mean_[r] - old[r]) / sigma_;
    // (2); C^(−½) = B D⁻¹ Bᵀ
    double length = 0;
    Point round(n, 0.0);
    for (std::size_t k = 0; k < n; ++k) {
      double y = 0;
      for (std::size_t r = 0; r < n; ++r) y += B_[r * n + k] * step[r];
      y /= scale_[k];
      for (std::size_t r = 0; r < n; ++r) round[r] += B_[r * n + k] * y;
    }
    for (std::size_t r = 0; r < n; ++r) {
      path_s_[r] = (1 - cs) * path_s_[r] + std::sqrt(cs * (2 - cs) * m) * round[r];
      length += path_s_[r] * path_s_[r];
    }
    length = std::sqrt(length);
    const bool steady = length / chi < 1.4 + 2 / (N + 1);
    for (std::size_t r = 0; r < n; ++r)  // (3)
      path_c_[r] = (1 - cc) * path_c_[r] + (steady ? std::sqrt(cc * (2 - cc) * m) : 0) * step[r];
    for (std::size_t r = 0; r < n; ++r)  // (4)
      for (std::size_t c = 0; c <= r; ++c) {
        double rank = 0;
        for (std::size_t i = 0; i < mu; ++i)
          rank += w[i] * (samples_[order[i]][r] - old[r]) * (samples_[order[i]][c] - old[c]);
        const double x = (1 - c1 - cm) * C_[r * n + c] + c1 * path_c_[r] * path_c_[c] + cm * rank / (sigma_ * sigma_);
        C_[r * n + c] = C_[c * n + r] = x;
      }
    sigma_ *= exponential(std::clamp(cs / ds * (length / chi - 1), -1.0, 1.0));
    std::vector<double> squared;
    diagonalise(n, C_, squared, B_);
    const double largest = *std::max_element(squared.begin(), squared.end());
    for (std::size_t i = 0; i < n; ++i) scale_[i] = std::sqrt(std::max(squared[i], 1e-20 * std::max(largest, 1e-300)));
    recent_.push_back(values[order[0]]);
    if (is_spent(largest, squared, values, order)) begin_again();
  }

  bool is_spent(double largest, const std::vector<double>& squared, std::span<const double> values,
                const std::vector<std::size_t>& order) {
    const double smallest = *std::min_element(squared.begin(), squared.end());
    if (!(largest < 1e14 * smallest) || sigma_ * std::sqrt(largest) < 1e-10 || !(sigma_ * std::sqrt(largest) < 1e4))
      return true;
    const std::size_t window = 10 + static_cast<std::size_t>(30 * static_cast<double>(size()) / static_cast<double>(lambda_));
    if (recent_.size() < window) return false;
    recent_.erase(recent_.begin(), recent_.end() - static_cast<std::ptrdiff_t>(window));
    const auto [low, high] = std::minmax_element(recent_.begin(), recent_.end());
    // values of the last generations no longer differ, nor do those of this one
    const double scale = std::max(std::fabs(*low), 1e-300);
    return *high - *low <= 1e-12 * scale && values[order[order.size() / 2]] - values[order[0]] <= 1e-12 * scale;
  }

  void begin_again() {
    ++restarts_;
    lambda_ *= 2;
    begin();
  }

  void visit(Archive& a) override {
    a(lambda_), a(restarts_), a(mean_), a(path_c_), a(path_s_), a(scale_), a(C_), a(B_), a(sigma_), a(recent_), a(samples_);
  }

  Point start_;
  double spread_;
  std::int64_t lambda_ = 0, restarts_ = 0;
  Point mean_, path_c_, path_s_, scale_;  // scale_: the diagonal of D
  std::vector<double> C_, B_;             // (n × n) row by row
  double sigma_ = 0;
  std::vector<double> recent_;            // best values of the last generations
  std::vector<Point> samples_;            // of this generation, not reflected
};

}  // namespace

std::unique_ptr<Optimiser> make_cma(const Setup& setup) { return std::make_unique<Cma>(setup); }

}  // namespace gradus::optimise
