/// What a foothold costs, from what the ground around it is like [ground_map.h (2)]: costs made by hand, or learned from slips.
///
/// **Learned** [Belter 2014, sec. 3.2: places where feet slipped in simulation]. A place is five features, each divided by its spread σ among the samples; the
/// slip expected there is a mean of what is expected near centres c_k that k-means found among the samples, by Gaussians of one width ρ,
///   s(f) = Σ_k w_k φ_k / Σ_k φ_k,   φ_k = exp(−|f/σ − c_k|² / 2 ρ²)                                          (1)
/// with w by ridge regression on the slips that were measured, ρ the usual distance of a sample from its centre. The cost is s in centimetres, at least 0.
///
/// **By hand**: slope + 20 roughness/m + 10 drop/m.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/ground_map.h"

namespace gradus::plan {

/// A foot that stood on a place, and how far it slid there.
struct SlipSample {
  Features place;
  double slip;  // [m]
};

class FootholdCost {
 public:
  static FootholdCost none() { return {}; }  // every place costs nothing
  static FootholdCost by_hand();
  /// (1) from samples; centres: how many bumps. Equal samples give equal costs.
  static FootholdCost learn(const std::vector<SlipSample>& samples, int centres);
  static Result<FootholdCost> load(const std::string& path);
  std::string text() const;  // that load reads

  double operator()(const Features& f) const;

 private:
  enum class Kind { none, by_hand, learned };
  Kind kind_ = Kind::none;
  Features spread_{};
  std::vector<Features> centres_;  // divided by the spread
  std::vector<double> weights_;    // (centres)                                                    [m]
  double width_ = 1;               // ρ
  void shares(const Features& scaled, std::vector<double>& phi) const;  // φ_k / Σ φ
  double expected_slip(const Features& f) const;
};

}  // namespace gradus::plan
