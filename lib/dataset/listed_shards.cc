#include "dataset/listed_shards.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "base/status_macros.h"
#include "dataset/ask_ahead.h"
#include "image/probe.h"
#include "pipeline/parallel_for.h"
#include "shard/encoded_image.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::size_t kOpenShards = 64;
// The labels and the kind of the image are in the first bytes. A page costs a
// disk no more than a few bytes.
constexpr std::size_t kHeadBytes = 4096;
// Heads are read together by so many threads: a disk with a queue sorts them.
constexpr unsigned kHeadsTogether = 16;
constexpr std::uint64_t kFewHeads = 64;
constexpr std::uint64_t kLookedAt = 16;

// One record of a shard, as a file of its own.
class RecordBytes : public RandomAccessFile {
 public:
  RecordBytes(const RandomAccessFile& file, const Extent& place)
      : file_(file), place_(place) {}

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    const std::uint64_t left = place_.length - std::min(offset, place_.length);
    return file_.ReadAt(place_.offset + offset,
                        out.first(static_cast<std::size_t>(
                            std::min<std::uint64_t>(left, out.size()))));
  }
  std::uint64_t size() const override { return place_.length; }
  const std::string& path() const override { return file_.path(); }

 private:
  const RandomAccessFile& file_;
  const Extent place_;
};

using UseSample = std::function<Status(const ScannedSample&)>;

// Damage has offsets from the record's first byte.
Status ScanRecord(const RandomAccessFile& record, const FormatAndLayout& format,
                  const UseSample& use) {
  SHARDINE_ASSIGN_OR_RETURN(const auto scanner, format.OpenScanner(record));
  SHARDINE_ASSIGN_OR_RETURN(const auto sample, scanner->Next());
  if (!sample) return Status(Code::kCorrupt, "there is no record");
  SHARDINE_RETURN_IF_ERROR(use(*sample));
  const auto after = scanner->Next();
  if (after.ok() && !after->has_value()) return {};
  return Status(Code::kCorrupt,
                "the record ends before the next one that the index lists");
}

// Calls use(sample) with the whole record.
Status ReadRecord(const RandomAccessFile& file, const Extent& place,
                  const FormatAndLayout& format, const UseSample& use) {
  Status status = ScanRecord(RecordBytes(file, place), format, use);
  if (status.code() != Code::kCorrupt && status.code() != Code::kUnsupported) {
    return status;
  }
  return Status(status.code(), status.message())
      .At({.path = file.path(),
           .offset = place.offset + status.where().offset.value_or(0)});
}

void SetFacts(const ScannedSample& sample, IndexEntry& entry) {
  entry.id = sample.id.value_or(0);
  entry.labels.assign(sample.labels.begin(), sample.labels.end());
  const ScannedField* const image = FindEncodedImage(sample.fields);
  if (image != nullptr) entry.facts = ProbeImage(image->bytes).facts;
}

Result<std::vector<ListedRecord>> RecordsIn(const RandomAccessFile& index,
                                            const RandomAccessFile& shard,
                                            const Format& format) {
  const auto misfit = [&](const char* why) {
    return Status(Code::kCorrupt, why).At({.path = index.path()});
  };
  if (index.size() > shard.size()) return misfit("is larger than its shard");
  SHARDINE_ASSIGN_OR_RETURN(std::vector<ListedRecord> records,
                            format.list_records(index));
  const auto by_offset = [](const ListedRecord& a, const ListedRecord& b) {
    return a.offset < b.offset;
  };
  if (!std::ranges::is_sorted(records, by_offset)) {
    std::ranges::sort(records, by_offset);
  }
  const auto repeated =
      std::ranges::adjacent_find(records, {}, &ListedRecord::offset);
  if (records.empty() || records.front().offset != 0 ||
      records.back().offset >= shard.size() || repeated != records.end()) {
    return misfit("lists other records than the shard holds");
  }
  return records;
}

}  // namespace

std::vector<std::uint64_t> SomeRecords(std::uint64_t count) {
  std::vector<std::uint64_t> records;
  const std::uint64_t several = std::min(count, kLookedAt);
  for (std::uint64_t i = 0; i + 1 < several; ++i) {
    records.push_back(count / several * i);
  }
  records.push_back(count - 1);
  return records;
}

ListedShards::ListedShards(ReadableStorage& storage, std::size_t shards)
    : storage_(storage),
      shards_(shards),
      pool_(kOpenShards, [this](std::size_t shard) -> Result<PooledShard> {
        PooledShard opened;
        SHARDINE_ASSIGN_OR_RETURN(opened.file,
                                  storage_.Open(shards_[shard].path));
        SHARDINE_RETURN_IF_ERROR(
            CheckShardSize(*opened.file, shards_[shard].bytes));
        return opened;
      }) {}

Extent ListedShards::Listed::PlaceOf(std::uint64_t record) const {
  const std::uint64_t offset = records[record].offset;
  const std::uint64_t end =
      record + 1 < records.size() ? records[record + 1].offset : bytes;
  return {offset, end - offset};
}

Status ListedShards::Listed::CheckId(std::uint64_t record,
                                     std::uint64_t id) const {
  if (!has_ids || id == records[record].id) return {};
  return Status(Code::kCorrupt, "the record has the id " + std::to_string(id) +
                                    ", and " + EscapeBytes(index) + " says " +
                                    std::to_string(records[record].id))
      .At({.path = path, .record = record});
}

Status ListedShards::ReadHead(const Listed& listed,
                              const RandomAccessFile& file,
                              std::uint64_t record, IndexEntry& entry) {
  const Extent place = listed.PlaceOf(record);
  std::array<std::byte, kHeadBytes> room;
  const std::span head = std::span(room).first(static_cast<std::size_t>(
      std::min<std::uint64_t>(place.length, room.size())));
  SHARDINE_RETURN_IF_ERROR(file.ReadExactly(place.offset, head));
  const auto found =
      listed.format.format->read_head(head, place.length, entry.labels);
  if (found) {
    entry.id = found->id;
    entry.facts = ProbeImage(head.subspan(found->image)).facts;
    return listed.CheckId(record, entry.id);
  }
  return ReadRecord(file, place, listed.format,
                    [&](const ScannedSample& sample) {
                      SetFacts(sample, entry);
                      return listed.CheckId(record, entry.id);
                    });
}

Status ListedShards::LookAt(const RandomAccessFile& file, Listed& listed) {
  const std::vector<std::uint64_t> records = SomeRecords(listed.records.size());
  std::vector<IndexEntry> entries(records.size());
  SHARDINE_RETURN_IF_ERROR(
      ParallelFor(records.size(), kHeadsTogether, [&](std::size_t i) {
        return ReadHead(listed, file, records[i], entries[i]);
      }));
  bool has_ids = true;
  for (std::size_t i = 0; i < records.size(); ++i) {
    has_ids = has_ids && entries[i].id == listed.records[records[i]].id;
  }
  listed.has_ids = has_ids;
  return {};
}

bool ListedShards::Find(std::size_t shard, const RandomAccessFile& file,
                        const FormatAndLayout& format, ShardScan& scan) {
  if (format.format->list_records == nullptr) return false;
  for (const std::string& path : format.CompanionPlaces(file.path())) {
    const auto index = storage_.Open(path);
    if (index.status().code() == Code::kNotFound) continue;
    Listed listed{.path = file.path(),
                  .index = path,
                  .bytes = file.size(),
                  .format = format};
    Status status = index.status();
    if (status.ok()) {
      auto records = RecordsIn(**index, file, *format.format);
      status = records.status();
      if (status.ok()) {
        listed.records = *std::move(records);
        status = LookAt(file, listed);
      }
    }
    if (!status.ok()) {
      scan.warnings.push_back("the index beside it is not used: " +
                              status.ToString());
      continue;
    }
    scan.samples = listed.records.size();
    scan.images.AddUnread(scan.samples);
    if (listed.has_ids) {
      for (const ListedRecord& each : listed.records) {
        scan.ids.push_back(each.id);
      }
    }
    scan.use = ScanUse::kFound;
    shards_[shard] = std::move(listed);
    return true;
  }
  return false;
}

std::vector<std::string> ListedShards::paths() const {
  std::vector<std::string> paths;
  for (const Listed& each : shards_) {
    if (!each.records.empty()) paths.push_back(each.index);
  }
  return paths;
}

void ListedShards::Want(std::size_t shard,
                        std::span<const std::uint64_t> records,
                        AheadBytes& ahead) const {
  const auto opened = pool_.Get(shard);
  if (!opened.ok()) return;
  const RandomAccessFile& file = *(*opened)->file;
  std::vector<Extent> places;
  for (const std::uint64_t record : records) {
    places.push_back(shards_[shard].PlaceOf(record));
  }
  if (file.IsAtHand(places.front().offset) &&
      file.IsAtHand(places.back().offset)) {
    return;
  }
  for (const Extent& range : JoinExtents(std::move(places), file.size())) {
    ahead.kept.push_back(
        file.ReadAhead(range.offset, range.length, ahead.room));
  }
}

Status ListedShards::Read(std::size_t shard, std::uint64_t record,
                          SampleRead& sample) const {
  const Listed& listed = shards_[shard];
  SHARDINE_ASSIGN_OR_RETURN(const auto opened, pool_.Get(shard));
  return ReadRecord(*opened->file, listed.PlaceOf(record), listed.format,
                    [&](const ScannedSample& scanned) {
                      sample.entry = {};
                      SetFacts(scanned, sample.entry);
                      std::vector<FieldView> fields;
                      for (const ScannedField& field : scanned.fields) {
                        fields.push_back({field.name, field.dtype, field.shape,
                                          field.bytes});
                      }
                      CopyFields(fields, sample);
                      return listed.CheckId(record, sample.entry.id);
                    })
      .At({.path = listed.path, .record = record});
}

Status ListedShards::AddLabels(std::size_t shard, std::uint64_t first,
                               std::uint64_t count,
                               std::vector<IndexEntry>& entries) const {
  SHARDINE_ASSIGN_OR_RETURN(const auto opened, pool_.Get(shard));
  const std::size_t before = entries.size();
  entries.resize(before + count);
  const unsigned threads = count > kFewHeads ? kHeadsTogether : 1;
  return ParallelFor(count, threads, [&](std::size_t i) {
    return ReadHead(shards_[shard], *opened->file, first + i,
                    entries[before + i])
        .At({.path = shards_[shard].path, .record = first + i});
  });
}

Status ListedShards::Keys(std::size_t, std::uint64_t, std::uint64_t count,
                          std::vector<std::string>& keys) const {
  keys.assign(count, {});
  return {};
}

}  // namespace shardine
