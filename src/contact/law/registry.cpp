#include "contact/law/compliant.h"
#include "contact/law/spring.h"

namespace gradus {
namespace {

constexpr ContactLaw kLaws[] = {contact_law<Compliant>(), contact_law<Spring>()};

}  // namespace

std::span<const ContactLaw> all_contact_laws() { return kLaws; }

}  // namespace gradus
