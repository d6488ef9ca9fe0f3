#include "contact/law/compliant.inl"

#include "contact/law/each_contact.h"
#include "contact/law/spring.h"

namespace gradus {
namespace {

/// Writes a record; what the step before the last left behind the new ones is cleared.
class FieldWriter {
 public:
  /// room 0: there is nothing to write.
  FieldWriter(double* memory, int room)
      : memory_(room > 0 ? memory : nullptr), records_(reinterpret_cast<FieldMemory*>(memory + 1)) {
    if (memory_) old_ = memory[0] >= 0 && memory[0] <= room ? static_cast<int>(memory[0]) : room;
  }
  void add(const FieldContact& f, const ContactMemory& m) {
    records_[count_++] = {f.pair, f.p_L, f.t1 * m.s1 + f.t2 * m.s2, m.fn, m.sliding};
  }
  void finish() {
    if (!memory_) return;
    memory_[0] = count_;
    for (int i = count_; i < old_; ++i) records_[i] = {0, {0, 0, 0}, {0, 0, 0}, 0, 0};
  }

 private:
  double* memory_;
  FieldMemory* records_;
  int count_ = 0, old_ = 0;
};

template <class View>
void remember_mixed(const View& view, double h) {
  const int npoint = static_cast<int>(view.kind().points.size());
  ContactMemory* next = view.memory_next();
  for (int k = 0; k < npoint; ++k) next[k] = {0, 0, 0, 0};
  FieldWriter field(view.field_memory_next(), view.field_room());
  const auto* spring = view.spring();
  each_contact(view, h, [&](const OwnLaw& law, double, const ContactMemory& m, StaticContact& c) {
    if (!c.active) return;
    const Vec3 a = acceleration(view, c);
    const ContactMemory kept = spring ? Spring::remember(law, a, c) : remember_contact(law, m, a, c);
    if (c.point < npoint)
      next[c.point] = kept;
    else
      field.add(view.field_contacts()[static_cast<std::size_t>(c.point - npoint)], kept);
  });
  field.finish();
}

}  // namespace

void Compliant::begin(View<access> view, double h) {
  if (view.spring()) return Spring::begin(view, h);
  if (!view.field_contacts().empty())
    return each_contact(view, h, [](const OwnLaw& law, double fall, const ContactMemory& m, StaticContact& c) {
      begin_contact(law, fall, m, c);
    });
  begin_contacts<double, double>(arrays_of(view.kind()), view.ground(), view.gravity(), h, view.memory(),
                                 view.contact_count(), view.contacts_out());
}

bool Compliant::review(View<access> view, double h) {
  if (view.spring()) return Spring::review(view, h);
  if (!view.field_contacts().empty()) {
    bool changed = false;
    each_contact(view, h, [&](const OwnLaw& law, double, const ContactMemory& m, StaticContact& c) {
      changed |= review_contact(law, m, acceleration(view, c), c);
    });
    return changed;
  }
  return review_contacts<double, double>(arrays_of(view.kind()), view.ground(), view.gravity(), h, view.memory(),
                                         view.acc(), view.contact_count(), view.contacts_out());
}

void Compliant::remember(View<access> view, double h) {
  if (view.statics() || view.spring()) return remember_mixed(view, h);
  remember_contacts<double, double>(arrays_of(view.kind()), view.ground(), view.gravity(), h, view.memory(), view.acc(),
                                    view.contact_count(), view.contacts_out(), view.memory_next());
}

}  // namespace gradus
