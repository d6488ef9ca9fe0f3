/// Secrets of the viewer's URLs.
#pragma once
#include <string>
#include <string_view>

namespace gradus::view {

/// 128 random bits of the operating system as 32 hexadecimal digits. Ends in an empty string if there are none to be
/// had.
std::string random_token();

/// Equality in a time that does not depend on where two texts differ. An empty secret equals nothing.
bool matches_secret(std::string_view given, std::string_view secret);

}  // namespace gradus::view
