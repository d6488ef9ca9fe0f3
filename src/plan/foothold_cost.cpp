#include "plan/foothold_cost.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "math/power.h"

namespace gradus::plan {
namespace {

constexpr double kRidge = 1;      // samples that say the mean, for each centre
constexpr int kRounds = 20;      // of k-means

double distance2(const Features& a, const Features& b) {
  double d2 = 0;
  for (std::size_t i = 0; i < a.size(); ++i) d2 += (a[i] - b[i]) * (a[i] - b[i]);
  return d2;
}

std::size_t nearest(const std::vector<Features>& centres, const Features& f) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < centres.size(); ++k)
    if (distance2(centres[k], f) < distance2(centres[best], f)) best = k;
  return best;
}

/// Centres spread over the samples: the farthest from those chosen, then moved to the means of what is nearest to them.
std::vector<Features> find_centres(const std::vector<Features>& f, int count) {
  std::vector<Features> centres{f.front()};
  while (static_cast<int>(centres.size()) < count) {
    std::size_t farthest = 0;
    double most = 0;
    for (std::size_t i = 0; i < f.size(); ++i)
      if (const double d = distance2(f[i], centres[nearest(centres, f[i])]); d > most) most = d, farthest = i;
    if (most <= 0) break;
    centres.push_back(f[farthest]);
  }
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Features> sum(centres.size(), Features{});
    std::vector<double> n(centres.size(), 0);
    for (const Features& x : f) {
      const std::size_t k = nearest(centres, x);
      for (std::size_t i = 0; i < x.size(); ++i) sum[k][i] += x[i];
      ++n[k];
    }
    for (std::size_t k = 0; k < centres.size(); ++k)
      for (std::size_t i = 0; n[k] > 0 && i < sum[k].size(); ++i) centres[k][i] = sum[k][i] / n[k];
  }
  return centres;
}

/// A x = b for a symmetric positive matrix, row by row, by Cholesky's factors.
std::vector<double> solve(std::vector<double> A, std::vector<double> b) {
  const std::size_t n = b.size();
  const auto at = [&](std::size_t i, std::size_t j) -> double& { return A[i * n + j]; };
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      double x = at(i, j);
      for (std::size_t k = 0; k < j; ++k) x -= at(i, k) * at(j, k);
      at(i, j) = i == j ? square_root(x) : x / at(j, j);
    }
    for (std::size_t k = 0; k < j; ++k) b[j] -= at(j, k) * b[k];
    b[j] /= at(j, j);
  }
  for (std::size_t j = n; j-- > 0;) {
    for (std::size_t k = j + 1; k < n; ++k) b[j] -= at(k, j) * b[k];
    b[j] /= at(j, j);
  }
  return b;
}

Features over(const Features& f, const Features& spread) {
  Features out;
  for (std::size_t i = 0; i < f.size(); ++i) out[i] = f[i] / spread[i];
  return out;
}

}  // namespace

FootholdCost FootholdCost::by_hand() {
  FootholdCost out;
  out.kind_ = Kind::by_hand;
  return out;
}

FootholdCost FootholdCost::learn(const std::vector<SlipSample>& samples, int centres) {
  FootholdCost out;
  out.kind_ = Kind::learned;
  const double n = static_cast<double>(samples.size());
  for (std::size_t i = 0; i < out.spread_.size(); ++i) {
    double sum = 0, squares = 0;
    for (const SlipSample& s : samples) sum += s.place[i], squares += s.place[i] * s.place[i];
    out.spread_[i] = std::max(1e-6, square_root(std::max(0.0, squares / n - sum / n * (sum / n))));
  }
  std::vector<Features> scaled;
  for (const SlipSample& s : samples) scaled.push_back(over(s.place, out.spread_));
  out.centres_ = find_centres(scaled, centres);
  double near2 = 0;
  for (const Features& x : scaled) near2 += distance2(x, out.centres_[nearest(out.centres_, x)]) / n;
  out.width_ = std::max(1e-3, square_root(near2));
  const std::size_t m = out.centres_.size();
  std::vector<double> A(m * m, 0), b(m, 0), phi(m);
  double mean = 0;
  for (const SlipSample& s : samples) mean += s.slip / n;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    out.shares(scaled[s], phi);
    for (std::size_t i = 0; i < m; ++i) {
      b[i] += phi[i] * samples[s].slip;
      for (std::size_t j = 0; j < m; ++j) A[i * m + j] += phi[i] * phi[j];
    }
  }
  for (std::size_t i = 0; i < m; ++i) A[i * m + i] += kRidge, b[i] += kRidge * mean;  // without samples: the mean
  out.weights_ = solve(std::move(A), std::move(b));
  return out;
}

void FootholdCost::shares(const Features& scaled, std::vector<double>& phi) const {
  double least = std::numeric_limits<double>::infinity(), sum = 0;
  for (const Features& c : centres_) least = std::min(least, distance2(scaled, c));
  for (std::size_t k = 0; k < centres_.size(); ++k) {
    const double x = (distance2(scaled, centres_[k]) - least) / (2 * width_ * width_);
    sum += phi[k] = x > 50 ? 0 : exponential(-x);
  }
  for (double& p : phi) p /= sum;
}

double FootholdCost::expected_slip(const Features& f) const {
  std::vector<double> phi(centres_.size());
  shares(over(f, spread_), phi);
  double slip = 0;
  for (std::size_t k = 0; k < phi.size(); ++k) slip += weights_[k] * phi[k];
  return std::max(0.0, slip);
}

double FootholdCost::operator()(const Features& f) const {
  switch (kind_) {
    case Kind::none:
      return 0;
    case Kind::by_hand:
      return f[0] + 20 * f[1] + 10 * f[3];
    case Kind::learned:
      return 100 * expected_slip(f);
  }
  return 0;
}

std::string FootholdCost::text() const {
  nlohmann::ordered_json out{{"footholds", 1}, {"features", kFeatureNames}, {"spread", spread_}, {"width", width_}, {"centres", centres_}, {"weights", weights_}};
  return out.dump(1) + "\n";
}

Result<FootholdCost> FootholdCost::load(const std::string& path) {
  const auto fault = [&](const std::string& text, const std::string& hint) { return Diagnostics{{{path, 0, 0}, Severity::error, text, hint}}; };
  std::ifstream file(path);
  if (!file) return fault("cannot be read", "'gradus learn footholds' writes such files");
  const nlohmann::json all = nlohmann::json::parse(file, nullptr, false);
  FootholdCost out;
  out.kind_ = Kind::learned;
  try {
    if (all.at("footholds").get<int>() != 1 || all.at("features").get<std::vector<std::string>>() != std::vector<std::string>(kFeatureNames.begin(), kFeatureNames.end()))
      return fault("has costs of footholds of another version", "learn them anew: gradus learn footholds");
    out.spread_ = all.at("spread").get<Features>();
    out.centres_ = all.at("centres").get<std::vector<Features>>();
    out.weights_ = all.at("weights").get<std::vector<double>>();
    out.width_ = all.at("width").get<double>();
  } catch (const nlohmann::json::exception&) {
    return fault("is no file of learned footholds", "'gradus learn footholds' writes such files");
  }
  bool sound = !out.centres_.empty() && out.weights_.size() == out.centres_.size() && out.width_ > 0;
  for (const double x : out.spread_) sound = sound && x > 0;
  if (!sound) return fault("is no file of learned footholds", "'gradus learn footholds' writes such files");
  return out;
}

}  // namespace gradus::plan
