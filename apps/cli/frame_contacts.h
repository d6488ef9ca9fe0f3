/// Contacts of a World as viewers see them: where bodies touch the ground, the field and each other, with the forces of
/// the last step, and the pushes that are held.
#pragma once
#include <span>

#include "server/frame.h"
#include "world/world.h"

namespace gradus::cli {

/// A body as numbered in frames.
struct FrameBody {
  int robot, object;
};

/// Replaces the frame's contacts.
void fill_contacts(const World& world, std::span<const FrameBody> bodies, view::Frame& frame);

}  // namespace gradus::cli
