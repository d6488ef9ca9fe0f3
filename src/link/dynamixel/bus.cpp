#include "link/dynamixel/bus.h"

#include <algorithm>
#include <cmath>

namespace gradus::dynamixel {
namespace {

std::uint16_t word(const Data& d, std::size_t at) { return static_cast<std::uint16_t>(d[at] | d[at + 1] << 8); }

}  // namespace

/// Does the servo understand the line's speed? And has it power, where a sub-controller gives it?
bool Bus::hears(const Servo& servo) const {
  if (std::fabs(servo.baud() - baud_) > 0.03 * baud_) return false;
  return servo.model().is_board || is_powered();
}

bool Bus::is_powered() const {
  for (const Servo& s : servos_)
    if (s.model().is_board) return s.get(Register::servo_power) != 0;
  return true;
}

bool Bus::anybody_hears() const {
  return std::any_of(servos_.begin(), servos_.end(), [&](const Servo& s) { return hears(s); });
}

Servo* Bus::find(std::uint8_t id) {
  for (Servo& s : servos_)
    if (s.id() == id && hears(s)) return &s;
  return nullptr;
}

void Bus::receive(ByteView bytes, double t) {
  if (!anybody_hears()) {
    counters_.wrong_speed += static_cast<std::int64_t>(bytes.size());
    return;
  }
  if (t > last_byte_ + kPause && reader_.waiting() > 0 && !has_whole_) reader_.forget();
  last_byte_ = t, has_whole_ = true;
  reader_.add(bytes);
}

bool Bus::serve(double t, std::vector<Reply>& out) {
  Packet p;
  has_whole_ = reader_.next(p);
  if (!has_whole_) return false;
  ++counters_.instructions;
  busy_until_ = std::max(busy_until_, t) + seconds(p.bytes);
  if (p.sound)
    for (Servo& s : servos_)
      if (hears(s)) s.hear(busy_until_);
  carry_out(p, out);
  return true;
}

/// After its return delay, and after whatever else is on the wire.
void Bus::answer(const Servo& servo, Fault fault, const Data& data, std::vector<Reply>& out) {
  counters_.refused += fault != Fault::none;
  ++counters_.statuses;
  const auto error = static_cast<std::uint8_t>(error_byte(protocol_, fault) | servo.alert());
  Data bytes = status_packet(protocol_, servo.id(), error, data);
  busy_until_ += servo.return_delay() + seconds(bytes.size());
  out.push_back({busy_until_, std::move(bytes)});
}

void Bus::read(const Servo& servo, std::uint16_t address, std::uint16_t length, std::vector<Reply>& out) {
  Data data;
  const Fault fault = servo.read(address, length, data);
  if (servo.return_level() >= 1) answer(servo, fault, fault == Fault::none ? data : Data{}, out);
}

void Bus::carry_out(const Packet& p, std::vector<Reply>& out) {
  if (!p.sound) {
    ++counters_.damaged;
    if (Servo* s = find(p.id); s != nullptr && s->return_level() == 2) answer(*s, Fault::crc, {}, out);
    return;
  }
  const bool two = protocol_ == Protocol::two;
  if (p.instruction == kSyncWrite) return sync_write(p);
  if (p.instruction == kSyncRead && two) return sync_read(p, out);
  if (p.instruction == kBulkRead) return bulk_read(p, out);
  if (p.instruction == kBulkWrite && two) return bulk_write(p);
  if ((p.instruction == kFastSyncRead || p.instruction == kFastBulkRead) && two) return fast_read(p, out);
  if (p.id != kBroadcast) {
    Servo* s = find(p.id);
    if (s != nullptr) one_servo(p, *s, out);
    const bool shadowed = shadows(p);
    if (s == nullptr && !shadowed) ++counters_.unheard;
    return;
  }
  std::vector<Servo*> order;  // by id, as they answer a broadcast ping
  for (Servo& s : servos_)
    if (hears(s)) order.push_back(&s);
  std::sort(order.begin(), order.end(), [](const Servo* a, const Servo* b) { return a->id() < b->id(); });
  std::vector<Reply> unsaid;  // nobody answers a broadcast but pings of 2.0
  const double before = busy_until_;
  const BusCounters counters = counters_;
  for (Servo* s : order) one_servo(p, *s, p.instruction == kPing && two ? out : unsaid);
  if (!unsaid.empty()) busy_until_ = before, counters_ = counters;
}

/// Servos whose secondary id it is do what they are told and say nothing. True: there are some.
bool Bus::shadows(const Packet& p) {
  bool any = false;
  std::vector<Reply> unsaid;
  const double before = busy_until_;
  const BusCounters counters = counters_;
  for (Servo& s : servos_) {
    if (!s.is_read_by(p.id) || !hears(s)) continue;
    any = true;
    if (p.instruction == kWrite || p.instruction == kRegWrite || p.instruction == kAction) one_servo(p, s, unsaid);
  }
  busy_until_ = before, counters_ = counters;
  return any;
}

void Bus::one_servo(const Packet& p, Servo& s, std::vector<Reply>& out) {
  const Data& x = p.parameters;
  const bool two = protocol_ == Protocol::two;
  const std::size_t head = two ? 2 : 1;  // bytes of an address
  const auto reply = [&](Fault fault) {
    if (s.return_level() == 2) answer(s, fault, {}, out);
  };
  const auto address = [&] { return two ? word(x, 0) : std::uint16_t{x[0]}; };
  switch (p.instruction) {
    case kPing:
      if (!two) return answer(s, Fault::none, {}, out);
      return answer(s, Fault::none,
                    {static_cast<std::uint8_t>(s.get(Register::model_number)),
                     static_cast<std::uint8_t>(s.get(Register::model_number) >> 8),
                     static_cast<std::uint8_t>(s.get(Register::firmware))},
                    out);
    case kRead:
      if (x.size() != 2 * head) return reply(two ? Fault::length : Fault::range);
      return read(s, address(), two ? word(x, 2) : std::uint16_t{x[1]}, out);
    case kWrite:
    case kRegWrite: {
      if (x.size() <= head) return reply(two ? Fault::length : Fault::range);
      const auto data = std::span(x).subspan(head);
      return reply(p.instruction == kWrite ? s.write(address(), data) : s.register_write(address(), data));
    }
    case kAction:
      return reply(s.action());
    case kFactoryReset:
      reply(Fault::none);
      return s.factory_reset();
    case kReboot:
      reply(Fault::none);
      return s.reboot();
    case kClear:
      if (two) return reply(Fault::none);
      [[fallthrough]];
    default:
      return reply(Fault::instruction);
  }
}

/// 2.0: address16 length16 (id data…)…; 1.0: address length (id data…)…
void Bus::sync_write(const Packet& p) {
  const Data& x = p.parameters;
  const bool two = protocol_ == Protocol::two;
  const std::size_t head = two ? 4 : 2;
  if (x.size() < head) return;
  const std::uint16_t address = two ? word(x, 0) : std::uint16_t{x[0]};
  const std::size_t length = two ? word(x, 2) : x[1];
  for (std::size_t at = head; at + 1 + length <= x.size(); at += 1 + length)
    if (Servo* s = find(x[at]))
      counters_.refused += s->write(address, std::span(x).subspan(at + 1, length)) != Fault::none;
}

void Bus::sync_read(const Packet& p, std::vector<Reply>& out) {
  const Data& x = p.parameters;
  for (std::size_t at = 4; at < x.size(); ++at)
    if (const Servo* s = find(x[at])) read(*s, word(x, 0), word(x, 2), out);
}

/// All answer in one status. Each waits for the one before it: behind a servo that is not there nobody speaks.
void Bus::fast_read(const Packet& p, std::vector<Reply>& out) {
  const Data& x = p.parameters;
  const bool sync = p.instruction == kFastSyncRead;
  const std::size_t head = sync ? 4 : 0, each = sync ? 1 : 5;
  if (x.size() < head + each) return;
  std::vector<FastPart> parts;
  std::size_t length = 1;  // what the header announces
  double delay = 0;
  bool speaks = true;
  for (std::size_t at = head; at + each <= x.size(); at += each) {
    const std::uint16_t address = sync ? word(x, 0) : word(x, at + 1), bytes = sync ? word(x, 2) : word(x, at + 3);
    length += bytes + 4u;
    if (length > 0xffff) return;
    const Servo* s = find(x[at]);
    speaks = speaks && s != nullptr && s->return_level() >= 1;
    if (!speaks) continue;
    FastPart part{s->id(), 0, {}};
    const Fault fault = s->read(address, bytes, part.data);
    counters_.refused += fault != Fault::none;
    part.error = static_cast<std::uint8_t>(error_byte(protocol_, fault) | s->alert());
    part.data.resize(bytes);  // as many as were announced, whatever happens
    if (parts.empty()) delay = s->return_delay();
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return;
  ++counters_.statuses;
  Data bytes = fast_status_packet(parts, length);
  busy_until_ += delay + seconds(bytes.size());
  out.push_back({busy_until_, std::move(bytes)});
}

/// (id address16 length16 data…)…
void Bus::bulk_write(const Packet& p) {
  const Data& x = p.parameters;
  for (std::size_t at = 0; at + 5 <= x.size();) {
    const std::size_t length = word(x, at + 3);
    if (at + 5 + length > x.size()) return;
    if (Servo* s = find(x[at]))
      counters_.refused += s->write(word(x, at + 1), std::span(x).subspan(at + 5, length)) != Fault::none;
    at += 5 + length;
  }
}

/// 2.0: (id address16 length16)…; 1.0: 0 (length id address)…
void Bus::bulk_read(const Packet& p, std::vector<Reply>& out) {
  const Data& x = p.parameters;
  if (protocol_ == Protocol::two) {
    for (std::size_t at = 0; at + 5 <= x.size(); at += 5)
      if (const Servo* s = find(x[at])) read(*s, word(x, at + 1), word(x, at + 3), out);
    return;
  }
  for (std::size_t at = 1; at + 3 <= x.size(); at += 3)
    if (const Servo* s = find(x[at + 1])) read(*s, x[at + 2], x[at], out);
}

}  // namespace gradus::dynamixel
