#include "link/firasim/messages.h"

namespace gradus::firasim {
namespace {

using protobuf::Reader;
using protobuf::Writer;

std::uint32_t u32(Reader& r) { return static_cast<std::uint32_t>(r.varint()); }  // protobuf truncates too

void write(const Robot& m, Writer& w) {
  w.varint(1, m.id);
  w.number(2, m.x), w.number(3, m.y), w.number(4, m.orientation);
  w.number(5, m.vx), w.number(6, m.vy), w.number(7, m.vorientation);
}
void write(const Ball& m, Writer& w) {
  w.number(1, m.x), w.number(2, m.y), w.number(3, m.z), w.number(4, m.vx), w.number(5, m.vy), w.number(6, m.vz);
}
void write(const Field& m, Writer& w) {
  w.number(1, m.width), w.number(2, m.length), w.number(3, m.goal_width), w.number(4, m.goal_depth);
  w.number(5, m.center_radius), w.number(6, m.penalty_width), w.number(7, m.penalty_depth);
  w.number(8, m.penalty_point);
}
template <class T>
void nest(int field, const T& m, Writer& w) {
  const std::size_t mark = w.begin(field);
  write(m, w);
  w.end(mark);
}

bool read(Bytes data, Robot& m) {
  Reader r(data);
  double* const numbers[] = {&m.x, &m.y, &m.orientation, &m.vx, &m.vy, &m.vorientation};
  while (r.next()) {
    if (r.field() == 1)
      m.id = u32(r);
    else if (r.field() <= 7)
      *numbers[r.field() - 2] = r.number();
  }
  return r.ok();
}
bool read(Bytes data, Ball& m) {
  Reader r(data);
  double* const numbers[] = {&m.x, &m.y, &m.z, &m.vx, &m.vy, &m.vz};
  while (r.next())
    if (r.field() <= 6) *numbers[r.field() - 1] = r.number();
  return r.ok();
}
bool read(Bytes data, Field& m) {
  Reader r(data);
  double* const numbers[] = {&m.width,         &m.length,        &m.goal_width,    &m.goal_depth,
                             &m.center_radius, &m.penalty_width, &m.penalty_depth, &m.penalty_point};
  while (r.next())
    if (r.field() <= 8) *numbers[r.field() - 1] = r.number();
  return r.ok();
}
bool read(Bytes data, Command& m) {
  Reader r(data);
  while (r.next()) {
    if (r.field() == 1)
      m.id = u32(r);
    else if (r.field() == 2)
      m.yellow = r.varint() != 0;
    else if (r.field() == 6)
      m.wheel_left = r.number();
    else if (r.field() == 7)
      m.wheel_right = r.number();
  }
  return r.ok();
}
bool read(Bytes data, BallReplacement& m) {
  Reader r(data);
  double* const numbers[] = {&m.x, &m.y, &m.vx, &m.vy};
  while (r.next())
    if (r.field() <= 4) *numbers[r.field() - 1] = r.number();
  return r.ok();
}
bool read(Bytes data, RobotReplacement& m) {
  Reader r(data);
  bool ok = true;
  while (r.next()) {
    if (r.field() == 1)
      ok &= read(r.message(), m.position);
    else if (r.field() == 5)
      m.yellow = r.varint() != 0;
    else if (r.field() == 6)
      m.turn_on = r.varint() != 0;
  }
  return ok && r.ok();
}

/// A repeated message field: one more entry.
template <class T>
bool append(Bytes data, std::vector<T>& list) {
  if (list.size() >= kMostEntries) return false;
  return read(data, list.emplace_back());
}

bool read_frame(Bytes data, Environment& m) {
  Reader r(data);
  bool ok = true;
  while (ok && r.next()) {
    if (r.field() == 1)
      ok = read(r.message(), m.ball);
    else if (r.field() == 2)
      ok = append(r.message(), m.yellow);
    else if (r.field() == 3)
      ok = append(r.message(), m.blue);
  }
  return ok && r.ok();
}

}  // namespace

void encode(const Environment& m, std::vector<std::uint8_t>& out) {
  out.clear();
  Writer w(out);
  w.varint(1, m.step);
  const std::size_t frame = w.begin(2);
  nest(1, m.ball, w);
  for (const Robot& r : m.yellow) nest(2, r, w);
  for (const Robot& r : m.blue) nest(3, r, w);
  w.end(frame);
  nest(3, m.field, w);
  w.varint(4, m.goals_blue);
  w.varint(5, m.goals_yellow);
}

void encode(const Packet& m, std::vector<std::uint8_t>& out) {
  out.clear();
  Writer w(out);
  if (!m.commands.empty()) {
    const std::size_t all = w.begin(1);
    for (const Command& c : m.commands) {
      const std::size_t one = w.begin(1);
      w.varint(1, c.id), w.flag(2, c.yellow), w.number(6, c.wheel_left), w.number(7, c.wheel_right);
      w.end(one);
    }
    w.end(all);
  }
  if (!m.has_ball && m.robots.empty()) return;
  const std::size_t replace = w.begin(2);
  if (m.has_ball) {
    const std::size_t ball = w.begin(1);
    w.number(1, m.ball.x), w.number(2, m.ball.y), w.number(3, m.ball.vx), w.number(4, m.ball.vy);
    w.end(ball);
  }
  for (const RobotReplacement& r : m.robots) {
    const std::size_t one = w.begin(2);
    nest(1, r.position, w);
    w.flag(5, r.yellow), w.flag(6, r.turn_on);
    w.end(one);
  }
  w.end(replace);
}

void encode(const RefereeCommand& m, std::vector<std::uint8_t>& out) {
  out.clear();
  Writer w(out);
  w.varint(1, static_cast<std::uint64_t>(m.foul)), w.varint(2, static_cast<std::uint64_t>(m.team));
  w.varint(3, m.quadrant), w.number(4, m.timestamp), w.varint(5, m.half);
}

void encode(const RefereePlacement& m, std::vector<std::uint8_t>& out) {
  out.clear();
  Writer w(out);
  const std::size_t world = w.begin(1);
  w.varint(1, static_cast<std::uint64_t>(m.team));
  for (const Robot& r : m.robots) nest(2, Robot{r.id, r.x, r.y, r.orientation, 0, 0, 0}, w);
  w.end(world);
}

bool decode(Bytes data, Environment& m) {
  m = {};
  Reader r(data);
  bool ok = true;
  while (ok && r.next()) {
    if (r.field() == 1)
      m.step = u32(r);
    else if (r.field() == 2)
      ok = read_frame(r.message(), m);
    else if (r.field() == 3)
      ok = read(r.message(), m.field);
    else if (r.field() == 4)
      m.goals_blue = u32(r);
    else if (r.field() == 5)
      m.goals_yellow = u32(r);
  }
  return ok && r.ok();
}

bool decode(Bytes data, Packet& m) {
  m.commands.clear(), m.robots.clear(), m.has_ball = false, m.ball = {};
  Reader r(data);
  bool ok = true;
  while (ok && r.next()) {
    if (r.field() == 1) {
      Reader commands(r.message());
      while (ok && commands.next())
        if (commands.field() == 1) ok = append(commands.message(), m.commands);
      ok &= commands.ok();
    } else if (r.field() == 2) {
      Reader replace(r.message());
      while (ok && replace.next()) {
        if (replace.field() == 1)
          m.has_ball = true, ok = read(replace.message(), m.ball);
        else if (replace.field() == 2)
          ok = append(replace.message(), m.robots);
      }
      ok &= replace.ok();
    }
  }
  return ok && r.ok();
}

bool decode(Bytes data, RefereeCommand& m) {
  m = {};
  Reader r(data);
  while (r.next()) {
    if (r.field() == 1) {
      const std::uint64_t foul = r.varint();
      if (foul > static_cast<std::uint64_t>(Foul::halt)) return false;
      m.foul = static_cast<Foul>(foul);
    } else if (r.field() == 2) {
      const std::uint64_t team = r.varint();
      if (team > static_cast<std::uint64_t>(Color::none)) return false;
      m.team = static_cast<Color>(team);
    } else if (r.field() == 3) {
      m.quadrant = u32(r);
    } else if (r.field() == 4) {
      m.timestamp = r.number();
    } else if (r.field() == 5) {
      m.half = u32(r);
    }
  }
  return r.ok();
}

bool decode(Bytes data, RefereePlacement& m) {
  m = {};
  Reader r(data);
  bool ok = true;
  while (ok && r.next()) {
    if (r.field() != 1) continue;
    Reader world(r.message());
    while (ok && world.next()) {
      if (world.field() == 1) {
        const std::uint64_t team = world.varint();
        ok = team <= static_cast<std::uint64_t>(Color::none);
        if (ok) m.team = static_cast<Color>(team);
      } else if (world.field() == 2) {
        ok = append(world.message(), m.robots);
      }
    }
    ok &= world.ok();
  }
  return ok && r.ok();
}

}  // namespace gradus::firasim
