#include "doctor/epoch_model.h"

#include <algorithm>
#include <initializer_list>

namespace shardine {
namespace {

constexpr double kSeekBytes = 4096;
constexpr double kRange = 8 << 20;  // RangePlan's largest
// A smaller gain is within the noise of measurements.
constexpr double kWorthIt = 1.2;

// Seconds that an image takes, and the limit that takes them.
struct ImageTime {
  double seconds = 0;
  EpochLimit limit = EpochLimit::kDecoding;
};

ImageTime Longer(const ImageTime& a, const ImageTime& b) {
  return a.seconds > b.seconds ? a : b;
}

// `seeks` for each image. The two take turns: their times add up.
ImageTime AtRandom(const StorageRates& storage, double bytes, double seeks) {
  const double seeking = seeks / storage.seeks;
  const double reading =
      std::max(bytes - kSeekBytes, 0.0) / storage.random_bytes;
  return {seeking + reading,
          seeking >= reading ? EpochLimit::kSeeks : EpochLimit::kStorageRate};
}

// Requests are under way while bytes arrive: the slower of the two counts.
ImageTime OfServer(const ServerRates& server, double bytes,
                   double images_a_request) {
  return Longer({server.latency / server.requests / images_a_request,
                 EpochLimit::kLatency},
                {bytes / server.bytes, EpochLimit::kNetworkRate});
}

ImageTime ReadingTime(const DoctorResult& result, EpochReading reading,
                      double bytes) {
  switch (reading) {
    case EpochReading::kLooseFiles:
      return AtRandom(*result.storage, bytes, 2);
    case EpochReading::kShuffledShards:
      return AtRandom(*result.storage, bytes, 1);
    case EpochReading::kBlocks:
      return {bytes / result.storage->sequential, EpochLimit::kStorageRate};
    case EpochReading::kRemoteCold:
      return OfServer(*result.server, bytes, 1);
    case EpochReading::kRemoteBlocks:
      return OfServer(*result.server, bytes, std::max(kRange / bytes, 1.0));
    case EpochReading::kRemoteWarm:
      return result.cache ? AtRandom(*result.cache, bytes, 1) : ImageTime();
  }
  return {};
}

bool IsEstimated(const DoctorResult& result, EpochReading reading) {
  const bool is_tree = result.split.empty();
  switch (reading) {
    case EpochReading::kLooseFiles:
      return !is_tree;
    case EpochReading::kRemoteCold:
      return false;
    case EpochReading::kShuffledShards:
    case EpochReading::kBlocks:
    case EpochReading::kRemoteBlocks:
      return is_tree;
    case EpochReading::kRemoteWarm:
      return !result.cache;
  }
  return false;
}

// Images a second of a core.
double DecodingRate(const ImageRates& images, EpochReading reading) {
  const bool is_file = reading == EpochReading::kLooseFiles ||
                       reading == EpochReading::kRemoteCold;
  return is_file || images.decoded_packed == 0 ? images.decoded
                                               : images.decoded_packed;
}

EpochRow RowOf(const DoctorResult& result, EpochReading reading,
               const ImageRates& images) {
  ImageTime time = ReadingTime(result, reading, images.bytes);
  const double decoded = DecodingRate(images, reading);
  if (decoded > 0) {
    const double decoding = 1 / (decoded * result.threads);
    time = Longer(time, {decoding, EpochLimit::kDecoding});
  }
  EpochRow row;
  row.reading = reading;
  row.variant = images.variant;
  row.images_per_second = time.seconds > 0 ? 1 / time.seconds : 0;
  row.hours = static_cast<double>(result.samples) * time.seconds / 3600;
  row.limit = time.limit;
  row.estimated = images.estimated || IsEstimated(result, reading);
  return row;
}

void AddRows(DoctorResult& result,
             std::initializer_list<EpochReading> readings) {
  for (const ImageRates& images : result.images) {
    for (const EpochReading reading : readings) {
      const bool is_original = &images == &result.images.front();
      // Other sizes are to be read as datasets.
      if (reading == EpochReading::kLooseFiles && !is_original) continue;
      result.rows.push_back(RowOf(result, reading, images));
    }
  }
}

EpochChange ChangeTo(const DoctorResult& result, const EpochRow& row) {
  if (row.variant != result.rows[result.now].variant) return EpochChange::kSize;
  if (result.split.empty()) return EpochChange::kPack;
  return row.reading == EpochReading::kRemoteWarm ? EpochChange::kCache
                                                  : EpochChange::kBlocks;
}

// The best row whose images are the same, if it is worth it; else the best of
// the largest size that is. Rows are in the order of their cost.
void ChooseChange(DoctorResult& result) {
  const auto rate = [&](std::size_t row) {
    return result.rows[row].images_per_second;
  };
  for (std::size_t row = 0; row < result.rows.size(); ++row) {
    const EpochChange change = ChangeTo(result, result.rows[row]);
    const bool goes_on =
        result.then == result.now ||
        result.rows[row].variant == result.rows[result.then].variant;
    if (!goes_on) return;
    if (rate(row) < kWorthIt * rate(result.then)) continue;
    // A row that was measured and helps comes before one that is only likely
    // to.
    const bool is_known =
        result.then != result.now && !result.rows[result.then].estimated;
    if (is_known && result.rows[row].estimated) continue;
    result.then = row;
    result.change = change;
  }
}

}  // namespace

void FillEpochTable(DoctorResult& result) {
  const double samples = static_cast<double>(result.samples);
  result.rows.clear();
  result.page_hours = 0;
  if (result.storage) {
    result.page_hours = samples * result.images.front().bytes / kSeekBytes /
                        result.storage->seeks / 3600;
    AddRows(result, {EpochReading::kLooseFiles, EpochReading::kShuffledShards,
                     EpochReading::kBlocks});
  } else {
    AddRows(result, {EpochReading::kRemoteCold, EpochReading::kRemoteBlocks,
                     EpochReading::kRemoteWarm});
  }
  // A dataset has loose files in the table for comparison alone.
  const bool is_dataset = !result.split.empty();
  result.now = result.storage && is_dataset ? 1 : 0;
  result.then = result.now;
  result.change = EpochChange::kNothing;
  ChooseChange(result);
}

}  // namespace shardine
