/// Constants of a tile whose worlds have each their own: every number is a pack with one lane a world, so that friction,
/// masses, gains, servos and gravity may differ from world to world. Read by LaneKernel::step_own.
#pragma once
#include <memory>
#include <string>

#include "batch/lanes/kernel.h"
#include "model/model.h"

namespace gradus {

class OwnConstants {
 public:
  /// All lanes as the model has them. Null: no kernel with constants of their own for such lanes.
  static std::unique_ptr<OwnConstants> make(const LaneType& type, const Model& model, int robot, int predictions);
  virtual ~OwnConstants() = default;
  /// One lane as the model has it; "" or why it cannot stand beside the others.
  virtual std::string set(int lane, const Model& model, int robot) = 0;
  virtual const void* view() const = 0;  // BatchConstantsT of the lanes' pack
};

}  // namespace gradus
