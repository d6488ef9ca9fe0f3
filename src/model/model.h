/// The compiled, const form of robots and scenes: flat arrays, ids and offsets, no pointers between parts. Shared by
/// all worlds and threads. Randomising or fitting edits the Spec and compiles again.
///
/// Links. A *link* is what one joint moves (link 0: the root), with all objects rigidly attached to it. The compiler
/// turns every link's axes parallel to the root's at q = 0, so that no kernel ever multiplies a fixed rotation; objects
/// keep their own pose X_LO in their link. Links are numbered depth first, so that limbs are runs of consecutive
/// numbers.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "math/spatial.h"
#include "model/spec.h"

namespace gradus {

enum class Axis : std::uint8_t { x, y, z, general };

/// Constants of one link as the kernels read them, in order. F: double or float.
template <class F>
struct LinkT {
  Vec3T<F> p_PB;        // joint origin in the parent link's frame at q = 0                    [m]
  Vec3T<F> axis;        // joint axis, unit length, in the link's frame
  Vec3T<F> com;         // centre of mass in the link's frame                                  [m]
  Sym3T<F> J;           // rotational inertia about the centre of mass                         [kg m²]
  F mass;               //                                                                     [kg]
  F rotor;              // rotor inertia seen at the joint                                     [kg m²] or [kg]
  std::int16_t parent;  // link number, −1 for the root; always smaller than the own one
  std::int16_t branch;  // slot among the links that collect from non-consecutive children, −1: none
  Axis axis_kind;       // which coordinate axis, or general
  bool prismatic;
  bool follows;         // parent is the link before (its inertia stays in registers)
  bool tip;             // the next link does not follow this one
  bool on_branch_path;  // lies between the root and a branching link
  bool same_origin;     // p_PB is zero
  bool diagonal;        // J has no products of inertia
  Axis round;           // J is the same across this axis; general: it is not
  bool second;          // the second of its pair [link_pairs.h]: sums over links are made in two halves
  // One motor on two joints of the same parent: the follower's coordinate is `ratio` times the leader's, plus a
  // constant.
  std::int16_t leader;    // of a follower: the link that it shares its coordinate with, a smaller number; −1: none
  std::int16_t follower;  // of a leader: the link that shares its coordinate; −1: none
  std::int16_t hold;      // of both: slot of the follower's inertia until the leader is eliminated
  std::int16_t typed;     // of a joint with a type of its own: which [LinkPairs::typed]; −1: revolute or prismatic
  F ratio;                // of both: follower's speed per leader's
};
using Link = LinkT<double>;

/// Position servo, stops and passive forces of one joint [spec.h].
struct Joint {
  double lower, upper;       // [rad] or [m]
  double stop_k, stop_d;     // joint stop                   [N m/rad, N m s/rad] or linear
  double damping, friction;  // passive
  double spring;             // passive, about 0             [N m/rad] or [N/m]
  ServoSpec servo;           // of a joint with a chain: its equivalent, for levels and batches without chains
  int drive;                 // its chain in RobotKind::drives, −1: the servo
  bool shared;               // follows mimic_of exactly: one coordinate for both [LinkT::leader]
  bool passive;              // the servo is silent: a chain drives the joint, or it is shared
  double initial;            // start posture
  int mimic_of;              // joint number, −1: none
  double mimic_multiplier, mimic_offset;
  int object;  // object number
};

/// A point of a body that can touch the ground: box corner, sphere centre, capsule end, cylinder rim, mesh hull vertex.
/// F: double or float.
template <class F>
struct ContactPointT {
  Vec3T<F> p_BC;  // in the link's frame                     [m]
  F radius;       // of the sphere around it                 [m]
  F friction;     // Coulomb                                 [-]
  F k, d;         // normal stiffness, damping               [N/m, N s/m]
  F kt, dt;       // tangential stiffness, damping
  std::int16_t link, object;
};
using ContactPoint = ContactPointT<double>;

/// The actuator chain of one joint.
struct DriveModel {
  int joint;
  DriveSpec spec;
};

struct ObjectInfo {
  std::string name;
  ObjectKind kind;
  int link;   // link it is fixed to
  int joint;  // its joint number, −1: not a joint
  bool body;  // has mass or shape
  Pose X_LO;  // object frame in the link's frame (constant)
  double mass;
  Vec3 colour;
  SurfaceSpec surface;
};

struct ShapeInfo {
  ShapeSpec spec;  // dimensions
  int object, link;
  Pose X_LS;  // shape frame in the link's frame
};

struct SensorModel {
  SensorSpec spec;
  int object, link;  // that carry it
  Pose X_LS;         // its axes in the link's frame
};

/// A point of one link that is held at a point of another; a loop has one (ball), two (hinge) or three (weld).
struct LoopPoint {
  int link_a, link_b;
  Vec3 p_A, p_B;  // in the links' frames                     [m]
  int loop;       // number in the description
};

struct LinkPairs;  // [link_pairs.h]

/// One kind of robot. Robots of the same description share one.
struct RobotKind {
  std::string name;
  RootKind root = RootKind::free;
  std::vector<Link> links;           // (nlink) as double
  std::vector<Joint> joints;         // (nlink − 1) joint j moves link j + 1
  std::vector<DriveModel> drives;    // actuator chains of the joints that have one, in the joints' order
  std::vector<ContactPoint> points;  // sorted by link
  std::vector<double> point_restitution;  // (npoint) against the ground
  bool bounces = false;                   // one of these is not zero
  std::vector<int> point_begin;      // (nlink + 1) first point of each link
  std::vector<Vec3> bound_centre;    // (nlink) of a link's points, in its frame
  std::vector<double> bound_radius;  // (nlink) about that centre, spheres included; −1: no points
  std::vector<ObjectInfo> objects;
  std::vector<ShapeInfo> shapes;
  std::vector<MeshSpec> meshes;
  std::vector<int> feet;  // link numbers of the feet
  std::vector<SensorModel> sensors;
  std::vector<LoopPoint> loops;
  int branch_count = 0;
  bool has_mimics = false;                 // some joint follows another
  double mass = 0;                         // [kg]
  double height = 0;                       // lowest to highest contact point at the start posture  [m]
  std::shared_ptr<const LinkPairs> pairs;  // the links two at a time

  int nlink() const { return static_cast<int>(links.size()); }
  int njoint() const { return static_cast<int>(joints.size()); }
  /// Of a ball (one body, a sphere); else 0.                                                    [m]
  double ball_radius() const {
    return joints.empty() && shapes.size() == 1 && shapes[0].spec.kind == ShapeKind::sphere ? shapes[0].spec.radius : 0;
  }
  int nq() const { return 7 + njoint(); }  // position (3), quaternion (4), joints
  int nv() const { return 6 + njoint(); }  // angular (3), linear (3), joints
  int dof() const { return (root == RootKind::free ? 6 : 0) + njoint(); }
  int find_object(const std::string& object_name) const;  // −1: none
  int find_joint(const std::string& joint_name) const;    // −1: none
};

/// The ground: points with n · p < offset are inside.
template <class F>
struct PlaneT {
  Vec3T<F> n{0, 0, 1};
  Vec3T<F> t1{1, 0, 0}, t2{0, 1, 0};  // tangents; n = t1 × t2
  F offset = 0;                       // [m]
  bool present = false;
};
using Plane = PlaneT<double>;

/// One robot of the scene and where its numbers are.
struct RobotModel {
  std::string name;
  std::shared_ptr<const RobotKind> kind;
  std::string motion;  // at the start
  ControllerSpec controller;
  Vec3 p_WB, v_WB, w_WB;  // start of the base
  Quat q_WB;
  bool self_contact = false;                        // its own links touch each other
  bool impedance = false;                           // controllers command speed, torque and gains of joints too
  int group = -1;                                   // that moves it, −1: none
  std::string team{};                               // "": of none
  std::shared_ptr<const RobotSpec> spec = nullptr;  // its kind was compiled from; null: parameters cannot be set
};

/// Robots that one motion moves together.
struct GroupModel {
  GroupSpec spec;
  std::vector<int> members;  // robot numbers: blue, yellow, then those of no team (the ball)
  int blue = 0, yellow = 0;  // how many of them
};

struct Model {
  std::string name, file;
  double step = 0.001;        // [s]
  Vec3 gravity{0, 0, -9.81};  // [m/s²]
  std::uint64_t seed = 1;
  double duration = 10, log_period = 0.01;
  Plane ground;
  SurfaceSpec ground_surface;
  std::vector<FieldObjectSpec> field;
  std::vector<int> static_objects;  // of the field: those that touch and are not the ground plane
  std::vector<MeshSpec> meshes;
  std::vector<HeightMapSpec> maps;
  std::string volumes = "aabb";  // of collision trees
  ContactSpec contact;           // the scene's law and numbers; pairs of materials
  std::vector<RobotModel> robots;
  std::optional<PitchSpec> pitch;
  std::vector<GroupModel> groups;
  int find_robot(const std::string& robot_name) const;  // −1: none
};

/// The plain servo nearest to a chain: what levels and batches without chains use. `speed` is the no-load speed, which
/// the chain's own damping (kd) brings about already.
ServoSpec equivalent_servo(const DriveSpec& drive);

/// Links, joints, points and shapes of one kind of robot. `contact` fills what surfaces leave open; `ground` is the
/// surface of the plane that its contact points meet.
Result<std::shared_ptr<const RobotKind>> compile(const RobotSpec& robot, const ContactSpec& contact,
                                                 const SurfaceSpec& ground = {});
/// The whole scene; equal robots share one kind.
Result<Model> compile(const SceneSpec& scene);

}  // namespace gradus
