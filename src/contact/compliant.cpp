#include "contact/compliant.inl"

namespace gradus {

void Compliant::begin(View<access> view, double h) {
  begin_contacts<double, double>(arrays_of(view.kind()), view.ground(), view.gravity(), h, view.memory(),
                                 view.contact_count(), view.contacts_out());
}

bool Compliant::review(View<access> view, double h) {
  return review_contacts<double, double>(arrays_of(view.kind()), view.ground(), view.gravity(), h, view.memory(), view.acc(),
                                         view.contact_count(), view.contacts_out());
}

void Compliant::remember(View<access> view, double h) {
  remember_contacts<double, double>(arrays_of(view.kind()), view.ground(), view.gravity(), h, view.memory(), view.acc(),
                                    view.contact_count(), view.contacts_out(), view.memory_next());
}

}  // namespace gradus
