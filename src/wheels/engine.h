/// The inside of advance(): bodies with their pieces, the table of predicted events, islands of touching bodies.
/// Private to planar_wheels; users include planar_wheels.h.
#pragma once
#include <vector>

#include "wheels/contact.h"
#include "wheels/island_solver.h"
#include "wheels/planar_wheels.h"

namespace gradus::wheels {

/// One body while advancing. Times count from the start of the call.
struct Body {
  BodyShape shape;
  Sym3 inertia, mobility;  // of an impact
  Sym3 slide_mobility;     // of a slice
  int slot = 0;            // number in the state slab
  WheelCommand command;
  Instant start;  // at piece.t0
  Instant now;    // at time t
  Placed placed;  // the same, as contacts see it
  double t = 0;
  Piece piece;
  RobotModes modes;
  PieceEnd end = PieceEnd::horizon;
  BallResult ball;
  bool in_contact = false;  // the piece is a slice
  int pieces = 0;           // free ones of this call
  double clearance = -1;    // lower bound of the distance from clear_at to every obstacle
  Vec2 clear_at;
  // predicted events
  double t_wall = kNever;
  int wall = -1;
  double t_pair = kNever;
  int mate = -1;
};

/// What is remembered of a pair between slices and calls.
struct PairMemory {
  double hit_time = -kNever;               // last impact
  double force_time = -kNever;             // last slice
  double force[2] = {}, friction[2] = {};  // of its first two contact points [N]
  double event_time = -kNever;             // progress guard: last event, repeats at the same instant, blind until
  int repeats = 0;
  double blind_until = -kNever;
};

class Engine {
 public:
  explicit Engine(const WheelsModel& model);
  void run(const WheelsModel& model, std::span<double> state, std::span<const WheelCommand> commands, double h,
           Report& report);

 private:
  enum class EventKind { none, piece_end, obstacle, pair };
  struct Event {
    double t = 0;
    int body = -1;
    EventKind kind = EventKind::none;
  };

  // engine.cpp: the loop and the pieces
  void load(std::span<double> state, std::span<const WheelCommand> commands);
  void store(std::span<double> state);
  void load_memory(std::span<double> state);
  void store_memory(std::span<double> state);
  Event next_event() const;
  void guard_progress(const Event& e);
  void synchronise(Body& b, double t);
  void restart(double t, bool hit);
  void gather_island(double t);
  bool within(const Body& b, const Body& other, double t, double reach) const;
  void touch_neighbours(int k, double t);
  void touch_obstacles(int i);
  void free_piece(Body& b, double t);
  void coarse_piece(Body& b, double t);
  int pair_index(int i, int j) const;
  int obstacle_index(int i, int obstacle) const;
  int memory_index(const Contact& c) const { return c.b >= 0 ? pair_index(c.a, c.b) : obstacle_index(c.a, c.obstacle); }
  double obstacle_distance(int obstacle, Vec2 p) const;
  bool clear_of_obstacles(Body& b, double reach) const;
  void add_contacts(int count, int a, int b, int obstacle);

  // predict.cpp: certificates
  void predict(int i, double t);
  void predict_obstacles(int i, double t);
  double locate_pair(int i, int j, double t, double horizon, bool resting);
  double locate_obstacle(int i, int obstacle, double t, double horizon, bool resting);
  template <class Certificate>
  double locate(double t, double horizon, Certificate certificate);
  void set_pair(int i, int j, double t);
  bool resting(int i, int j) const;
  bool resting_on(int i, int obstacle) const;
  Placed placed_at(const Body& b, double t) const;

  // impact.cpp
  void impact(double t);
  void build_impact();
  void add_impact_rows(int k);
  void restitute(double t, double energy_before);
  bool set_restitution(double t);
  void cut_energy(const double* v_c, double energy_before);
  void project_remaining();
  void apply_impact(double t, double energy_before);
  double impact_energy() const;
  void roll_friction(double scale);

  // slice.cpp
  bool slice(double t);
  double slice_length(double t);
  bool build_slice(double t, double h);
  void predict_slice_velocity(int k, double h);
  void predict_robot(const RobotModel& r, double h, Body& b, SolverBody& s) const;
  void predict_in_modes(const RobotModel& r, const RobotModes& m, double h, const Body& b, SolverBody& s) const;
  Vec2 predict_ball(const Body& b, double h, SolverBody& s) const;
  void add_tyre_rows(double h);
  void add_friction_rows(double t, double h);
  void guess_row(SolverRow& r, const Contact& c, double t, double h, double velocity) const;
  void remember_forces(double t, double h);
  void write_slice(int k, double t, double h);
  void finish_slice(double t, double h);
  bool keeps_touching(const Contact& c) const;

  // paper_wall.cpp
  bool hold_at_boundary(double t, double h);
  double driving_speed(const Body& b, bool right, double h) const;

  // rows, shared by impacts and slices
  void jacobian(const Body& b, Vec2 n, Vec2 p, double turn, bool tangential, double sign, double out[3]) const;
  SolverRow contact_row(const Contact& c, Vec2 direction, bool tangential, double h) const;
  const Surface& surface(const Contact& c) const;
  double row_mobility(const SolverRow& r, bool in_slice) const;
  double contact_speed(const Contact& c) const;

  const WheelsModel* model_ = nullptr;
  const Numerics* numerics_ = nullptr;
  Report* report_ = nullptr;
  double stop_ = 0;
  int body_total_ = 0, obstacle_total_ = 0;  // capacities
  int count_ = 0;                            // bodies present
  bool give_up_ = false;                     // too many events: locate no more in this call
  int most_pieces_ = 0;                      // of a body in this call
  std::vector<Body> bodies_;
  std::vector<double> pair_time_;   // (count × count) predicted contact
  std::vector<PairMemory> memory_;  // (bodies × (bodies + obstacles))
  std::vector<char> fresh_;         // (bodies) 1: in the present island, 2: predicted already
  std::vector<int> local_;          // (bodies) number in the island, -1 outside
  std::vector<int> island_;
  int island_size_ = 0;
  int seeds_[2] = {-1, -1};
  int seed_count_ = 0;
  std::vector<Contact> contacts_;
  int contact_count_ = 0;
  std::vector<int> row_of_;             // (contacts) normal row, -1 without
  std::vector<int> friction_row_of_;    // (contacts) friction row, -1 without
  std::vector<double> normal_impulse_;  // (contacts) of the last impact
  std::vector<double> velocity_;        // (3 × bodies) scratch of impacts
  std::vector<Vec2> roll_next_;         // (bodies) ball's roll at the end of the slice
  IslandSolver solver_;
};

}  // namespace gradus::wheels
