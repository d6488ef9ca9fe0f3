/// A World as viewers see it: what is in it, said once, and how it is now, as a frame.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "server/frame.h"
#include "server/scene_description.h"
#include "step/properties.h"

namespace gradus::cli {

class WorldFrames {
 public:
  WorldFrames(const World& world, std::string name, std::string about, std::uint32_t first_revision = 1);

  /// The same description until a change of motion adds or removes properties; then one with the next revision.
  std::shared_ptr<const view::SceneDescription> describe(const World& world);
  /// Poses, robots, contacts with the ground, hash, and the properties asked for that exist now.
  void fill(const World& world, std::span<const std::uint16_t> wanted, view::Frame& frame);

  struct Body {
    int robot, object;
  };
  const Body& body(int number) const { return bodies_[static_cast<std::size_t>(number)]; }  // as numbered in frames
  const std::string& level(int robot, int level) const;
  const std::string& path(int property) const { return paths_[static_cast<std::size_t>(property)]; }
  /// Keeps the numbers of properties as they are when motions change; for recordings, which have one description.
  void keep_description() { keeps_description_ = true; }

 private:
  std::string motions_of(const World& world) const;
  bool list(const World& world);
  void resolve(const World& world);

  std::string name_, about_;
  std::uint32_t first_revision_;
  std::vector<Body> bodies_;
  std::vector<std::vector<std::string>> levels_;  // (robots) motions they can run at
  std::vector<std::string> paths_;                // of the properties, as numbered in frames
  std::vector<PropertyView> views_;               // (paths_) how to read them now; read = null: not at this level
  std::string motions_;                           // for which views_ were resolved
  bool keeps_description_ = false;
  std::shared_ptr<view::SceneDescription> scene_;
};

}  // namespace gradus::cli
