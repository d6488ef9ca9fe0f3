#include <algorithm>
#include <cmath>

#include "learn/matrix.h"
#include "learn/ppo.h"

namespace gradus::learn {

Net::Net(std::vector<int> sizes) : sizes_(std::move(sizes)) {
  std::size_t total = 0;
  for (const int n : sizes_) padded_.push_back(padded(n));
  for (int l = 0; l < layers(); ++l) {
    at_.push_back(total);
    total += static_cast<std::size_t>(sizes_[static_cast<std::size_t>(l)] + 1) * static_cast<std::size_t>(width(l + 1));
  }
  weights_.assign(total, 0.0f);
}

std::size_t Net::plain_size() const {
  std::size_t n = 0;
  for (std::size_t l = 0; l + 1 < sizes_.size(); ++l) n += static_cast<std::size_t>((sizes_[l] + 1) * sizes_[l + 1]);
  return n;
}

std::vector<float> Net::plain() const {
  std::vector<float> out;
  for (int l = 0; l < layers(); ++l)
    for (int i = 0; i <= sizes_[static_cast<std::size_t>(l)]; ++i) {
      const float* row = layer(l) + static_cast<std::ptrdiff_t>(i) * width(l + 1);
      out.insert(out.end(), row, row + sizes_[static_cast<std::size_t>(l) + 1]);
    }
  return out;
}

void Net::set_plain(std::span<const float> numbers) {
  auto from = numbers.begin();
  for (int l = 0; l < layers(); ++l)
    for (int i = 0; i <= sizes_[static_cast<std::size_t>(l)]; ++i) {
      const int n = sizes_[static_cast<std::size_t>(l) + 1];
      std::copy_n(from, n, layer(l) + static_cast<std::ptrdiff_t>(i) * width(l + 1));
      from += n;
    }
}

Net::Trace Net::make_trace(int rows) const {
  Trace t;
  int widest = 0;
  for (int l = 0; l <= layers(); ++l) {
    t.at.emplace_back(static_cast<std::size_t>(rows) * static_cast<std::size_t>(width(l)), 0.0f);
    widest = std::max(widest, width(l));
  }
  t.g.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(widest), 0.0f);
  t.g2 = t.g;
  return t;
}

void Net::forward(Trace& t, int rows) const {
  for (int l = 0; l < layers(); ++l) {
    const int n = sizes_[static_cast<std::size_t>(l)], w = width(l), w1 = width(l + 1);
    float* out = t.at[static_cast<std::size_t>(l) + 1].data();
    for (int r = 0; r < rows; ++r) std::copy_n(offsets(l), w1, out + static_cast<std::ptrdiff_t>(r) * w1);
    multiply(rows, w1, n, t.at[static_cast<std::size_t>(l)].data(), w, 1, layer(l), w1, out, w1, true);
    if (l + 1 < layers()) tanh_all(out, static_cast<std::size_t>(rows) * static_cast<std::size_t>(w1));
  }
}

std::vector<std::vector<float>> Net::transpose() const {
  std::vector<std::vector<float>> out(static_cast<std::size_t>(layers()));
  for (int l = 1; l < layers(); ++l) {  // the first one's input needs no gradient
    const int n = sizes_[static_cast<std::size_t>(l)], w = width(l), w1 = width(l + 1);
    auto& t = out[static_cast<std::size_t>(l)];
    t.assign(static_cast<std::size_t>(w1) * static_cast<std::size_t>(w), 0.0f);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < sizes_[static_cast<std::size_t>(l) + 1]; ++j)
        t[static_cast<std::size_t>(j * w + i)] = layer(l)[static_cast<std::ptrdiff_t>(i) * w1 + j];
  }
  return out;
}

void Net::backward(Trace& t, int rows, const std::vector<std::vector<float>>& turned, float* sum) const {
  for (int l = layers() - 1; l >= 0; --l) {
    const int n = sizes_[static_cast<std::size_t>(l)], w = width(l), w1 = width(l + 1);
    const float* h = t.at[static_cast<std::size_t>(l)].data();
    float* to = sum + at_[static_cast<std::size_t>(l)];
    multiply(n, w1, rows, h, 1, w, t.g.data(), w1, to, w1, true);  // hᵀ g
    float* offset = to + static_cast<std::ptrdiff_t>(n) * w1;
    for (int r = 0; r < rows; ++r)
      for (int j = 0; j < w1; ++j) offset[j] += t.g[static_cast<std::size_t>(r * w1 + j)];
    if (l == 0) break;
    multiply(rows, w, sizes_[static_cast<std::size_t>(l) + 1], t.g.data(), w1, 1,
             turned[static_cast<std::size_t>(l)].data(), w, t.g2.data(), w, false);
    const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(w);
    for (std::size_t i = 0; i < count; ++i) t.g2[i] *= 1 - h[i] * h[i];
    std::swap(t.g, t.g2);
  }
}

void Adam::step(std::span<float> weights, std::span<float> gradient, float rate, float most) {
  m.resize(weights.size(), 0.0f), v.resize(weights.size(), 0.0f);
  double square = 0;
  for (const float g : gradient) square += static_cast<double>(g) * static_cast<double>(g);
  const auto scale = static_cast<float>(std::min(1.0, static_cast<double>(most) / (std::sqrt(square) + 1e-8)));
  ++t;
  double first = 1, second = 1;  // 0.9ᵗ and 0.999ᵗ
  for (std::int64_t i = 0; i < t && (first > 1e-12 || second > 1e-12); ++i) first *= 0.9, second *= 0.999;
  const auto a = static_cast<float>(static_cast<double>(rate) * std::sqrt(1 - second) / (1 - first));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const float g = gradient[i] * scale;
    m[i] += 0.1f * (g - m[i]);
    v[i] += 0.001f * (g * g - v[i]);
    weights[i] -= a * m[i] / (std::sqrt(v[i]) + 1e-8f);
  }
}

}  // namespace gradus::learn
