#include "doctor/epoch_model.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

namespace shardine::epoch_model_test {
namespace {

// Full ImageNet as the tutorial has it: 1 TiB of 14,197,087 images.
constexpr std::uint64_t kSamples = 14'197'087;
constexpr double kTebibyte = 1099511627776.0;

StorageRates Disk(double seeks, double rate) {
  StorageRates storage;
  storage.seeks = seeks;
  storage.random_bytes = rate;
  storage.sequential = rate;
  return storage;
}

ImageRates Images(const std::string& variant, double bytes, double decoded) {
  ImageRates images;
  images.variant = variant;
  images.bytes = bytes;
  images.decoded = decoded;
  return images;
}

DoctorResult Tutorial(const StorageRates& storage) {
  DoctorResult result;
  result.split = "train";
  result.samples = kSamples;
  result.threads = 8;
  result.storage = storage;
  result.images = {Images("original", kTebibyte / kSamples, 2'000)};
  FillEpochTable(result);
  return result;
}

const EpochRow& RowOf(const DoctorResult& result, EpochReading reading,
                      const std::string& variant = "original") {
  const auto found = std::ranges::find_if(result.rows, [&](const auto& row) {
    return row.reading == reading && row.variant == variant;
  });
  REQUIRE(found != result.rows.end());
  return *found;
}

// 1,000 images of 8 KiB, of which 4 KiB follow the seek.
DoctorResult Small() {
  DoctorResult result;
  result.split = "train";
  result.samples = 1'000;
  result.threads = 2;
  result.images = {Images("original", 8192, 0)};
  return result;
}

TEST_CASE("Random pages of full ImageNet take the tutorial's hours",
          "[doctor][model]") {
  // 1 TiB / 4 KiB / 110 seeks a second = 2,440,323 s.
  CHECK(Tutorial(Disk(110, 170e6)).page_hours == Approx(677.87).epsilon(1e-4));
  // A hundred times as many seeks, where the tutorial says 6.7.
  CHECK(Tutorial(Disk(11'000, 550e6)).page_hours ==
        Approx(6.7787).epsilon(1e-4));
}

TEST_CASE("Images of full ImageNet are read by the model's formulas",
          "[doctor][model]") {
  const DoctorResult result = Tutorial(Disk(110, 170e6));
  // 77,446.3 bytes an image, 73,350.3 after the seek: 0.43147 ms.
  const EpochRow& loose = RowOf(result, EpochReading::kLooseFiles);
  CHECK(loose.images_per_second == Approx(1 / (2 / 110.0 + 0.43147e-3)));
  CHECK(loose.limit == EpochLimit::kSeeks);
  CHECK(loose.hours == Approx(73.40).epsilon(1e-3));
  const EpochRow& shuffled = RowOf(result, EpochReading::kShuffledShards);
  CHECK(shuffled.hours == Approx(37.55).epsilon(1e-3));
  // 1 TiB / 170 MB a second.
  const EpochRow& blocks = RowOf(result, EpochReading::kBlocks);
  CHECK(blocks.hours == Approx(1.7966).epsilon(1e-3));
  CHECK(blocks.limit == EpochLimit::kStorageRate);
}

TEST_CASE("A shuffled loader on a seeking disk is told of blocks",
          "[doctor][model]") {
  const DoctorResult result = Tutorial(Disk(110, 170e6));
  CHECK(result.rows[result.now].reading == EpochReading::kShuffledShards);
  CHECK(result.rows[result.now].limit == EpochLimit::kSeeks);
  CHECK(result.change == EpochChange::kBlocks);
  CHECK(result.rows[result.then].reading == EpochReading::kBlocks);
}

TEST_CASE("A disk without seeks is not told of blocks", "[doctor][model]") {
  // 1 us to a seek: decoding takes longer.
  const DoctorResult result = Tutorial(Disk(1e6, 3e9));
  CHECK(result.rows[result.now].limit == EpochLimit::kDecoding);
  CHECK(result.rows[result.now].images_per_second == Approx(16'000));
  CHECK(result.change == EpochChange::kNothing);
  CHECK(result.then == result.now);
}

TEST_CASE("Where decoding limits, smaller images are the change",
          "[doctor][model]") {
  DoctorResult result = Tutorial(Disk(1e6, 3e9));
  result.images.push_back(Images("sz/320", 40e3, 3'000));
  result.images.push_back(Images("sz/160", 10e3, 9'000));
  FillEpochTable(result);
  CHECK(result.change == EpochChange::kSize);
  // The larger of the two that are worth it: 160 costs more of the pixels.
  CHECK(result.rows[result.then].variant == "sz/320");
  CHECK(RowOf(result, EpochReading::kBlocks, "sz/160").images_per_second ==
        Approx(72'000));
}

TEST_CASE("A size that gains less than a fifth is passed over",
          "[doctor][model]") {
  DoctorResult result = Tutorial(Disk(1e6, 3e9));
  result.images.push_back(Images("sz/320", 40e3, 2'300));
  result.images.push_back(Images("sz/160", 10e3, 9'000));
  FillEpochTable(result);
  CHECK(result.rows[result.then].variant == "sz/160");
}

TEST_CASE("A folder of images is told to be packed", "[doctor][model]") {
  DoctorResult result = Tutorial(Disk(110, 170e6));
  result.split.clear();
  FillEpochTable(result);
  CHECK(result.rows[result.now].reading == EpochReading::kLooseFiles);
  CHECK_FALSE(result.rows[result.now].estimated);
  CHECK(RowOf(result, EpochReading::kBlocks).estimated);
  CHECK(result.change == EpochChange::kPack);
  CHECK(result.rows[result.then].reading == EpochReading::kBlocks);
}

TEST_CASE("Packed images are decoded by their entry points",
          "[doctor][model]") {
  DoctorResult result = Tutorial(Disk(1e6, 3e9));
  result.split.clear();
  result.images.front().decoded_packed = 3'000;
  FillEpochTable(result);
  CHECK(RowOf(result, EpochReading::kLooseFiles).images_per_second ==
        Approx(16'000));
  CHECK(RowOf(result, EpochReading::kShuffledShards).images_per_second ==
        Approx(24'000));
  CHECK(result.change == EpochChange::kPack);
  CHECK(result.rows[result.then].reading == EpochReading::kShuffledShards);
}

TEST_CASE("A server's latency counts by the requests under way",
          "[doctor][model]") {
  DoctorResult result = Small();
  result.images = {Images("original", 8192, 1e6)};
  result.server = ServerRates{.latency = 0.1, .bytes = 80e6, .requests = 4};
  FillEpochTable(result);
  const EpochRow& cold = RowOf(result, EpochReading::kRemoteCold);
  CHECK(cold.images_per_second == Approx(40));
  CHECK(cold.hours == Approx(1'000 / 40.0 / 3600));
  CHECK(cold.limit == EpochLimit::kLatency);
  CHECK_FALSE(cold.estimated);
  // 1,024 images to a request of 8 MiB: the bytes take longer.
  const EpochRow& blocks = RowOf(result, EpochReading::kRemoteBlocks);
  CHECK(blocks.images_per_second == Approx(80e6 / 8192));
  CHECK(blocks.limit == EpochLimit::kNetworkRate);
  CHECK(result.page_hours == 0);
  // The cache would be faster still, which nobody measured.
  CHECK(RowOf(result, EpochReading::kRemoteWarm).images_per_second ==
        Approx(2e6));
  CHECK(result.change == EpochChange::kBlocks);
}

TEST_CASE("A server's rate limits where many requests are under way",
          "[doctor][model]") {
  DoctorResult result = Small();
  result.images = {Images("original", 8192, 1e6)};
  result.server = ServerRates{.latency = 0.1, .bytes = 80e6, .requests = 512};
  result.server->bytes = 8e6;
  FillEpochTable(result);
  const EpochRow& cold = RowOf(result, EpochReading::kRemoteCold);
  CHECK(cold.images_per_second == Approx(8e6 / 8192));
  CHECK(cold.limit == EpochLimit::kNetworkRate);
  // No samples are kept, so that decoding alone is left, and an estimate.
  const EpochRow& warm = RowOf(result, EpochReading::kRemoteWarm);
  CHECK(warm.images_per_second == Approx(2e6));
  CHECK(warm.estimated);
  CHECK(result.change == EpochChange::kCache);
}

TEST_CASE("A cache is as fast as the disk that it is on", "[doctor][model]") {
  DoctorResult result = Small();
  result.server = ServerRates{.latency = 0.1, .bytes = 80e6, .requests = 4};
  result.cache = Disk(100, 4'096'000);
  FillEpochTable(result);
  const EpochRow& warm = RowOf(result, EpochReading::kRemoteWarm);
  // 10 ms to the seek, 1 ms to the other 4 KiB.
  CHECK(warm.images_per_second == Approx(1 / 11e-3));
  CHECK(warm.limit == EpochLimit::kSeeks);
  CHECK_FALSE(warm.estimated);
}

TEST_CASE("What is no larger than a page takes the seek alone",
          "[doctor][model]") {
  DoctorResult result = Small();
  result.images = {Images("original", 100, 0)};
  result.storage = Disk(100, 1);
  FillEpochTable(result);
  CHECK(RowOf(result, EpochReading::kShuffledShards).images_per_second ==
        Approx(100));
  CHECK(RowOf(result, EpochReading::kLooseFiles).estimated);
}

}  // namespace
}  // namespace shardine::epoch_model_test
