// MixUp and CutMix in the batches of a loader.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "load/mix_draws.h"
#include "unit/load/loader_fixture.h"

namespace shardine::mixed_batches_test {
namespace {

constexpr PixelSize kSize{24, 16};

LoaderOptions Options(MixPer per = MixPer::kSample) {
  LoaderOptions options;
  options.batch_size = 5;
  options.seed = 7;
  options.last_batch = LastBatch::kShort;
  options.transform =
      RandomResizedCrop{.width = kSize.width, .height = kSize.height};
  options.threads = 2;
  options.mix = {.choices = {MixUp{0.4, 0.4}, CutMix{1, 0.4}}, .per = per};
  options.one_hot = {.classes = 3};
  return options;
}

// All facts of one batch.
struct Held {
  std::vector<std::uint64_t> ids;
  std::vector<std::int64_t> labels;
  std::vector<MixFactor> mix;
  std::vector<float> rows;
  std::string pixels;
  std::uint64_t epoch = 0;

  explicit Held(const Batch& batch)
      : ids(batch.ids().begin(), batch.ids().end()),
        mix(batch.mix().begin(), batch.mix().end()),
        rows(batch.one_hot().begin(), batch.one_hot().end()),
        pixels(AsText(batch.pixels())),
        epoch(batch.epoch()) {
    for (const Label& label : batch.labels()) labels.push_back(label.integer());
  }
  std::string slot(std::size_t i) const {
    const std::size_t size = pixels.size() / ids.size();
    return pixels.substr(i * size, size);
  }
  friend bool operator==(const Held&, const Held&) = default;
};

// The rest of the epoch.
std::vector<Held> Rest(Loader& loader) {
  std::vector<Held> batches;
  while (true) {
    const auto batch = loader.Next();
    REQUIRE(batch.status().ToString() == "OK");
    if (!batch->has_value()) return batches;
    batches.emplace_back(**batch);
  }
}

// Mixed bytes as the header defines them, from images that were not mixed.
std::string Mixed(const Held& plain, std::size_t i, const MixFactor& factor) {
  std::string own = plain.slot(i);
  const std::string other = plain.slot(factor.partner);
  for (std::size_t at = 0; at < own.size(); ++at) {
    const std::size_t x = at / 3 % kSize.width;
    const std::size_t y = at / 3 / kSize.width;
    if (factor.is_cut()) {
      if (x - factor.x < factor.width && y - factor.y < factor.height) {
        own[at] = other[at];
      }
      continue;
    }
    const float theirs =
        static_cast<float>(static_cast<std::uint8_t>(other[at])) *
        (1 - factor.weight);
    const float mine =
        static_cast<float>(static_cast<std::uint8_t>(own[at])) * factor.weight;
    own[at] = static_cast<char>(
        static_cast<std::uint8_t>(std::nearbyint(theirs + mine)));
  }
  return own;
}

// Compares with a mix, by the same factors, of the unmixed batches.
void CheckMixed(const std::vector<Held>& mixed,
                const std::vector<Held>& plain) {
  REQUIRE(mixed.size() == plain.size());
  for (std::size_t b = 0; b < mixed.size(); ++b) {
    const Held& batch = mixed[b];
    const std::size_t n = batch.ids.size();
    REQUIRE(batch.ids == plain[b].ids);
    REQUIRE(batch.labels == plain[b].labels);
    REQUIRE(batch.mix.size() == n);
    for (std::size_t i = 0; i < n; ++i) {
      const MixFactor& factor = batch.mix[i];
      REQUIRE(factor.partner == (i + n - 1) % n);
      REQUIRE((batch.slot(i) == Mixed(plain[b], i, factor)));
      std::vector<float> row(3, 0.0F);
      const auto own = static_cast<std::size_t>(batch.labels[i]);
      row[static_cast<std::size_t>(batch.labels[factor.partner])] +=
          1 - factor.weight;
      row[own] += factor.weight;
      for (std::size_t c = 0; c < 3; ++c) {
        REQUIRE(batch.rows[i * 3 + c] == row[c]);
      }
    }
  }
}

TEST_CASE("a loader mixes images and labels of its batches", "[mix]") {
  const LoaderFixture fixture(31);
  for (const MixPer per : {MixPer::kBatch, MixPer::kSample}) {
    LoaderOptions options = Options(per);
    const auto mixed = Rest(*fixture.Load(options));
    std::set<float> weights;
    for (const Held& batch : mixed) {
      std::set<float> own;
      for (std::size_t i = 0; i < batch.ids.size(); ++i) {
        own.insert(batch.mix[i].weight);
        const std::uint64_t id = batch.ids[per == MixPer::kBatch ? 0 : i];
        MixFactor drawn =
            DrawMix(options.mix, SampleDraws(7, id, batch.epoch), kSize);
        drawn.partner = batch.mix[i].partner;
        CHECK(batch.mix[i] == drawn);
      }
      if (per == MixPer::kBatch) CHECK(own.size() == 1);
      weights.merge(own);
    }
    CHECK(weights.size() > 3);
    options.mix.choices.clear();
    const auto plain = Rest(*fixture.Load(options));
    CHECK(plain[0].mix.empty());
    CheckMixed(mixed, plain);
    // 31 of 5 each: the last batch is of one sample, mixed with itself.
    CHECK(mixed.back().ids.size() == 1);
    CHECK(mixed.back().mix[0].partner == 0);
  }
}

TEST_CASE("images that are not to be mixed come with what would mix them",
          "[mix]") {
  const LoaderFixture fixture(31);
  LoaderOptions options = Options();
  const auto mixed = Rest(*fixture.Load(options));
  options.mix.apply = false;
  const auto plain = Rest(*fixture.Load(options));
  CheckMixed(mixed, plain);
  for (std::size_t b = 0; b < plain.size(); ++b) {
    CHECK(plain[b].mix == mixed[b].mix);
    CHECK(plain[b].rows == mixed[b].rows);
  }
}

TEST_CASE("batches are mixed the same on any threads and after any resume",
          "[mix]") {
  const LoaderFixture fixture(31);
  for (const MixPer per : {MixPer::kBatch, MixPer::kSample}) {
    for (const LastBatch last :
         {LastBatch::kShort, LastBatch::kPad, LastBatch::kRoll}) {
      LoaderOptions options = Options(per);
      options.last_batch = last;
      const auto whole = Rest(*fixture.Load(options));
      for (const unsigned threads : {1u, 5u}) {
        options.threads = threads;
        CHECK(Rest(*fixture.Load(options)) == whole);
      }
      auto first = fixture.Load(options);
      for (int step = 0; step < 3; ++step) REQUIRE(first->Next().ok());
      auto again = fixture.Load(options);
      REQUIRE(again->SetState(first->State()).ok());
      CHECK(Rest(*again) == std::vector<Held>(whole.begin() + 3, whole.end()));
    }
  }
}

// For each sample the data that it is mixed of, but for those that begin a
// batch.
std::map<std::uint64_t, std::string> Inner(const std::vector<Held>& batches,
                                           std::set<std::uint64_t>& begin) {
  std::map<std::uint64_t, std::string> seen;
  for (const Held& batch : batches) {
    begin.insert(batch.ids.at(0));
    for (std::size_t i = 0; i < batch.ids.size(); ++i) {
      seen[batch.ids[i]] = batch.slot(i) + std::to_string(batch.mix[i].weight);
    }
  }
  return seen;
}

TEST_CASE("in another world all is mixed the same but what begins a batch",
          "[mix]") {
  const LoaderFixture fixture(40);
  LoaderOptions options = Options();
  std::set<std::uint64_t> begin;
  const auto one = Inner(Rest(*fixture.Load(options)), begin);
  options.world = 2;
  options.batch_size = 4;
  std::map<std::uint64_t, std::string> two;
  for (options.rank = 0; options.rank < 2; ++options.rank) {
    two.merge(Inner(Rest(*fixture.Load(options)), begin));
  }
  REQUIRE(one.size() == 40);
  REQUIRE(two.size() == 40);
  CHECK(begin.size() < 20);
  std::size_t others = 0;
  for (const auto& [id, seen] : one) {
    if (begin.contains(id)) {
      others += seen == two.at(id) ? 0 : 1;
    } else {
      CHECK((seen == two.at(id)));
    }
  }
  CHECK(others > 0);
}

// Any draw of options that have nothing to do with mixing.
LoaderOptions DrawnOptions(const SampleDraws& draws) {
  LoaderOptions options =
      Options(draws(0).Below(0, 2) == 0 ? MixPer::kBatch : MixPer::kSample);
  options.batch_size = 1 + draws(0).Below(1, 9);
  options.world = 1 + draws(0).Below(2, 4);
  options.rank = draws(0).Below(3, options.world);
  options.seed = draws(1).Below(0, 100);
  options.last_batch = static_cast<LastBatch>(1 + draws(1).Below(1, 3));
  options.order.order = static_cast<SampleOrder>(draws(1).Below(2, 3));
  options.threads = 1 + draws(1).Below(3, 4);
  options.prefetch = draws(2).Below(0, 3);
  options.on_bad =
      draws(2).Below(1, 2) == 0 ? OnBadSample::kDrop : OnBadSample::kGray;
  options.mix.choices = {MixUp{0.1 + draws(2).Uniform(2), draws(2).Uniform(3)}};
  const double rest = 1 - std::get<MixUp>(options.mix.choices[0]).probability;
  options.mix.choices.emplace_back(CutMix{1, rest * draws(3).Uniform(0)});
  return options;
}

TEST_CASE("mixed batches are those of the header, whatever the options",
          "[mix][property]") {
  const LoaderFixture fixture(29);
  fixture.Damage(3);
  fixture.Damage(17);
  for (std::uint64_t round = 0; round < 60; ++round) {
    CAPTURE(round);
    const SampleDraws draws(12, round, 0);
    LoaderOptions options = DrawnOptions(draws);
    auto loader = fixture.Load(options);
    auto plain = options;
    plain.mix.choices.clear();
    auto unmixed = fixture.Load(plain);
    for (int epoch = 0; epoch < 2; ++epoch) {
      CheckMixed(Rest(*loader), Rest(*unmixed));
    }
    // Resumes anywhere, in the same world.
    loader->SetEpoch(0);
    const std::uint64_t steps = draws(4).Below(0, 3);
    if (steps >= loader->size()) continue;
    for (std::uint64_t i = 0; i < steps; ++i) REQUIRE(loader->Next().ok());
    auto again = fixture.Load(options);
    REQUIRE(again->SetState(loader->State()).ok());
    CHECK(Rest(*again) == Rest(*loader));
  }
}

TEST_CASE("copies of a sample in one epoch have draws of their own", "[mix]") {
  const LoaderFixture fixture(12);
  LoaderOptions options = Options();
  options.sampling = RepeatedSampling{.times = 3};
  options.mix.choices = {MixUp{1}};
  auto loader = fixture.Load(options);
  std::map<std::uint64_t, std::set<float>> weights;
  while (true) {
    const auto batch = loader->Next();
    REQUIRE(batch.status().ToString() == "OK");
    if (!batch->has_value()) break;
    for (std::size_t i = 0; i < (*batch)->size(); ++i) {
      const std::uint64_t id = (*batch)->ids()[i];
      const SampleDraws draws(7, id, (*batch)->epoch(), 0,
                              (*batch)->repetitions()[i]);
      const float weight = (*batch)->mix()[i].weight;
      CHECK(weight == DrawMix(options.mix, draws, kSize).weight);
      weights[id].insert(weight);
    }
  }
  CHECK(weights.size() == 12);
  for (const auto& [id, own] : weights) CHECK(own.size() == 3);
}

TEST_CASE("dropped samples are nobody's partners, gray ones are", "[mix]") {
  const LoaderFixture fixture(12);
  fixture.Damage(5);
  fixture.Damage(0);
  for (const OnBadSample on_bad : {OnBadSample::kDrop, OnBadSample::kGray}) {
    for (const MixPer per : {MixPer::kBatch, MixPer::kSample}) {
      LoaderOptions options = Options(per);
      options.order.order = SampleOrder::kSequential;
      options.on_bad = on_bad;
      const auto mixed = Rest(*fixture.Load(options));
      CHECK(mixed[0].ids.size() == (on_bad == OnBadSample::kDrop ? 4 : 5));
      options.mix.choices.clear();
      CheckMixed(mixed, Rest(*fixture.Load(options)));
    }
  }
}

TEST_CASE("floats are mixed after they were normalized", "[mix]") {
  const LoaderFixture fixture(8);
  LoaderOptions options = Options();
  options.mix.choices = {MixUp{0.4}};
  options.batch_size = 8;
  options.pixels = {.layout = PixelLayout::kNchw, .type = PixelType::kFloat32};
  options.transform->operations = {
      Normalize{{123.675F, 116.28F, 103.53F}, {58.395F, 57.12F, 57.375F}}};
  const auto values = [&] {
    auto loader = fixture.Load(options);
    const auto batch = loader->Next();
    REQUIRE(batch.ok());
    const auto pixels = (*batch)->pixels();
    std::vector<float> floats(pixels.size() / sizeof(float));
    std::memcpy(floats.data(), pixels.data(), pixels.size());
    return std::pair(floats, Held(**batch).mix);
  };
  const auto [mixed, mix] = values();
  options.mix.choices.clear();
  const auto [plain, none] = values();
  const std::size_t slot = plain.size() / 8;
  for (std::size_t at = 0; at < plain.size(); ++at) {
    const MixFactor& factor = mix[at / slot];
    const float theirs =
        plain[factor.partner * slot + at % slot] * (1 - factor.weight);
    const float mine = plain[at] * factor.weight;
    REQUIRE(mixed[at] == theirs + mine);
  }
}

TEST_CASE("synthetic batches stay noise, with labels and factors", "[mix]") {
  const LoaderFixture fixture(12);
  LoaderOptions options = Options();
  options.synthetic = true;
  const auto noise = Rest(*fixture.Load(options));
  CHECK(noise[0].slot(0) == noise[0].slot(1));
  CHECK(noise[0].mix[1].partner == 0);
  CHECK(noise[0].rows.size() == 15);
}

TEST_CASE("rows of classes need no mix, and no pixels", "[mix]") {
  const LoaderFixture fixture(12);
  LoaderOptions options = Options();
  options.mix.choices.clear();
  options.transform.reset();
  options.one_hot = {.classes = 4, .smoothing = 0.2};
  for (const Held& batch : Rest(*fixture.Load(options))) {
    CHECK(batch.mix.empty());
    REQUIRE(batch.rows.size() == 4 * batch.ids.size());
    for (std::size_t at = 0; at < batch.rows.size(); ++at) {
      const bool own =
          static_cast<std::int64_t>(at % 4) == batch.labels[at / 4];
      CHECK(batch.rows[at] == (own ? static_cast<float>(1 - 0.2 + 0.05)
                                   : static_cast<float>(0.05)));
    }
  }
}

TEST_CASE("a label beyond the classes is an error of its sample", "[mix]") {
  const LoaderFixture fixture(12);
  LoaderOptions options = Options();
  options.order.order = SampleOrder::kSequential;
  options.on_bad = OnBadSample::kDrop;
  const auto first = fixture.Open()->Read(0);
  REQUIRE(first.ok());
  options.one_hot.classes =
      static_cast<std::uint32_t>(first->labels[0].integer()) + 1;
  const auto created = Loader::Create(fixture.Open(), options);
  if (options.one_hot.classes == 3) return;
  REQUIRE(created.status().ToString() == "OK");
  Status status;
  while (status.ok()) {
    const auto batch = (*created)->Next();
    status = batch.status();
    REQUIRE((!status.ok() || batch->has_value()));
  }
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message().find("none of the classes 0 to ") !=
        std::string::npos);
  CHECK(status.where().key.has_value());
}

TEST_CASE("a mix that cannot be is refused", "[mix]") {
  const LoaderFixture fixture(12);
  const auto failure = [&](const LoaderOptions& options) {
    return Loader::Create(fixture.Open(), options).status().message();
  };
  LoaderOptions options = Options();
  options.transform.reset();
  CHECK(failure(options) == "mix: needs a transform, which makes the pixels");
  options = Options();
  options.more_views = {*options.transform};
  CHECK(failure(options) ==
        "mix: is of one view of each sample, not of several");
  options = Options();
  options.mix.choices = {MixUp{-1}};
  CHECK(failure(options) == "mix: alpha of MixUp must be 0.001 to 1000");
  options = Options();
  options.one_hot = {.classes = 0, .smoothing = 0.1};
  CHECK(failure(options).starts_with("label_smoothing: needs one_hot"));
}

}  // namespace
}  // namespace shardine::mixed_batches_test
