/// Memory of contacts between two shapes: one kind of record in sections of State. Each robot has one for the objects of
/// the field, the scene has one for moving bodies and one for those of them that sleep. (One for each robot would not do: a plate
/// may lie under thousands of balls, so robots share the room.)
///
/// A section holds how many records there are, then these in the order of their pairs; what is left of its room is zero. A pair is two
/// numbers of shapes; of its contacts each finds its record by feature, or by place where features change as a foot settles.
#pragma once
#include <algorithm>
#include <span>

#include "contact/law/held.h"
#include "state/state.h"

namespace gradus {

inline constexpr double kPairBase = 67108864;  // 2^26: more shapes than a scene can have
inline double pair_of(double a, double b) { return a * kPairBase + b; }
inline int first_of(double pair) { return static_cast<int>(static_cast<std::int64_t>(pair) >> 26); }
inline int second_of(double pair) { return static_cast<int>(static_cast<std::int64_t>(pair) & 0x3ffffff); }

/// Of State[k]. A snapshot may hold anything.
inline std::span<const ContactRecord> records_in(const double* section, int room) {
  const bool any = room > 0 && section[0] >= 0 && section[0] <= room;
  return {reinterpret_cast<const ContactRecord*>(section + 1), any ? static_cast<std::size_t>(section[0]) : 0};
}

/// Those of a pair.
inline std::span<const ContactRecord> of_pair(std::span<const ContactRecord> records, double pair) {
  const auto first = std::partition_point(records.begin(), records.end(), [&](const ContactRecord& r) { return r.pair < pair; });
  auto last = first;
  while (last != records.end() && last->pair == pair) ++last;
  return {first, last};
}

/// Where those of State[k+1] are written; close_section then says how many they are, and clears what an older state left behind them.
inline ContactRecord* records_out(double* section) { return reinterpret_cast<ContactRecord*>(section + 1); }
inline void close_section(double* section, int room, int count) {
  if (room == 0) return;
  const int before = section[0] >= 0 && section[0] <= room ? static_cast<int>(section[0]) : room;
  std::fill(section + 1 + kContactRecord * count, section + 1 + kContactRecord * std::max(before, count), 0.0);
  section[0] = count;
}

/// (2) of law/held.h for the contacts of one pair; records: of it. C: a FoundContact.
template <class C>
void limit_springs(std::span<C> contacts, std::span<const ContactRecord> records) {
  double found = 0, held = 0;
  for (const C& c : contacts) found += spring_holds(c.stiffness, c.gap);
  if (found == 0) return;
  for (const ContactRecord& r : records) held += r.held;
  const double share = felt_share(found, held);
  if (share == 1) return;
  for (C& c : contacts) {
    if (c.gap >= 0) continue;
    c.felt = c.gap * share;
    c.unfelt = spring_holds(c.stiffness, c.gap) * (1 - share * share);
  }
}

}  // namespace gradus
