#include "link/program/hello.h"

#include <nlohmann/json.hpp>

namespace gradus {
namespace {

constexpr std::size_t kMostCameras = 16;

std::string read_images(const nlohmann::json& list, Hello& out) {
  if (!list.is_array() || list.size() > kMostCameras) return "'images' must be a list of names of cameras";
  for (const nlohmann::json& name : list) {
    if (!name.is_string()) return "'images' must be a list of names of cameras";
    out.images.push_back(name.get<std::string>());
  }
  return "";
}

}  // namespace

std::string read_hello(std::string_view line, Hello& out) {
  const nlohmann::json j = nlohmann::json::parse(line, nullptr, false);
  if (!j.is_object()) return "the first line must be a JSON object as in {\"robot\": \"blue1\"}";
  for (const auto& [key, value] : j.items()) {
    if (key == "images") {
      if (std::string fault = read_images(value, out); !fault.empty()) return fault;
      continue;
    }
    if (!value.is_string()) return "'" + key + "' must be a text";
    const std::string text = value.get<std::string>();
    if (key == "robot") {
      out.robot = text;
    } else if (key == "token") {
      out.token = text;
    } else if (key == "form" && (text == "lines" || text == "binary")) {
      out.binary = text == "binary";
    } else {
      return key == "form" ? "form is lines or binary" : "unknown key '" + key + "'; known: robot, form, token, images";
    }
  }
  if (!out.images.empty() && !out.binary)
    return "images follow states in the binary form only; in lines they are asked for with an answer";
  return "";
}

}  // namespace gradus
