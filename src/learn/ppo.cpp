#include "learn/ppo.h"

#include <algorithm>
#include <cmath>

#include "learn/matrix.h"

namespace gradus::learn {
namespace {

constexpr int kChunks = 8;             // that gradients are summed in, whatever threads there are
constexpr int kRows = 96;              // samples that go through the networks together: their numbers stay in the cache
constexpr float kMostObservation = 6;  // deviations

std::vector<int> layers(int in, const std::vector<int>& hidden, int out) {
  std::vector<int> all{in};
  all.insert(all.end(), hidden.begin(), hidden.end());
  all.push_back(out);
  return all;
}

/// eˣ by 2ⁿ times a polynomial of the rest: the same bits on every machine, which the library's need not be. To 1e-7.
float exponential(float x) {
  const float y = std::clamp(x, -80.0f, 80.0f) * 1.44269504f, n = std::floor(y + 0.5f), r = (y - n) * 0.69314718f;
  float p = r * 1.98412698e-4f + 1.38888889e-3f;
  p = p * r + 8.33333333e-3f;
  p = p * r + 4.16666667e-2f;
  p = p * r + 1.66666667e-1f;
  p = p * r + 0.5f;
  p = p * r + 1;
  p = p * r + 1;
  return std::ldexp(p, static_cast<int>(n));
}

}  // namespace

Ppo::Ppo(PpoSettings s)
    : policy(layers(s.observations, s.hidden, s.actions)),
      critic(layers(s.observations, s.hidden, 1)),
      log_deviation(static_cast<std::size_t>(s.actions), 0.0f),
      mean(static_cast<std::size_t>(s.observations), 0.0),
      variance(static_cast<std::size_t>(s.observations), 1.0),
      rate(s.rate),
      s_(std::move(s)),
      team_(s_.threads),
      scale_(mean.size(), 1.0f),
      shift_(mean.size(), 0.0f) {
  const auto n = static_cast<std::size_t>(s_.worlds) * static_cast<std::size_t>(s_.horizon);
  raw_.resize(n * mean.size()), x_.assign(n * static_cast<std::size_t>(policy.width(0)), 0.0f);
  for (auto* v : {&action_, &mu_}) v->resize(n * log_deviation.size());
  for (auto* v : {&log_p_, &reward_, &value_, &done_, &advantage_, &return_}) v->resize(n);
  for (int c = 0; c < kChunks; ++c) {
    Chunk chunk;
    chunk.policy.resize(policy.size() + log_deviation.size()), chunk.critic.resize(critic.size());
    chunk.policy_trace = policy.make_trace(kRows), chunk.critic_trace = critic.make_trace(kRows);
    chunks_.push_back(std::move(chunk));
  }
}

/// Runs of rows, dealt to the threads by chunk; a row's result does not depend on its neighbours.
template <class Work>
void Ppo::each_part(int rows, const Work& work) {
  const int parts = team_.size();
  team_.run([&](int p) {
    for (int c = p; c < kChunks; c += parts) {
      const int end = static_cast<int>(static_cast<std::int64_t>(rows) * (c + 1) / kChunks);
      for (int r = static_cast<int>(static_cast<std::int64_t>(rows) * c / kChunks); r < end; r += kRows)
        work(chunks_[static_cast<std::size_t>(c)], r, std::min(kRows, end - r));
    }
  });
}

void Ppo::normalise(std::span<const float> raw, int rows, float* out, int width) {
  const auto n = static_cast<int>(mean.size());
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const float y = (raw[static_cast<std::size_t>(r * n + i)] - shift_[k]) * scale_[k];
      out[static_cast<std::ptrdiff_t>(r) * width + i] = std::min(kMostObservation, std::max(-kMostObservation, y));
    }
}

void Ppo::act(int t, std::span<const float> observations, std::span<const float> noise, std::span<float> actions) {
  const int na = s_.actions, w = policy.width(0), wa = policy.width(policy.layers());
  const auto first = static_cast<std::size_t>(t) * static_cast<std::size_t>(s_.worlds);
  std::copy(observations.begin(), observations.end(), raw_.begin() + static_cast<std::ptrdiff_t>(first * mean.size()));
  std::vector<float> deviation(log_deviation.size());
  for (std::size_t i = 0; i < deviation.size(); ++i) deviation[i] = exponential(log_deviation[i]);
  each_part(s_.worlds, [&](Chunk& c, int row, int rows) {
    float* x = x_.data() + (first + static_cast<std::size_t>(row)) * static_cast<std::size_t>(w);
    normalise(observations.subspan(static_cast<std::size_t>(row) * mean.size()), rows, x, w);
    std::copy_n(x, rows * w, c.policy_trace.at[0].data());
    std::copy_n(x, rows * w, c.critic_trace.at[0].data());
    policy.forward(c.policy_trace, rows), critic.forward(c.critic_trace, rows);
    for (int r = 0; r < rows; ++r) {
      const std::size_t sample = first + static_cast<std::size_t>(row + r), at = sample * deviation.size();
      const float* mu = c.policy_trace.at.back().data() + static_cast<std::ptrdiff_t>(r) * wa;
      float p = 0;
      for (std::size_t i = 0; i < deviation.size(); ++i) {
        const float z = noise[static_cast<std::size_t>((row + r) * na) + i], a = mu[i] + deviation[i] * z;
        mu_[at + i] = mu[i], action_[at + i] = a;
        actions[static_cast<std::size_t>((row + r) * na) + i] = a;
        p += -0.5f * z * z - log_deviation[i];
      }
      log_p_[sample] = p;
      value_[sample] = c.critic_trace.at.back()[static_cast<std::size_t>(r * critic.width(critic.layers()))];
    }
  });
}

void Ppo::mean_action(std::span<const float> observations, int rows_all, std::span<float> actions) {
  const auto na = static_cast<std::size_t>(s_.actions);
  each_part(rows_all, [&](Chunk& c, int row, int rows) {
    normalise(observations.subspan(static_cast<std::size_t>(row) * mean.size()), rows, c.policy_trace.at[0].data(),
              policy.width(0));
    policy.forward(c.policy_trace, rows);
    for (int r = 0; r < rows; ++r)
      std::copy_n(c.policy_trace.at.back().data() + static_cast<std::ptrdiff_t>(r) * policy.width(policy.layers()), na,
                  actions.data() + static_cast<std::size_t>(row + r) * na);
  });
}

void Ppo::values(std::span<const float> observations, int rows_all, std::span<float> out) {
  each_part(rows_all, [&](Chunk& c, int row, int rows) {
    normalise(observations.subspan(static_cast<std::size_t>(row) * mean.size()), rows, c.critic_trace.at[0].data(),
              critic.width(0));
    critic.forward(c.critic_trace, rows);
    for (int r = 0; r < rows; ++r)
      out[static_cast<std::size_t>(row + r)] =
          c.critic_trace.at.back()[static_cast<std::size_t>(r * critic.width(critic.layers()))];
  });
}

/// A cut episode would have gone on: its value then is worth what its last observation promises.
void Ppo::reward(int t, std::span<const float> rewards, std::span<const std::uint8_t> terminated,
                 std::span<const std::uint8_t> truncated, std::span<const float> last) {
  const auto first = static_cast<std::size_t>(t) * static_cast<std::size_t>(s_.worlds);
  std::vector<float> value(1);
  for (std::size_t w = 0; w < rewards.size(); ++w) {
    float r = rewards[w];
    if (truncated[w] && !terminated[w]) {
      values(last.subspan(w * mean.size(), mean.size()), 1, value);
      r += s_.gamma * value[0];
    }
    reward_[first + w] = r;
    done_[first + w] = terminated[w] || truncated[w] ? 1.0f : 0.0f;
  }
}

/// A_t = δ_t + γ λ (1 − done) A_{t+1},  δ_t = r_t + γ (1 − done) V_{t+1} − V_t  [Schulman et al. 2016, eq. 16]; then
/// mean 0, deviation 1.
void Ppo::advantages(std::span<const float> next) {
  const auto W = static_cast<std::size_t>(s_.worlds);
  std::vector<float> after(W), sum(W, 0.0f);
  values(next, s_.worlds, after);
  for (int t = s_.horizon - 1; t >= 0; --t)
    for (std::size_t w = 0; w < W; ++w) {
      const std::size_t i = static_cast<std::size_t>(t) * W + w;
      const float on = 1 - done_[i];
      sum[w] = reward_[i] + s_.gamma * after[w] * on - value_[i] + s_.gamma * s_.lambda * on * sum[w];
      after[w] = value_[i];
      advantage_[i] = sum[w], return_[i] = sum[w] + value_[i];
    }
  double m = 0, v = 0;
  for (const float a : advantage_) m += static_cast<double>(a);
  m /= static_cast<double>(advantage_.size());
  for (const float a : advantage_) v += (static_cast<double>(a) - m) * (static_cast<double>(a) - m);
  const double scale = 1 / (std::sqrt(v / static_cast<double>(advantage_.size())) + 1e-8);
  for (float& a : advantage_) a = static_cast<float>((static_cast<double>(a) - m) * scale);
}

/// Gradients of one chunk of a minibatch: of −min(ρ A, clip(ρ) A) − entropy in the policy, of ½ (V − R)² in the critic.
void Ppo::gradient(std::span<const std::int32_t> batch, int number, const std::vector<float>& old_log) {
  Chunk& c = chunks_[static_cast<std::size_t>(number)];
  const auto na = log_deviation.size();
  const int w = policy.width(0), wa = policy.width(policy.layers()), wv = critic.width(critic.layers());
  const float share = 1.0f / static_cast<float>(batch.size());
  std::fill(c.policy.begin(), c.policy.end(), 0.0f), std::fill(c.critic.begin(), c.critic.end(), 0.0f);
  c.kl = 0;
  float* g_log = c.policy.data() + policy.size();
  std::vector<float> per(na), old_square(na), half_square(na);
  for (std::size_t i = 0; i < na; ++i) {
    per[i] = exponential(-log_deviation[i]);
    old_square[i] = exponential(2 * old_log[i]), half_square[i] = 0.5f * per[i] * per[i];
  }
  const auto begin = batch.size() * static_cast<std::size_t>(number) / kChunks,
             end = batch.size() * static_cast<std::size_t>(number + 1) / kChunks;
  for (std::size_t at = begin; at < end; at += kRows) {
    const int rows = static_cast<int>(std::min<std::size_t>(kRows, end - at));
    for (int r = 0; r < rows; ++r) {
      const float* x = x_.data() + static_cast<std::ptrdiff_t>(batch[at + static_cast<std::size_t>(r)]) * w;
      std::copy_n(x, w, c.policy_trace.at[0].data() + static_cast<std::ptrdiff_t>(r) * w);
      std::copy_n(x, w, c.critic_trace.at[0].data() + static_cast<std::ptrdiff_t>(r) * w);
    }
    policy.forward(c.policy_trace, rows), critic.forward(c.critic_trace, rows);
    for (int r = 0; r < rows; ++r) {
      const auto sample = static_cast<std::size_t>(batch[at + static_cast<std::size_t>(r)]);
      const float* mu = c.policy_trace.at.back().data() + static_cast<std::ptrdiff_t>(r) * wa;
      float* g = c.policy_trace.g.data() + static_cast<std::ptrdiff_t>(r) * wa;
      float log_p = 0;
      for (std::size_t i = 0; i < na; ++i) {
        const float z = (action_[sample * na + i] - mu[i]) * per[i], d = mu[i] - mu_[sample * na + i];
        g[i] = z;
        log_p += -0.5f * z * z - log_deviation[i];
        c.kl += static_cast<double>(log_deviation[i] - old_log[i] + (old_square[i] + d * d) * half_square[i] - 0.5f);
      }
      const float a = advantage_[sample], ratio = exponential(log_p - log_p_[sample]);
      const bool clipped = (a > 0 && ratio > 1 + s_.clip) || (a < 0 && ratio < 1 - s_.clip);
      const float gl = clipped ? 0.0f : -a * ratio * share;  // of the loss with respect to log p
      for (std::size_t i = 0; i < na; ++i) {
        g_log[i] += gl * (g[i] * g[i] - 1);
        g[i] *= gl * per[i];
      }
      std::fill(g + na, g + wa, 0.0f);
      float* gv = c.critic_trace.g.data() + static_cast<std::ptrdiff_t>(r) * wv;
      std::fill(gv, gv + wv, 0.0f);
      gv[0] = (c.critic_trace.at.back()[static_cast<std::size_t>(r * wv)] - return_[sample]) * share;
    }
    policy.backward(c.policy_trace, rows, policy_turned_, c.policy.data());
    critic.backward(c.critic_trace, rows, critic_turned_, c.critic.data());
  }
}

Ppo::Report Ppo::learn(std::span<const float> next, std::span<const std::int32_t> order) {
  advantages(next);
  const std::size_t n = advantage_.size(), parts = static_cast<std::size_t>(s_.minibatches);
  const std::vector<float> old_log = log_deviation;
  std::vector<float> weights(policy.size() + log_deviation.size()), sum(weights.size()), sum_critic(critic.size());
  double kl = 0;
  for (int e = 0; e < s_.epochs; ++e) {
    kl = 0;
    for (std::size_t b = 0; b < parts; ++b) {
      const std::size_t from = n * b / parts, to = n * (b + 1) / parts;
      const auto batch = order.subspan(static_cast<std::size_t>(e) * n + from, to - from);
      policy_turned_ = policy.transpose(), critic_turned_ = critic.transpose();
      const int threads = team_.size();
      team_.run([&](int p) {
        for (int c = p; c < kChunks; c += threads) gradient(batch, c, old_log);
      });
      std::fill(sum.begin(), sum.end(), 0.0f), std::fill(sum_critic.begin(), sum_critic.end(), 0.0f);
      for (const Chunk& c : chunks_) {
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += c.policy[i];
        for (std::size_t i = 0; i < sum_critic.size(); ++i) sum_critic[i] += c.critic[i];
        kl += c.kl / static_cast<double>(n);
      }
      for (std::size_t i = 0; i < log_deviation.size(); ++i) sum[policy.size() + i] -= s_.entropy;
      std::copy(policy.weights().begin(), policy.weights().end(), weights.begin());
      std::copy(log_deviation.begin(), log_deviation.end(),
                weights.begin() + static_cast<std::ptrdiff_t>(policy.size()));
      policy_adam.step(weights, sum, rate, 1.0f);
      std::copy_n(weights.begin(), policy.size(), policy.weights().begin());
      for (std::size_t i = 0; i < log_deviation.size(); ++i)
        log_deviation[i] = std::clamp(weights[policy.size() + i], -2.5f, 0.5f);
      critic_adam.step(critic.weights(), sum_critic, rate, 1.0f);
    }
    rate = kl > static_cast<double>(s_.high_kl)  ? std::max(s_.least_rate, rate / 1.5f)
           : kl < static_cast<double>(s_.low_kl) ? std::min(s_.most_rate, rate * 1.5f)
                                                 : rate;
  }
  double deviation = 0;
  for (const float l : log_deviation)
    deviation += static_cast<double>(exponential(l)) / static_cast<double>(log_deviation.size());
  return {kl, deviation};
}

/// Means and variances of two sets put together [Chan, Golub, LeVeque 1979].
void Ppo::add_seen() {
  const std::size_t n = mean.size(), rows = raw_.size() / n;
  std::vector<double> m(n, 0.0), v(n, 0.0);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < n; ++i) m[i] += static_cast<double>(raw_[r * n + i]);
  for (double& x : m) x /= static_cast<double>(rows);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < n; ++i) {
      const double d = static_cast<double>(raw_[r * n + i]) - m[i];
      v[i] += d * d;
    }
  const double count = static_cast<double>(rows), total = seen + count;
  for (std::size_t i = 0; i < n; ++i) {
    const double d = m[i] - mean[i];
    v[i] = (variance[i] * seen + v[i] + d * d * seen * count / total) / total;
    m[i] = mean[i] + d * count / total;
  }
  set_seen(m, v, total);
}

void Ppo::set_seen(std::span<const double> means, std::span<const double> variances, double count) {
  for (std::size_t i = 0; i < mean.size(); ++i) {
    mean[i] = means[i], variance[i] = variances[i];
    shift_[i] = static_cast<float>(mean[i]);
    scale_[i] = static_cast<float>(1 / std::sqrt(variance[i] + 1e-4));
  }
  seen = count;
}

}  // namespace gradus::learn
