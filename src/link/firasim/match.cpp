#include "link/firasim/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "wheels/from_scene.h"
#include "wheels/group.h"
#include "wheels/match.h"

namespace gradus::firasim {
namespace {

/// Hands the standing commands of remote teams to their robots.
class BoardDriver : public GroupController {
 public:
  BoardDriver(const CommandBoard& board, bool blue, bool yellow) : board_(board), remote_{blue, yellow} {}
  void control(const GroupOutput& see, std::span<RobotCommand> members) override {
    for (int m = 0; m < see.group->blue + see.group->yellow; ++m) {
      const bool yellow = m >= see.group->blue;
      if (!remote_[yellow]) continue;
      const Wheels& w =
          (yellow ? board_.yellow() : board_.blue())[static_cast<std::size_t>(yellow ? m - see.group->blue : m)];
      const auto robot = static_cast<std::size_t>(see.group->members[static_cast<std::size_t>(m)]);
      const wheels::WheelJoints joints = wheels::wheel_joints(*see.model->robots[robot].kind);
      const std::span<double> target = members[static_cast<std::size_t>(m)].target;
      target[static_cast<std::size_t>(joints.left)] = joints.left_sense * w.left;
      target[static_cast<std::size_t>(joints.right)] = joints.right_sense * w.right;
    }
  }

 private:
  const CommandBoard& board_;
  bool remote_[2];
};

Result<ServerOptions> server_options(const GroupModel& g) {
  const FirasimSpec& f = g.spec.firasim;
  ServerOptions o;
  Diagnostics faults;
  const auto address = [&](const std::string& text, Address& into) {
    auto a = parse_address(text);
    if (a)
      into = *a;
    else
      faults.insert(faults.end(), a.notes().begin(), a.notes().end());
  };
  o.vision.resize(f.vision.size());
  for (std::size_t i = 0; i < f.vision.size(); ++i) address(f.vision[i], o.vision[i]);
  address(f.commands, o.commands);
  o.interface = f.interface;
  o.robots_per_team = std::max(g.blue, g.yellow);
  o.watchdog = f.watchdog;
  if (!faults.empty()) return faults;
  return o;
}

constexpr double kSilence = 2;  // [s] simulated

/// Is a team's own half the one with x > 0?
bool own_half_is_positive(const GroupModel& g, bool yellow) { return yellow == (g.spec.sides == "blue_left"); }

Result<RefereeOptions> referee_options(const GroupModel& g) {
  RefereeOptions o;
  auto commands = parse_address(g.spec.firasim.referee), placements = parse_address(g.spec.firasim.placement);
  if (!commands) return commands.notes();
  if (!placements) return placements.notes();
  o.commands = *commands, o.placements = *placements;
  o.interface = g.spec.firasim.interface;
  o.speaks = g.spec.referee.has_value();
  return o;
}

}  // namespace

Result<std::unique_ptr<MatchLink>> MatchLink::open(World& world, int group, const MatchOptions& options) {
  const GroupModel& model = world.groups().model(group);
  const auto so = server_options(model);
  if (!so) return so.notes();
  const auto ro = referee_options(model);
  if (!ro) return ro.notes();
  auto server = Server::open(*so);
  if (!server) return server.notes();
  auto referee = RefereeLink::open(*ro);
  if (!referee) return referee.notes();
  std::unique_ptr<MatchLink> match(new MatchLink(group, model, options, std::move(*server), std::move(*referee)));
  world.add_group_controller(
      group, std::make_unique<BoardDriver>(match->server_.board(), match->remote_[0], match->remote_[1]), 0);
  match->publish(world);
  if (match->speaks_) match->announce(world, static_cast<int>(wheels::MatchEvent::kick_off));
  return match;
}

MatchLink::MatchLink(int group, const GroupModel& model, const MatchOptions& options, Server server,
                     RefereeLink referee)
    : group_(group),
      group_name_(model.spec.name),
      spec_(model.spec.firasim),
      options_(options),
      remote_{model.spec.blue == "firasim", model.spec.yellow == "firasim"},
      speaks_(model.spec.referee.has_value()),
      server_(std::move(server)),
      referee_(std::move(referee)),
      wanted_(2) {}

/// A team that was never heard may be bound to 127.0.0.1, where multicast does not arrive. Not from the beginning, for
/// those that hear both get every picture twice.
bool MatchLink::misses_a_client() const {
  return (remote_[0] && server_.board().heard(0) == 0) || (remote_[1] && server_.board().heard(1) == 0);
}

bool MatchLink::all_have_answered() const {
  for (int team = 0; team < 2; ++team)
    if (remote_[team] && server_.board().heard(team) == answered_[team]) return false;
  return true;
}

std::span<const gradus::Command> MatchLink::receive(const World& world) {
  commands_.swap(later_);
  later_.clear();
  poll(world);
  if (options_.with_clients) {
    constexpr double kSlice = 0.01;  // of waiting, so that the referee is heard too [s]
    for (double waited = 0; !all_have_answered() && waited < options_.patience; waited += kSlice) {
      server_.wait(kSlice);
      poll(world);
    }
    impatient_ += !all_have_answered();
    for (int team = 0; team < 2; ++team) answered_[team] = server_.board().heard(team);
  }
  return commands_;
}

void MatchLink::poll(const World& world) {
  server_.poll(world.time(), orders_);
  take(world, orders_);
  referee_.poll(referee_commands_, placements_);
  for (const RefereeCommand& c : referee_commands_) take(world, c);
  for (RefereePlacement& p : placements_)
    if (p.team != Color::none) wanted_[p.team == Color::yellow] = std::move(p);
}

void MatchLink::place(const World& world, const Robot& r, bool yellow, bool present,
                      std::vector<gradus::Command>& out) const {
  const GroupModel& g = world.groups().model(group_);
  if (static_cast<int>(r.id) >= (yellow ? g.yellow : g.blue)) return;
  const auto member = static_cast<std::size_t>(static_cast<int>(r.id) + (yellow ? g.blue : 0));
  gradus::Command c;
  c.kind = gradus::Command::Kind::place;
  c.robot = world.model().robots[static_cast<std::size_t>(g.members[member])].name;
  c.name = present ? "" : "away";
  c.point = {r.x, r.y, r.orientation};
  out.push_back(std::move(c));
}

void MatchLink::take(const World& world, const Orders& orders) {
  for (const RobotReplacement& r : orders.robots) place(world, r.position, r.yellow, r.turn_on, commands_);
  if (!orders.has_ball) return;
  gradus::Command c;
  c.kind = gradus::Command::Kind::place;
  c.robot = world.model().robots[static_cast<std::size_t>(world.groups().model(group_).members.back())].name;
  c.point = {orders.ball.x, orders.ball.y, 0};
  c.vector = {orders.ball.vx, orders.ball.vy, 0};
  commands_.push_back(std::move(c));
}

/// STOP and HALT hold every wheel until GAME_ON; fouls are carried out by the referee's own replacements.
void MatchLink::take(const World& world, const RefereeCommand& r) {
  const bool stop = r.foul == Foul::stop || r.foul == Foul::halt;
  if (!stop && r.foul != Foul::game_on) return;
  gradus::Command c;
  c.kind = gradus::Command::Kind::set;
  c.name = world.groups().model(group_).spec.name + ".halted";
  c.value = stop ? 1 : 0;
  commands_.push_back(std::move(c));
}

void MatchLink::publish(const World& world) {
  const FirasimSpec& f = world.groups().model(group_).spec.firasim;
  const auto frame = static_cast<std::int64_t>(std::floor(world.time() / f.period + 1e-6));
  if (frame != last_frame_) {
    last_frame_ = frame;
    picture(world.output_of_group(group_, sights_), picture_);
    also_loopback_ = also_loopback_ || (world.time() > kSilence && misses_a_client());
    server_.send(picture_, also_loopback_);
  }
  if (!speaks_) return;
  const auto match = wheels::match_of(world.section(group_));
  if (match[wheels::kEventCount] != events_) announce(world, static_cast<int>(match[wheels::kLastEvent]));
  events_ = match[wheels::kEventCount];
  const auto second = static_cast<std::int64_t>(world.time());
  if (second != last_second_) referee_.send(last_said_);  // again, for those who came late
  last_second_ = second;
}

void MatchLink::announce(const World& world, int event) {
  using wheels::MatchEvent;
  const auto match = wheels::match_of(world.section(group_));
  switch (static_cast<MatchEvent>(event)) {
    case MatchEvent::goal_blue:
    case MatchEvent::goal_yellow:
      return say(world, Foul::stop, Color::none);
    case MatchEvent::kick_off:
      say(world, Foul::kick_off, match[wheels::kLastRestart] >= 0 ? Color::blue : Color::yellow);
      for (RefereePlacement& p : wanted_) {
        const bool yellow = p.team == Color::yellow;
        for (const Robot& r : p.robots)
          if ((r.x > 0) == own_half_is_positive(world.groups().model(group_), yellow))  // in no other half
            place(world, r, yellow, true, later_);
        p.robots.clear();
      }
      break;
    case MatchEvent::free_ball: {
      const auto sights = world.output_of_group(group_, sights_).members;
      const Sight& ball = sights.back();
      say(world, Foul::free_ball, Color::none, ball.x > 0 ? (ball.y > 0 ? 1 : 4) : (ball.y > 0 ? 2 : 3));
      break;
    }
    case MatchEvent::none:
      break;
  }
  say(world, Foul::game_on, Color::none);
}

void MatchLink::say(const World& world, Foul foul, Color team, std::uint32_t quadrant) {
  last_said_ = {foul, team, quadrant, world.time(), 1};
  referee_.send(last_said_);
}

void picture(const GroupOutput& see, Environment& out) {
  const GroupModel& group = *see.group;
  const auto match = wheels::match_of(see.section);
  out.step = static_cast<std::uint32_t>(std::llround(1000 * see.time));
  out.blue.clear(), out.yellow.clear();
  for (int i = 0; i < group.blue + group.yellow; ++i) {
    const Sight& s = see.members[static_cast<std::size_t>(i)];
    if (!s.seen) continue;
    const bool blue = i < group.blue;
    const auto id = static_cast<std::uint32_t>(blue ? i : i - group.blue);
    (blue ? out.blue : out.yellow).push_back({id, s.x, s.y, s.theta, s.vx, s.vy, s.w});
  }
  const Sight& ball = see.members.back();
  const auto robot = static_cast<std::size_t>(group.members.back());
  const double radius = see.model->robots[robot].kind->shapes[0].spec.radius;
  if (ball.seen) out.ball = {ball.x, ball.y, radius, ball.vx, ball.vy, 0};  // a missed ball stays where it was
  const PitchSpec& p = *see.model->pitch;
  out.field = {p.width,         p.length,     p.goal_width, p.goal_depth,
               p.centre_radius, p.area_width, p.area_depth, p.penalty_mark};
  out.goals_blue = static_cast<std::uint32_t>(match[wheels::kGoalsBlue]);
  out.goals_yellow = static_cast<std::uint32_t>(match[wheels::kGoalsYellow]);
}

std::string_view MatchLink::name() const { return kLink.name; }

std::vector<std::string> MatchLink::addresses() const {
  std::string vision;
  for (const std::string& v : spec_.vision) vision += (vision.empty() ? "" : ", ") + v;
  const std::string host = spec_.commands.substr(0, spec_.commands.rfind(':'));
  const char* teams = remote_[0] && remote_[1] ? "both teams" : remote_[0] ? "blue" : remote_[1] ? "yellow" : "nobody";
  return {fmt::format("pictures go to {}, commands of {} are taken on {}:{}", vision, teams, host, command_port())};
}

ProtocolLink::Figures MatchLink::figures() const {
  const ServerCounters& c = counters();
  const RefereeCounters& r = referee_counters();
  return {{"frames", c.frames},
          {"send_failures", c.send_failures},
          {"packets", c.packets},
          {"malformed", c.malformed},
          {"oversized", c.oversized},
          {"flooded", c.flooded},
          {"stale", c.stale},
          {"refused", c.refused},
          {"watchdog_stops", c.watchdog_stops},
          {"impatient", impatient()},
          {"referee_sent", r.sent},
          {"referee_commands", r.commands},
          {"placements", r.placements},
          {"referee_malformed", r.malformed}};
}

std::vector<std::string> MatchLink::summary() const {
  const ServerCounters& c = counters();
  const RefereeCounters& r = referee_counters();
  std::vector<std::string> out{fmt::format(
      "firasim: {} pictures sent, {} packets taken; dropped: {} malformed, {} oversized, {} flooded, {} stale, {} "
      "entries refused",
      c.frames, c.packets, c.malformed, c.oversized, c.flooded, c.stale, c.refused)};
  if (c.packets == 0 && awaits_clients())
    out.push_back(
        "         no client was heard: it has to send its commands to the address above; a client that is bound to "
        "127.0.0.1 "
        "hears pictures with --firasim=vision=127.0.0.1:10002");
  if (c.watchdog_stops || c.send_failures || impatient())
    out.push_back(
        fmt::format("         {} teams stopped by the watchdog, {} pictures not sent, {} steps without an answer",
                    c.watchdog_stops, c.send_failures, impatient()));
  out.push_back(fmt::format("referee: {} messages sent, {} commands and {} placements taken, {} malformed", r.sent,
                            r.commands, r.placements, r.malformed));
  return out;
}

bool asked_for(const SceneSpec& scene) {
  return std::any_of(scene.groups.begin(), scene.groups.end(),
                     [](const GroupSpec& g) { return g.blue == "firasim" || g.yellow == "firasim"; });
}

Diagnostics prepare(const std::string& options, SceneSpec& scene) {
  bool waits = false;
  return apply_options(options, scene, waits);
}

namespace {

/// Several groups whose teams come over the network, each with addresses of its own.
class Matches : public ProtocolLink {
 public:
  explicit Matches(std::vector<std::unique_ptr<MatchLink>> matches) : matches_(std::move(matches)) {}
  std::string_view name() const override { return matches_[0]->name(); }
  std::span<const gradus::Command> receive(const World& world) override {
    commands_.clear();
    for (const auto& m : matches_) {
      const std::span<const gradus::Command> more = m->receive(world);
      commands_.insert(commands_.end(), more.begin(), more.end());
    }
    return commands_;
  }
  void publish(const World& world) override {
    for (const auto& m : matches_) m->publish(world);
  }
  bool wants_real_time() const override { return matches_[0]->wants_real_time(); }
  std::vector<std::string> addresses() const override {
    return of_all([](const MatchLink& m) { return m.addresses(); });
  }
  std::vector<std::string> summary() const override {
    return of_all([](const MatchLink& m) { return m.summary(); });
  }
  Figures figures() const override {  // sums
    Figures out = matches_[0]->figures();
    for (std::size_t i = 1; i < matches_.size(); ++i) {
      const Figures more = matches_[i]->figures();
      for (std::size_t k = 0; k < out.size(); ++k) out[k].second += more[k].second;
    }
    return out;
  }

 private:
  template <class Ask>
  std::vector<std::string> of_all(const Ask& ask) const {
    std::vector<std::string> out;
    for (const auto& m : matches_)
      for (const std::string& line : ask(*m)) out.push_back(m->group_name() + ": " + line);
    return out;
  }
  std::vector<std::unique_ptr<MatchLink>> matches_;
  std::vector<gradus::Command> commands_;
};

}  // namespace

/// One link for every group that has a team over the network; if none has, one for the last: its referee may be.
Result<std::unique_ptr<ProtocolLink>> open_link(const std::string& options, World& world) {
  MatchOptions o;
  SceneSpec unused;
  unused.groups.emplace_back();
  apply_options(options, unused, o.with_clients);
  if (world.groups().empty())
    return Diagnostics{{{}, Severity::error, "this scene has no group that clients could play in", "try mirosot_5v5"}};
  std::vector<std::unique_ptr<MatchLink>> matches;
  for (int g = 0; g < world.groups().count(); ++g) {
    const GroupSpec& spec = world.groups().model(g).spec;
    const bool remote = spec.blue == "firasim" || spec.yellow == "firasim", last = g + 1 == world.groups().count();
    if (!remote && !(last && matches.empty())) continue;
    auto match = MatchLink::open(world, g, o);
    if (!match) return match.notes();
    matches.push_back(std::move(*match));
  }
  if (matches.size() == 1) return std::unique_ptr<ProtocolLink>(std::move(matches[0]));
  return std::unique_ptr<ProtocolLink>(std::make_unique<Matches>(std::move(matches)));
}

}  // namespace gradus::firasim
