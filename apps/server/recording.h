/// A run as one HTML file that needs no server: the viewer page with scene, frames and events inside.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "server/view_server.h"

namespace gradus::view {

class Recording {
 public:
  explicit Recording(std::shared_ptr<const SceneDescription> scene) : scene_(std::move(scene)) {}
  void add(const Frame& frame);
  void add(const Event& event) { events_.push_back(event); }
  std::size_t frame_count() const { return frame_count_; }
  std::size_t size() const { return frames_.size(); }  // bytes of all frames

  std::string to_html() const;

 private:
  std::shared_ptr<const SceneDescription> scene_;
  std::vector<std::uint8_t> frames_;  // each after its length, u32 little-endian
  std::vector<std::uint8_t> scratch_;
  std::vector<Event> events_;
  std::size_t frame_count_ = 0;
};

/// As bytes travel in text [RFC 4648].
std::string to_base64(std::span<const std::uint8_t> bytes);

}  // namespace gradus::view
