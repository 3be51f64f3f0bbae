// Sampling: which samples an epoch has, and how often each. Exact: counts are
// those said here, in every epoch; nothing is remembered from one step to the
// next, so that a LoaderState resumes any of them in any world.
#ifndef SHARDINE_SAMPLING_H_
#define SHARDINE_SAMPLING_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace shardine {

// A sample's draws in an epoch are functions of (seed, epoch, id, view), and of
// a repetition where the sample comes several times: each time has another
// number, and other draws; number 0 has those of a loader without sampling.
//
// `samples` is how many an epoch has, over all ranks; 0: as many as there are
// of the dataset, or of LoaderOptions::positions; of RepeatedSampling, times
// `times`. Where it is not that, epochs are cut from one stream: without
// replacement, samples that did not come in one epoch come in the next. In the
// order kSequential samples come as they are stored, inside their class or
// part.

// Each sample `times` times: repeated augmentation (Berman et al.,
// "MultiGrain", 2019; Hoffer et al., "Augment your batch", CVPR 2020). Its
// copies are neighbours of the stream, and samples are dealt to ranks in turn:
// the copies are in one step, on as many ranks as there are, as RASampler of
// DeiT and timm has them. Their epochs, of three copies of a third of the
// samples, are {.times = 3, .samples = size}; here the next epochs have the
// other thirds. In any order but kRatio. 1: each sample once.
struct RepeatedSampling {
  std::uint32_t times = 1;
  std::uint64_t samples = 0;

  friend bool operator==(const RepeatedSampling&,
                         const RepeatedSampling&) = default;
};

// Each class as often as any other: classes are dealt in turn, and from one
// epoch on to the next, so that counts in an epoch, and in all epochs so far,
// differ by 1 at most. In a class no sample comes again before all others came,
// epochs or not; `replacement`: each is drawn from all of its class. Samples
// have one label, an integer; 8 bytes of memory each. One of several labels is
// refused: in the turn of one class it would come for the others, too, and no
// counts would be exact.
struct ClassBalancedSampling {
  std::uint64_t samples = 0;
  bool replacement = false;

  friend bool operator==(const ClassBalancedSampling&,
                         const ClassBalancedSampling&) = default;
};

// Each class by its weight, those of its samples as above. Counts are the same
// in every epoch: of samples * weight / sum of weights the floor, and one more
// for those with the largest remainders, of equal ones the lower labels.
// Every label that there is has a weight, and every weight a sample. A class of
// weight 0 does not come.
struct ClassWeightedSampling {
  std::vector<std::pair<std::int64_t, double>> weights;  // (label, weight)
  std::uint64_t samples = 0;
  bool replacement = false;

  friend bool operator==(const ClassWeightedSampling&,
                         const ClassWeightedSampling&) = default;
};

// Each sample by its own weight, which stand as the samples do. A sample comes
// floor or ceil(samples * weight / sum of weights) times an epoch, which on the
// mean over epochs is that number: systematic sampling (Madow, 1949) in an
// order that each epoch shuffles, so that the stored order does not decide
// which samples come together. None comes twice as long as no weight is beyond
// sum / samples. `replacement`: draws that know nothing of each other, as
// torch's WeightedRandomSampler makes them: 8 bytes of memory a sample,
// else 24.
struct WeightedSampling {
  std::shared_ptr<const std::vector<double>> weights;
  std::uint64_t samples = 0;
  bool replacement = false;

  friend bool operator==(const WeightedSampling&,
                         const WeightedSampling&) = default;
};

// Several datasets after each other, as Dataset::Concatenate makes them, each
// by its weight: counts as of ClassWeightedSampling, the samples of each
// without replacement. Repetitions of part p begin with p * 2^40: samples of
// one id in two parts have draws of their own, those of part 0 the draws that
// they have by themselves.
struct MixedSampling {
  std::vector<std::uint64_t> sizes;  // of the parts; their sum is all
  std::vector<double> weights;
  std::uint64_t samples = 0;

  friend bool operator==(const MixedSampling&, const MixedSampling&) = default;
};

// Few-shot episodes: of `way` classes at random, `shot` and then `query`
// samples at random, none twice in an episode. First the shots of the first
// class, of the second, ...; then the queries, in the same order. A batch has
// one episode or several, whole: batch_size is a multiple of way * (shot +
// query). In kShuffle alone. Samples have one label, an integer; 8 bytes of
// memory each.
struct EpisodeSampling {
  std::uint32_t way = 5;
  std::uint32_t shot = 1;
  std::uint32_t query = 15;
  std::uint64_t episodes = 0;  // of an epoch, over all ranks; 0: as many as
                               // have as many samples as there are, 1 at least

  friend bool operator==(const EpisodeSampling&,
                         const EpisodeSampling&) = default;
};

using Sampling =
    std::variant<RepeatedSampling, ClassBalancedSampling, ClassWeightedSampling,
                 WeightedSampling, MixedSampling, EpisodeSampling>;

}  // namespace shardine

#endif  // SHARDINE_SAMPLING_H_
