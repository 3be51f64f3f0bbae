// Entry points forged with valid checksums: no read leaves its own memory,
// verify finds them, and a loader that is told to prove them has the pixels of
// the images.
#include "support/forged_points.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dataset/sample_source.h"
#include "io/memory_storage.h"
#include "shardine/loader.h"
#include "shardine/pack.h"
#include "shardine/reindex.h"
#include "support/jpeg_maker.h"
#include "support/pack_fixture.h"
#include "support/region_oracle.h"
#include "support/sanitized.h"
#include "support/verify_findings.h"

namespace shardine::forged_points_test {
namespace {

void PackTree(MemoryStorage& storage) {
  PackOptions options = PackOf("tree", "out");
  options.shards = 1;
  const auto packed = Pack(options, {.storage = &storage});
  REQUIRE(packed.status().ToString() == "OK");
}

std::shared_ptr<const Dataset> Open(MemoryStorage& storage) {
  auto source = SampleSource::Open(storage, "out", {});
  REQUIRE(source.status().ToString() == "OK");
  return std::make_shared<const Dataset>(*std::move(source));
}

// The pixels of some epochs, and how often entry points were refused.
struct Loaded {
  std::vector<std::vector<std::byte>> batches;
  std::uint64_t refused = 0;
};

Loaded Load(MemoryStorage& storage, EntryPointTrust trust, int epochs = 1) {
  LoaderOptions options;
  options.batch_size = 4;
  options.last_batch = LastBatch::kShort;
  options.transform = RandomResizedCrop();
  options.threads = 2;
  options.entry_points = trust;
  const auto loader = Loader::Create(Open(storage), options);
  REQUIRE(loader.status().ToString() == "OK");
  Loaded loaded;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    while (true) {
      auto batch = (*loader)->Next();
      REQUIRE(batch.status().ToString() == "OK");
      if (!batch->has_value()) break;
      const auto pixels = (*batch)->pixels();
      loaded.batches.emplace_back(pixels.begin(), pixels.end());
    }
  }
  loaded.refused = (*loader)->stats().refused_entry_points;
  return loaded;
}

// So wide that a random crop is always the middle of it, with so many points
// that the distances between them add up to more than 2^64.
struct WideImage {
  static constexpr std::uint32_t kWidth = 65500;
  static constexpr std::uint32_t kHeight = 640;

  WideImage()
      : jpeg(MakeJpeg({.width = kWidth,
                       .height = kHeight,
                       .color = JpegColor::kGray,
                       .restart_mcus = 1,
                       .noise = 1})) {
    REQUIRE(ReadJpegFrame(AsBytes(jpeg), frame));
    box.width = static_cast<std::uint32_t>(std::lround(kHeight * 4.0 / 3));
    box.height = kHeight;
    box.x = (kWidth - box.width) / 2;
  }

  // Points of which those of the box's first row lie that many bytes after the
  // end of the file.
  std::string Forge(std::uint64_t bytes_after_end) const {
    const std::size_t first = box.x / kBlockSide;
    const std::size_t end = (box.x + box.width - 1) / kBlockSide + 1;
    const std::size_t per_row = frame.mcus_across;
    return PackDistances(
        DistancesOf({.first_bit = 8 * frame.scan,
                     .outside = 8 * (jpeg.size() + bytes_after_end),
                     .last_bit = 8 * (jpeg.size() - 1),
                     .leaves = first,
                     .stays_until = end + 1,
                     .per_row = per_row,
                     .points = per_row * (frame.mcus_down - 1) + end + 1}),
        per_row);
  }

  std::string jpeg;
  JpegFrame frame;
  Region box;
};

}  // namespace

TEST_CASE(
    "Places that leave the file and come back by way of 2^64 are refused at "
    "every level of instructions",
    "[jpeg][corruption][hostile]") {
  const WideImage image;
  const RegionOracle oracle(AsBytes(image.jpeg));
  ImageDecoder decoder;
  // The second lies in the lowest addresses, or so it adds up.
  for (const std::uint64_t bytes :
       {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1} << 30}) {
    const std::string forged = image.Forge(bytes);
    for (const SimdLevel level : SimdLevels()) {
      if (kSanitized && bytes != 1 && level != SimdLevels().back()) continue;
      CAPTURE(bytes, ToString(level));
      const SimdLimit limit(level);
      CHECK(oracle.FaultOfRegion(decoder, image.box, AsBytes(forged)) == "");
      CHECK(decoder.refused_entry_points());
      CHECK(oracle.FaultOfWhole(decoder, AsBytes(forged)) == "");
    }
  }
}

TEST_CASE("A loader's random crops are none the worse for places that wrap",
          "[load][corruption][hostile]") {
  const WideImage image;
  MemoryStorage storage;
  storage.Put("tree/a/0.jpg", image.jpeg);
  for (int i = 1; i < 8; ++i) {
    storage.Put("tree/a/" + std::to_string(i) + ".jpg",
                MakeJpeg({.width = 300, .height = 200}));
  }
  PackTree(storage);
  const Loaded without = Load(storage, EntryPointTrust::kUnused);
  CHECK(without.refused == 0);
  CHECK(Load(storage, EntryPointTrust::kTrusted).batches == without.batches);

  const std::string forged = image.Forge(1000);
  const Status status = ForgeEntryPoints(
      storage, "out", [&](const std::string& key, const std::string& packed) {
        return key == "a/0.jpg" ? forged : packed;
      });
  REQUIRE(status.ToString() == "OK");
  CHECK(FindingsOf(storage, VerifyLevel::kQuick).empty());
  const auto findings = FindingsOf(storage, VerifyLevel::kFull);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].where().key == "a/0.jpg");
  for (const auto trust : {EntryPointTrust::kTrusted, EntryPointTrust::kProved,
                           EntryPointTrust::kUnused}) {
    const Loaded loaded = Load(storage, trust);
    CHECK(loaded.batches == without.batches);
    CHECK((loaded.refused > 0) == (trust != EntryPointTrust::kUnused));
  }
}

TEST_CASE("Points that are no longer than their image is worth are read at all",
          "[load][corruption][hostile]") {
  MemoryStorage storage;
  storage.Put("tree/a/0.jpg", MakeJpeg({.width = 300, .height = 200}));
  PackTree(storage);
  const Loaded without = Load(storage, EntryPointTrust::kUnused);
  const Status status = ForgeEntryPoints(
      storage, "out", [](const std::string&, const std::string&) {
        return std::string(kMaxEntryPointBytes, '\0');
      });
  REQUIRE(status.ToString() == "OK");
  const Loaded loaded = Load(storage, EntryPointTrust::kTrusted);
  CHECK(loaded.batches == without.batches);
  // They were not so much as read.
  CHECK(loaded.refused == 0);
}

// Images whose points, but for the first, have other predictors.
struct Liars {
  Liars() {
    for (int i = 0; i < 12; ++i) {
      const std::string name = "a/" + std::to_string(i) + ".jpg";
      storage.Put("tree/" + name,
                  MakeJpeg({.width = 400 + static_cast<std::uint32_t>(i) * 9,
                            .height = 300,
                            .seed = static_cast<std::uint32_t>(i) + 1}));
    }
    PackTree(storage);
    true_points = *storage.Get(kPoints);
    const Status status = ForgeEntryPoints(
        storage, "out", [&](const std::string& key, const std::string&) {
          return ShiftedPoints(AsBytes(*storage.Get("tree/" + key)), 9);
        });
    REQUIRE(status.ToString() == "OK");
  }

  static constexpr char kPoints[] =
      "out/.shardine/train-00000-of-00001.rec.sde";
  MemoryStorage storage;
  std::string true_points;
};

TEST_CASE_METHOD(Liars, "Verify names the samples whose entry points lie",
                 "[verify][corruption][hostile]") {
  CHECK(FindingsOf(storage, VerifyLevel::kQuick).empty());
  for (const VerifyLevel level : {VerifyLevel::kFull, VerifyLevel::kDeep}) {
    const auto findings = FindingsOf(storage, level);
    REQUIRE(findings.size() == 12);
    for (const Status& finding : findings) {
      CHECK(finding.code() == Code::kCorrupt);
      CHECK(finding.where().path == kPoints);
      CHECK(finding.where().record.has_value());
      CHECK(finding.where().key.has_value());
    }
  }
}

TEST_CASE_METHOD(Liars, "What verify advises gets rid of lying entry points",
                 "[verify][corruption][hostile]") {
  CHECK_THAT(FindingsOf(storage, VerifyLevel::kFull).front().message(),
             Catch::Contains("not those of the image"));
  ReindexOptions options;
  options.dataset = "out";
  for (const EntryPoints points : {EntryPoints::kNone, EntryPoints::kAuto}) {
    options.entry_points = points;
    const auto done = Reindex(options, {.storage = &storage});
    REQUIRE(done.status().ToString() == "OK");
  }
  CHECK(FindingsOf(storage, VerifyLevel::kFull).empty());
  CHECK((*storage.Get(kPoints) == true_points));
}

TEST_CASE_METHOD(Liars,
                 "A loader that proves entry points has the images' pixels",
                 "[load][corruption][hostile]") {
  const Loaded without = Load(storage, EntryPointTrust::kUnused, 3);
  const Loaded proved = Load(storage, EntryPointTrust::kProved, 3);
  CHECK(proved.batches == without.batches);
  // Some batches are made before they are asked for.
  CHECK(proved.refused >= 3 * 12);

  storage.Put(kPoints, true_points);
  const Loaded again = Load(storage, EntryPointTrust::kProved, 3);
  CHECK(again.batches == without.batches);
  CHECK(again.refused == 0);
}

TEST_CASE_METHOD(Liars, "A loader that trusts entry points notices a liar",
                 "[load][corruption][hostile]") {
  // Beside each crop it checks only a little, but at another place each time.
  const Loaded trusted = Load(storage, EntryPointTrust::kTrusted, 60);
  CHECK(trusted.refused > 0);
  storage.Put(kPoints, true_points);
  CHECK(Load(storage, EntryPointTrust::kTrusted, 60).refused == 0);
}

}  // namespace shardine::forged_points_test
