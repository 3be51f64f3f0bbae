// Images that look alike, and those that cannot be looked at.

#include "source/near_copies.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "image/small_image.h"
#include "io/memory_storage.h"
#include "shardine/source.h"
#include "source/file_images.h"
#include "source/source_set.h"
#include "support/jpeg_maker.h"

namespace shardine::near_copies_test {
namespace {

std::string Picture(std::uint32_t seed, int quality) {
  return MakeJpeg(
      {.width = 160, .height = 120, .quality = quality, .seed = seed});
}

SourceSet Files(MemoryStorage& storage) {
  SourceOptions options;
  options.unlabelled = true;
  auto folders = ParseSourceArguments({"tree"});
  REQUIRE(folders.ok());
  options.folders = *std::move(folders);
  auto files = LoadSource(storage, options);
  REQUIRE(files.status().ToString() == "OK");
  return *std::move(files);
}

}  // namespace

TEST_CASE("An image that is encoded again is a near copy, damaged ones count",
          "[near_copies]") {
  MemoryStorage storage;
  storage.Put("tree/a.jpg", Picture(1, 95));
  storage.Put("tree/b.jpg", Picture(1, 30));
  storage.Put("tree/c.jpg", "no image");
  const SourceSet files = Files(storage);
  const FileImages images(storage, files);
  UnreadImages unread;
  const auto copies = FindNearCopies(images, {.threads = 2}, unread, {});
  REQUIRE(copies.status().ToString() == "OK");
  CHECK(unread.count() == 1);
  REQUIRE(unread.Named().size() == 1);
  CHECK(unread.Named()[0].where().path == "tree/c.jpg");
  REQUIRE(copies->pairs.size() == 1);
  CHECK(copies->pairs[0].first == 0);
  CHECK(copies->pairs[0].second == 1);
  CHECK(copies->pairs[0].kind == CopyKind::kNear);
}

TEST_CASE("An image that changes before its pixels are compared is counted",
          "[near_copies]") {
  MemoryStorage storage;
  storage.Put("tree/a.jpg", Picture(1, 95));
  storage.Put("tree/b.jpg", Picture(1, 30));
  const SourceSet files = Files(storage);
  const FileImages images(storage, files);
  const auto change = [&](const Progress& progress) {
    if (progress.samples == progress.samples_total) {
      storage.Put("tree/b.jpg", "changed");
    }
  };
  UnreadImages unread;
  const auto copies = FindNearCopies(images, {}, unread, change);
  REQUIRE(copies.status().ToString() == "OK");
  CHECK(copies->pairs.empty());
  CHECK(unread.count() == 1);
}

TEST_CASE("A search of any two at a distance is a comparison of all",
          "[near_copies]") {
  MemoryStorage storage;
  for (int i = 0; i < 10; ++i) {
    storage.Put("tree/" + std::to_string(i) + ".jpg", "no image");
  }
  const SourceSet files = Files(storage);
  const FileImages images(storage, files);
  CHECK(WorkOf(images, {.distance = 31}).comparisons == 0);
  CHECK(WorkOf(images, {.distance = 32}).comparisons == 8 * 50);
  const NearWork alone = WorkOf(images, {});
  CHECK(alone.images == 10);
  CHECK(alone.seconds == 2 * WorkOf(images, {.threads = 2}).seconds);
}

TEST_CASE("An image that is cut at its sides is like itself after a cut alone",
          "[near_copies]") {
  const auto waves = [](double cut) {
    SmallImage image;
    for (std::size_t i = 0; i < image.size(); ++i) {
      const auto at = [&](std::size_t pixel) {
        return cut + static_cast<double>(pixel) * (64 - 2 * cut) / 64;
      };
      image[i] = static_cast<std::uint8_t>(128 + 50 * std::sin(at(i % 64)) +
                                           50 * std::cos(at(i / 64) * 0.9));
    }
    return image;
  };
  const SmallImage whole = waves(0);
  const SmallImage cut = waves(0.05 * 64);
  CHECK(LikenessOf(whole, cut) < 0.8);
  CHECK(CutLikenessOf(whole, cut) > 0.95);
  CHECK(CutLikenessOf(cut, whole) > 0.95);
}

TEST_CASE("The further apart hashes are, the more alike copies must be",
          "[near_copies]") {
  CHECK(IsCopy(0.61, 0));
  CHECK(!IsCopy(0.6, 0));
  CHECK(IsCopy(0.95, 84));
  CHECK(!IsCopy(0.94, 84));
}

}  // namespace shardine::near_copies_test
