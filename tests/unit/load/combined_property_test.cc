// Everything that a loader can be asked for, together: views, operations,
// phases, orders, samplings, several datasets, nodes, mixing. Ranks stream it
// in any number, batches and threads, stopped anywhere and resumed by others.
// At each place of the stream they have the sample and the pixels of a single
// rank that streams the whole epoch. SHARDINE_SEEDS: so many jobs, from
// SHARDINE_FIRST_SEED on.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <compare>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "load/mix_draws.h"
#include "load/sample_draws.h"
#include "load/step_plan.h"
#include "shardine/phased_loader.h"
#include "support/sanitized.h"
#include "unit/load/drawn_loader.h"

namespace shardine::combined_property_test {
namespace {

constexpr std::uint64_t kJobs = kSanitized ? 20 : 600;
constexpr std::uint64_t kEpochs = 3;

std::uint64_t Asked(const char* variable, std::uint64_t otherwise) {
  const char* asked = std::getenv(variable);
  return asked == nullptr ? otherwise : std::strtoull(asked, nullptr, 10);
}

// One sample as it was delivered: all views, without mixing.
struct Delivered {
  std::uint64_t id = 0;
  std::uint64_t position = 0;
  std::uint64_t repetition = 0;
  bool bad = false;
  std::vector<std::string> views;
};

std::string SlotOf(const Batch& batch, std::size_t view, std::size_t i) {
  const auto pixels = batch.pixels(view);
  const std::size_t bytes = pixels.size() / batch.size();
  return std::string(AsText(pixels.subspan(i * bytes, bytes)));
}

Delivered DeliveredOf(const Batch& batch, std::size_t i) {
  Delivered delivered{batch.ids()[i],
                      batch.positions()[i],
                      batch.repetitions()[i],
                      batch.bad()[i] != 0,
                      {}};
  for (std::size_t view = 0; view < batch.views(); ++view) {
    delivered.views.push_back(SlotOf(batch, view, i));
  }
  return delivered;
}

// Phase and epoch, and how the epoch is shared: they decide about a sample
// beside its place in the stream.
struct Reading {
  std::size_t phase = 0;
  std::uint64_t epoch = 0;
  std::uint32_t nodes = 1;
  std::uint64_t node_samples = 0;

  friend auto operator<=>(const Reading&, const Reading&) = default;
};

// Streams whole epochs, by one rank or, for those that nodes share, by one of
// each node.
class Reference {
 public:
  explicit Reference(const Subject& subject) : subject_(subject) {}

  const std::vector<Delivered>& Stream(const Reading& reading) {
    auto& stream = streams_[reading];
    if (stream.empty()) stream = Read(reading);
    return stream;
  }

 private:
  std::vector<Delivered> Read(const Reading& reading) const {
    const auto batch = static_cast<std::uint32_t>(
        reading.nodes > 1 ? reading.node_samples : subject_.unit * 5);
    // Always in that phase: a step that rolls over has epochs of others.
    Subject one = subject_;
    one.phases = {subject_.phases[reading.phase]};
    one.phases[0].first_epoch = 0;
    const Ranks ranks = Loaders(one,
                                {.world = reading.nodes,
                                 .nodes = reading.nodes,
                                 .batch_sizes = {batch},
                                 .threads = 2},
                                {}, LastBatch::kShort);
    for (const auto& rank : ranks) rank->SetEpoch(reading.epoch);
    std::vector<Delivered> stream;
    for (std::uint64_t left = ranks[0]->size(); left > 0; --left) {
      for (const auto& rank : ranks) {
        const auto taken = rank->Next();
        REQUIRE(taken.status().ToString() == "OK");
        REQUIRE(taken->has_value());
        REQUIRE((*taken)->epoch() == reading.epoch);
        for (std::size_t i = 0; i < (*taken)->size(); ++i) {
          stream.push_back(DeliveredOf(**taken, i));
        }
      }
    }
    return stream;
  }

  const Subject& subject_;
  std::map<Reading, std::vector<Delivered>> streams_;
};

// Value number `at` of a slot as a number.
float ValueOf(const std::string& slot, std::size_t at, PixelType type) {
  if (type == PixelType::kUint8) return static_cast<std::uint8_t>(slot[at]);
  float value = 0;
  std::memcpy(&value, slot.data() + at * sizeof(value), sizeof(value));
  return value;
}

void SetValue(std::string& slot, std::size_t at, PixelType type, float value) {
  if (type == PixelType::kUint8) {
    slot[at] =
        static_cast<char>(static_cast<std::uint8_t>(std::nearbyint(value)));
    return;
  }
  std::memcpy(slot.data() + at * sizeof(value), &value, sizeof(value));
}

// The mix of two unmixed images as shardine/mixing.h defines it.
std::string Mixed(std::string own, const std::string& other,
                  const MixFactor& factor, PixelSize size,
                  const PixelFormat& pixels) {
  const bool planar = pixels.layout == PixelLayout::kNchw;
  const std::size_t values = std::size_t{size.width} * size.height * 3;
  for (std::size_t at = 0; at < values; ++at) {
    const std::size_t pixel =
        planar ? at % (std::size_t{size.width} * size.height) : at / 3;
    const std::size_t x = pixel % size.width;
    const std::size_t y = pixel / size.width;
    const float theirs = ValueOf(other, at, pixels.type);
    if (factor.is_cut()) {
      const bool cut =
          x - factor.x < factor.width && y - factor.y < factor.height;
      if (cut) SetValue(own, at, pixels.type, theirs);
    } else if (factor.weight != 1) {
      const float a = theirs * (1 - factor.weight);
      const float b = ValueOf(own, at, pixels.type) * factor.weight;
      SetValue(own, at, pixels.type, a + b);
    }
  }
  return own;
}

// The stream of a job handed from crew to crew.
class Job {
 public:
  explicit Job(std::uint64_t number)
      : choice_(number + 1'000'000), subject_(number), reference_(subject_) {}

  // Returns how many samples were compared.
  std::uint64_t Run() {
    LoaderState state;
    bool begun = false;
    for (int crews = 0; crews < 12; ++crews) {
      const Crew crew = AnyCrew(choice_, subject_);
      INFO("crew " << crews << ": world " << crew.world << ", nodes "
                   << crew.nodes << ", batches of " << crew.batch_sizes[0]);
      const Ranks ranks =
          Loaders(subject_, crew, subject_.mix, subject_.options.last_batch);
      INFO("state of epoch " << state.epoch << ", position " << state.position
                             << ", nodes " << state.nodes << ", policy "
                             << static_cast<int>(subject_.options.last_batch)
                             << ", phases " << subject_.phases.size()
                             << (subject_.same_samples ? "" : ", curriculum"));
      for (const auto& rank : ranks) {
        if (begun) REQUIRE(rank->SetState(state).ToString() == "OK");
      }
      begun = true;
      for (std::uint32_t steps = choice_.Below(9); steps > 0; --steps) {
        if (ranks[0]->epoch() >= kEpochs) break;
        Step(ranks, crew);
      }
      state = ranks[0]->State();
      for (const auto& rank : ranks) REQUIRE(rank->State() == state);
      if (state.epoch >= kEpochs) break;
    }
    CheckSeen();
    return compared_;
  }

 private:
  std::size_t PhaseOf(std::uint64_t epoch) const {
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(epoch, subject_.phases.size() - 1));
  }

  void Step(const Ranks& ranks, const Crew& crew) {
    const LoaderState state = ranks[0]->State();
    if (ranks[0]->steps_left() == 0) return SkipEpoch(ranks);
    const std::size_t phase = PhaseOf(state.epoch);
    REQUIRE(ranks[0]->phase() == phase);
    // A state that is at an epoch's beginning leaves it to its crew.
    const std::uint32_t batch = crew.batch_sizes[phase];
    Reading reading{phase, state.epoch, state.nodes, state.node_samples};
    if (state.nodes == 1) reading.node_samples = 0;
    Sharing(state, crew, batch, reading);
    const std::uint64_t size = reference_.Stream(reading).size();
    Dealing dealing{.unit = subject_.unit};
    if (const auto* again =
            std::get_if<RepeatedSampling>(&subject_.options.sampling)) {
      dealing.in_turn = again->times > 1;
    }
    for (std::uint32_t rank = 0; rank < crew.world; ++rank) {
      const StepPlan plan(size, batch, rank, crew.world,
                          subject_.options.last_batch, dealing);
      const RankSlice slice = plan.Slice({state.epoch, state.position});
      const auto taken = ranks[rank]->Next();
      REQUIRE(taken.status().ToString() == "OK");
      REQUIRE(taken->has_value());
      CheckBatch(**taken, plan, slice, reading);
    }
    if (ranks[0]->epoch() == state.epoch) return;
    // The end is told, or not asked for.
    if (choice_.OneIn(2)) {
      for (const auto& rank : ranks) {
        const auto end = rank->Next();
        REQUIRE(end.status().ToString() == "OK");
        REQUIRE(!end->has_value());
      }
    } else {
      for (const auto& rank : ranks) rank->BeginIteration();
    }
  }

  // Skips an epoch of kDrop, where less than a step is left.
  void SkipEpoch(const Ranks& ranks) {
    for (const auto& rank : ranks) {
      const auto end = rank->Next();
      REQUIRE(end.status().ToString() == "OK");
      REQUIRE(!end->has_value());
    }
  }

  static void Sharing(const LoaderState& state, const Crew& crew,
                      std::uint32_t batch, Reading& reading) {
    if (state.position > 0 || crew.nodes == 1) return;
    reading.nodes = crew.nodes;
    reading.node_samples = std::uint64_t{crew.world} / crew.nodes * batch;
  }

  const Delivered& At(const StreamPosition& place, Reading reading) {
    reading.epoch = place.epoch;
    return reference_.Stream(reading).at(place.position);
  }

  void CheckBatch(const Batch& batch, const StepPlan& plan,
                  const RankSlice& slice, const Reading& reading) {
    REQUIRE(batch.size() == slice.count);
    REQUIRE(batch.padding() == slice.padding);
    REQUIRE(batch.epoch() == reading.epoch);
    for (std::uint32_t i = 0; i < slice.count; ++i) {
      const StreamPosition place = plan.At(slice, i);
      INFO("epoch " << place.epoch << ", place " << place.position);
      Delivered expected = At(place, reading);
      if (!subject_.mix.choices.empty()) {
        Mix(batch, plan, slice, reading, i, expected);
      }
      const Delivered delivered = DeliveredOf(batch, i);
      REQUIRE(delivered.id == expected.id);
      REQUIRE(delivered.position == expected.position);
      REQUIRE(delivered.repetition == expected.repetition);
      REQUIRE(delivered.bad == expected.bad);
      REQUIRE((delivered.views == expected.views));
      ++compared_;
      if (i < slice.count - slice.padding) {
        ++seen_[{place.epoch, place.position}];
      }
    }
    sizes_[reading.epoch] = reference_.Stream(reading).size();
  }

  void Mix(const Batch& batch, const StepPlan& plan, const RankSlice& slice,
           const Reading& reading, std::uint32_t i, Delivered& expected) {
    const BatchShape shape = batch.shape();
    const PixelSize size{shape.width, shape.height};
    const std::uint32_t drawn = subject_.mix.per == MixPer::kBatch ? 0 : i;
    const StreamPosition from = plan.At(slice, drawn);
    const Delivered& whose = At(from, reading);
    MixFactor factor = DrawMix(subject_.mix,
                               SampleDraws(subject_.options.seed, whose.id,
                                           from.epoch, 0, whose.repetition),
                               size);
    factor.partner = (i + slice.count - 1) % slice.count;
    REQUIRE(batch.mix()[i] == factor);
    const Delivered& partner = At(plan.At(slice, factor.partner), reading);
    expected.views[0] = Mixed(expected.views[0], partner.views[0], factor, size,
                              subject_.options.pixels);
  }

  // Each place of epochs that are over came once; but for places that kDrop
  // leaves out.
  void CheckSeen() {
    for (const auto& [place, times] : seen_) REQUIRE(times == 1);
    if (subject_.options.last_batch == LastBatch::kDrop) return;
    for (std::uint64_t epoch = 0; epoch < kEpochs; ++epoch) {
      // Not begun, or not ended, after so many crews.
      if (!seen_.contains({epoch + 1, 0})) break;
      for (std::uint64_t i = 0; i < sizes_[epoch]; ++i) {
        REQUIRE(seen_.contains({epoch, i}));
      }
    }
  }

  Choice choice_;
  const Subject subject_;
  Reference reference_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> seen_;
  std::map<std::uint64_t, std::uint64_t> sizes_;  // of epochs
  std::uint64_t compared_ = 0;
};

TEST_CASE("Whatever a loader is asked for, any crews have the same stream",
          "[loader][property][combined]") {
  std::uint64_t compared = 0;
  const std::uint64_t jobs = Asked("SHARDINE_SEEDS", kJobs);
  const std::uint64_t first = Asked("SHARDINE_FIRST_SEED", 0);
  for (std::uint64_t number = first; number < first + jobs; ++number) {
    INFO("job " << number);
    compared += Job(number).Run();
  }
  CHECK(compared > 40 * jobs);
}

}  // namespace
}  // namespace shardine::combined_property_test
