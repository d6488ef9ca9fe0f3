// gradus._core.Ppo: the learner's inner loops [src/learn/ppo.h]. The training itself is gradus/learn.py.
#include "learn/ppo.h"

#include <pybind11/stl.h>

#include "arrays.h"

using gradus::learn::Ppo;
using gradus::learn::PpoSettings;

namespace gradus_python {
namespace {

template <class T>
using Plain = py::array_t<T, py::array::c_style>;

template <class T>
std::span<const T> in(const Plain<T>& a, std::size_t due, const char* what) {
  if (static_cast<std::size_t>(a.size()) != due)
    throw py::value_error(std::string(what) + ": " + std::to_string(due) + " numbers are due, not " +
                          std::to_string(a.size()));
  return {a.data(), due};
}
std::span<const std::uint8_t> bytes(const Plain<bool>& a, std::size_t due, const char* what) {
  const auto x = in(a, due, what);
  return {reinterpret_cast<const std::uint8_t*>(x.data()), due};
}

struct Learner {
  PpoSettings s;
  Ppo ppo;
  explicit Learner(const PpoSettings& settings) : s(settings), ppo(settings) {}
  auto W() const { return static_cast<std::size_t>(s.worlds); }
  auto no() const { return static_cast<std::size_t>(s.observations); }
  auto na() const { return static_cast<std::size_t>(s.actions); }
};

PpoSettings settings_of(const py::dict& d) {
  PpoSettings s;
  s.worlds = d["worlds"].cast<int>(), s.observations = d["observations"].cast<int>(),
  s.actions = d["actions"].cast<int>();
  s.horizon = d["horizon"].cast<int>(), s.hidden = d["hidden"].cast<std::vector<int>>();
  s.epochs = d["epochs"].cast<int>(), s.minibatches = d["minibatches"].cast<int>(),
  s.threads = d["threads"].cast<int>();
  s.gamma = d["gamma"].cast<float>(), s.lambda = d["lambda"].cast<float>(), s.entropy = d["entropy"].cast<float>();
  s.rate = d["rate"].cast<float>(), s.most_rate = d["most_rate"].cast<float>();
  s.low_kl = d["low_kl"].cast<float>(), s.high_kl = d["high_kl"].cast<float>();
  if (s.worlds < 1 || s.observations < 1 || s.actions < 1 || s.horizon < 1 || s.epochs < 1 || s.minibatches < 1 ||
      s.threads < 1)
    throw py::value_error("Ppo: every size must be at least 1");
  return s;
}

py::dict state_of(const Learner& l) {
  py::dict d;
  const auto array = [](const auto& v) {
    using T = std::remove_cvref_t<decltype(v[0])>;
    return py::array_t<T>(static_cast<py::ssize_t>(v.size()), v.data());
  };
  d["policy"] = array(l.ppo.policy.plain()), d["critic"] = array(l.ppo.critic.plain());
  d["log_deviation"] = array(l.ppo.log_deviation);
  d["mean"] = array(l.ppo.mean), d["variance"] = array(l.ppo.variance), d["seen"] = l.ppo.seen, d["rate"] = l.ppo.rate;
  d["policy_m"] = array(l.ppo.policy_adam.m), d["policy_v"] = array(l.ppo.policy_adam.v),
  d["policy_t"] = l.ppo.policy_adam.t;
  d["critic_m"] = array(l.ppo.critic_adam.m), d["critic_v"] = array(l.ppo.critic_adam.v),
  d["critic_t"] = l.ppo.critic_adam.t;
  return d;
}

void set_state(Learner& l, const py::dict& d) {
  const auto floats = [&](const char* name) { return d[name].cast<std::vector<float>>(); };
  Ppo& p = l.ppo;
  const auto policy = floats("policy"), critic = floats("critic"), deviation = floats("log_deviation");
  const auto mean = d["mean"].cast<std::vector<double>>(), variance = d["variance"].cast<std::vector<double>>();
  if (policy.size() != p.policy.plain_size() || critic.size() != p.critic.plain_size() || deviation.size() != l.na() ||
      mean.size() != l.no() || variance.size() != l.no())
    throw py::value_error("Ppo: the state is that of another task or other networks");
  p.policy.set_plain(policy), p.critic.set_plain(critic);
  p.log_deviation = deviation;
  p.set_seen(mean, variance, d["seen"].cast<double>());
  p.rate = d["rate"].cast<float>();
  p.policy_adam = {floats("policy_m"), floats("policy_v"), d["policy_t"].cast<std::int64_t>()};
  p.critic_adam = {floats("critic_m"), floats("critic_v"), d["critic_t"].cast<std::int64_t>()};
}

}  // namespace

void bind_learn(py::module_& m) {
  py::class_<Learner> c(m, "Ppo");
  c.def(py::init([](const py::dict& d) { return std::make_unique<Learner>(settings_of(d)); }));
  c.def("act", [](Learner& l, int t, const Plain<float>& observations, const Plain<float>& noise) {
    if (t < 0 || t >= l.s.horizon) throw py::value_error("Ppo.act: there is no such step");
    const auto o = in(observations, l.W() * l.no(), "observations"), z = in(noise, l.W() * l.na(), "noise");
    py::array_t<float> out({static_cast<py::ssize_t>(l.W()), static_cast<py::ssize_t>(l.na())});
    const std::span<float> a{out.mutable_data(), l.W() * l.na()};
    py::gil_scoped_release free;
    l.ppo.act(t, o, z, a);
    return out;
  });
  c.def("reward", [](Learner& l, int t, const Plain<float>& rewards, const Plain<bool>& terminated,
                     const Plain<bool>& truncated, const Plain<float>& last) {
    if (t < 0 || t >= l.s.horizon) throw py::value_error("Ppo.reward: there is no such step");
    l.ppo.reward(t, in(rewards, l.W(), "rewards"), bytes(terminated, l.W(), "terminated"),
                 bytes(truncated, l.W(), "truncated"), in(last, l.W() * l.no(), "last observations"));
  });
  c.def("learn", [](Learner& l, const Plain<float>& next, const Plain<std::int32_t>& order) {
    const std::size_t n = l.W() * static_cast<std::size_t>(l.s.horizon);
    const auto x = in(next, l.W() * l.no(), "observations");
    const auto o = in(order, n * static_cast<std::size_t>(l.s.epochs), "order");
    for (const std::int32_t i : o)
      if (i < 0 || static_cast<std::size_t>(i) >= n)
        throw py::value_error("Ppo.learn: order names a sample that is not there");
    py::gil_scoped_release free;
    const auto r = l.ppo.learn(x, o);
    return std::make_pair(r.kl, r.deviation);
  });
  c.def("add_seen", [](Learner& l) { l.ppo.add_seen(); });
  c.def("mean_action", [](Learner& l, const Plain<float>& observations) {
    const std::size_t rows = static_cast<std::size_t>(observations.size()) / l.no();
    const auto o = in(observations, rows * l.no(), "observations");
    py::array_t<float> out({static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(l.na())});
    l.ppo.mean_action(o, static_cast<int>(rows), {out.mutable_data(), rows * l.na()});
    return out;
  });
  c.def("state", &state_of);
  c.def("set_state", &set_state);
}

}  // namespace gradus_python
