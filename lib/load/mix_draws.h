// Mix draws: the factors that a sample is mixed by, as shardine/mixing.h
// describes.
#ifndef SHARDINE_LOAD_MIX_DRAWS_H_
#define SHARDINE_LOAD_MIX_DRAWS_H_

#include "base/geometry.h"
#include "load/sample_draws.h"
#include "shardine/mixing.h"
#include "shardine/status.h"

namespace shardine {

// kInvalidArgument: an alpha or a probability that cannot be.
Status CheckMixChoices(const MixOptions& mix);

// 0 to 1, of Beta(alpha, alpha), of the first two words of a draw.
// REQUIRES: 0.001 <= alpha <= 1000.
double DrawBeta(double alpha, const Draw& draw);

// Draws the factor of a sample, except for its partner.
// REQUIRES: CheckMixChoices(mix) is ok.
MixFactor DrawMix(const MixOptions& mix, const SampleDraws& draws,
                  PixelSize image);

}  // namespace shardine

#endif  // SHARDINE_LOAD_MIX_DRAWS_H_
