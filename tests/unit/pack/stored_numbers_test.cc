// Numbers and words that lie on disk or stand in digests: another number would
// make old work foreign, or give it another meaning.
#include <catch2/catch.hpp>
#include <string>

#include "io/memory_storage.h"
#include "pack/dataset_plan.h"
#include "pack/shard_notes.h"
#include "shardine/image.h"
#include "shardine/image_check.h"

namespace shardine::stored_numbers_test {
namespace {

// The contents of OUT/.pack/NAME.notes.
std::string Noted(const Judgement& judged) {
  MemoryStorage storage;
  REQUIRE(storage.CreateDirectories("out/.pack").ok());
  ShardNotes notes;
  notes.judged = judged;
  REQUIRE(SaveShardNotes({storage, "out"}, "x", notes).ok());
  return *storage.Get("out/.pack/x.notes");
}

TEST_CASE("Notes of shards keep their numbers for checks and bad images",
          "[pack][pinned]") {
  const std::pair<OnBad, const char*> actions[] = {
      {OnBad::kFail, "\"on_bad\":0,"},
      {OnBad::kSkip, "\"on_bad\":1,"},
      {OnBad::kQuarantine, "\"on_bad\":2,"},
      {OnBad::kKeep, "\"on_bad\":3,"}};
  for (const auto& [action, text] : actions) {
    CHECK_THAT(Noted({action, ImageCheckLevel::kNone}), Catch::Contains(text));
  }
  const std::pair<ImageCheckLevel, const char*> levels[] = {
      {ImageCheckLevel::kNone, "\"check\":0,"},
      {ImageCheckLevel::kHeader, "\"check\":1,"},
      {ImageCheckLevel::kDecode, "\"check\":2,"}};
  for (const auto& [level, text] : levels) {
    CHECK_THAT(Noted({OnBad::kFail, level}), Catch::Contains(text));
  }
}

TEST_CASE("Plan digests say options in words that stay", "[pack][pinned]") {
  ImageOptions image;
  CHECK(Describe(image) == "bilinear pillow13 keep jpeg quality=90 4:2:0");
  const std::pair<Filter, const char*> filters[] = {
      {Filter::kNearest, "nearest"},   {Filter::kBox, "box"},
      {Filter::kBilinear, "bilinear"}, {Filter::kHamming, "hamming"},
      {Filter::kBicubic, "bicubic"},   {Filter::kLanczos, "lanczos"}};
  for (const auto& [filter, word] : filters) {
    image.filter = filter;
    CHECK(Describe(image) ==
          std::string(word) + " pillow13 keep jpeg quality=90 4:2:0");
  }
  image = {.order = PassOrder::kPillow12,
           .center_crop = true,
           .color = ColorMode::kGray,
           .upscale = false,
           .apply_exif = true,
           .subsampling = Subsampling::k444,
           .optimize = true,
           .keep_icc = true};
  CHECK(Describe(image) ==
        "bilinear pillow12 gray center-crop no-upscale exif jpeg quality=90 "
        "4:4:4 optimize icc");
  image = {.color = ColorMode::kColor, .encoding = Encoding::kPng};
  CHECK(Describe(image) == "bilinear pillow13 color png level=6");
  CHECK(DescribeVariants({.short_sides = {16, 24}, .image = {}}) ==
        " variants=original,sz/16,sz/24 bilinear pillow13 keep jpeg "
        "quality=90 4:2:0");
  CHECK(DescribeEntryPoints(EntryPoints::kNone).empty());
  CHECK(DescribeEntryPoints(EntryPoints::kAuto) == " entry-points=auto");
}

}  // namespace
}  // namespace shardine::stored_numbers_test
