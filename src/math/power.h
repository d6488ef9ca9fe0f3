/// Powers, exponentials and logarithms that give the same bits on every machine: only + − × ÷ and whole numbers, where
/// the C library's functions differ between systems. For tables that are made once (gamma, colours, lenses), not for
/// kernels.
#pragma once

namespace gradus {

double natural_logarithm(double x);  // of a positive, finite number; relative error below 1e-15 away from 1
double exponential(double x);        // |x| < 700; relative error below 1e-15
double power(double x, double y);    // x ≥ 0; 0 to any power is 0; relative error below 1e-14 for |y ln x| < 20
double tangent(double x);            // |x| < π/2

}  // namespace gradus
