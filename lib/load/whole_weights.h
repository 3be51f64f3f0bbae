// WholeWeights: weights as whole numbers, which shares are exact of.
#ifndef SHARDINE_LOAD_WHOLE_WEIGHTS_H_
#define SHARDINE_LOAD_WHOLE_WEIGHTS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shardine/status.h"

namespace shardine {

// Each weight times one power of two, rounded; of those above 0, 1 at least.
// Their sum is below 2^62: to 50 bits and more it is the weights that were
// given, and where these are whole numbers below that, exactly.
// kInvalidArgument: one is below 0 or not finite, all are 0.
Result<std::vector<std::uint64_t>> WholeWeights(
    std::span<const double> weights);

// How many of `samples` each has: floor(samples * weight / sum), and one more
// for those with the largest remainders, of equal ones the first.
// REQUIRES: the sum of the weights is above 0, it and `samples` below 2^62.
std::vector<std::uint64_t> LargestRemainders(
    std::span<const std::uint64_t> weights, std::uint64_t samples);

// The failure of a sampling.
Status BadSampling(const std::string& why);

}  // namespace shardine

#endif  // SHARDINE_LOAD_WHOLE_WEIGHTS_H_
