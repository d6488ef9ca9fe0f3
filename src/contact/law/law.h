/// The one contract of contact laws with the static world (B2): what a robot's points are pushed with.
///
///   begin     first opinion of every contact: its force f and implicit share W = h (D + h K), so that f⁺ = f − W a
///   review    after a prediction: was an opinion wrong? Then f and W are renewed and the motion predicts again
///   remember  after the last prediction: what the contacts keep for the next step
///
/// A law is a struct with these three static functions and its name; the registry turns it into a table. Contacts are
/// those that find/ left in the robot's scratch, whatever they touch; each_contact.h goes through them. A law keeps
/// nothing between steps but the four numbers of a contact's memory, which are State.
///
/// Options, off unless the struct names them:
///   kExact    the law is that of compliant.h with other numbers: points may be solved together [solve/own_points.h]
///   kSprings  it pushes with springs and dampers of those numbers: what its contacts remember is all that they hold [docs/energy.md],
///             and friction has the damper's share, as sensors feel it
///   turns     does the law oppose turning with these numbers? Then `spin` of the robot's scratch has room
#pragma once
#include <concepts>
#include <span>
#include <string_view>

#include "state/access.h"

namespace gradus {

/// What every law may read and write.
inline constexpr Access kLawAccess{.reads = Field::acc | Field::memory, .writes = Field::contacts | Field::memory};
using LawView = View<kLawAccess>;

template <class L>
concept ContactLawAlgorithm = requires(LawView view, double h) {
  { L::name } -> std::convertible_to<std::string_view>;
  { L::begin(view, h) } -> std::same_as<void>;
  { L::review(view, h) } -> std::same_as<bool>;
  { L::remember(view, h) } -> std::same_as<void>;
};

/// Entry points of one law, type erased: one indirect call per robot and phase.
struct ContactLaw {
  std::string_view name;
  bool exact, springs;
  bool (*turns)(const ContactSpec&);
  void (*begin)(LawView, double h);
  bool (*review)(LawView, double h);
  void (*remember)(LawView, double h);
};

template <ContactLawAlgorithm L>
constexpr ContactLaw contact_law() {
  ContactLaw out{L::name, false, false, [](const ContactSpec&) { return false; }, &L::begin, &L::review, &L::remember};
  if constexpr (requires { L::kExact; }) out.exact = L::kExact;
  if constexpr (requires { L::kSprings; }) out.springs = L::kSprings;
  if constexpr (requires(const ContactSpec& c) { L::turns(c); }) out.turns = &L::turns;
  return out;
}

/// Those that scenes may name [registry.cpp].
std::span<const ContactLaw> all_contact_laws();

}  // namespace gradus
