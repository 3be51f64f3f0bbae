// Loaders drawn at random: their options, and the ranks that stream them.
#ifndef SHARDINE_TESTS_UNIT_LOAD_DRAWN_LOADER_H_
#define SHARDINE_TESTS_UNIT_LOAD_DRAWN_LOADER_H_

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "load/crop_plan.h"
#include "load/sample_draws.h"
#include "shardine/phased_loader.h"
#include "support/every_transform.h"
#include "unit/load/memory_dataset.h"

namespace shardine {

// Random choices of a job, the same in every run.
class Choice {
 public:
  explicit Choice(std::uint64_t job) : draws_(77, job, 0) {}
  std::uint32_t Below(std::uint32_t count) {
    return draws_(next_++).Below(0, count);
  }
  bool OneIn(std::uint32_t count) { return Below(count) == 0; }
  template <typename Values>
  auto OneOf(const Values& values) {
    return values[Below(static_cast<std::uint32_t>(std::size(values)))];
  }

 private:
  SampleDraws draws_;
  std::uint32_t next_ = 0;
};

// Two datasets whose ids are the same, and one of both.
inline std::shared_ptr<const Dataset> DatasetOf(std::uint32_t number) {
  static MemoryDataset first(37, 3, "first");
  static MemoryDataset second(22, 2, "second");
  if (number == 0) return first.Open();
  if (number == 1) return second.Open();
  auto joined = Dataset::Concatenate({first.Open(), second.Open()});
  REQUIRE(joined.status().ToString() == "OK");
  return *std::move(joined);
}

inline Transform AnyTransform(Choice& choice, const PixelFormat& pixels) {
  Transform transform(choice.OneOf(EveryGeometry()), {});
  for (std::uint32_t left = choice.Below(4); left > 0; --left) {
    transform.operations.push_back(choice.OneOf(EveryOperation()));
  }
  // A geometry that flips by itself flips but once.
  if (auto* crop = std::get_if<RandomResizedCrop>(&transform.geometry)) {
    crop->flip = 0;
  }
  if (pixels.type != PixelType::kUint8 && !choice.OneIn(3)) {
    const auto [width, height] = TargetSize(transform.geometry);
    const auto last = EveryNormalization(width, height);
    // The records' own normalization does not take halves.
    transform.operations.push_back(
        pixels.type == PixelType::kFloat32 ? choice.OneOf(last) : last.front());
  }
  return transform;
}

inline Sampling AnySampling(Choice& choice, bool mixed,
                            const std::vector<std::uint64_t>& sizes) {
  const std::uint64_t all = sizes[0] + sizes[1];
  const std::uint64_t samples = choice.OneIn(2) ? 0 : 20 + choice.Below(40);
  const bool replacement = choice.OneIn(3);
  if (mixed && !choice.OneIn(3)) {
    return MixedSampling{sizes, {1.0 + choice.Below(3), 1.0}, samples};
  }
  switch (choice.Below(6)) {
    case 0:
      return RepeatedSampling{1 + choice.Below(3), samples};
    case 1:
      return ClassBalancedSampling{samples, replacement};
    case 2:
      return ClassWeightedSampling{
          {{0, 1}, {1, 2.5}, {2, 1}, {3, 4}}, samples, replacement};
    case 3: {
      std::vector<double> weights(all);
      for (double& weight : weights) weight = choice.Below(4);
      weights[0] = 1;
      return WeightedSampling{
          std::make_shared<const std::vector<double>>(std::move(weights)),
          samples, replacement};
    }
    case 4:
      return EpisodeSampling{2, 1, 1 + choice.Below(2), 5 + choice.Below(9)};
    default:
      return RepeatedSampling{};
  }
}

// The part of a job that stays the same for any ranks.
struct Subject {
  explicit Subject(std::uint64_t job);

  std::vector<Phase> phases;
  LoaderOptions options;
  bool same_samples = true;
  std::uint64_t unit = 1;  // of samples that stay together
  MixOptions mix;          // left out of the options for the reference
};

inline void ChooseMix(Choice& choice, Subject& subject) {
  const LoaderOptions& options = subject.options;
  if (!options.more_views.empty() || choice.OneIn(3)) return;
  if (options.pixels.type == PixelType::kFloat16) return;
  subject.mix.choices = {MixUp{0.4, 0.4}, CutMix{1, 0.4}};
  subject.mix.per = choice.OneIn(2) ? MixPer::kBatch : MixPer::kSample;
}

inline Subject::Subject(std::uint64_t job) {
  Choice choice(job);
  const bool mixed = choice.OneIn(3);
  const auto dataset = DatasetOf(mixed ? 2 : choice.Below(2));
  const std::uint64_t samples = dataset->size();
  options.seed = choice.Below(1000);
  options.on_bad = OnBadSample::kGray;  // of geometries that refuse an image
  options.last_batch = static_cast<LastBatch>(choice.Below(4));
  constexpr PixelType kTypes[] = {PixelType::kUint8, PixelType::kFloat32,
                                  PixelType::kFloat16};
  options.pixels.type = choice.OneOf(kTypes);
  options.pixels.layout =
      choice.OneIn(2) ? PixelLayout::kNhwc : PixelLayout::kNchw;
  for (std::uint32_t views = choice.Below(3); views > 0; --views) {
    options.more_views.push_back(AnyTransform(choice, options.pixels));
  }
  switch (choice.Below(4)) {
    case 0:
      options.order = {SampleOrder::kSequential};
      break;
    case 1:
      options.order = {SampleOrder::kBlocks, 1 + choice.Below(9),
                       1 + choice.Below(4)};
      break;
    default:
      options.order = {SampleOrder::kShuffle};
      options.sampling = AnySampling(
          choice, mixed,
          {mixed ? 37 : samples / 2, mixed ? 22 : samples - samples / 2});
  }
  if (const auto* episodes = std::get_if<EpisodeSampling>(&options.sampling)) {
    unit = episodes->way * (episodes->shot + episodes->query);
  }
  const std::uint32_t count = 1 + choice.Below(3);
  for (std::uint32_t i = 0; i < count; ++i) {
    phases.push_back({.first_epoch = i,
                      .dataset = dataset,
                      .transform = AnyTransform(choice, options.pixels),
                      .batch_size = 1});
  }
  // A curriculum: other samples, once each, from the second phase on.
  const bool plain = options.sampling == Sampling(RepeatedSampling());
  if (count > 1 && plain && options.last_batch != LastBatch::kRoll &&
      choice.OneIn(2)) {
    std::vector<std::uint64_t> some;
    for (std::uint64_t i = 0; i < samples; ++i) {
      if (!choice.OneIn(4)) some.push_back(i);
    }
    phases[1].positions =
        std::make_shared<const std::vector<std::uint64_t>>(std::move(some));
    same_samples = false;
  }
  options.transform = phases[0].transform;
  ChooseMix(choice, *this);
}

// The ranks that stream it.
struct Crew {
  std::uint32_t world = 1;
  std::uint32_t nodes = 1;
  std::vector<std::uint32_t> batch_sizes = {};  // by phase
  unsigned threads = 1;
  unsigned readers = 1;
  std::uint32_t prefetch = 0;
  std::uint64_t fetch_bytes = 0;
};

inline Crew AnyCrew(Choice& choice, const Subject& subject) {
  Crew crew{.world = 1 + choice.Below(4),
            .threads = 1 + choice.Below(4),
            .readers = 1 + choice.Below(3),
            .prefetch = choice.Below(4),
            .fetch_bytes = choice.OneIn(2) ? 0 : std::uint64_t{1} << 16};
  const bool plain = subject.options.sampling == Sampling(RepeatedSampling());
  const bool local = subject.options.order.order != SampleOrder::kShuffle;
  if (plain && local && subject.options.last_batch != LastBatch::kRoll &&
      !choice.OneIn(3)) {
    crew.nodes = 1 + choice.Below(3);
    crew.world = crew.nodes * (1 + choice.Below(2));
  }
  for (std::size_t i = 0; i < subject.phases.size(); ++i) {
    // With kDrop no epoch may be without a step: of 8 samples, at least.
    const std::uint32_t most = subject.unit > 1 ? 2 : 8 / crew.world;
    crew.batch_sizes.push_back(static_cast<std::uint32_t>(
        subject.unit * (1 + choice.Below(std::max(most, 1U)))));
  }
  if (subject.unit > 1) crew.world = 1 + choice.Below(2);
  return crew;
}

using Ranks = std::vector<std::unique_ptr<PhasedLoader>>;

inline Ranks Loaders(const Subject& subject, const Crew& crew,
                     const MixOptions& mix, LastBatch last_batch) {
  LoaderOptions options = subject.options;
  options.mix = mix;
  options.last_batch = last_batch;
  options.world = crew.world;
  options.order.nodes = crew.nodes;
  options.threads = crew.threads;
  options.readers = crew.readers;
  options.prefetch = crew.prefetch;
  options.fetch_bytes = crew.fetch_bytes;
  std::vector<Phase> phases = subject.phases;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    phases[i].batch_size = crew.batch_sizes[i];
  }
  Ranks ranks;
  for (options.rank = 0; options.rank < crew.world; ++options.rank) {
    auto loader = PhasedLoader::Create(phases, options, subject.same_samples);
    REQUIRE(loader.status().ToString() == "OK");
    ranks.push_back(*std::move(loader));
  }
  return ranks;
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_LOAD_DRAWN_LOADER_H_
