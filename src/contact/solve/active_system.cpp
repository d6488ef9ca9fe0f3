#include "contact/solve/active_system.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/clones.h"

namespace gradus {
namespace {

using Wide [[gnu::vector_size(32)]] = double;
using WideAt [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;

constexpr int kPanel = 16;    // pivots that are eliminated together
constexpr int kMostKept = 5;  // 4/5 of the ordered contacts must be wanted, else a new order is worth its price
constexpr std::size_t kNumbers = std::size_t{1} << 22;

/// C −= L U:  C rows × n with row stride `stride`; L rows × kPanel, U k × n with the same stride as C. Every number of C
/// gets its products in the order of k, whatever the width of the registers, so the bits are the same on all machines.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target_clones("avx2", "default")]]
#endif
void subtract_product(double* C, const double* L, const double* U, int rows, int n, int k, int stride) {
  int r = 0;
  for (; r + 4 <= rows; r += 4) {
    double *c0 = C + static_cast<std::ptrdiff_t>(r) * stride, *c1 = c0 + stride, *c2 = c1 + stride, *c3 = c2 + stride;
    const double *l0 = L + r * kPanel, *l1 = l0 + kPanel, *l2 = l1 + kPanel, *l3 = l2 + kPanel;
    int j = 0;
    for (; j + 4 <= n; j += 4) {
      Wide a0{}, a1{}, a2{}, a3{};
      const double* u = U + j;
      for (int i = 0; i < k; ++i, u += stride) {
        const Wide x = *reinterpret_cast<const WideAt*>(u);
        a0 += l0[i] * x, a1 += l1[i] * x, a2 += l2[i] * x, a3 += l3[i] * x;
      }
      *reinterpret_cast<WideAt*>(c0 + j) -= a0, *reinterpret_cast<WideAt*>(c1 + j) -= a1;
      *reinterpret_cast<WideAt*>(c2 + j) -= a2, *reinterpret_cast<WideAt*>(c3 + j) -= a3;
    }
    for (; j < n; ++j) {
      double a0 = 0, a1 = 0, a2 = 0, a3 = 0;
      const double* u = U + j;
      for (int i = 0; i < k; ++i, u += stride) a0 += l0[i] * *u, a1 += l1[i] * *u, a2 += l2[i] * *u, a3 += l3[i] * *u;
      c0[j] -= a0, c1[j] -= a1, c2[j] -= a2, c3[j] -= a3;
    }
  }
  for (; r < rows; ++r) {
    double* c = C + static_cast<std::ptrdiff_t>(r) * stride;
    const double* l = L + r * kPanel;
    int j = 0;
    for (; j + 4 <= n; j += 4) {
      Wide a{};
      const double* u = U + j;
      for (int i = 0; i < k; ++i, u += stride) a += l[i] * *reinterpret_cast<const WideAt*>(u);
      *reinterpret_cast<WideAt*>(c + j) -= a;
    }
    for (; j < n; ++j) {
      double a = 0;
      const double* u = U + j;
      for (int i = 0; i < k; ++i, u += stride) a += l[i] * *u;
      c[j] -= a;
    }
  }
}

/// L = C U⁻¹ for the pivots of a panel: C rows × k with row stride `stride`, U k × k upper triangular with the same stride.
/// inverse: 1/U_kk. Four rows at a time, each number in the order of k.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target_clones("avx2", "default")]]
#endif
void divide_rows(double* L, const double* C, const double* U, const double* inverse, int rows, int k, int stride) {
  int r = 0;
  for (; r + 4 <= rows; r += 4) {
    const double *c0 = C + static_cast<std::ptrdiff_t>(r) * stride, *c1 = c0 + stride, *c2 = c1 + stride, *c3 = c2 + stride;
    Wide f[kPanel];
    for (int i = 0; i < k; ++i) f[i] = Wide{c0[i], c1[i], c2[i], c3[i]};
    double* out = L + r * kPanel;
    for (int i = 0; i < k; ++i) {
      const double* u = U + static_cast<std::ptrdiff_t>(i) * stride;
      const Wide x = f[i] *= inverse[i];
      for (int j = i + 1; j < k; ++j) f[j] -= x * u[j];
      out[i] = x[0], out[kPanel + i] = x[1], out[2 * kPanel + i] = x[2], out[3 * kPanel + i] = x[3];
    }
  }
  for (; r < rows; ++r) {
    double* f = L + r * kPanel;
    for (int i = 0; i < k; ++i) f[i] = C[static_cast<std::ptrdiff_t>(r) * stride + i];
    for (int i = 0; i < k; ++i) {
      const double* u = U + static_cast<std::ptrdiff_t>(i) * stride;
      f[i] *= inverse[i];
      for (int j = i + 1; j < k; ++j) f[j] -= f[i] * u[j];
    }
  }
}

/// E_i A T_j into the front, A(k, l) = A[k rs + l cs]; and −E_i A g_j onto the right side of i.
void put(const ActiveSystem::Local& I, const ActiveSystem::Local& J, const double* A, int rs, int cs, double* row,
         int stride, double* rhs) {
  double B[3][3];  // A T
  for (int k = 0; k < 3; ++k) {
    const double a0 = A[k * rs], a1 = A[k * rs + cs], a2 = A[k * rs + 2 * cs];
    if (J.slip)
      B[k][0] = a0 + J.mu * (J.d[0] * a1 + J.d[1] * a2), B[k][1] = J.d[0] * a2 - J.d[1] * a1;
    else
      B[k][0] = a0, B[k][1] = a1, B[k][2] = a2;
  }
  for (int c = 0; c < J.n; ++c) row[c] += B[0][c];
  if (I.n == 3) {
    for (int k = 1; k < 3; ++k)
      for (int c = 0; c < J.n; ++c) row[k * stride + c] += B[k][c];
  } else if (I.n == 2) {
    for (int c = 0; c < J.n; ++c) row[stride + c] += I.d[0] * B[2][c] - I.d[1] * B[1][c];
  }
  if (!J.slip) return;
  double Ag[3];
  for (int k = 0; k < 3; ++k) Ag[k] = A[k * rs + cs] * J.g[0] + A[k * rs + 2 * cs] * J.g[1];
  rhs[0] -= Ag[0];
  if (I.n == 3)
    rhs[1] -= Ag[1], rhs[2] -= Ag[2];
  else if (I.n == 2)
    rhs[1] -= I.d[0] * Ag[2] - I.d[1] * Ag[1];
}

}  // namespace

ActiveSystem::ActiveSystem(int contacts, int bodies) {
  const auto nc = static_cast<std::size_t>(contacts), nb = static_cast<std::size_t>(bodies);
  in_.resize(nc), at_.resize(nc), spot_.resize(nc), next_contact_.resize(nc);
  winners_.reserve(4 * nb + 4);
  bodies_.reserve(nb), place_of_.assign(nb, -1), clique_first_.reserve(nb + 1), clique_.resize(2 * nc);
  block_first_.reserve(nb), nodes_.reserve(nb), mark_.assign(nb, -1);
  edges_.reserve(nc), half_edge_.resize(2 * nc), half_next_.resize(2 * nc);
  steps_.reserve(2 * nb), sequence_.reserve(2 * nb), roots_.reserve(nb), pending_.reserve(2 * nb);
  stack_at_.resize(2 * nb);
  block_room_ = 64 * nc + 1024, list_room_ = 128 * nc + 4096;
  number_room_ = std::min((3 * nc + 8) * (3 * nc + 8), kNumbers);
  lists_.reserve(list_room_);
  rhs_.resize(3 * nc), inverse_.resize(3 * nc), row_at_.resize(3 * nc);
  blocks_ = std::make_unique_for_overwrite<Block[]>(block_room_);
  front_ = std::make_unique_for_overwrite<double[]>(number_room_);
  stack_ = std::make_unique_for_overwrite<double[]>(number_room_);
  factor_ = std::make_unique_for_overwrite<double[]>(number_room_);
}

bool ActiveSystem::fits(std::span<const std::uint8_t> wanted) const {
  if (!ordered_) return false;
  int count = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] && !in_[i]) return false;
    count += wanted[i];
  }
  return count * kMostKept >= ordered_count_ * (kMostKept - 1);
}

bool ActiveSystem::order(std::span<const Ends> ends, std::span<const std::uint8_t> wanted) {
  ordered_ = false;
  ordered_count_ = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) ordered_count_ += in_[i] = wanted[i];
  if (!make_bodies(ends)) return false;
  make_leaves(ends);
  make_edges(ends);
  std::size_t leaves = 1;
  while (leaves < nodes_.size()) leaves *= 2;
  winners_.assign(2 * leaves, -1);
  for (int i = 0; i < static_cast<int>(nodes_.size()); ++i) find_best(i);
  while (winners_[1] >= 0)
    if (!merge(nodes_[winners_[1]].best)) return false;
  sort_steps();
  ordered_ = true;
  return true;
}

/// Bodies that ordered contacts lie on, and the contacts of each.
bool ActiveSystem::make_bodies(std::span<const Ends> ends) {
  for (int b : bodies_) place_of_[b] = -1;
  bodies_.clear(), clique_first_.clear(), block_first_.clear();
  for (std::size_t i = 0; i < ends.size(); ++i)
    for (int b : {ends[i].a, ends[i].b})
      if (in_[i] && b >= 0 && place_of_[b] < 0) place_of_[b] = 0, bodies_.push_back(b);
  std::sort(bodies_.begin(), bodies_.end());
  const int n = static_cast<int>(bodies_.size());
  for (int p = 0; p < n; ++p) place_of_[bodies_[p]] = p;
  clique_first_.assign(static_cast<std::size_t>(n) + 1, 0);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (!in_[i]) continue;
    if (ends[i].a >= 0) ++clique_first_[place_of_[ends[i].a] + 1];
    if (ends[i].b >= 0 && ends[i].b != ends[i].a) ++clique_first_[place_of_[ends[i].b] + 1];
  }
  std::size_t blocks = 0;
  for (int p = 0; p < n; ++p) {
    const auto count = static_cast<std::size_t>(clique_first_[p + 1]);
    block_first_.push_back(static_cast<int>(blocks));
    blocks += count * (count + 1) / 2;
    clique_first_[p + 1] += clique_first_[p];
    mark_[p] = clique_first_[p];
  }
  if (blocks > block_room_) return false;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (!in_[i]) continue;
    if (ends[i].a >= 0) clique_[mark_[place_of_[ends[i].a]]++] = static_cast<int>(i);
    if (ends[i].b >= 0 && ends[i].b != ends[i].a) clique_[mark_[place_of_[ends[i].b]]++] = static_cast<int>(i);
  }
  return true;
}

/// One step and one node for each body: contacts with the static world and with itself leave at once.
void ActiveSystem::make_leaves(std::span<const Ends> ends) {
  steps_.clear(), lists_.clear(), nodes_.clear();
  for (int p = 0; p < static_cast<int>(bodies_.size()); ++p) {
    Step s{p, {-1, -1}, static_cast<int>(lists_.size()), 0, 0, 0, 0, 0};
    auto own = [&](int i) { return ends[i].a < 0 || ends[i].b < 0 || ends[i].a == ends[i].b; };
    for (int i : contacts_of(p))
      if (own(i)) lists_.push_back(i), ++s.leave;
    for (int i : contacts_of(p))
      if (!own(i)) lists_.push_back(i), ++s.stay;
    nodes_.push_back({p, s.stay, -1, -1, 0, true});
    steps_.push_back(s);
  }
}

void ActiveSystem::add_half(int node, int edge) {
  const int side = edges_[edge].ends[1] == node;
  half_edge_[2 * edge + side] = edge;
  half_next_[2 * edge + side] = nodes_[node].half;
  nodes_[node].half = 2 * edge + side;
}

void ActiveSystem::make_edges(std::span<const Ends> ends) {
  edges_.clear();
  std::fill(mark_.begin(), mark_.begin() + static_cast<std::ptrdiff_t>(nodes_.size()), -1);
  for (int p = 0; p < static_cast<int>(bodies_.size()); ++p) {
    const int first_edge = static_cast<int>(edges_.size());
    for (int i : contacts_of(p)) {
      const int a = ends[i].a < 0 ? -1 : place_of_[ends[i].a], b = ends[i].b < 0 ? -1 : place_of_[ends[i].b];
      if (a < 0 || b < 0 || a == b || std::min(a, b) != p) continue;
      const int q = std::max(a, b);
      next_contact_[i] = -1;
      if (mark_[q] < first_edge) {
        mark_[q] = static_cast<int>(edges_.size());
        edges_.push_back({{p, q}, 1, i, i, true});
        add_half(p, mark_[q]), add_half(q, mark_[q]);
      } else {
        Edge& e = edges_[mark_[q]];
        next_contact_[e.last_contact] = i, e.last_contact = i, ++e.count;
      }
    }
  }
}

/// Is the best pair of node i to be contracted before that of j? −1: nobody.
bool ActiveSystem::earlier(int i, int j) const {
  if (i < 0 || j < 0) return i >= 0;
  const Node &a = nodes_[i], &b = nodes_[j];
  return a.best_degree < b.best_degree || (a.best_degree == b.best_degree && i < j);
}

/// A node whose best pair has changed plays its way up again.
void ActiveSystem::enter(int node) {
  std::size_t at = winners_.size() / 2 + static_cast<std::size_t>(node);
  winners_[at] = nodes_[node].alive && nodes_[node].best >= 0 ? node : -1;
  for (at /= 2; at > 0; at /= 2) {
    const int a = winners_[2 * at], b = winners_[2 * at + 1];
    winners_[at] = earlier(a, b) ? a : b;
  }
}

/// Of a node's edges the one whose contraction leaves the fewest contacts.
void ActiveSystem::find_best(int number) {
  Node& node = nodes_[number];
  node.best = -1;
  int best_other = 0;
  for (int half = node.half; half >= 0; half = half_next_[half]) {
    const int e = half_edge_[half];
    if (!edges_[e].alive) continue;
    const int to = other(e, number), degree = node.degree + nodes_[to].degree - 2 * edges_[e].count;
    if (node.best >= 0 && (degree > node.best_degree || (degree == node.best_degree && to > best_other))) continue;
    node.best = e, node.best_degree = degree, best_other = to;
  }
  enter(number);
}

/// Makes one body of an edge's two; it takes the smaller number.
bool ActiveSystem::merge(int edge) {
  const int a = std::min(edges_[edge].ends[0], edges_[edge].ends[1]),
            b = std::max(edges_[edge].ends[0], edges_[edge].ends[1]);
  if (!add_union(edge, a, b)) return false;
  edges_[edge].alive = false;
  nodes_[b].alive = false;
  enter(b);
  nodes_[a].step = static_cast<int>(steps_.size()) - 1;
  nodes_[a].degree = steps_.back().stay;
  // the lists of both, edges to the same third body joined
  int halves[2] = {nodes_[a].half, nodes_[b].half};
  nodes_[a].half = -1;
  auto joins = [&](int e, int to) { return edges_[e].alive && other(e, a) == to && other(e, to) == a; };
  for (int half : halves)
    for (int next; half >= 0; half = next) {
      next = half_next_[half];
      const int e = half_edge_[half];
      Edge& x = edges_[e];
      if (!x.alive) continue;
      const int side = x.ends[0] != a && x.ends[0] != b, to = x.ends[!side];
      if (mark_[to] >= 0 && mark_[to] != e && joins(mark_[to], to)) {
        Edge& y = edges_[mark_[to]];
        next_contact_[y.last_contact] = x.first_contact, y.last_contact = x.last_contact, y.count += x.count;
        x.alive = false;
        continue;
      }
      mark_[to] = e;
      x.ends[side] = a;
      half_next_[half] = nodes_[a].half, nodes_[a].half = half;
    }
  find_best(a);
  for (int half = nodes_[a].half; half >= 0; half = half_next_[half])
    if (edges_[half_edge_[half]].alive) find_best(other(half_edge_[half], a));
  return true;
}

/// The step of a union: the contacts of the edge leave, the others of both stay, ascending.
bool ActiveSystem::add_union(int edge, int a, int b) {
  const Step &x = steps_[nodes_[a].step], &y = steps_[nodes_[b].step];
  Step s{-1, {nodes_[a].step, nodes_[b].step}, static_cast<int>(lists_.size()), 0, 0, 0, 0, 0};
  if (lists_.size() + static_cast<std::size_t>(x.stay + y.stay) > list_room_) return false;
  for (int i = edges_[edge].first_contact; i >= 0; i = next_contact_[i]) lists_.push_back(i), ++s.leave;
  std::sort(lists_.begin() + s.first, lists_.end());
  auto leaves = [&](int i) {
    return std::binary_search(lists_.begin() + s.first, lists_.begin() + s.first + s.leave, i);
  };
  const int *i = lists_.data() + x.first + x.leave, *i_end = i + x.stay;
  const int *j = lists_.data() + y.first + y.leave, *j_end = j + y.stay;
  while (i < i_end || j < j_end) {
    const bool first = j == j_end || (i < i_end && *i < *j);
    const int contact = first ? *i : *j;
    if (i < i_end && *i == contact) ++i;
    if (j < j_end && *j == contact) ++j;
    if (!leaves(contact)) lists_.push_back(contact), ++s.stay;
  }
  steps_.push_back(s);
  return true;
}

/// Children right before their parents, so that updates lie on a stack.
void ActiveSystem::sort_steps() {
  sequence_.clear(), pending_.clear();
  for (std::size_t p = nodes_.size(); p-- > 0;)
    if (nodes_[p].alive) pending_.push_back(nodes_[p].step);
  while (!pending_.empty()) {
    const int s = pending_.back();
    pending_.pop_back();
    sequence_.push_back(s);
    for (int c : steps_[s].child)
      if (c >= 0) pending_.push_back(c);
  }
  std::reverse(sequence_.begin(), sequence_.end());
}

/// Numbers of the unknowns, and the sizes of the fronts that follow from them.
bool ActiveSystem::place_fronts(std::span<const Local> locals) {
  int unknowns = 0;
  for (std::size_t i = 0; i < locals.size(); ++i) {
    if (!in_[i]) continue;
    at_[i] = unknowns;
    for (int k = 0; k < locals[i].n; ++k) rhs_[unknowns + k] = locals[i].b[k];
    unknowns += locals[i].n;
  }
  std::size_t factor = 0, stack = 0, deepest = 0;
  for (int number : sequence_) {
    Step& s = steps_[number];
    s.size = s.pivots = 0;
    for (int k = 0; k < s.leave + s.stay; ++k) {
      const int n = locals[lists_[s.first + k]].n;
      s.size += n;
      if (k < s.leave) s.pivots += n;
    }
    s.factor = static_cast<std::int64_t>(factor);
    const auto size = static_cast<std::size_t>(s.size), stay = static_cast<std::size_t>(s.size - s.pivots);
    if (size * size > number_room_) return false;
    if (is_bare(s)) continue;
    factor += static_cast<std::size_t>(s.pivots) * size;
    for (int c : s.child)
      if (c >= 0 && !is_bare(steps_[c])) {
        const auto left = static_cast<std::size_t>(steps_[c].size - steps_[c].pivots);
        stack -= left * left;
      }
    stack_at_[number] = static_cast<std::int64_t>(stack);
    stack += stay * stay;
    deepest = std::max(deepest, stack);
  }
  return factor <= number_room_ && deepest <= number_room_;
}

/// Where each contact of a front begins in it.
void ActiveSystem::place_contacts(const Step& s, std::span<const Local> locals) {
  int spot = 0;
  for (int k = 0; k < s.leave + s.stay; ++k) {
    const int i = lists_[s.first + k];
    spot_[i] = spot;
    for (int r = 0; r < locals[i].n; ++r) row_at_[spot++] = at_[i] + r;
  }
}

/// A^B of one body.
GRADUS_CLONES void ActiveSystem::add_body(int place, int stride, std::span<const Local> locals) {
  const std::span<const int> contacts = contacts_of(place);
  const Block* block = blocks_of(place);
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const int cj = contacts[j];
    const Local& J = locals[cj];
    if (J.n == 0) {
      block += j + 1;
      continue;
    }
    for (std::size_t i = 0; i <= j; ++i, ++block) {
      const int ci = contacts[i];
      const Local& I = locals[ci];
      if (I.n == 0) continue;
      const double* A = &block->A[0][0];
      put(I, J, A, 3, 1, front_.get() + static_cast<std::ptrdiff_t>(spot_[ci]) * stride + spot_[cj], stride,
          &rhs_[at_[ci]]);
      if (i != j)
        put(J, I, A, 1, 3, front_.get() + static_cast<std::ptrdiff_t>(spot_[cj]) * stride + spot_[ci], stride,
            &rhs_[at_[cj]]);
    }
  }
}

/// The Schur complement that a child left: runs of columns that lie together in both.
GRADUS_CLONES void ActiveSystem::add_child(const Step& child, const double* update, int stride,
                                           std::span<const Local> locals) {
  const int* list = lists_.data() + child.first + child.leave;
  struct Run {
    int from, to, length;
  };
  constexpr int kRuns = 256;
  Run runs[kRuns];
  for (int done = 0, from = 0; done < child.stay;) {
    int count = 0;
    for (; done < child.stay; ++done) {
      const int n = locals[list[done]].n, to = spot_[list[done]];
      if (n == 0) continue;
      if (count > 0 && runs[count - 1].to + runs[count - 1].length == to)
        runs[count - 1].length += n;
      else if (count == kRuns)
        break;
      else
        runs[count++] = {from, to, n};
      from += n;
    }
    const int size = child.size - child.pivots;
    int row = 0;
    for (int k = 0; k < child.stay; ++k)
      for (int r = 0; r < locals[list[k]].n; ++r, ++row) {
        const double* in = update + static_cast<std::ptrdiff_t>(row) * size;
        double* out = front_.get() + static_cast<std::ptrdiff_t>(spot_[list[k]] + r) * stride;
        for (int x = 0; x < count; ++x)
          for (int c = 0; c < runs[x].length; ++c) out[runs[x].to + c] += in[runs[x].from + c];
      }
  }
}

/// Partial LU of a front: its pivots' rows go to the factor, the rest to the stack.
GRADUS_CLONES bool ActiveSystem::eliminate(const Step& s, std::span<const Local> locals) {
  const int n = s.size;
  double* F = front_.get();
  for (int k = 0, p = 0; k < s.leave; ++k) {
    const Local& L = locals[lists_[s.first + k]];
    for (int r = 0; r < L.n; ++r, ++p) F[static_cast<std::ptrdiff_t>(p) * n + p] += L.D[r];
  }
  constexpr int kRows = 64;
  double L[kRows * kPanel], inverse[kPanel], right[kPanel];  // of a panel: its pivots' inverses and right sides
  for (int k0 = 0; k0 < s.pivots; k0 += kPanel) {
    const int count = std::min(kPanel, s.pivots - k0), after = k0 + count;
    double* U = F + static_cast<std::ptrdiff_t>(k0) * n;
    for (int k = 0; k < count; ++k) {
      const double* u = U + static_cast<std::ptrdiff_t>(k) * n;
      if (!(std::abs(u[k0 + k]) > 1e-300)) return false;
      inverse[k] = inverse_[row_at_[k0 + k]] = 1 / u[k0 + k];
      right[k] = rhs_[row_at_[k0 + k]];
      for (int r = k + 1; r < count; ++r) {
        double* v = U + static_cast<std::ptrdiff_t>(r) * n;
        const double f = v[k0 + k] * inverse[k];
        for (int c = k0 + k + 1; c < n; ++c) v[c] -= f * u[c];
        rhs_[row_at_[k0 + r]] -= f * right[k];
      }
    }
    for (int r0 = after; r0 < n; r0 += kRows) {
      const int rows = std::min(kRows, n - r0);
      double* const C = F + static_cast<std::ptrdiff_t>(r0) * n;
      divide_rows(L, C + k0, U + k0, inverse, rows, count, n);
      for (int r = 0; r < rows; ++r) {
        double x = rhs_[row_at_[r0 + r]];
        for (int k = 0; k < count; ++k) x -= L[r * kPanel + k] * right[k];
        rhs_[row_at_[r0 + r]] = x;
      }
      subtract_product(C + after, L, U + after, rows, n - after, count, n);
    }
  }
  return true;
}

/// U x = rhs for a front's own unknowns.
GRADUS_CLONES void ActiveSystem::substitute(const Step& s, std::span<const Local> locals) {
  place_contacts(s, locals);
  for (int k = s.pivots - 1; k >= 0; --k) {
    const double* u = factor_.get() + s.factor + static_cast<std::ptrdiff_t>(k) * s.size;
    double x = rhs_[row_at_[k]];
    for (int c = k + 1; c < s.size; ++c) x -= u[c] * rhs_[row_at_[c]];
    rhs_[row_at_[k]] = x * inverse_[row_at_[k]];
  }
}

bool ActiveSystem::solve(std::span<const Local> locals) {
  if (!place_fronts(locals)) return false;
  for (int number : sequence_) {
    const Step& s = steps_[number];
    if (is_bare(s) || s.size == 0) continue;
    const auto n = static_cast<std::size_t>(s.size);
    place_contacts(s, locals);
    std::memset(front_.get(), 0, n * n * sizeof(double));
    if (s.body >= 0) add_body(s.body, s.size, locals);
    for (int c : s.child) {
      if (c < 0) continue;
      if (is_bare(steps_[c]))
        add_body(steps_[c].body, s.size, locals);
      else
        add_child(steps_[c], stack_.get() + stack_at_[c], s.size, locals);
    }
    if (!eliminate(s, locals)) return false;
    std::memcpy(factor_.get() + s.factor, front_.get(), static_cast<std::size_t>(s.pivots) * n * sizeof(double));
    const auto stay = n - static_cast<std::size_t>(s.pivots);
    for (std::size_t r = 0; r < stay; ++r)
      std::memcpy(stack_.get() + stack_at_[number] + r * stay,
                  front_.get() + (static_cast<std::size_t>(s.pivots) + r) * n + static_cast<std::size_t>(s.pivots),
                  stay * sizeof(double));
  }
  for (std::size_t k = sequence_.size(); k-- > 0;) {
    const Step& s = steps_[sequence_[k]];
    if (s.pivots > 0) substitute(s, locals);
  }
  return true;
}

}  // namespace gradus
