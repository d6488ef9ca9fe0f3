#pragma once
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/result.h"

namespace gradus {

inline std::string text_of(const Diagnostics& notes) {
  std::string s;
  for (const Diagnostic& d : notes) s += to_string(d) + "\n";
  return s;
}

template <class T>
std::string text_of(const Result<T>& r) {
  return text_of(r.notes());
}

inline std::string read_whole(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream s;
  s << in.rdbuf();
  return s.str();
}

}  // namespace gradus
