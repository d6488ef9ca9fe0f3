/// The step of world_step.h as a few warps of a GPU take it that share a world, each walking limbs of its own [limb_plan.h].
/// Every formula is in tree/, contact/, drive/ and motion/; only the order of the walks is here. A CPU takes it with one warp
/// and plain arrays, which is how it is tested against step_world.
///
/// What a joint keeps lies in memory that the warps share (14 numbers); frames and contacts are made again on each walk,
/// because on a GPU arithmetic is cheaper than traffic. What few worlds need (opinions of points and drives that a review
/// changed, frames of branching links, memories) lies far: in global memory.
///
/// One *round* is one prediction of one world. A world that must predict again does so while the worlds beside it begin
/// their next step.
///
///   inward    frames, points, drives (in a step's first round), factors from the tips to the root     [tree/dynamics.h]
///   solve     the root's acceleration
///   outward   accelerations, reviews of points and drives, what points remember
///   fly       of worlds that touch nothing: order two in the joints, momentum exact                   [motion/flight.inl]
///   commit    State[k+1] in place
#pragma once
#include "batch/gpu/limb_robot.h"

namespace gradus {

/// Number of the lowest bit that is set.
GRADUS_INLINE int lowest_bit(std::uint32_t m) {
#if defined(__CUDA_ARCH__)
  return __ffs(static_cast<int>(m)) - 1;
#else
  return __builtin_ctz(m);
#endif
}
GRADUS_INLINE int lowest_bit(std::uint64_t m) {
#if defined(__CUDA_ARCH__)
  return __ffsll(static_cast<long long>(m)) - 1;
#else
  return __builtin_ctzll(m);
#endif
}

/// What a joint keeps. In flight, from fly on: kPlace is the new place, kBias the new speed, kTau the joint's impulse.
enum LimbKeep {
  kSine, kCosine,
  kU,              // (6)
  kBias = kU + 6,  // u of (5) in tree/dynamics.h, then the acceleration
  kPlace, kSpeed,
  kTau, kSlope,    // of the drive, with all its parts
  kPerD,
  kKept
};
constexpr int kLimbSum = 27;    // numbers that a warp hands over: an articulated inertia and its bias
constexpr int kLimbRoot = 19;   // of the root: position, orientation, twist; its change of twist in flight
constexpr int kPointFar = 25;   // of a point: two memories (4 each), an opinion (14), an acceleration (3)
constexpr int kJointFar = 10;   // of a joint: target, DriveForceT (9)
constexpr int kLinkFar = 27;    // of a link in flight: change of momentum, S before and after, inertia after but for its mass
constexpr int kFrameFar = 18;
constexpr int kSlotFar = 2 * kFrameFar + kLimbSum + 6;  // of a branching link

template <class T>
GRADUS_HD int limb_far_size(const LimbRobotT<T>& r) {
  return r.npoint * kPointFar + (r.nlink - 1) * kJointFar + r.nlink * kLinkFar + r.slots * kSlotFar;
}
GRADUS_INLINE int limb_shared_size(int nlink, int warps) { return (nlink - 1) * kKept + warps * kLimbSum + kLimbRoot; }

/// Sums over links in flight: what keep_momentum reads of FlightSumT, and what is handed to the root.
template <class T>
struct LimbFlightT {
  Vec6T<T> start;         // momentum before
  Vec3T<T> mc;            // mass times centre of mass before
  RigidInertiaT<T> I;     // at the new place
  Vec6T<T> left;          // impulse less change, of all limbs
};

/// What the walk outwards in flight reads of a link.
template <class T>
struct LimbAheadT {
  Vec6T<T> S0, S1;
  RigidInertiaT<T> I;
};

/// One world as one warp sees it.
/// Room: where its numbers lie, and how warps meet:
///   warps, stride                      constants; neighbouring numbers of a world lie `stride` apart
///   keep, sums, base, far              pointers; keep to base shared by the warps of a world, far by none but itself
///   warp                               which of them this is
///   barrier(), clear(), combine(bits)  of the warps of a world
///   any(bool)                          of all worlds that walk together;  some(bool): of those that are here
/// Has: prismatic, passive, mimics — constants as in LimbNeeds; Word: as many bits as one warp may have points or joints.
template <class T, class Room, class Has>
class LimbWalker {
 public:
  Room room;

  GRADUS_HD LimbWalker(const LimbRobotT<T>& robot, const LimbTablesT<T>& tables) : robot_(robot), tables_(tables) {}

  /// Takes over a world.  row: its numbers [RowLayout], `stride` apart
  GRADUS_INLINE void load(const T* row, const RowLayout& at);
  /// Writes it back.
  GRADUS_INLINE void save(T* row, const RowLayout& at) const;
  /// One prediction. True where it was the last of its step, which is then committed if `run` says so.
  /// results: where those of the step go, null: nowhere
  GRADUS_INLINE bool round(bool run, T* results);

 private:
  using Axes = LevelT<T>;
  using Law = LawT<T, Axes>;
  using V3 = Vec3T<T>;
  using V6 = Vec6T<T>;
  using M6 = Mat6T<T>;
  using Frame = FrameT<T>;
  using Word = typename Has::Word;
  enum Review : std::uint32_t { kChanged = 1, kTouching = 2, kLawChanged = 4 };
  /// A drive's constants under the names of servo.inl.
  struct Drive {
    T lower, upper, stop_k, stop_d, damping, friction, spring;
    struct {
      T kp, kd, torque, speed, per_speed;
    } servo;
  };

  // Memory.
  GRADUS_INLINE T& keep(int i, int k) const { return room.keep[((i - 1) * kKept + k) * Room::stride]; }
  GRADUS_INLINE T& sum(int w, int k) const { return room.sums[(w * kLimbSum + k) * Room::stride]; }
  GRADUS_INLINE T& base(int k) const { return room.base[k * Room::stride]; }
  GRADUS_INLINE T& point_far(int k, int n) const { return room.far[(k * kPointFar + n) * Room::stride]; }
  GRADUS_INLINE T& joint_far(int i, int n) const {
    return room.far[(robot_.npoint * kPointFar + (i - 1) * kJointFar + n) * Room::stride];
  }
  GRADUS_INLINE T& link_far(int i, int n) const {
    return room.far[(robot_.npoint * kPointFar + (robot_.nlink - 1) * kJointFar + i * kLinkFar + n) * Room::stride];
  }
  GRADUS_INLINE T& slot_far(int s, int n) const {
    return room.far[(robot_.npoint * kPointFar + (robot_.nlink - 1) * kJointFar + robot_.nlink * kLinkFar + s * kSlotFar + n) *
                    Room::stride];
  }
  GRADUS_INLINE bool rooted() const { return room.warp == robot_.plan.root_warp; }
  GRADUS_INLINE int runs() const { return robot_.plan.run_count[room.warp]; }
  GRADUS_INLINE const LimbRun& run(int r) const { return robot_.plan.runs[room.warp][r]; }
  GRADUS_INLINE int slot_of(int i) const { return static_cast<int>(robot_.code[i] >> kSlotShift) - 1; }
  GRADUS_INLINE Word joint_bit(int i) const { return Word(1) << (robot_.code[i] >> kJointShift & kBitBits); }
  GRADUS_INLINE int first_bit(int i) const { return static_cast<int>(robot_.code[i] >> kPointShift & kBitBits); }
  GRADUS_INLINE V6 vector_at(const T* x) const {
    constexpr int s = Room::stride;
    return {{x[0], x[s], x[2 * s]}, {x[3 * s], x[4 * s], x[5 * s]}};
  }
  GRADUS_INLINE void put_vector(T* x, const V6& v) const {
    constexpr int s = Room::stride;
    x[0] = v.a.x, x[s] = v.a.y, x[2 * s] = v.a.z, x[3 * s] = v.l.x, x[4 * s] = v.l.y, x[5 * s] = v.l.z;
  }

  // Constants.
  GRADUS_INLINE void place(int i, LinkT<T>& l) const;
  GRADUS_INLINE void weigh(int i, LinkT<T>& l) const;
  GRADUS_INLINE Drive drive_of(int i) const;
  template <class Fn>
  GRADUS_INLINE void with_axis(int i, LinkT<T>& l, const Fn& f) const;

  // Frames.
  GRADUS_INLINE V3 root_place() const { return {base(0), base(1), base(2)}; }
  GRADUS_INLINE QuatT<T> root_turn() const { return {base(3), base(4), base(5), base(6)}; }
  GRADUS_INLINE V3 root_spin() const { return {base(7), base(8), base(9)}; }
  GRADUS_INLINE V3 root_velocity() const { return {base(10), base(11), base(12)}; }
  GRADUS_INLINE Frame root_frame() const { return {to_matrix(root_turn()), zero3<T>(), {root_spin(), zero3<T>()}, zero6<T>()}; }
  GRADUS_INLINE Frame frame_at(int slot, int n) const;
  GRADUS_INLINE void put_frame(int slot, int n, const Frame& f) const;
  GRADUS_INLINE void out(const LinkT<T>& l, T q, T v, T s, T c, Frame& f) const;

  // Drives.
  GRADUS_INLINE void begin_drive(int i, T q, T v);
  GRADUS_INLINE bool review_drive(int i, T v, T a);
  GRADUS_INLINE void put_drive(int i, const DriveForceT<T>& d, bool simple);

  // Points.
  GRADUS_INLINE ground::SearchT<T, Axes> search() const;
  GRADUS_INLINE void find_points(int i, const Frame& f);
  GRADUS_INLINE ContactMemoryT<T> memory(int k, Word bit) const;
  GRADUS_INLINE void contact(int i, int k, Word bit, const Frame& f, const Law& law, const ContactMemoryT<T>& m,
                             StaticContactT<T>& c) const;
  GRADUS_INLINE void store(int k, Word bit, const StaticContactT<T>& c);
  GRADUS_INLINE void add_contacts(int i, const Frame& f, M6& I, V6& b);
  GRADUS_INLINE std::uint32_t review_points(int i, const Frame& f, const V6& acc, bool review);
  template <class Fn>
  GRADUS_INLINE void each_touching(int i, const Fn& f) const;

  // Walks.
  GRADUS_INLINE void prepare(bool fresh);
  GRADUS_INLINE void inward(bool fresh);
  GRADUS_INLINE void walk_in(int first, int last, Frame& now, M6& I, V6& b);
  GRADUS_INLINE void hand_over(T* to, const M6& I, const V6& b, bool first) const;
  GRADUS_INLINE void take(const T* from, M6& I, V6& b) const;
  GRADUS_INLINE void solve();
  GRADUS_INLINE std::uint32_t outward(bool review);
  GRADUS_INLINE void commit(bool flies);
  GRADUS_INLINE void write_results(T* results) const;
  GRADUS_INLINE void commit_base(bool flies, T* results);

  // Flight.
  GRADUS_INLINE V6 root_acc() const { return vector_at(&sum(robot_.plan.root_warp, 0)); }
  GRADUS_INLINE bool is_free() const { return robot_.root == RootKind::free; }
  GRADUS_INLINE Frame next_root_frame(const V6& acc0) const;
  GRADUS_INLINE void fly(bool flies);
  GRADUS_INLINE V6 change_of(int i, const Frame& f0, const Frame& f1, V3 rise, LimbFlightT<T>& sum, RigidInertiaT<T>& I1) const;
  GRADUS_INLINE LimbFlightT<T> begin_flight(const V6& acc0);
  GRADUS_INLINE V6 fly_inward();
  GRADUS_INLINE LimbAheadT<T> outward_ahead(int k) const;
  GRADUS_INLINE V6 fly_outward(const V6& dV0, const V6& twist0);
  GRADUS_INLINE void put_flight(T* to, const LimbFlightT<T>& s) const;
  GRADUS_INLINE LimbFlightT<T> flight_at(const T* from) const;
  GRADUS_INLINE V6 turn_root(LimbFlightT<T>& sum);
  GRADUS_INLINE void land(const V6& acc0, const V6& dV0, V6 end);

  const LimbRobotT<T>& robot_;
  LimbTablesT<T> tables_;
  int pass_ = 1, parity_ = 0;
  bool calm_ = false;           // the last prediction of a step that did not settle [contact/law/calm.h]
  Word valid_ = 0;     // points that remember something
  Word near_ = 0;      // points that may touch in this step
  Word stored_ = 0;    // of these, whose opinion a review has changed: it lies far
  Word next_ = 0;      // points that will remember
  Word driven_ = 0;    // joints whose drive lies far: at a bound, at a stop, with friction or a spring
};

}  // namespace gradus

#include "batch/gpu/limb_step.inl"
