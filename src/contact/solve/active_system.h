/// Newton's equations (11) of couple on the impulses of the active contacts, the dual form [docs/couple.md (14)].
///
/// A contact's step is dλ = T z + g with as many unknowns z as it has freedom:
///   stick          z = dλ (3)                T = 1               E = 1
///   slip           z = (normal, across) (2)  T = [1 0; μ d  n']  E = [1 0; 0 n']    d along the slip, n' across it
///   no friction    z = dλ_n (1)
/// and all together, with A_ij = J_i Ω J_jᵀ,
///   (D + E A T) z = b − E A g                                                                                (14)
///
/// A is a sum over bodies, A = Σ_B A^B: each moving body joins exactly the contacts on it. So the elimination is a
/// contraction of the graph whose nodes are bodies and whose edges are contacts: to eliminate all contacts between two
/// bodies makes one body of them, whose matrix is the Schur complement on the contacts that both have with others
/// (multifrontal: every front is one dense matrix, and storage is what the fronts need, nothing of size n²). The pair
/// of bodies whose union has the fewest contacts with others is next (minimum degree; ties: lowest numbers), contacts
/// of a body with itself and with the static world leave with it at once.
///
/// Order and pattern are kept while the active contacts are among the ordered ones. No pivoting: with R > 0 the equations
/// of sticking contacts are positive definite. No allocation after construction.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gradus {

class ActiveSystem {
 public:
  /// Equations of one contact; n = 0: it takes no part.
  struct Local {
    int n = 0;
    bool slip = false;
    double mu = 0, d[2] = {0, 0};  // of a slipping contact: friction, direction of z
    double D[3], b[3];
    double g[2];  // tangential
  };
  struct Block {
    double A[3][3];
  };
  struct Ends {
    int a, b;  // bodies; −1: immovable; a = b: inside one robot
  };

  ActiveSystem(int contacts, int bodies);

  /// A new island: nothing is ordered.
  void clear() { ordered_ = false; }
  /// Orders the contacts that are wanted (1) of the island's; false if there is no room. Afterwards their blocks must be
  /// filled: A^B_ij for i ≤ j < contacts_of(B).size() is blocks_of(B)[j (j + 1)/2 + i].
  bool order(std::span<const Ends> ends, std::span<const std::uint8_t> wanted);
  /// Are all wanted contacts ordered, and most of the ordered ones wanted?
  bool fits(std::span<const std::uint8_t> wanted) const;
  std::span<const int> bodies() const { return bodies_; }  // that are on ordered contacts, ascending
  std::span<const int> contacts_of(int place) const {      // of bodies()[place], ascending
    return {clique_.data() + clique_first_[place],
            static_cast<std::size_t>(clique_first_[place + 1] - clique_first_[place])};
  }
  Block* blocks_of(int place) { return blocks_.get() + block_first_[place]; }

  /// Solves (14); z of contact i begins at z()[at(i)]. False if it is singular or there is no room.
  bool solve(std::span<const Local> locals);
  const double* z(int contact) const { return &rhs_[at_[contact]]; }

 private:
  /// A front: contacts that leave, then those that stay. Children come before their parent.
  struct Step {
    int body;          // place of a leaf; −1: the union of two
    int child[2];      // steps; −1: none
    int first;         // in lists_
    int leave, stay;   // contacts
    int size, pivots;  // unknowns of the present equations: all, and those that leave
    std::int64_t factor;  // where its rows of U begin
  };
  /// Contacts between the same two bodies.
  struct Edge {
    int ends[2];
    int count, first_contact, last_contact;  // linked by next_contact_
    bool alive;
  };
  struct Node {
    int step;       // that made it
    int degree;     // contacts with others
    int half;       // first of its list of edges; −1: none
    int best, best_degree;
    bool alive;
  };

  bool make_bodies(std::span<const Ends> ends);
  void make_leaves(std::span<const Ends> ends);
  void make_edges(std::span<const Ends> ends);
  void add_half(int node, int edge);
  int other(int edge, int node) const { return edges_[edge].ends[edges_[edge].ends[0] == node]; }
  void find_best(int node);
  bool earlier(int i, int j) const;
  void enter(int node);
  bool merge(int edge);
  bool add_union(int edge, int a, int b);
  void sort_steps();

  bool place_fronts(std::span<const Local> locals);
  void place_contacts(const Step& s, std::span<const Local> locals);
  void add_body(int place, int stride, std::span<const Local> locals);
  void add_child(const Step& child, const double* update, int stride, std::span<const Local> locals);
  bool eliminate(const Step& s, std::span<const Local> locals);
  void substitute(const Step& s, std::span<const Local> locals);
  bool is_bare(const Step& s) const { return s.body >= 0 && s.leave == 0; }  // goes straight into its parent's front

  bool ordered_ = false;
  int ordered_count_ = 0;
  std::vector<std::uint8_t> in_;            // (contacts) ordered
  std::vector<int> bodies_, place_of_;      // ordered bodies; (bodies) their places
  std::vector<int> clique_first_, clique_;  // contacts on each body
  std::vector<int> block_first_;
  std::vector<Edge> edges_;
  std::vector<Node> nodes_;
  std::vector<int> half_edge_, half_next_, next_contact_, mark_;
  std::vector<int> winners_;  // tournament of the nodes: whose best pair is next; leaves from half of its size on
  std::vector<Step> steps_;
  std::vector<int> sequence_, roots_, pending_;  // steps in the order of their elimination
  std::vector<int> lists_;
  std::vector<int> at_, spot_, row_at_;  // (contacts) first unknown; place in the present front; (unknowns of a front)
  std::vector<double> rhs_, inverse_;
  std::size_t block_room_, list_room_, number_room_;
  std::unique_ptr<Block[]> blocks_;
  std::unique_ptr<double[]> front_, stack_, factor_;  // touched only as far as they are used
  std::vector<std::int64_t> stack_at_;                // (steps) where the update of a step lies
};

}  // namespace gradus
