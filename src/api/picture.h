/// Pictures of a state from a free camera, by rays [render/image.h].
#pragma once
#include <memory>
#include <vector>

#include "model/model.h"

namespace gradus {

class Painter {
 public:
  explicit Painter(const Model& model);
  ~Painter();
  /// width × height × 3 bytes. q, v: of each robot. Throws if the size or the two points cannot be.
  std::vector<unsigned char> paint(const Model& model, int width, int height, Vec3 eye, Vec3 target, const double* q,
                                   const double* v);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gradus
