/// CMA-ES [Hansen 2016, arXiv 1604.00772], the default search: learns how parameters hang together.
///
///   x_k = m + σ B D z_k,   C = B D² Bᵀ;   the μ = λ/2 best move m, weighted by w_i ∝ ln(μ + ½) − ln i             (1)
///   p_σ ← (1 − c_σ) p_σ + √(c_σ (2 − c_σ) μ_eff) C^(−½) (m′ − m)/σ,   σ ← σ exp(c_σ/d_σ (|p_σ|/χ_n − 1))            (2)
///   p_c ← (1 − c_c) p_c + h_σ √(c_c (2 − c_c) μ_eff) (m′ − m)/σ                                                    (3)
///   C ← (1 − c₁ − c_μ) C + c₁ p_c p_cᵀ + c_μ Σ w_i y_i y_iᵀ,   y_i = (x_i − m)/σ                                   (4)
///
/// Where it cannot go on (steps of nothing, values that no longer differ, C that is no longer definite), it begins
/// again elsewhere with twice the population [Auger, Hansen 2005]; the best of all is kept. Candidates are reflected at
/// the sides of the cube, the search itself knows no sides.
#pragma once
#include "optimise/optimiser.h"

namespace gradus::optimise {

std::unique_ptr<Optimiser> make_cma(const Setup& setup);

/// Eigenvalues and eigenvectors (columns of B) of a symmetric n × n matrix, row by row, by Jacobi's rotations.
void diagonalise(std::size_t n, std::vector<double> C, std::vector<double>& values, std::vector<double>& B);

}  // namespace gradus::optimise
