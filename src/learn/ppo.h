/// Proximal policy optimisation [Schulman et al. 2017] with two small tanh networks, generalised advantages [Schulman
/// et al. 2016] and a step that follows the KL divergence. Written for one machine's cores: the samples of a batch are
/// dealt to a fixed number of chunks whose gradients are added in order, so a training repeats bit for bit at any
/// number of threads.
///
///   Ppo learner(settings);
///   for t in horizon:  learner.act(observations, noise, actions);  …step the worlds…;  learner.reward(…);
///   learner.learn(last observations, permutations);
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/threads.h"

namespace gradus::learn {

/// tanh layers and a linear one at the end. Weights of layer l: in × padded(out), then the offsets.
class Net {
 public:
  explicit Net(std::vector<int> sizes);
  int layers() const { return static_cast<int>(sizes_.size()) - 1; }
  int in() const { return sizes_.front(); }
  int out() const { return sizes_.back(); }
  int width(int layer) const { return padded_[static_cast<std::size_t>(layer)]; }  // of the numbers in front of a layer
  std::size_t size() const { return weights_.size(); }
  std::span<float> weights() { return weights_; }
  std::span<const float> weights() const { return weights_; }
  float* layer(int l) { return weights_.data() + at_[static_cast<std::size_t>(l)]; }
  const float* layer(int l) const { return weights_.data() + at_[static_cast<std::size_t>(l)]; }
  const float* offsets(int l) const {
    return layer(l) + static_cast<std::ptrdiff_t>(sizes_[static_cast<std::size_t>(l)]) * width(l + 1);
  }
  /// Weights in their natural order, in × out and the offsets of each layer: what is saved and exported.
  std::vector<float> plain() const;
  void set_plain(std::span<const float> numbers);
  std::size_t plain_size() const;

  /// Numbers behind every layer, for `rows` samples.
  struct Trace {
    std::vector<std::vector<float>> at;  // (layers + 1) rows × width; [0]: the input
    std::vector<float> g, g2;            // room of backward
  };
  Trace make_trace(int rows) const;
  void forward(Trace& t, int rows) const;
  /// Adds the gradient of Σ g · output to `sum`; g stands in t.g, rows × width(layers). turned: weights of each layer
  /// transposed, by transpose().
  void backward(Trace& t, int rows, const std::vector<std::vector<float>>& turned, float* sum) const;
  std::vector<std::vector<float>> transpose() const;

 private:
  std::vector<int> sizes_, padded_;
  std::vector<std::size_t> at_;
  std::vector<float> weights_;
};

/// Adam [Kingma, Ba 2015] with a bound on the gradient's length.
struct Adam {
  std::vector<float> m, v;
  std::int64_t t = 0;
  void step(std::span<float> weights, std::span<float> gradient, float rate, float most);
};

struct PpoSettings {
  int worlds, observations, actions, horizon;
  std::vector<int> hidden;
  int epochs = 2, minibatches = 4, threads = 1;
  float gamma = 0.985f, lambda = 0.95f, clip = 0.2f, entropy = 0.002f, deviation = 0.6f;
  float rate = 1e-3f, least_rate = 1e-4f, most_rate = 3e-3f, low_kl = 0.005f, high_kl = 0.02f;
};

class Ppo {
 public:
  explicit Ppo(PpoSettings settings);

  Net policy, critic;
  std::vector<float> log_deviation;    // (actions)
  std::vector<double> mean, variance;  // (observations) of all that were seen
  double seen = 1e-4;
  float rate;
  Adam policy_adam, critic_adam;

  /// Actions of the policy plus its deviation times `noise`, remembered as step t.
  void act(int t, std::span<const float> observations, std::span<const float> noise, std::span<float> actions);
  /// Of step t. last: observations before resets, used where an episode was cut.
  void reward(int t, std::span<const float> rewards, std::span<const std::uint8_t> terminated,
              std::span<const std::uint8_t> truncated, std::span<const float> last);
  struct Report {
    double kl, deviation;
  };
  /// order: epochs × (worlds · horizon) sample numbers, a permutation each.
  Report learn(std::span<const float> next_observations, std::span<const std::int32_t> order);
  /// Takes the observations of this horizon into mean and variance.
  void add_seen();
  void set_seen(std::span<const double> means, std::span<const double> variances, double count);
  /// The policy's mean action.
  void mean_action(std::span<const float> observations, int rows, std::span<float> actions);
  void values(std::span<const float> observations, int rows, std::span<float> out);
  std::size_t adam_size() const { return policy.size() + log_deviation.size(); }

 private:
  void normalise(std::span<const float> raw, int rows, float* out, int width);
  template <class Work>
  void each_part(int rows, const Work& work);
  void advantages(std::span<const float> next_observations);
  void gradient(std::span<const std::int32_t> batch, int chunk, const std::vector<float>& old_log);

  PpoSettings s_;
  Team team_;
  std::vector<float> scale_;  // (observations) 1/deviation as normalise uses it
  std::vector<float> shift_;
  std::vector<float> raw_, x_, action_, mu_, log_p_, reward_, value_, done_, advantage_,
      return_;  // (horizon × worlds × …)
  struct Chunk {
    std::vector<float> policy, critic;  // gradients; policy: with log_deviation behind
    double kl = 0;
    Net::Trace policy_trace, critic_trace;
  };
  std::vector<Chunk> chunks_;
  std::vector<std::vector<float>> policy_turned_, critic_turned_;
};

}  // namespace gradus::learn
