#include "cli/epoch_report.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/columns.h"
#include "cli/number_text.h"
#include "shardine/doctor_words.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

std::string BytesText(double bytes) {
  return FormatBytes(static_cast<std::uint64_t>(bytes));
}

// Also for an epoch of seconds.
std::string HoursText(double hours) {
  return FormatFixed(hours, hours >= 10 ? 1 : hours >= 0.1 ? 2 : 7);
}

std::string StorageText(const StorageRates& storage) {
  return FormatFixed(storage.seeks, 0) + " seeks a second by " +
         FormatCount(storage.readers, "reader") + ", " +
         BytesText(storage.random_bytes) + " a second at random, " +
         BytesText(storage.sequential) + " in order" +
         (storage.from_memory ? "; from memory, the disk may be slower" : "");
}

std::string ServerText(const ServerRates& server) {
  return FormatFixed(server.latency * 1e3, 1) + " ms to an answer, " +
         BytesText(server.bytes) + " a second, " +
         FormatCount(server.requests, "request") + " at a time";
}

std::string CropsText(const ImageRates& images) {
  if (images.decoded == 0) return "nothing to decode";
  return FormatFixed(images.decoded, 0) + " crops a second on a core" +
         (images.decoded_packed > 0
              ? ", " + FormatFixed(images.decoded_packed, 0) + " once packed"
              : "");
}

std::string ImagesText(const ImageRates& images) {
  return BytesText(images.bytes) + " an image, " + CropsText(images) +
         (images.estimated ? "; estimated: made in memory" : "");
}

std::string MeasuredText(const DoctorResult& result) {
  std::vector<Row> rows = {
      {"samples",
       (result.more_samples ? "at least " : "") +
           std::to_string(result.samples) +
           (result.split.empty() ? " files"
                                 : " of split " + EscapeBytes(result.split))}};
  if (result.storage) rows.push_back({"storage", StorageText(*result.storage)});
  if (result.server) rows.push_back({"server", ServerText(*result.server)});
  if (result.cache) rows.push_back({"cache", StorageText(*result.cache)});
  for (const ImageRates& images : result.images) {
    rows.push_back({EscapeBytes(images.variant), ImagesText(images)});
  }
  rows.push_back({"threads", std::to_string(result.threads)});
  return Aligned(rows);
}

std::string TableText(const DoctorResult& result) {
  std::vector<Row> rows = {
      {"reading", "images", "images/s", "hours", "limited by"}};
  for (const EpochRow& row : result.rows) {
    rows.push_back({WordOf(row.reading), EscapeBytes(row.variant),
                    FormatFixed(row.images_per_second, 0), HoursText(row.hours),
                    std::string(WordOf(row.limit)) +
                        (row.estimated ? " (estimated)" : "")});
  }
  return Aligned(rows);
}

std::string ChangeText(const DoctorResult& result) {
  const EpochRow& then = result.rows[result.then];
  const bool in_blocks = then.reading == EpochReading::kBlocks ||
                         then.reading == EpochReading::kRemoteBlocks;
  switch (result.change) {
    case EpochChange::kNothing:
      return "";
    case EpochChange::kPack:
      return std::string("shardine pack SOURCE OUT") +
             (in_blocks ? ", and Loader(order=\"blocks\")" : "");
    case EpochChange::kBlocks:
      return "Loader(order=\"blocks\")";
    case EpochChange::kCache:
      return "Dataset(cache_size=) of all samples, and their second epoch";
    case EpochChange::kSize:
      return "Dataset(variant=\"" + EscapeBytes(then.variant) + "\")" +
             (then.estimated ? ", made by shardine pack --variants=original," +
                                   EscapeBytes(then.variant)
                             : "") +
             (in_blocks ? ", and Loader(order=\"blocks\")" : "");
  }
  return "";
}

// The bottleneck of the epoch as it is read now, and the one thing to change.
std::string AdviceText(const DoctorResult& result) {
  const EpochRow& now = result.rows[result.now];
  const EpochRow& then = result.rows[result.then];
  std::string text = std::string("limited by ") + WordOf(now.limit) + " (" +
                     WordOf(now.reading) + ")\n";
  if (result.change == EpochChange::kNothing) {
    return text + "change nothing: no other way is a fifth faster\n";
  }
  // A loader that shuffles on a disk that seeks is slow for that alone.
  if (result.change == EpochChange::kBlocks &&
      now.limit == EpochLimit::kSeeks) {
    text += "warning: a shuffled loader seeks for each image on this disk\n";
  }
  return text + "change: " + ChangeText(result) + ": " +
         FormatFixed(then.images_per_second, 0) + " images a second, not " +
         FormatFixed(now.images_per_second, 0) + "\n";
}

Json StorageJson(const std::optional<StorageRates>& storage) {
  if (!storage) return nullptr;
  return {{"seeks", storage->seeks},
          {"random_bytes", storage->random_bytes},
          {"sequential", storage->sequential},
          {"readers", storage->readers},
          {"from_memory", storage->from_memory}};
}

Json ServerJson(const std::optional<ServerRates>& server) {
  if (!server) return nullptr;
  return {{"latency", server->latency},
          {"bytes", server->bytes},
          {"requests", server->requests}};
}

Json ImagesJson(const ImageRates& images) {
  return {{"variant", JsonText(images.variant)},
          {"estimated", images.estimated},
          {"bytes", images.bytes},
          {"decoded", images.decoded},
          {"decoded_packed", images.decoded_packed}};
}

Json RowJson(const EpochRow& row) {
  return {{"reading", WordOf(row.reading)},
          {"variant", JsonText(row.variant)},
          {"images_per_second", row.images_per_second},
          {"hours", row.hours},
          {"limit", WordOf(row.limit)},
          {"estimated", row.estimated}};
}

}  // namespace

std::string EpochReport(const DoctorResult& result) {
  std::string text = MeasuredText(result) + "\n" + TableText(result) + "\n";
  if (result.page_hours > 0) {
    text += "random pages of 4 KiB, as the tutorial counts: " +
            HoursText(result.page_hours) + " hours\n";
  }
  return text + AdviceText(result);
}

Json EpochReportJson(const DoctorResult& result) {
  Json images = Json::array();
  for (const ImageRates& each : result.images) {
    images.push_back(ImagesJson(each));
  }
  Json rows = Json::array();
  for (const EpochRow& row : result.rows) rows.push_back(RowJson(row));
  return {{"target", JsonText(result.target)},
          {"split", JsonText(result.split)},
          {"samples", result.samples},
          {"more_samples", result.more_samples},
          {"threads", result.threads},
          {"storage", StorageJson(result.storage)},
          {"server", ServerJson(result.server)},
          {"cache", StorageJson(result.cache)},
          {"images", std::move(images)},
          {"page_hours", result.page_hours},
          {"rows", std::move(rows)},
          {"now", result.now},
          {"then", result.then},
          {"change", WordOf(result.change)}};
}

}  // namespace shardine
