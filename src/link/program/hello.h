/// What a program says first on a connection: {"robot": "blue1", "form": "binary", "token": "…", "images": ["camera_top"]}⏎,
/// all of it optional.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gradus {

struct Hello {
  std::string robot, token;
  bool binary = false;
  std::vector<std::string> images;  // cameras whose images follow the states, binary form only
};

/// "" or what is wrong.
std::string read_hello(std::string_view line, Hello& out);

}  // namespace gradus
