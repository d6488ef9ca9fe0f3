/// What cameras can see of a model: every visible shape of robots and field, paint on the ground, trees over meshes,
/// hulls and terrain. Made once; const afterwards, shared by all cameras, threads and worlds of the model.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "model/model.h"
#include "render/flat.h"
#include "tree/frames.h"

namespace gradus {

struct DrawnShape {
  render::FlatKind kind;
  int robot = -1;   // −1: of the field
  int link = 0;     // that it moves with; of the field: 0
  int object = 0;   // of the robot's kind, or of the field
  int segment = 0;  // number in the segmentation image
  int tree = -1;    // mesh
  int pattern = 0;  // [FlatShape]
  Pose X_LS;        // in the link's frame, or in the world's
  double radius = 0;
  Vec3 half{0, 0, 0};
  Vec3 middle{0, 0, 0};  // of the bounding sphere, in the link's frame
  double bound = 0;      // its radius                                                      [m]
  bool dressed = false;  // by its robot's jersey, if it wears one
  Vec3 albedo{0, 0, 0};  // linear
};

/// What a player wears: colour of the trunk, number on chest and back.
struct Jersey {
  int robot;
  Vec3 colour;  // as screens show it
  int number;   // 0 … 99; −1: none
};
/// Walking robots that are called after a colour and a number ("blue3", "red12") wear them.
std::vector<Jersey> jerseys_by_name(const Model& model);
/// Which of a robot's shapes a jersey covers: visible ones of the trunk (the root's link) that are at least half as large as its
/// largest.  (shapes of the kind)
std::vector<bool> under_jersey(const RobotKind& kind);

class DrawnScene {
 public:
  /// Meshes that cannot be drawn are told, and left out.
  static Result<std::shared_ptr<const DrawnScene>> make(const Model& model) {
    return make(model, jerseys_by_name(model));
  }
  static Result<std::shared_ptr<const DrawnScene>> make(const Model& model, const std::vector<Jersey>& jerseys);

  std::vector<DrawnShape> shapes;    // robot after robot, then the field
  std::vector<render::Paint> paint;  // lower layers first
  Plane ground;
  Vec3 ground_albedo{0.3, 0.3, 0.3};
  double ground_grain = 0;
  std::vector<std::string>
      segments;  // what the numbers of the segmentation image mean: sky, ground, paint, "robot.object"
  Vec3 to_light{0.3508, -0.2506, 0.9022};  // unit
  std::vector<int> link_first;             // (robots + 1) where a robot's links begin in Poses
  std::vector<render::Tree> trees;
  std::size_t triangle_count() const;

 private:
  struct TreeRoom {
    std::vector<render::TreeNode> nodes;
    std::vector<render::TreeTriangle> triangles;
  };
  std::vector<std::unique_ptr<TreeRoom>> rooms_;
  friend class DrawnBuilder;
};

/// Where a link is and how it moves, world axes.
struct LinkMotion {
  Pose X_WL;
  Vec3 v, w;  // of the link's origin   [m/s, rad/s]
};
/// All links of one State: what an image is a function of. About 30 kB for ten humanoids.
struct Poses {
  std::vector<LinkMotion> links;  // of all robots, by DrawnScene::link_first
};
Poses make_poses(const DrawnScene& scene);
/// Links of one robot from its coordinates q and velocities v [state.h].
class PoseMaker {
 public:
  explicit PoseMaker(const Model& model);
  void set(const DrawnScene& scene, const RobotKind& kind, int robot, const double* q, const double* v, Poses& out);

 private:
  std::vector<Frame> frames_;  // room for the robot with most links
};

}  // namespace gradus
