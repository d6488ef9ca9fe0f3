#include "link/tcp/tcp_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "link/items.h"
#include "link/program/lines.h"

namespace gradus::tcp {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestHello = 4096;  // bytes
enum Form { kLines, kBinary };

struct Options {
  SeatOptions seats;
  std::string token;
  double period = 0;  // 0: the controller's  [s]
};

Diagnostics read_options(const ControllerSpec& c, Options& out) {
  return each_item("tcp", c.options, c.place, [&](const std::string& key, const std::string& value) -> std::string {
    bool known = false;
    const std::string fault = out.seats.take(key, value, known);
    if (known) return fault;
    if (key == "token" && !value.empty()) return out.token = value, "";
    if (key == "rate") return read_rate(value, out.period);
    return "known: free, patience=, wait=, token=, rate=";
  });
}

/// The first line of what was received, and how long it is with its end; nothing if it has none yet.
std::string_view first_line(ByteView received, std::size_t& size) {
  const std::string_view text = as_text(received);
  const std::size_t end = text.find('\n');
  size = end == std::string_view::npos ? 0 : end + 1;
  return text.substr(0, end == std::string_view::npos ? 0 : end);
}

}  // namespace

Result<std::unique_ptr<TcpLink>> TcpLink::open(World& world) {
  std::unique_ptr<TcpLink> link;
  Diagnostics notes;
  std::vector<std::string> opened;
  for (int r = 0; r < world.robot_count(); ++r) {
    const ControllerSpec& c = world.model().robots[static_cast<std::size_t>(r)].controller;
    if (c.kind != "tcp") continue;
    Options options;
    append(notes, read_options(c, options));
    if (!link) link.reset(new TcpLink(options.seats));
    if (options.seats.lockstep != link->options().lockstep)
      notes.push_back({c.place, Severity::error, "tcp: either all robots of a scene are free or none", ""});
    auto it = std::find(opened.begin(), opened.end(), c.file);
    if (it == opened.end()) {
      auto listener = Listener::tcp(c.file);
      append(notes, listener.notes());
      if (!listener) break;
      if (!listener->address().starts_with("127.") && options.token.empty())
        notes.push_back({c.place, Severity::warning,
                         "tcp: whoever reaches " + listener->address() + " can drive robots",
                         "give a token: options = \"token=…\""});
      link->add_listener(std::move(*listener));
      it = opened.insert(opened.end(), c.file);
    }
    const Seat& seat = link->add_seat(world, r, c.period, c.start);
    const RobotKind& kind = *world.model().robots[static_cast<std::size_t>(seat.robot)].kind;
    link->places_.push_back({static_cast<std::size_t>(it - opened.begin()), options.token, joint_names(kind), {}, std::make_unique<ImageShare>(), {}});
  }
  if (has_errors(notes)) return notes;
  link->publish(world);
  return {std::move(link), std::move(notes)};
}

int TcpLink::seat_of(Guest& guest, std::string& refusal) {
  std::size_t size = 0;
  const std::string_view line = first_line(guest.wire.received(), size);
  if (size == 0) {
    if (guest.wire.received().size() > kLongestHello) refusal = "the first line is too long";
    return -1;
  }
  Hello hello;
  refusal = read_hello(line, hello);
  guest.wire.take(size);
  if (!refusal.empty()) return -1;
  int taken = -1;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Seat& s = *seats()[i];
    if (places_[i].listener != guest.listener || (!hello.robot.empty() && hello.robot != s.name)) continue;
    if (places_[i].token != hello.token) return refusal = "the token is wrong or missing", -1;
    taken = static_cast<int>(i);
    if (s.wire.open()) continue;
    places_[i].hello = hello;
    return taken;
  }
  if (taken < 0) refusal = "there is no robot '" + hello.robot + "' on this port";
  return taken;
}

void TcpLink::refuse(Wire& wire, const std::string& why) { wire.send(json{{"error", why}}.dump() + "\n"); }

void TcpLink::welcome(const World& world, Seat& s) {
  Place& place = places_[s.number];
  s.form = place.hello.binary ? kBinary : kLines;
  place.frames.want(place.hello.images);
  const std::string fault = place.frames.fault(world.output(s.robot, s.room).sensors);
  if (!fault.empty()) {
    refuse(s.wire, fault);
    return s.wire.close();
  }
  const RobotKind& kind = *world.model().robots[static_cast<std::size_t>(s.robot)].kind;
  s.wire.send(s.form == kBinary ? schema_line(s.name, kind, s.period, world.output(s.robot, s.room), s.orders)
                                : robot_line(s.name, kind, s.period));
}

bool TcpLink::tell(const World& world, Seat& s) {
  const RobotOutput output = world.output(s.robot, s.room);
  if (s.form == kBinary) {
    frame_.clear();
    ImageFrames& images = places_[s.number].frames;
    append_state_frame(output, frame_, images.wanted() ? &images : nullptr);
    if (!s.wire.send(frame_)) return false;
    images.sent();
    return true;
  }
  line_.clear();
  append_state_line(output, line_, places_[s.number].images.get());
  return s.wire.send(line_);
}

SeatLink::Heard TcpLink::hear(const World& world, Seat& s, std::string& fault) {
  return s.form == kBinary ? hear_frame(s, fault) : hear_line(world, s, fault);
}

SeatLink::Heard TcpLink::hear_line(const World& world, Seat& s, std::string& fault) {
  std::size_t size = 0;
  const std::string_view line = first_line(s.wire.received(), size);
  if (size == 0) return Heard::nothing;
  std::string end;
  fault = take_line(line, places_[s.number].joints, s.orders, end);
  s.wire.take(size);
  if (fault.empty() && s.orders.images) {
    ImageShare& images = *places_[s.number].images;
    images.want(*s.orders.images);
    s.orders.images.reset();
    fault = images.fault(world.output(s.robot, s.room).sensors);
  }
  if (!fault.empty()) return Heard::fault;
  if (!end.empty()) end_run("the program of robot '" + s.name + "' ended the run: " + end);
  return Heard::answer;
}

SeatLink::Heard TcpLink::hear_frame(Seat& s, std::string& fault) {
  ByteReader r(s.wire.received());
  const auto length = r.le<std::uint32_t>();
  if (!r.ok()) return Heard::nothing;
  if (length > longest_answer(s.orders))
    return fault = "announced a frame of " + std::to_string(length) + " bytes", Heard::fault;
  const ByteView payload = r.take(length);
  if (!r.ok()) return Heard::nothing;
  fault = take_frame(payload, s.orders);
  s.wire.take(sizeof(std::uint32_t) + length);
  return fault.empty() ? Heard::answer : Heard::fault;
}

std::vector<std::string> TcpLink::addresses() const {
  std::vector<std::string> out;
  for (const Listener& l : listeners())
    out.push_back(
        fmt::format("programs connect to {}{}", l.address(), options().lockstep ? "; every step waits for them" : ""));
  return out;
}

bool asked_for(const SceneSpec& scene) { return has_controller(scene, "tcp"); }

/// The controller of each robot that is meant becomes `tcp`.
Diagnostics prepare(const std::string& options, SceneSpec& scene) {
  RobotChoice choice;
  ControllerSpec c;
  c.kind = "tcp", c.file = "4000";
  Diagnostics faults = sort_items("--tcp", options, is_port, choice, c);
  Options read;
  append(faults, read_options(c, read));
  if (read.period > 0) c.period = read.period;
  append(faults, choice.give(scene, c, "--tcp"));
  return faults;
}

Result<std::unique_ptr<ProtocolLink>> open_link(const std::string&, World& world) {
  return as_link(TcpLink::open(world));
}

}  // namespace gradus::tcp
