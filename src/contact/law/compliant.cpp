#include "contact/law/compliant.inl"

#include "base/clones.h"
#include "contact/law/each_contact.h"

namespace gradus {
GRADUS_CLONES void Compliant::begin(LawView view, double h) {
  if (!view.field_contacts().empty())
    return each_contact(view, h, [](const OwnLaw& law, double fall, const ContactMemory& m, StaticContact& c) {
      begin_contact(law, fall, m, c);
    });
  begin_contacts<double, double>(arrays_of(view.kind()), view.ground(), view.gravity(), h, view.memory(),
                                 view.contact_count(), view.contacts_out());
}

GRADUS_CLONES bool Compliant::review(LawView view, double h) {
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

GRADUS_CLONES void Compliant::remember(LawView view, double h) {
  if (view.statics())
    return remember_each(view, h, [](const OwnLaw& law, Vec3 a, const ContactMemory& m, const StaticContact& c) {
      return remember_contact(law, m, a, c);
    });
  remember_contacts<double, double>(arrays_of(view.kind()), view.ground(), view.gravity(), h, view.memory(), view.acc(),
                                    view.contact_count(), view.contacts_out(), view.memory_next());
}

}  // namespace gradus
