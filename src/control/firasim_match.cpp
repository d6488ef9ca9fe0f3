#include "control/firasim_match.h"

#include <cmath>

#include "control/wheels_team.h"
#include "wheels/group.h"
#include "wheels/match.h"

namespace gradus::control {
namespace {

using firasim::Color;
using firasim::Foul;

/// Hands the standing commands of remote teams to their robots.
class BoardDriver : public GroupController {
 public:
  BoardDriver(const firasim::CommandBoard& board, bool blue, bool yellow) : board_(board), remote_{blue, yellow} {}
  void control(const GroupOutput& see, std::span<RobotCommand> members) override {
    for (int m = 0; m < see.group->blue + see.group->yellow; ++m) {
      const bool yellow = m >= see.group->blue;
      if (!remote_[yellow]) continue;
      const firasim::Wheels& w =
          (yellow ? board_.yellow() : board_.blue())[static_cast<std::size_t>(yellow ? m - see.group->blue : m)];
      const auto robot = static_cast<std::size_t>(see.group->members[static_cast<std::size_t>(m)]);
      command_wheels(*see.model->robots[robot].kind, {w.left, w.right}, members[static_cast<std::size_t>(m)]);
    }
  }

 private:
  const firasim::CommandBoard& board_;
  bool remote_[2];
};

Result<firasim::ServerOptions> server_options(const GroupModel& g) {
  const FirasimSpec& f = g.spec.firasim;
  firasim::ServerOptions o;
  Diagnostics faults;
  const auto address = [&](const std::string& text, firasim::Address& into) {
    auto a = firasim::parse_address(text);
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

bool own_half_is_positive(const GroupModel& g, bool yellow) { return yellow == (g.spec.sides == "blue_left"); }

Result<firasim::RefereeOptions> referee_options(const GroupModel& g) {
  firasim::RefereeOptions o;
  auto commands = firasim::parse_address(g.spec.firasim.referee),
       placements = firasim::parse_address(g.spec.firasim.placement);
  if (!commands) return commands.notes();
  if (!placements) return placements.notes();
  o.commands = *commands, o.placements = *placements;
  o.interface = g.spec.firasim.interface;
  o.speaks = g.spec.referee.has_value();
  return o;
}

}  // namespace

Result<std::unique_ptr<FirasimMatch>> FirasimMatch::open(World& world, int group, const FirasimOptions& options) {
  const GroupModel& model = world.groups().model(group);
  const auto so = server_options(model);
  if (!so) return so.notes();
  const auto ro = referee_options(model);
  if (!ro) return ro.notes();
  auto server = firasim::Server::open(*so);
  if (!server) return server.notes();
  auto referee = firasim::RefereeLink::open(*ro);
  if (!referee) return referee.notes();
  std::unique_ptr<FirasimMatch> match(new FirasimMatch(group, model, options, std::move(*server), std::move(*referee)));
  world.add_group_controller(
      group, std::make_unique<BoardDriver>(match->server_.board(), match->remote_[0], match->remote_[1]), 0);
  match->publish(world);
  if (match->speaks_) match->announce(world, static_cast<int>(wheels::MatchEvent::kick_off));
  return match;
}

FirasimMatch::FirasimMatch(int group, const GroupModel& model, const FirasimOptions& options, firasim::Server server,
                           firasim::RefereeLink referee)
    : group_(group),
      options_(options),
      remote_{model.spec.blue == "firasim", model.spec.yellow == "firasim"},
      speaks_(model.spec.referee.has_value()),
      server_(std::move(server)),
      referee_(std::move(referee)),
      wanted_(2) {}

bool FirasimMatch::all_have_answered() const {
  for (int team = 0; team < 2; ++team)
    if (remote_[team] && server_.board().heard(team) == answered_[team]) return false;
  return true;
}

const std::vector<Command>& FirasimMatch::receive(const World& world) {
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

void FirasimMatch::poll(const World& world) {
  server_.poll(world.time(), orders_);
  take(world, orders_);
  referee_.poll(referee_commands_, placements_);
  for (const firasim::RefereeCommand& c : referee_commands_) take(world, c);
  for (firasim::RefereePlacement& p : placements_)
    if (p.team != Color::none) wanted_[p.team == Color::yellow] = std::move(p);
}

void FirasimMatch::place(const World& world, const firasim::Robot& r, bool yellow, bool present,
                         std::vector<Command>& out) const {
  const GroupModel& g = world.groups().model(group_);
  if (static_cast<int>(r.id) >= (yellow ? g.yellow : g.blue)) return;
  const auto member = static_cast<std::size_t>(static_cast<int>(r.id) + (yellow ? g.blue : 0));
  Command c;
  c.kind = Command::Kind::place;
  c.robot = world.model().robots[static_cast<std::size_t>(g.members[member])].name;
  c.name = present ? "" : "away";
  c.point = {r.x, r.y, r.orientation};
  out.push_back(std::move(c));
}

void FirasimMatch::take(const World& world, const firasim::Orders& orders) {
  for (const firasim::RobotReplacement& r : orders.robots) place(world, r.position, r.yellow, r.turn_on, commands_);
  if (!orders.has_ball) return;
  Command c;
  c.kind = Command::Kind::place;
  c.robot = world.model().robots[static_cast<std::size_t>(world.groups().model(group_).members.back())].name;
  c.point = {orders.ball.x, orders.ball.y, 0};
  c.vector = {orders.ball.vx, orders.ball.vy, 0};
  commands_.push_back(std::move(c));
}

/// STOP and HALT hold every wheel until GAME_ON; fouls are carried out by the referee's own replacements.
void FirasimMatch::take(const World& world, const firasim::RefereeCommand& r) {
  const bool stop = r.foul == Foul::stop || r.foul == Foul::halt;
  if (!stop && r.foul != Foul::game_on) return;
  Command c;
  c.kind = Command::Kind::set;
  c.name = world.groups().model(group_).spec.name + ".halted";
  c.value = stop ? 1 : 0;
  commands_.push_back(std::move(c));
}

void FirasimMatch::publish(const World& world) {
  const FirasimSpec& f = world.groups().model(group_).spec.firasim;
  const auto frame = static_cast<std::int64_t>(std::floor(world.time() / f.period + 1e-6));
  if (frame != last_frame_) {
    last_frame_ = frame;
    picture(world.output_of_group(group_, sights_), picture_);
    server_.send(picture_);
  }
  if (!speaks_) return;
  const auto match = wheels::match_of(world.section(group_));
  if (match[wheels::kEventCount] != events_) announce(world, static_cast<int>(match[wheels::kLastEvent]));
  events_ = match[wheels::kEventCount];
  const auto second = static_cast<std::int64_t>(world.time());
  if (second != last_second_) referee_.send(last_said_);  // again, for those who came late
  last_second_ = second;
}

void FirasimMatch::announce(const World& world, int event) {
  using wheels::MatchEvent;
  const auto match = wheels::match_of(world.section(group_));
  switch (static_cast<MatchEvent>(event)) {
    case MatchEvent::goal_blue:
    case MatchEvent::goal_yellow:
      return say(world, Foul::stop, Color::none);
    case MatchEvent::kick_off:
      say(world, Foul::kick_off, match[wheels::kLastRestart] >= 0 ? Color::blue : Color::yellow);
      for (firasim::RefereePlacement& p : wanted_) {
        const bool yellow = p.team == Color::yellow;
        for (const firasim::Robot& r : p.robots)
          if ((r.x > 0) == own_half_is_positive(world.groups().model(group_), yellow)) place(world, r, yellow, true, later_);  // no other half
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

void FirasimMatch::say(const World& world, Foul foul, Color team, std::uint32_t quadrant) {
  last_said_ = {foul, team, quadrant, world.time(), 1};
  referee_.send(last_said_);
}

}  // namespace gradus::control
