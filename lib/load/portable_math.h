// exp, log and rounding in plain double arithmetic: bit for bit the same on any
// machine, unlike libm's. Code that decides a crop box uses these, sqrt and the
// four operations, nothing else; the folder is compiled with -ffp-contract=off.
#ifndef SHARDINE_LOAD_PORTABLE_MATH_H_
#define SHARDINE_LOAD_PORTABLE_MATH_H_

#include <cstdint>

namespace shardine {

// Within 1e-15 of e^x, relative. REQUIRES: -700 <= x <= 700.
double PortableExp(double x);

// Within 1e-15 of the natural logarithm, relative.
// REQUIRES: x is positive, finite and not subnormal.
double PortableLog(double x);

// The normal distribution's quantile by Acklam's fractions, within 1.2e-9,
// relative. REQUIRES: 0 < p < 1.
double PortableNormalQuantile(double p);

// The nearest integer, of two the even one, as Python's round().
// REQUIRES: 0 <= x. From 2^62 on: 2^62.
std::int64_t RoundHalfEven(double x);

}  // namespace shardine

#endif  // SHARDINE_LOAD_PORTABLE_MATH_H_
