#include "cli/epoch_report.h"

#include <catch2/catch.hpp>

namespace shardine::epoch_report_test {
namespace {

// A disk that seeks, as it is read by a shuffled loader.
DoctorResult Seeking() {
  DoctorResult result;
  result.target = "set";
  result.split = "train";
  result.samples = 14'197'087;
  result.storage = StorageRates{
      .seeks = 110, .random_bytes = 170e6, .sequential = 170e6, .readers = 2};
  ImageRates images;
  images.variant = "original";
  images.bytes = 77'446;
  images.decoded = 2'000;
  result.images = {images};
  result.page_hours = 677.87;
  EpochRow shuffled;
  shuffled.reading = EpochReading::kShuffledShards;
  shuffled.variant = "original";
  shuffled.images_per_second = 105;
  shuffled.hours = 37.55;
  shuffled.limit = EpochLimit::kSeeks;
  EpochRow blocks = shuffled;
  blocks.reading = EpochReading::kBlocks;
  blocks.images_per_second = 2'195;
  blocks.hours = 0.5;
  blocks.limit = EpochLimit::kStorageRate;
  EpochRow size = blocks;
  size.variant = "sz/160";
  size.estimated = true;
  result.rows = {shuffled, blocks, size};
  result.then = 1;
  result.change = EpochChange::kBlocks;
  return result;
}

bool Ends(const std::string& text, const std::string& end) {
  INFO(text);
  CHECK(text.ends_with(end));
  return text.ends_with(end);
}

TEST_CASE("A shuffled loader on a seeking disk is warned", "[cli][doctor]") {
  const std::string text = EpochReport(Seeking());
  CHECK(text ==
        "samples   14197087 of split train\n"
        "storage   110 seeks a second by 2 readers, 170.0 MB a second at "
        "random, 170.0 MB in order\n"
        "original  77.4 kB an image, 2000 crops a second on a core\n"
        "threads   1\n"
        "\n"
        "reading          images    images/s  hours  limited by\n"
        "shuffled shards  original  105       37.5   storage seeks\n"
        "blocks           original  2195      0.50   storage rate\n"
        "blocks           sz/160    2195      0.50   storage rate "
        "(estimated)\n"
        "\n"
        "random pages of 4 KiB, as the tutorial counts: 677.9 hours\n"
        "limited by storage seeks (shuffled shards)\n"
        "warning: a shuffled loader seeks for each image on this disk\n"
        "change: Loader(order=\"blocks\"): 2195 images a second, not 105\n");
}

TEST_CASE("Each change of an epoch has its words", "[cli][doctor]") {
  DoctorResult result = Seeking();
  result.change = EpochChange::kPack;
  Ends(EpochReport(result),
       "change: shardine pack SOURCE OUT, and Loader(order=\"blocks\"): 2195 "
       "images a second, not 105\n");
  result.change = EpochChange::kCache;
  Ends(EpochReport(result),
       "change: Dataset(cache_size=) of all samples, and their second epoch: "
       "2195 images a second, not 105\n");
  result.change = EpochChange::kSize;
  result.then = 2;
  Ends(EpochReport(result),
       "change: Dataset(variant=\"sz/160\"), made by shardine pack "
       "--variants=original,sz/160, and Loader(order=\"blocks\"): 2195 images "
       "a second, not 105\n");
  result.change = EpochChange::kNothing;
  Ends(EpochReport(result), "change nothing: no other way is a fifth faster\n");
}

TEST_CASE("What was not measured is null in JSON", "[cli][doctor]") {
  const Json json = EpochReportJson(Seeking());
  CHECK(json["server"].is_null());
  CHECK(json["cache"].is_null());
  CHECK(json["storage"]["seeks"] == 110);
  CHECK(json["rows"][0]["limit"] == "storage seeks");
  CHECK(json["change"] == "blocks");
}

}  // namespace
}  // namespace shardine::epoch_report_test
