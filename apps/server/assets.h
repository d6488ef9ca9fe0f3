/// The page's files, built from web/ and embedded into the program (cmake/embed.cmake writes the table).
#pragma once
#include <span>
#include <string_view>

namespace gradus::view {

struct Asset {
  std::string_view path;  // as requested: "/index.html"
  std::string_view type;  // media type
  std::string_view bytes;
};

std::span<const Asset> assets();
const Asset* find_asset(std::string_view path);

}  // namespace gradus::view
