// MixUp and CutMix: each image of a batch becomes one of two, and its label two
// labels with weights. Names, parameters and formulas are torchvision's
// (transforms/v2, MixUp and CutMix); weights of each sample are as timm's
// Mixup has them in its mode "elem".
//
// The partner of a sample is the one before it in its batch; the first one's is
// the last, as torchvision rolls a batch by one; a batch of one sample has
// itself. It is a sample of the same rank's batch. Padding and gray images are
// mixed as all others are; samples that were dropped are not there.
//
// Pixels, w being the weight as a float, v a value of the image, u its
// partner's:
//   MixUp:  u (1 - w) + v w, in floats, each product and the sum rounded: bit
//           for bit torchvision's of float tensors. Bytes: that, rounded to the
//           nearest, halves to even, as timm's FastCollateMixup does; within
//           one level of the exact value. Halves: that, rounded once more.
//   CutMix: the pixels of the box are the partner's, bit for bit.
// They are mixed after they were normalized, whatever the number of threads.
//
// Draws: those of a sample (philox of seed, sample id, epoch and repetition, as
// in shardine/pixel_operations.h), which no operation has: number d here is
// draw 2^24 - 256 + d. U(d, w) is word w of it divided by 2^32, N(d, w, n) is
// floor(word * n / 2^32).
//   The choice is the first one whose probability and those before it add up
//   to more than U(0, 0); if there is none, the sample stays, w = 1.
//   Beta(alpha, alpha), by Bailey's polar method for Student's t (Devroye 1996,
//   "Random variate generation in one line of code"):
//     q = ((U(1, 0) + 2^-33)^(-1 / alpha) - 1) c^2, c = cos(2 pi U(1, 1))
//     l = 1/2 +- sqrt(q / (1 + q)) / 2, with the sign of c; a float
//   lib/load/portable_math.h has the arithmetic: the same bits anywhere.
//   MixUp: w = l.
//   CutMix of an image of W x H pixels: its middle is x = N(2, 0, W),
//   y = N(2, 1, H); half its sides are a = floor(sqrt(1 - l) / 2 W) and
//   b = floor(sqrt(1 - l) / 2 H). The box is from max(x - a, 0) to before
//   min(x + a, W), from max(y - b, 0) to before min(y + b, H), and
//   w = 1 - its pixels / (W H), a float.
//
// Invariants: a batch of the same samples in the same order is mixed the same,
// on any threads and after any resume. With MixPer::kSample the choice, l and
// the box are the sample's own, in any batch, rank and world, and its partner
// is the sample before it in the stream but where a batch begins: in another
// world all are mixed the same but those that begin a batch in one of the two.
// (RepeatedSampling deals samples in turn: there all partners are others.) With
// MixPer::kBatch choice, l and box are those of the batch's first sample.
#ifndef SHARDINE_MIXING_H_
#define SHARDINE_MIXING_H_

#include <cstdint>
#include <variant>
#include <vector>

namespace shardine {

struct MixUp {
  double alpha = 1;        // 0.001 to 1000; of Beta(alpha, alpha)
  double probability = 1;  // of this choice; those of all add up to 1 at most
};

struct CutMix {
  double alpha = 1;
  double probability = 1;
};

using MixChoice = std::variant<MixUp, CutMix>;

enum class MixPer : std::uint8_t {
  kBatch,   // one draw for all samples of a batch, as torchvision has it
  kSample,  // each has its own
};

struct MixOptions {
  std::vector<MixChoice> choices;  // none: nothing is mixed
  MixPer per = MixPer::kBatch;
  // False: images stay as they are, for callers that mix elsewhere by
  // Batch::mix(). Labels with weights are as if they were mixed.
  bool apply = true;
};

// The parts of a sample's image.
struct MixFactor {
  float weight = 1;           // of itself; the rest is its partner's
  std::uint32_t partner = 0;  // its number in the batch
  // The partner's box, in pixels of the batch; empty but with CutMix.
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;

  bool is_cut() const { return width > 0 && height > 0; }
  friend bool operator==(const MixFactor&, const MixFactor&) = default;
};

// Labels as shares of all classes: with off = smoothing / classes as a float
// and on = 1 - smoothing + off as a float, one label makes a row of off but for
// on at its class; mixed, each value is partner's (1 - w) + own w, in floats,
// each product and the sum rounded: torchvision's and timm's, bit for bit for
// the same w.
struct OneHot {
  std::uint32_t classes = 0;  // 0: no such rows
  double smoothing = 0;       // 0 to 1
};

}  // namespace shardine

#endif  // SHARDINE_MIXING_H_
