/// A2 and B4 for everything that couple solves: contacts between robots, inside a robot, all contacts of free bodies,
/// and the loops of robots, which are contacts that also pull [docs/step.md, docs/couple.md].
///
///   find      A2: which shapes are near each other in State[k], their contacts, and islands of robots that touch
///   couple    B4: the robots of one island answer with their responses, the impulses are solved and taken
///   remember  the impulses into State[k+1]: the next step's first guess, the only memory of these contacts
///
/// A contact is wanted before it closes, since couple decides by complementarity which contacts act:
///   gap ≤ reach,   reach = margin + h closing speed,   margin = 1 mm + h · 1 m/s                                 (1)
///
/// Which shapes are near each other changes slowly. The list of pairs is made with volumes that are larger than (1)
/// asks, and kept until a robot may have used up what was added:
///   |p − p₀| + 2 |vec(q q₀⁻¹)| r + max over chains Σ R_j |q_j − q_j0|  +  margin + h speed  ≤  reach of the list (2)
/// (r from the root, R_j from a joint's origin to the farthest point of the shapes beyond; 0: when the list was made.)
/// The list changes no contact, only when shapes are asked for it, so it may be lost at any time. Islands are
/// independent, so threads may solve them in any order. Nothing is allocated after build; what does not fit is left out
/// and counted.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "base/threads.h"
#include "contact/find/static_world.h"
#include "contact/solve/couple.h"
#include "shape/trees/scene.h"
#include "state/motion.h"

namespace gradus {

/// A contact of State[k] that the next step will solve.
struct MovingContact : FoundContact {
  int robot_a, link_a, object_a;
  int robot_b, link_b, object_b;  // robot_b −1: the static world; link_b and object_b are then the number of the field object
  Vec3 point, normal;     // W; the normal from b to a
  Vec3 place;             // the point on link_a                                              [m]
  Vec3 impulse, moment;   // on a, in the last step; 0 for a new contact                      [N s, N m s]
  Vec3 before, moment_before;  // the same, untouched while the next is solved
  double force;           // normal, in the last step                                         [N]
  bool impact;            // restitution acted
  bool held;              // no contact: a loop of the robot's own; `gap` is how far it is open, along `normal`
  std::uint32_t feature;  // which features of the pair
  int law;                // number in the table of laws
  double may_hold;        // at the start of the next step                                    [J]
  double slack;           // R_t of the spring that it sticks by, (21) of docs/couple.md        [1/kg]
};

/// What the spring holds that a contact sticks by, in the last step.
inline double sticking_energy(const MovingContact& c, Vec3 impulse) {
  const Vec3 across = impulse - c.normal * dot(impulse, c.normal);
  return 0.5 * c.slack * dot(across, across);
}

/// What collision and coupling did in one step.
struct CouplingReport {
  std::int64_t volume_tests = 0, object_tests = 0;
  int contacts = 0, islands = 0;                     // these four of the look after it
  std::int64_t sweeps = 0, newtons = 0, passes = 0;  // passes: islands that were predicted and solved again (12)
  std::int64_t unsettled = 0;                        // islands whose solution did not reach its tolerance
  std::int64_t dropped = 0;                          // pairs, contacts or slots that did not fit
};

/// Who moves; contacts of the others among themselves and with the static world are not looked for.
struct Movers {
  std::span<const int> awake;    // robots, ascending
  const std::uint8_t* asleep;    // (robots); null: nobody
  std::int64_t version;          // changes with them
};

class Contacts {
 public:
  /// A robot as the step holds it.
  struct Robot {
    RobotContext* context;
    const MotionTable* const* motion;
    const MotionNeeds* needs;
  };

  /// Compounds of all robots and static objects. Warns of pairs that self-contact leaves out.
  /// statics: what robots meet of the field; its shapes are used here too and must outlive this.
  /// sleepers: may some robots sleep? Then what their contacts remember has room of its own.
  Diagnostics build(const Model& model, const StaticWorld& statics, int threads, bool sleepers);
  /// The surfaces of robots and field and what they are to each other, as the model says now.
  void take_surfaces(const Model& model);
  int memory_size() const { return resting_memory() + resting_memory_size(); }  // numbers in State: two sections
  int resting_memory() const { return section_size(capacity_); }                // where that of sleepers is
  int resting_memory_size() const { return sleepers_ ? resting_memory() : 0; }
  bool empty() const { return capacity_ == 0; }                                     // nothing can ever touch
  std::size_t contact_room() const { return static_cast<std::size_t>(capacity_); }

  /// A2, robot by robot while its numbers are warm: does the list of near pairs still hold for it (2)? Any thread may
  /// do it, each for its robots.
  void look(int number, const Robot& robot, double h);
  /// The same for a robot that is nowhere, because its state is not finite.
  void leave_out(int number);
  /// A2. memory: of State[k]. If somebody who sleeps was touched, what was found is not complete: wake them and call
  /// again.
  /// The same bits for any number of threads.
  void find(std::span<const Robot> robots, const Movers& movers, const double* memory, double h, Vec3 gravity, Team& team);
  std::span<const int> touched_sleepers() const { return touched_sleepers_; }
  /// From a robot's root to the farthest point of its shapes in any posture; 0: has none.           [m]
  double size_of(int robot) const {
    const int c = compound_of_[static_cast<std::size_t>(robot)];
    return c < 0 ? 0 : lever_[static_cast<std::size_t>(compounds_[static_cast<std::size_t>(c)].first_reach)];
  }
  /// All of them: those of sleepers as they fell asleep, then those that the next step will solve.
  std::span<const MovingContact> contacts() const { return contacts_; }
  std::span<const MovingContact> live_contacts() const { return std::span(contacts_).subspan(resting_); }
  /// Calls visit(contact, is the robot its b?) for each of one robot, in their order.
  template <class Visit>
  void each_of(int robot, const Visit& visit) const {
    if (capacity_ == 0) return;
    for (int i = first_of_[robot]; i >= 0; i = next_of_[i]) visit(contacts_[i / 2], i % 2 == 1);
  }

  // B4
  int island_count() const { return static_cast<int>(islands_.size()); }
  int island_of(int robot) const { return capacity_ == 0 ? -1 : island_of_[robot]; }  // −1: touches nothing
  std::span<const int> robots_of(int island) const;                                   // ascending
  /// Impulses of an island, added to the accelerations of its robots. Call again after predicting again.
  void couple(int island, int thread, std::span<const Robot> robots, double h);
  /// next: memory of State[k+1].
  void remember(int island, double* next) const;
  /// After all islands: the number of records, and what the step before left behind them is cleared.
  void finish_memory(double* next) const;

  /// B5, when others sleep than before: memory of the contacts of those who sleep in State[k+1], from that of now and from
  /// what the step left in next.
  void keep_resting(const double* now, double* next, const std::uint8_t* asleep) const;

  CouplingReport report;
  void add_reports();  // of the islands of this step

 private:
  struct ItemInfo {
    int robot, link;  // robot −1: static; link is then the field object
    int object;       // of the robot's kind
    int surface;      // [take_surfaces]
    Vec3 centre;      // of a sphere around it, in its shape's frame       [m]
    double radius;
    Pose X_LS;  // of its shape on its link, or in the world
  };
  struct Compound {
    int first_item;
    int first_reach;  // in link_reach_ and lever_; one number a link, shared by robots of one kind
  };
  /// Where an item is in the state that is looked at.
  struct ItemPlace {
    Pose X_WS;
    Vec3 centre;            // of the sphere around it
    std::int64_t look = 0;  // in which it was made
  };
  /// A robot as it was when the list of near pairs was made.
  struct Kept {
    bool listed = false;
    std::uint8_t rights = 0;  // what it may touch [rights_of]
    double reach = 0;         // of its volumes                             [m]
    Vec3 p{0, 0, 0};
    Quat q{1, 0, 0, 0};
  };
  struct Island {
    int first_robot, robot_count, first_contact, contact_count;
    CoupleReport report;
    int passes;
    bool idle;  // some of its contacts are
  };
  /// One thread's, while shapes are asked.
  struct Finder {
    std::vector<ItemPlace> places;     // (items)
    std::vector<MovingContact> found;  // of its part of the pairs, in their order
    std::int64_t dropped = 0;          // that it had no room for
  };
  /// One thread's.
  struct Work {
    std::unique_ptr<Couple> couple;
    std::vector<Response> response;
    std::vector<CoupleSlot> slots;
  };
  struct KindItems;

  void add_field(const Model& model, const StaticWorld& statics);
  void add_robots(const Model& model, const StaticWorld& statics, Diagnostics& notes);
  static KindItems items_of(const RobotModel& robot, const KindShapes& shapes, Diagnostics& notes);
  static void leave_out_pairs(const RobotModel& robot, const std::vector<Pose>& X, KindItems& out, Diagnostics& notes);
  int add_compound(int robot, int group, const KindItems& shapes, int first_reach);
  int surface_number(const SurfaceSpec& surface);
  const SurfaceSpec& surface_of(const Model& model, const ItemInfo& item) const;
  void make_room(const Model& model, int threads);
  Work make_work(int slots) const;
  static std::uint8_t rights_of(const Robot& robot);
  Box3 box_of(int number, const Robot& robot) const;
  void list_pairs(std::span<const Robot> robots, double h);
  void update_tree(int compound, const Robot& robot);
  const ItemPlace& place_of(int item, std::span<const Robot> robots, Finder& finder) const;
  void narrow(const ItemPair& pair, std::span<const Robot> robots, double h, Finder& finder) const;
  void find_velocities(std::span<const Robot> robots);
  void find_contacts(std::span<const Robot> robots, double h, Team& team);
  void take(std::span<const MovingContact> found);
  void add_loops(int number, const Robot& robot);
  MovingContact made(const ItemInfo& a, const ItemInfo& b, const Contact& c, double pair,
                     std::span<const Robot> robots) const;
  double stiffness_of(const ItemInfo& a, const ItemInfo& b, int law, std::span<const Robot> robots) const;
  void recall(std::size_t first, std::span<const ContactRecord> records, std::span<const ContactRecord> slept, bool limit);
  void list_by_robot(std::size_t first);
  void gather_resting(std::span<const Robot> robots, const double* memory, double h);
  bool rests(double pair, const std::uint8_t* asleep) const;
  void choose_live(const Movers& movers);
  void find_islands(std::span<const int> awake);
  void forget_slots();
  int lead_of(int robot);
  void sort_by_island(std::span<const int> awake);
  void note_slot(int robot, int link);
  Vec6 twist(const ItemInfo& item, std::span<const Robot> robots) const;
  bool immobile(const ItemInfo& item, std::span<const Robot> robots) const;
  double number_of(int compound, int number) const;
  int add_groups(int island, std::span<const Robot> robots, Work& w, double h);
  int add_group(int robot, const Robot& r, Work& w, std::size_t& room, double h);
  double gap_ahead(const MovingContact& c, std::span<const Robot> robots, double h) const;
  void choose_contacts(const Island& island, std::span<const Robot> robots, double h);
  bool idle_ones_close(const Island& island, std::span<const Robot> robots, double h) const;
  void note_slots(const Island& island);
  void solve(int island, int thread, std::span<const Robot> robots, double h);
  void add_contacts(const Island& island, Couple& solver) const;
  bool has_room(int robot) const { return robot < 0 || first_slot_[robot] >= 0; }
  int slot(int robot, int link) const;
  void receive(int robot, const Robot& r, const Couple& solver, double h) const;

  CollisionScene scene_{VolumeKind::aabb};
  std::vector<ItemInfo> items_, grounds_;
  std::vector<Compound> compounds_;  // robots first, then static objects
  std::vector<double> link_reach_;   // from a link's origin to the farthest point of its shapes; −1: has none  [m]
  std::vector<int> compound_of_;     // (robots) −1: no shapes
  std::vector<std::uint8_t> wanted_, self_;  // (robots) tree is needed; self-contact is on
  std::vector<std::uint8_t> present_;        // (robots) its box is known
  std::vector<double> lever_;                // (as link_reach_) R of (2); of the root: r
  std::vector<double> way_;                  // (all links) sums of (2)
  std::vector<double> used_, soon_;          // (robots) left side of (2); of this, what it moves in this step
  std::vector<Kept> kept_;                   // (robots)
  std::vector<double> kept_joints_;          // (all links; those of roots unused)
  std::span<const ItemPair> pairs_;          // near each other, sorted
  bool listed_ = false;                      // pairs_ were found, all of them
  std::vector<ItemPair> awake_pairs_;        // those of pairs_ of which one is awake, if anybody sleeps
  std::span<const ItemPair> live_;           // these, or all
  std::int64_t live_version_ = -1;           // of the movers for whom they were chosen
  const std::uint8_t* asleep_ = nullptr;     // of the present find
  std::vector<int> touched_sleepers_;        // (at most all robots)
  std::vector<Finder> finders_;              // (threads)
  std::vector<std::int64_t> moved_;  // (robots) the look in which the velocities of its links were made, if not by A1
  std::int64_t look_ = 1;            // number of the present one
  std::vector<Pose> poses_;                  // room for one robot's links
  std::vector<SurfaceSpec> surfaces_;
  std::vector<PairLaw> laws_;  // (surfaces²)
  std::vector<std::uint8_t> usual_;  // (surfaces²) nobody chose the stiffness: it grows with heavy bodies
  std::vector<int> first_loop_;  // (robots + 1) numbers of the points that loops hold
  int capacity_ = 0;           // contacts
  double margin_ = 0;
  double impact_speed_ = 0, recovery_speed_ = 0;  // of the scene
  Vec3 fall_{0, 0, 0};  // velocity gained by falling for a step
  bool sleepers_ = false;
  std::size_t resting_ = 0;  // the first of contacts_: of sleepers
  std::vector<MovingContact> contacts_;
  std::vector<int> first_of_, next_of_;  // (robots), (2 contacts): lists of each robot's contacts, as a (even) or b (odd); −1: the end
  std::vector<int> island_of_;  // (robots)
  std::vector<int> parent_;     // (robots) of the union-find
  std::vector<int> robots_by_island_, contacts_by_island_;
  std::vector<std::uint8_t> idle_;  // (contacts) takes no part: it will not close in this step
  std::vector<Island> islands_;
  std::vector<int> link_offset_;              // (robots + 1)
  std::vector<int> slot_of_;                  // (all links) place among its robot's touched links; −1: none
  std::vector<int> touched_, touched_count_;  // (all links), (robots) links that touch something
  std::vector<int> response_at_, response_count_;  // (robots) where its response lies in the thread's room, and its size
  std::vector<int> first_slot_;               // (robots) in the island's Couple
  std::vector<Work> work_;                    // (threads)
  std::int64_t pairs_dropped_ = 0;
};

}  // namespace gradus
