// Several views of each sample, in one batch.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "image/image_decoder.h"
#include "shardine/loader.h"
#include "unit/load/loader_fixture.h"

namespace shardine::views_test {
namespace {

const RandomResizedCrop kGlobal{
    .width = 24, .height = 16, .min_scale = 0.4, .max_scale = 1.0};
const RandomResizedCrop kLocal{
    .width = 9, .height = 10, .min_scale = 0.05, .max_scale = 0.4};

LoaderOptions Options() {
  LoaderOptions options;
  options.batch_size = 4;
  options.seed = 7;
  options.last_batch = LastBatch::kShort;
  options.transform = kGlobal;
  options.more_views = {kGlobal, kLocal, kLocal};
  options.threads = 2;
  return options;
}

// The parts of a view of a sample.
struct Seen {
  std::string pixels;
  CropBox box;

  friend bool operator==(const Seen&, const Seen&) = default;
};
using Views = std::map<std::uint64_t, std::vector<Seen>>;  // by id

void Add(const Batch& batch, Views& views) {
  for (std::uint32_t i = 0; i < batch.size(); ++i) {
    std::vector<Seen>& seen = views[batch.ids()[i]];
    for (std::size_t view = 0; view < batch.views(); ++view) {
      const auto pixels = batch.pixels(view);
      const std::size_t slot = pixels.size() / batch.size();
      seen.push_back({std::string(AsText(pixels.subspan(slot * i, slot))),
                      batch.boxes(view)[i]});
    }
  }
}

// The rest of the epoch.
Views Rest(Loader& loader) {
  Views views;
  while (true) {
    const auto batch = loader.Next();
    REQUIRE(batch.status().ToString() == "OK");
    if (!*batch) return views;
    Add(**batch, views);
  }
}

std::string Resampled(const Sample& sample, const CropBox& box,
                      PixelSize size) {
  ImageDecoder decoder;
  REQUIRE(decoder.Open(sample.image(), {.color = ColorMode::kColor}).ok());
  PixelBuffer out;
  out.Reset(size, 3);
  const auto warnings = decoder.Resample({box.x, box.y, box.width, box.height},
                                         {.size = size, .flip = box.flip},
                                         out.data(), out.stride());
  REQUIRE(warnings.ok());
  return std::string(AsText(out.bytes()));
}

TEST_CASE("each view is its box of the image, at its own size", "[views]") {
  const LoaderFixture fixture(31);
  const auto dataset = fixture.Open();
  auto loader = fixture.Load(Options());
  for (int step = 0; step < 8; ++step) {
    const auto next = loader->Next();
    REQUIRE(next.status().ToString() == "OK");
    const Batch& batch = **next;
    REQUIRE(batch.views() == 4);
    for (std::size_t view = 0; view < 4; ++view) {
      const BatchShape shape = batch.shape(view);
      CHECK(shape.samples == batch.size());
      CHECK(shape.width == (view < 2 ? 24 : 9));
      CHECK(shape.height == (view < 2 ? 16 : 10));
      CHECK(shape.channels == 3);
      const std::size_t slot = std::size_t{shape.width} * shape.height * 3;
      for (std::uint32_t i = 0; i < batch.size(); ++i) {
        const auto sample = dataset->Read(batch.positions()[i]);
        REQUIRE(sample.ok());
        CHECK(AsText(batch.pixels(view).subspan(slot * i, slot)) ==
              Resampled(*sample, batch.boxes(view)[i],
                        {shape.width, shape.height}));
      }
    }
  }
}

TEST_CASE("the first view is what there is without others", "[views]") {
  const LoaderFixture fixture(31);
  LoaderOptions options = Options();
  const Views with = Rest(*fixture.Load(options));
  options.more_views.clear();
  const Views without = Rest(*fixture.Load(options));
  REQUIRE(with.size() == without.size());
  std::size_t alike = 0;
  for (const auto& [id, seen] : without) {
    REQUIRE(seen.size() == 1);
    CHECK(with.at(id)[0] == seen[0]);
    alike += with.at(id)[0].box == with.at(id)[1].box ? 1 : 0;
  }
  // Draws of another view differ.
  CHECK(alike == 0);
}

TEST_CASE("views are the same on any threads, ranks and after a resume",
          "[views]") {
  const LoaderFixture fixture(31);
  LoaderOptions options = Options();
  const Views wanted = Rest(*fixture.Load(options));
  REQUIRE(wanted.size() == 31);
  options.threads = 1;
  CHECK(Rest(*fixture.Load(options)) == wanted);

  auto first = fixture.Load(options);
  Views views;
  for (int step = 0; step < 3; ++step) {
    const auto batch = first->Next();
    REQUIRE(batch.ok());
    Add(**batch, views);
  }
  options.world = 2;
  options.batch_size = 3;
  for (options.rank = 0; options.rank < 2; ++options.rank) {
    auto rest = fixture.Load(options);
    REQUIRE(rest->SetState(first->State()).ok());
    views.merge(Rest(*rest));
  }
  CHECK(views == wanted);
}

TEST_CASE("operations of a view are its own", "[views]") {
  const LoaderFixture fixture(12);
  LoaderOptions options = Options();
  options.more_views = {Transform(kGlobal, {RandomInvert{1.0}})};
  const Views plain = Rest(*fixture.Load(options));
  options.transform->operations = {RandomInvert{1.0}};
  options.more_views = {Transform(kGlobal)};
  const Views swapped = Rest(*fixture.Load(options));
  const auto inverted = [](std::string pixels) {
    for (char& value : pixels) value = static_cast<char>(~value);
    return pixels;
  };
  for (const auto& [id, seen] : plain) {
    CHECK(swapped.at(id)[0].pixels == inverted(seen[0].pixels));
    CHECK(seen[1].pixels == inverted(swapped.at(id)[1].pixels));
  }
}

TEST_CASE("a bad sample is gone from all views, or gray in all", "[views]") {
  const LoaderFixture fixture(12);
  LoaderOptions options = Options();
  const Views whole = Rest(*fixture.Load(options));
  fixture.Damage(5);
  options.on_bad = OnBadSample::kDrop;
  const Views dropped = Rest(*fixture.Load(options));
  CHECK(dropped.size() == 11);
  for (const auto& [id, seen] : dropped) CHECK(seen == whole.at(id));
  options.on_bad = OnBadSample::kGray;
  std::size_t gray = 0;
  for (const auto& [id, seen] : Rest(*fixture.Load(options))) {
    if (dropped.contains(id)) continue;
    ++gray;
    for (const Seen& view : seen) {
      CHECK(view.box == CropBox());
      CHECK(std::ranges::all_of(view.pixels,
                                [](char value) { return value == '\x80'; }));
    }
  }
  CHECK(gray == 1);
}

TEST_CASE("floats of all views are normalized as each view says", "[views]") {
  const LoaderFixture fixture(12);
  LoaderOptions options = Options();
  options.pixels = {.layout = PixelLayout::kNchw, .type = PixelType::kFloat32};
  options.more_views = {kLocal};
  auto loader = fixture.Load(options);
  const auto batch = loader->Next();
  REQUIRE(batch.ok());
  CHECK((*batch)->pixels(1).size() == 4 * 9 * 10 * 3 * sizeof(float));
  options.synthetic = true;
  const auto noise = fixture.Load(options)->Next();
  REQUIRE(noise.ok());
  CHECK((*noise)->pixels(1).size() == (*batch)->pixels(1).size());
  CHECK((*noise)->views() == 2);
}

TEST_CASE("views that cannot be are refused", "[views]") {
  const LoaderFixture fixture(12);
  const auto failure = [&](const LoaderOptions& options) {
    return Loader::Create(fixture.Open(), options).status().message();
  };
  LoaderOptions options = Options();
  options.transform.reset();
  CHECK(failure(options) ==
        "more_views: need a transform, which is the first view");
  options = Options();
  options.more_views.assign(255, kLocal);
  CHECK(failure(options).empty());
  options.more_views.assign(256, kLocal);
  CHECK(failure(options) ==
        "more_views: 257 views of a sample; there may be 256");
  options = Options();
  options.more_views[1].geometry = Resize{.width = 0, .height = 3};
  CHECK(failure(options).starts_with("view 2: "));
  options = Options();
  options.order.order = SampleOrder::kRatio;
  options.transform = RectangularCrop(16);
  CHECK(failure(options) ==
        "more_views: by ratio, batches have the one view whose sides change");
}

}  // namespace
}  // namespace shardine::views_test
