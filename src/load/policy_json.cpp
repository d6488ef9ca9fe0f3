#include "load/policy_json.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "load/source_text.h"

namespace gradus {
namespace {

constexpr std::size_t kMostBytes = 64 << 20;
constexpr std::size_t kMostLayers = 16;
constexpr int kWidest = 4096;

/// Reads keys of one object; the first problem is kept.
struct Reader {
  const nlohmann::json& from;
  std::string problem;

  const nlohmann::json* get(const char* key) {
    if (from.contains(key)) return &from[key];
    if (problem.empty()) problem = std::string("key '") + key + "' is missing";
    return nullptr;
  }
  void number(const char* key, double& out) {
    const auto* x = get(key);
    if (x && x->is_number() && std::isfinite(x->get<double>()))
      out = x->get<double>();
    else if (x && problem.empty())
      problem = std::string(key) + " must be a number";
  }
  void text(const char* key, std::string& out) {
    const auto* x = get(key);
    if (x && x->is_string())
      out = x->get<std::string>();
    else if (x && problem.empty())
      problem = std::string(key) + " must be a text";
  }
  template <class T>
  void numbers(const char* key, std::vector<T>& out) {
    const auto* x = get(key);
    if (!x) return;
    bool good = x->is_array();
    constexpr double most = static_cast<double>(std::numeric_limits<T>::max());
    for (std::size_t i = 0; good && i < x->size(); ++i)
      good = (*x)[i].is_number() && std::abs((*x)[i].template get<double>()) <= most;  // false of NaN, too
    if (!good && problem.empty()) problem = std::string(key) + " must be a list of numbers";
    for (std::size_t i = 0; good && i < x->size(); ++i) out.push_back(static_cast<T>((*x)[i].template get<double>()));
  }
};

std::string fault_of(const PolicyFile& p) {
  if (!(p.rate > 0 && p.rate <= 1e5)) return "rate must be above 0";
  if (p.sizes.size() < 2 || p.sizes.size() > kMostLayers) return "sizes must name 2 to 16 layers";
  std::size_t due = 0;
  for (std::size_t i = 0; i < p.sizes.size(); ++i) {
    if (p.sizes[i] < 1 || p.sizes[i] > kWidest) return "a layer must have 1 to 4096 numbers";
    if (i > 0) due += static_cast<std::size_t>(p.sizes[i - 1] + 1) * static_cast<std::size_t>(p.sizes[i]);
  }
  const auto in = static_cast<std::size_t>(p.sizes.front()), out = static_cast<std::size_t>(p.sizes.back());
  if (p.weights.size() != due)
    return "weights: " + std::to_string(due) + " numbers are due, not " + std::to_string(p.weights.size());
  if (p.mean.size() != in || p.scale.size() != in) return "mean and scale must have " + std::to_string(in) + " numbers";
  if (p.start.size() != out) return "start must have " + std::to_string(out) + " numbers";
  if (in != 12 + 3 * out)
    return "a walking policy of " + std::to_string(out) + " joints observes " + std::to_string(12 + 3 * out) +
           " numbers";
  return "";
}

}  // namespace

Result<PolicyFile> load_policy(const std::string& path) {
  const auto text = read_bytes(path, kMostBytes);
  if (!text) return text.notes();
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  const std::string advice = "policies are made by python3 -m gradus.learn";
  if (json.is_discarded() || !json.is_object()) return file_error(path, "this is no policy: not a JSON object", advice);
  PolicyFile p;
  p.file = path;
  Reader r{json, ""};
  double version = 0;
  std::string kind;
  r.number("gradus_policy", version), r.text("kind", kind), r.text("task", p.task), r.text("robot", p.robot);
  r.number("rate", p.rate), r.number("clock", p.clock), r.number("action_scale", p.action_scale);
  r.numbers("start", p.start), r.numbers("sizes", p.sizes), r.numbers("mean", p.mean), r.numbers("scale", p.scale);
  r.numbers("weights", p.weights);
  if (r.problem.empty() && version != 1) r.problem = "gradus_policy: version 1 is known";
  if (r.problem.empty() && kind != "walk") r.problem = "kind: 'walk' is known, not '" + kind + "'";
  if (r.problem.empty()) r.problem = fault_of(p);
  if (!r.problem.empty()) return file_error(path, r.problem, advice);
  return p;
}

Diagnostics check_policy(const PolicyFile& policy, const RobotSpec& robot, const Place& mentioned) {
  std::size_t joints = 0;
  for (const ObjectSpec& o : robot.objects) joints += o.kind == ObjectKind::revolute || o.kind == ObjectKind::prismatic;
  if (joints == policy.start.size()) return {};
  return {{mentioned, Severity::error,
           "the policy " + policy.file + " moves " + std::to_string(policy.start.size()) + " joints, and '" +
               robot.name + "' has " + std::to_string(joints),
           "it was learned for the robot '" + policy.robot + "'"}};
}

}  // namespace gradus
