// Parameters of a World that runs: descriptions are edited and compiled again, between two steps [model/parameters.h].
#include <algorithm>

#include "drive/drives.h"
#include "world/world.h"

namespace gradus {
namespace {

constexpr const char* kWorldOwner = "world";

std::string first_error(const Diagnostics& notes) {
  for (const Diagnostic& d : notes)
    if (d.severity == Severity::error) return d.text + (d.suggestion.empty() ? "" : "; " + d.suggestion);
  return "";
}

/// The robot with its settings, from what it was at first.
std::string compile_variant(const RobotModel& first, std::span<const Setting> settings, const Model& model,
                            const ContactSpec& contact, RobotModel& out) {
  if (!first.spec) return "the description of robot '" + first.name + "' is not known";
  auto spec = std::make_shared<RobotSpec>(*first.spec);
  if (std::string problem = apply_settings(*spec, settings); !problem.empty()) return problem;
  const auto kind = compile(*spec, contact, model.ground_surface);
  if (!kind) return first_error(kind.notes());
  out = first;
  out.kind = *kind;
  out.spec = std::move(spec);
  return "";
}

}  // namespace

std::optional<double> World::setting(const std::string& path) const {
  const auto it = std::find_if(settings_.begin(), settings_.end(), [&](const Setting& s) { return s.path == path; });
  return it == settings_.end() ? std::nullopt : std::optional<double>(it->value);
}

std::string World::set_parameter(const std::string& path, double value) {
  std::vector<Setting> wanted = settings_;
  std::erase_if(wanted, [&](const Setting& s) { return s.path == path; });  // the newest stands last
  wanted.push_back({path, value});
  return take_settings(std::move(wanted));
}

/// Robots that are as before are left alone; one without settings gets back what it was at first.
std::string World::make_variant(std::span<const Setting> settings, Variant& out) const {
  const std::vector<Setting> around = settings_of(settings, kWorldOwner),
                             around_before = settings_of(settings_, kWorldOwner);
  out.around = first_around_;
  if (std::string problem = apply_settings(out.around, around); !problem.empty()) return problem;
  std::size_t known = around.size();
  for (std::size_t i = 0; i < first_robots_.size(); ++i) {
    const RobotModel& first = first_robots_[i];
    const std::vector<Setting> own = settings_of(settings, first.name);
    known += own.size();
    if (around == around_before && own == settings_of(settings_, first.name)) continue;
    RobotModel made = first;
    if (!own.empty() || (!around.empty() && first.spec))
      if (std::string problem = compile_variant(first, own, model_, out.around.contact, made); !problem.empty())
        return problem;
    out.robots.emplace_back(static_cast<int>(i), std::move(made));
  }
  return known == settings.size() ? "" : "there is no such robot";
}

/// Swaps the world's robots and surroundings with those of the variant.
void World::exchange(Variant& v) {
  std::swap(v.around.gravity, model_.gravity);
  std::swap(v.around.contact, model_.contact);
  for (auto& [robot, model] : v.robots) std::swap(model, model_.robots[static_cast<std::size_t>(robot)]);
}

std::string World::take_settings(std::vector<Setting> wanted) {
  if (wanted == settings_) return "";
  Variant v;
  if (std::string problem = make_variant(wanted, v); !problem.empty()) return problem;
  for (const auto& [robot, model] : v.robots) {
    const MotionNeeds needs = motion(robot).bind(*model.kind);
    if (!needs.missing.empty()) return "its motion needs " + needs.missing.front();
    if (model.kind->sensors.empty()) continue;
    sense::Senses trial;
    if (std::string problem = first_error(trial.bind(model_, model)); !problem.empty()) return problem;
    if (trial.size() != engine_->senses(robot).size()) return "its sensors would need more or less room";
  }
  const double error = energy_error();
  exchange(v);
  const auto is_member = [](const auto& r) { return r.second.group >= 0; };
  if (std::any_of(v.robots.begin(), v.robots.end(), is_member))
    if (std::string problem = engine_->rebind_groups(); !problem.empty()) return exchange(v), problem;
  settings_ = std::move(wanted);
  for (const auto& [robot, before] : v.robots) {
    const auto i = static_cast<std::size_t>(robot);
    const RobotKind &first = *first_robots_[i].kind, &now = *model_.robots[i].kind;
    if (&now != &first) statics_.add_variant(model_, first, now);
    engine_->rebind(robot);
    if (before.kind.get() != &first) statics_.drop_variant(*before.kind);
    if (cameras_) cameras_->rebind(*engine_, robot);
  }
  engine_->rebind_surroundings();
  engine_->wake(-1, state_[0]);
  engine_->look(state_[0]);
  keep_error(error);
  return "";
}

}  // namespace gradus
