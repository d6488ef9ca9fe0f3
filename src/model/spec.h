/// The editable description of robots and scenes. Loaders (TOML, URDF) and the C++ builder fill it; `compile` turns it
/// into the const Model. Everything is in SI units and radians here; files carry units and the loaders convert.
///
/// A robot is a tree of the seven objects of MuRoSimF [MuRoSimF 2009, table 1]. Each object is a frame relative to its
/// predecessor; properties (mass, shape, …) sit in the frame *after* the object's own translation, rotation or joint
/// motion:
///
///   base         the robot's root frame             no parameters
///   translation  shifted by `offset`                offset
///   rotation     turned about `axis` by `angle`     axis, angle
///   revolute     turned about `axis` by q           axis
///   prismatic    shifted along `axis` by q          axis
///   fork         the same frame, several successors no parameters
///   endpoint     the same frame, no successor       no parameters
///
/// *Bodies* are the objects with mass or shape; *joints* the revolute and prismatic ones.
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "math/vec.h"
#include "model/drive_spec.h"
#include "model/height_grid.h"
#include "model/sensor_spec.h"
#include "model/terrain_spec.h"

namespace gradus {

enum class ObjectKind { base, translation, rotation, revolute, prismatic, fork, endpoint };
const char* to_string(ObjectKind kind);

enum class ShapeKind { sphere, box, capsule, cylinder, mesh, plane, hull, height_field };
const char* to_string(ShapeKind kind);

/// Triangle surface of a mesh file, already scaled to metres.
struct MeshSpec {
  std::string file;
  std::vector<Vec3> vertices;                 // [m]
  std::vector<std::array<int, 3>> triangles;  // counter-clockwise seen from outside; none for a hull's points
};

/// Elevation map, already in metres.
struct HeightMapSpec {
  std::string file;
  HeightGrid grid;
  UnknownHeights unknown = UnknownHeights::hole;
  bool walls = false;                          // heights are flat cells with upright walls between [walls.h]
  std::optional<TerrainSpec> terrain = {};     // that the grid was made from; none: from a file
};

struct ShapeSpec {
  ShapeKind kind = ShapeKind::sphere;
  double radius = 0;   // sphere, capsule, cylinder                                  [m]
  double length = 0;   // capsule: between the two centres; cylinder: full height    [m]
  Vec3 size{0, 0, 0};  // box: full extents; mesh: scale                             [m]
  Pose X_OS =
      identity_pose();   // shape frame in the object's frame; capsule, cylinder along z of S; plane: z is outward
  int mesh = -1;         // mesh, hull: index into RobotSpec::meshes (or SceneSpec::meshes)
  int map = -1;          // height field: index into SceneSpec::maps
  bool collides = true;  // takes part in contact
  bool visible = true;   // is drawn
  Place place;
};

/// Contact properties of a body's surface; unset ones come from the scene's defaults [model/material.h].
struct SurfaceSpec {
  std::string material;               // what pairs of materials refer to; "" for none
  std::optional<double> friction;     // Coulomb, with the ground                 [-]
  std::optional<double> stiffness;    // of one contact point                     [N/m]
  std::optional<double> damping;      //                                          [N s/m]
  std::optional<double> restitution;  //                                          [-]
  std::optional<double> rolling;      // resistance to rolling, moment / normal force    [m]
  std::optional<double> torsion;      // resistance to turning about the normal          [m]
};

/// Position servo of a joint: τ = clamp(kp (target − q)) − kd v, bounded by the linear torque–speed curve
/// |τ| ≤ torque (1 − v/speed) in the direction of motion.
struct ServoSpec {
  double kp = 0;                                            // [N m/rad] or [N/m]
  double kd = 0;                                            // [N m s/rad] or [N s/m]
  double torque = std::numeric_limits<double>::infinity();  // stall torque or force   [N m] or [N]
  double speed = std::numeric_limits<double>::infinity();   // no-load speed           [rad/s] or [m/s]
  double rotor = 0;                                         // rotor inertia seen at the joint  [kg m²] or [kg]
};

/// q = multiplier · q(of) + offset  (URDF mimic joints)
struct MimicSpec {
  std::string of;
  double multiplier = 1, offset = 0;
};

/// A link that bends: its body is cut into cuts + 1 equal pieces, joined by spring–dampers about the axes across it
/// (and along it, if it twists) [model/flex.h].
struct FlexSpec {
  int cuts = 1;
  double stiffness = 0;  // of each cut, bending                          [N m/rad]
  double damping = 0;    //                                               [N m s/rad]
  bool twists = false;   // a third axis along the link, as stiff
  Vec3 along{0, 0, 0};   // of the link, in the object's frame; zero: the direction in which its mass extends most
};

/// A part that is held by another one beside its way to the base: closes a loop of the tree.
///   ball   a point of both is one point; they turn freely about it
///   hinge  they turn about `axis` through that point
///   weld   they do not move against each other
enum class LoopHold { ball, hinge, weld };
inline constexpr const char* kLoopHolds[] = {"ball", "hinge", "weld"};
struct LoopSpec {
  std::string name;
  std::string a, b;            // objects, on different links
  LoopHold hold = LoopHold::ball;
  Vec3 at{0, 0, 0};            // where, in the frame of a                                  [m]
  std::optional<Vec3> meets = {};  // the same in the frame of b; none: where the start posture puts it  [m]
  Vec3 axis{0, 0, 1};          // hinge: in the frame of a; any length but zero
  double width = 0.05;         // hinge, weld: distance of the points that are held          [m]
  Place place = {};
};

struct JointType;  // [joints/joint_type.h]

struct ObjectSpec {
  std::string name;
  ObjectKind kind = ObjectKind::base;
  ObjectId parent;       // predecessor; none for the base. Objects are stored parents first.
  Vec3 offset{0, 0, 0};  // translation                                     [m]
  Vec3 axis{0, 0, 1};    // rotation, revolute, prismatic; any length but zero
  double angle = 0;      // rotation                                        [rad]

  double mass = 0;                 // [kg]; 0 = no mass property
  Vec3 com{0, 0, 0};               // centre of mass in the object's frame            [m]
  Sym3 inertia{0, 0, 0, 0, 0, 0};  // about the centre of mass, object's axes         [kg m²]
  std::vector<ShapeSpec> shapes;
  SurfaceSpec surface;
  std::optional<Vec3> colour;  // red, green, blue in 0 … 1

  double lower = -std::numeric_limits<double>::infinity();  // joint limits        [rad] or [m]
  double upper = std::numeric_limits<double>::infinity();
  double damping = 0;   // passive joint damping        [N m s/rad] or [N s/m]
  double friction = 0;  // passive Coulomb friction     [N m] or [N]
  double spring = 0;    // passive spring about 0       [N m/rad] or [N/m]
  double stop_stiffness = 0;  // of the limits; 0: from what the joint carries [compile.cpp (9)]   [N m/rad] or [N/m]
  double stop_damping = 0;    // the same; 0: critical                                             [N m s/rad] or [N s/m]
  ServoSpec servo;
  std::optional<DriveSpec> drive;  // detailed chain in place of the servo
  std::optional<MimicSpec> mimic;
  double initial = 0;  // joint coordinate at the start  [rad] or [m]
  const JointType* type = nullptr;  // a coordinate of such a joint: its columns follow each other, then the body; null: plain
  int column = 0;                   // which of them
  std::optional<FlexSpec> flex;
  Place place;  // where the object was described

  bool is_joint() const { return kind == ObjectKind::revolute || kind == ObjectKind::prismatic; }
  bool is_body() const { return mass > 0 || !shapes.empty(); }
};

/// The objects of a joint's coordinates, one after the other; the child itself, an object NAME, follows them.
std::vector<ObjectSpec> coordinates_of(const JointType& type, const std::string& name);

enum class RootKind { free, fixed };  // does the base move, or is it bolted to the world?
std::optional<RootKind> root_kind(const std::string& word);  // "free", "fixed"

struct RobotSpec {
  std::string name;   // of the kind of robot, e.g. "kidsize"
  std::string about;  // one line for people
  RootKind root = RootKind::free;
  std::vector<ObjectSpec> objects;  // objects[0] is the base; parents before children
  std::vector<MeshSpec> meshes;
  std::vector<std::string> feet;  // objects whose shapes may be the standing foot (kinematic_walk)
  std::vector<SensorSpec> sensors;
  std::vector<LoopSpec> loops;    // what closes loops of the tree (articulated only)
  std::string file;               // where it was loaded from; "" for built ones
  ObjectId find(const std::string& object_name) const;
  ObjectId find_joint(const std::string& joint_name) const;
  std::vector<std::string> joint_names() const;
};

struct SceneSpec;
/// Moves the pitch of the field to the first group, and puts another there for each group that plays elsewhere.
void add_pitches(SceneSpec& scene);

/// Has it any shape that collides?
bool touches_anything(const RobotSpec& robot);

/// What holds between two materials, whatever the surfaces say by themselves.
struct ContactPairSpec {
  std::string a, b;  // materials; order does not matter
  std::optional<double> friction, stiffness, damping, restitution, rolling, torsion;  // units as in SurfaceSpec
  Place place;
};

/// Constants of the law `spring` [MuRoSimF 2009, eq. 4, 5; contact/law/spring.h].
struct SpringLawSpec {
  double s_c = 2e4;    // spring                                           [N/m]
  double s_b = 0.3;    // factor of the spring while separating            [-]
  double s_mu = 10;    // friction, per speed and normal force             [s/m]
  double s_nu = 0.01;  // pseudo friction, per rate and normal force       [m s]
};

/// Law and numbers of contact with the static world, unless a surface says otherwise.
struct ContactSpec {
  /// Of one contact point: stiffness and damping, normal and of the sticking spring; where nobody says anything [spec.cpp].
  struct Constants {
    double stiffness, damping, tangential_stiffness, tangential_damping;
  };
  static const Constants usual;
  static const double usual_moving_stiffness, usual_moving_damping;

  std::string law = "compliant";
  double stiffness = usual.stiffness;                        // of one contact point, normal  [N/m]
  double damping = usual.damping;                            //                               [N s/m]
  double tangential_stiffness = usual.tangential_stiffness;  // of the sticking spring        [N/m]
  double tangential_damping = usual.tangential_damping;      //                               [N s/m]
  double depth = 0;                   // of a robot on four points under its weight, instead of the four; 0: none [m]
  bool given = false;                 // did the file give one of the four, even the default?
  double friction = 0.8;              // Coulomb                                          [-]
  double restitution = 0;             // of contacts of free bodies                       [-]
  double rolling = 0;                 // resistance to rolling, moment / normal force     [m]
  double torsion = 0;                 // resistance to turning about the normal           [m]
  SpringLawSpec spring;               // law "spring"
  std::vector<ContactPairSpec> pairs;

  // Contacts between moving bodies, and all of free bodies [docs/couple.md]
  double moving_stiffness = usual_moving_stiffness;  // of one contact                [N/m]
  double moving_damping = usual_moving_damping;      //                               [N s/m]
  bool moving_given = false;      // did the file give one of the two, even the default?
  double impact_speed = 0.05;     // restitution acts above it                        [m/s]
  double recovery_speed = 1;      // fastest recovery from penetration                [m/s]
  double sleep_speed = 1e-4;      // bodies slower than this for sleep_after sleep; 0: never [engine/sleepers.h]  [m/s]
  double sleep_after = 0.5;       //                                                  [s]

  /// Nobody chose the law's stiffness: heavy robots get more [material.h].
  bool says_nothing() const {
    return !given && stiffness == usual.stiffness && damping == usual.damping &&
           tangential_stiffness == usual.tangential_stiffness && tangential_damping == usual.tangential_damping;
  }
  /// The same of moving bodies.
  bool says_nothing_of_moving() const {
    return !moving_given && moving_stiffness == usual_moving_stiffness && moving_damping == usual_moving_damping;
  }
};

/// A part of a walk: the body's velocity for a number of steps.
struct WalkCommand {
  double forward = 0, side = 0;  // side: to the left                                [m/s]
  double turn = 0;               // to the left                                      [rad/s]
  int steps = 0;                 // 0: from then on
};

/// What drives the joints' targets. kind: "none" (the start posture), "keyframes", "walk", "library" or "process".
struct ControllerSpec {
  std::string kind = "none";
  std::string file;                  // keyframes: motion file; walk: walk file; library, process: called
  double period = 0.01;              // simulated time between two calls                 [s]
  double start = 0;                  // first call                                       [s]
  bool loop = true;                  // keyframes: begin again at the end
  std::string options;               // library, process: handed over as it is
  std::vector<WalkCommand> program;  // walk: one part after the other, then it stands
  bool stabilise = false;            // walk: ankles against the base's rates
  bool steer = false;                // walk: heading measured and corrected
  Place place;
};

struct RobotInstanceSpec {
  std::string name;
  RobotSpec robot;
  std::string motion = "articulated";  // kinematic_walk | single_body | prescribed_joints | articulated | free_body
  std::string group;                   // that moves it together with others; "": none
  std::string team;                    // in its group: "blue", "yellow", or "" for the ball
  Vec3 p_WB{0, 0, 0};                  // base position                                    [m]
  Quat q_WB{1, 0, 0, 0};               // base orientation
  Vec3 v_WB{0, 0, 0};                  // base velocity                                    [m/s]
  Vec3 w_WB{0, 0, 0};                  // base angular velocity                            [rad/s]
  double scatter = 0;                  // start moved by up to this along x and y, by the seed  [m]
  double scatter_yaw = 0;              // and turned about z  [rad]
  bool self_contact = false;           // its own links touch each other (articulated only)
  std::string commands = "position";   // what its controller asks of joints: position | impedance [drive/servo.h (7)]
  bool on_ground = false;              // raise or lower the base so that its lowest point touches the ground plane
  ControllerSpec controller;
  Place place;
};

/// A static object of the field.
struct FieldObjectSpec {
  std::string name;
  ShapeSpec shape;
  Pose X_WO = identity_pose();
  std::optional<Vec3> colour;
  SurfaceSpec surface;
  std::string goal;  // mark of a goal's post: the two objects with the same mark stand left and right of it; "": none
};

/// A walled field of wheeled soccer, length along x. Each group plays on one of its own, with its centre at GroupSpec::at.
/// Loaders add walls, corner blocks, goals and lines to the field (pitch_objects, add_pitches), so that what is seen is
/// what is played on.
struct PitchSpec {
  double length = 2.2, width = 1.8;            // between the walls                          [m]
  double goal_width = 0.4, goal_depth = 0.15;  //                                            [m]
  double corner = 0.07;                        // leg of the 45° corner blocks               [m]
  double centre_radius = 0.25;                 // of the circle                              [m]
  double area_width = 0.5, area_depth = 0.15;  // goal area                                  [m]
  double penalty_mark = 0.375;                 // from the goal line                         [m]
  double wall_height = 0.05;                   //                                            [m]
  Place place;
};
std::vector<FieldObjectSpec> pitch_objects(const PitchSpec& pitch);

/// Rules of a group's own referee: goals, kick-offs, free balls.
struct RefereeSpec {
  double pause = 1;          // between a goal and the next kick-off                         [s]
  double still_speed = 0.1;  // a ball slower than this ...                                  [m/s]
  double still_time = 10;    // ... for this long is stuck: free ball                        [s]
  double half = 300;         // length of a half; then the other team kicks off              [s]
};

/// Addresses of FIRASim's protocol [docs/firasim.md].
struct FirasimSpec {
  std::vector<std::string> vision{"224.0.0.1:10002"};
  std::string commands = "127.0.0.1:20011";
  std::string referee = "224.5.23.2:10003", placement = "224.5.23.2:10004";
  std::string interface = "127.0.0.1";  // of multicast; with loopback nothing leaves the machine
  double period = 1.0 / 60;             // between two vision packets                        [s]
  double watchdog = 0;                  // a team silent for this long is stopped; 0: never  [s]
};

/// Robots that one motion moves together, with what they share.
struct GroupSpec {
  std::string name;
  std::string motion = "planar_wheels";
  std::string preset = "realistic";                    // of ball, tyres and surfaces: realistic | firasim
  std::string tyres = "slip";                          // slip | rolling
  std::string impact = "slip";                         // slip | rolling | paper
  std::optional<double> friction;                      // of all contacts between bodies, instead of the preset's
  std::optional<double> brake;                         // torque limit of a braking wheel, instead of the servo's  [N m]
  std::string blue = "strategy", yellow = "strategy";  // who drives the teams: strategy | firasim | none
  std::string sides = "blue_left";                     // blue defends −x (as FIRASim's referee) | blue_right
  Vec3 at{0, 0, 0};                                    // middle of its pitch in the world, z unused  [m]
  std::optional<RefereeSpec> referee;
  std::optional<SensorSpec> camera;  // above its pitch, of kind `overhead`; none: drivers see the truth of every step
  FirasimSpec firasim;
  Place place;
};

struct SceneSpec {
  std::string name, about, file;
  double step = 0.001;  // [s]
  std::uint64_t seed = 1;
  Vec3 gravity{0, 0, -9.81};     // [m/s²]
  double duration = 10;          // default of `gradus run --for`, simulated time    [s]
  double log_period = 0.01;      // simulated time between two logged samples        [s]
  std::string volumes = "aabb";  // of collision trees: sphere | aabb | obb
  ContactSpec contact;
  std::vector<FieldObjectSpec> field;  // the first plane is the ground
  std::vector<MeshSpec> meshes;
  std::vector<HeightMapSpec> maps;
  std::vector<RobotInstanceSpec> robots;
  std::optional<PitchSpec> pitch;
  std::vector<GroupSpec> groups;
};

/// Checks that need no file: tree shape, names, axes, masses, inertias, finiteness. All problems, not the first.
Diagnostics check(const RobotSpec& robot);
Diagnostics check(const SceneSpec& scene);

/// Objects in a chain without writing indices:
///   RobotBuilder b("arm");
///   b.base("post").fixed().revolute("shoulder", {0,1,0}).mass(1, {0,0,0.2}, inertia_of_box(...));
class RobotBuilder {
 public:
  explicit RobotBuilder(std::string name);
  RobotBuilder& fixed();  // bolt the base to the world
  RobotBuilder& base(std::string name);
  RobotBuilder& translation(std::string name, Vec3 offset);
  RobotBuilder& rotation(std::string name, Vec3 axis, double angle);
  RobotBuilder& revolute(std::string name, Vec3 axis);
  RobotBuilder& prismatic(std::string name, Vec3 axis);
  RobotBuilder& joint(const std::string& name, const JointType& type);  // which must outlive all that is made of it
  RobotBuilder& fork(std::string name);
  RobotBuilder& endpoint(std::string name);
  RobotBuilder& after(const std::string& object);  // next object follows this one (default: the last)
  RobotBuilder& mass(double m, Vec3 com, Sym3 inertia_about_com);
  RobotBuilder& solid_box(double m, Vec3 size, Vec3 centre);  // mass, inertia and shape of a uniform box
  RobotBuilder& solid_sphere(double m, double radius, Vec3 centre);
  RobotBuilder& shape(ShapeSpec s);
  RobotBuilder& limits(double lower, double upper);
  RobotBuilder& servo(ServoSpec s);
  RobotBuilder& drive(DriveSpec d);
  RobotBuilder& friction(double coulomb);  // of the surface
  RobotBuilder& initial(double q);
  RobotBuilder& loop(LoopSpec loop);
  RobotBuilder& foot();  // the last object may be a standing foot
  const RobotSpec& spec() const { return spec_; }

 private:
  RobotBuilder& add(ObjectSpec o);
  ObjectSpec& last() { return spec_.objects.back(); }
  RobotSpec spec_;
  ObjectId next_parent_;
};

Sym3 inertia_of_box(double mass, Vec3 size);  // uniform, about its centre
Sym3 inertia_of_sphere(double mass, double radius);
Sym3 inertia_of_cylinder(double mass, double radius, double length);  // along z
Sym3 inertia_of_capsule(double mass, double radius, double length);   // along z, length between the centres

}  // namespace gradus
