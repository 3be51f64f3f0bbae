// Cost of planning an epoch, for each sampling: nanoseconds of processor time a
// place, as readers ask for places, eight at a time; and bytes kept per sample.
// The datasets have the size of ImageNet, 1,281,167 samples, either in 1,000
// classes or in classes of a long tail. An argument: how many places to plan,
// 1,000,000 if none.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include "load/cycled_sampling.h"
#include "load/episode_sampling.h"
#include "load/group_sampling.h"
#include "load/weighted_sampling.h"
#include "load/whole_weights.h"

namespace {

std::size_t allocated = 0;  // bytes
constexpr std::size_t kHead = alignof(std::max_align_t);

}  // namespace

// All of the program's memory is counted: each block begins with its size.
void* operator new(std::size_t bytes) {
  auto* const block = static_cast<char*>(std::malloc(bytes + kHead));
  if (block == nullptr) throw std::bad_alloc();
  *reinterpret_cast<std::size_t*>(block) = bytes;
  allocated += bytes;
  return block + kHead;
}

void operator delete(void* block) noexcept {
  if (block == nullptr) return;
  char* const begin = static_cast<char*>(block) - kHead;
  allocated -= *reinterpret_cast<std::size_t*>(begin);
  std::free(begin);
}

void operator delete(void* block, std::size_t) noexcept {
  operator delete(block);
}

namespace shardine {
namespace {

using Made = std::unique_ptr<const EpochSampling>;

constexpr std::uint64_t kSamples = 1'281'167;
constexpr std::uint64_t kClasses = 1000;
constexpr std::size_t kTogether = 8;
constexpr OrderOptions kShuffle{SampleOrder::kShuffle, 1024, 16};

double ProcessorSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

void Measure(const char* name, std::uint64_t places,
             const std::function<Made()>& make) {
  const std::size_t before = allocated;
  const Made sampling = make();
  const double bytes = static_cast<double>(allocated - before);
  std::vector<StreamPosition> wanted(kTogether);
  std::vector<SampledPlace> sampled(kTogether);
  std::uint64_t sum = 0;  // so that nothing is left out
  const double begin = ProcessorSeconds();
  for (std::uint64_t first = 0; first < places; first += kTogether) {
    for (std::size_t i = 0; i < kTogether; ++i) {
      wanted[i] = {3, (first + i) % sampling->size()};
    }
    sampling->At(wanted, sampled);
    for (const SampledPlace& place : sampled) sum += place.number;
  }
  const double seconds = ProcessorSeconds() - begin;
  std::printf("%-28s %7.0f ns a place %8.3f bytes a sample   (%llu)\n", name,
              seconds / static_cast<double>(places) * 1e9,
              bytes / static_cast<double>(kSamples),
              static_cast<unsigned long long>(sum % 1000));
}

// Class i of a long tail has 1 / (i + 1) of the first one's samples.
SampleGroups Classes(bool long_tail) {
  std::vector<std::int64_t> labels;
  std::vector<double> shares;
  for (std::uint64_t i = 0; i < kClasses; ++i) {
    shares.push_back(long_tail ? 1.0 / static_cast<double>(i + 1) : 1);
  }
  const auto counts = LargestRemainders(*WholeWeights(shares), kSamples);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    labels.insert(labels.end(), counts[i], static_cast<std::int64_t>(i));
  }
  return SampleGroups::Of(labels);
}

Made Groups(SampleGroups groups, std::vector<std::uint64_t> counts,
            bool replacement = false) {
  return std::make_unique<const GroupSampling>(
      GroupSampling::Plan{"", std::move(groups), std::move(counts), kSamples,
                          replacement},
      kShuffle, 1);
}

std::vector<std::uint64_t> Ends() {
  std::vector<double> weights;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    weights.push_back(static_cast<double>(i % 17 + 1));
  }
  std::vector<std::uint64_t> ends = *WholeWeights(weights);
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  return ends;
}

int Run(std::uint64_t places) {
  Measure("each once", places, [] {
    return std::make_unique<const CycledSampling>(kSamples, 1, kSamples,
                                                  kShuffle, 1);
  });
  Measure("repeated, 3 times", places, [] {
    return std::make_unique<const CycledSampling>(kSamples, 3, kSamples,
                                                  kShuffle, 1);
  });
  Measure("class-balanced", places, [] { return Groups(Classes(false), {}); });
  Measure("class-balanced, long tail", places,
          [] { return Groups(Classes(true), {}); });
  Measure("the same with replacement", places,
          [] { return Groups(Classes(true), {}, true); });
  Measure("weighted by class", places, [] {
    std::vector<std::uint64_t> weights(kClasses);
    std::iota(weights.begin(), weights.end(), std::uint64_t{1});
    return Groups(Classes(false), LargestRemainders(weights, kSamples));
  });
  Measure("mixed of 3", places, [] {
    const std::vector<std::uint64_t> sizes = {kSamples - 50'000, 49'000, 1000};
    return Groups(SampleGroups::Parts(sizes),
                  LargestRemainders({{5, 4, 1}}, kSamples));
  });
  Measure("weighted by sample", places, [] {
    return std::make_unique<const SystematicSampling>(Ends(), kSamples,
                                                      kShuffle, 1);
  });
  Measure("the same with replacement", places, [] {
    return std::make_unique<const IndependentSampling>(Ends(), kSamples, 1);
  });
  Measure("episodes", places, [] {
    return std::make_unique<const EpisodeDraws>(
        Classes(false), EpisodeSampling{5, 5, 15, 10'000}, 1);
  });
  return 0;
}

}  // namespace
}  // namespace shardine

int main(int argc, char** argv) {
  return shardine::Run(argc > 1 ? std::strtoull(argv[1], nullptr, 10)
                                : 1'000'000);
}
