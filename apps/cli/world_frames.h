/// A World as viewers see it: what is in it, said once, and how it is now, as a frame.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cli/camera_feed.h"
#include "cli/frame_contacts.h"
#include "cli/volume_trees.h"
#include "server/frame.h"
#include "server/scene_description.h"
#include "world/properties.h"

namespace gradus::cli {

class WorldFrames {
 public:
  WorldFrames(const World& world, std::string name, std::string about, std::uint32_t first_revision = 1);

  /// The same description until a change of motion adds or removes properties; then one with the next revision.
  std::shared_ptr<const view::SceneDescription> describe(const World& world);
  /// Poses, robots, contacts, pushes, hash, and the properties asked for that exist now.
  /// A robot's error is the distance between its way since the start and that of its reference, each seen from its own
  /// start. Reference is, among robots of one kind with the same controller, the first at the most detailed level.
  void fill(const World& world, const view::Wanted& wanted, view::Frame& frame);

  const FrameBody& body(int number) const {
    return bodies_[static_cast<std::size_t>(number)];
  }  // as numbered in frames
  const std::string& level(int robot, int level) const;
  int body_count() const { return static_cast<int>(bodies_.size()); }
  /// Which sensors the numbers of the description mean.
  std::span<const CameraFeed::Which> sensors() const { return sensors_; }
  const std::string& path(int property) const { return paths_[static_cast<std::size_t>(property)]; }
  /// Keeps the numbers of properties as they are when motions change; for recordings, which have one description.
  void keep_description() { keeps_description_ = true; }

 private:
  std::string motions_of(const World& world) const;
  int reference_of(const World& world, int robot) const;
  void describe_anew(const World& world, std::uint32_t revision);
  void describe_sensors(const World& world, int robot);
  bool list(const World& world);
  void resolve(const World& world);

  std::string name_, about_;
  std::uint32_t first_revision_;
  VolumeTrees trees_;
  std::vector<FrameBody> bodies_;
  std::vector<const RobotKind*> kinds_;           // (robots) before any parameter was set
  std::vector<std::vector<std::string>> levels_;  // (robots) motions they can run at
  std::vector<CameraFeed::Which> sensors_;        // as numbered in the description
  std::vector<std::string> paths_;                // of the properties, as numbered in frames
  std::vector<PropertyView> views_;               // (paths_) how to read them now; read = null: not at this level
  std::string motions_;                           // for which views_ and references_ were resolved
  std::vector<int> references_;                   // (robots) robot that it is compared with; −1: none
  bool keeps_description_ = false;
  std::shared_ptr<view::SceneDescription> scene_;
};

}  // namespace gradus::cli
