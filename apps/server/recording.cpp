#include "server/recording.h"

#include <nlohmann/json.hpp>

#include "server/assets.h"

namespace gradus::view {
namespace {

/// Inside <script> and <style> the texts "</script", "</style" and "<!--" would end or change the element. They stand
/// in strings of the page only, where a backslash after the "<" changes nothing.
std::string escaped(std::string_view text) {
  std::string s;
  s.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    s += text[i];
    if (text[i] != '<') continue;
    const std::string_view rest = text.substr(i + 1);
    if (rest.substr(0, 7) == "/script" || rest.substr(0, 6) == "/style" || rest.substr(0, 3) == "!--") s += '\\';
  }
  return s;
}

/// In JSON any "<" can be written as its code.
std::string escaped_json(std::string_view text) {
  std::string s;
  s.reserve(text.size());
  for (char c : text) c == '<' ? s += "\\u003c" : s += c;
  return s;
}

std::string_view asset(const char* path) {
  const Asset* a = find_asset(path);
  return a ? a->bytes : std::string_view{};
}

std::string scene_text(const SceneDescription& scene, const std::vector<Event>& events) {
  nlohmann::json j = nlohmann::json::parse(to_json(scene));
  j["can_seek"] = true;
  j["can_branch"] = false;
  j["events"] = nlohmann::json::array();
  for (const Event& e : events)
    j["events"].push_back(
        {{"type", "event"}, {"k", e.k}, {"time", e.time}, {"kind", e.kind}, {"text", e.text}, {"robot", e.robot}});
  return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string to_base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string s;
  s.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 3; ++j) word = word << 8 | (j < n ? bytes[i + j] : 0u);
    for (std::size_t j = 0; j < 4; ++j) s += j <= n ? digits[word >> (18 - 6 * j) & 63] : '=';
  }
  return s;
}

void Recording::add(const Frame& frame) {
  encode(frame, static_cast<std::uint32_t>(frame_count_++), scratch_);
  const auto size = static_cast<std::uint32_t>(scratch_.size());
  for (int shift : {0, 8, 16, 24}) frames_.push_back(static_cast<std::uint8_t>(size >> shift));
  frames_.insert(frames_.end(), scratch_.begin(), scratch_.end());
}

std::string Recording::to_html() const {
  std::string html =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
      "style-src 'unsafe-inline'; img-src data: blob:\">"
      "<title>gradus</title><link rel=\"icon\" href=\"data:,\">\n<style>";
  html += escaped(asset("/page.css"));
  html += "</style></head>\n<body><div id=\"app\"></div>\n<script type=\"application/json\" id=\"gradus-scene\">";
  html += escaped_json(scene_text(*scene_, events_));
  html += "</script>\n<script type=\"text/plain\" id=\"gradus-frames\">";
  html += to_base64(frames_);
  html += "</script>\n<script type=\"module\">";
  html += escaped(asset("/page.js"));
  return html + "</script>\n</body></html>\n";
}

}  // namespace gradus::view
