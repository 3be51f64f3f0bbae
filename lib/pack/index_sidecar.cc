#include "pack/index_sidecar.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/status_macros.h"
#include "dataset/dataset_reader.h"
#include "dataset/dataset_summary.h"
#include "dataset/fields_without_extents.h"
#include "dataset/index_entry.h"
#include "dataset/index_walk.h"
#include "io/atomic_file.h"
#include "io/digesting_file.h"
#include "pack/shard_publisher.h"
#include "shard/content_digest.h"
#include "shard/payload.h"
#include "shardine/escape.h"
#include "shardine/pack_words.h"

namespace shardine {
namespace {

// Scans one shard into a provisional sidecar that has the records' own labels,
// and no keys.
class ShardScan {
 public:
  ShardScan(const IndexStorages& storages, const FormatAndLayout& format,
            IndexSource& source)
      : storage_(storages.shards),
        sidecars_(storages.sidecars),
        format_(format),
        source_(source) {}

  Status Run(const std::string& provisional,
             const std::function<void(const ScannedSample&)>& on_record,
             const std::stop_token& stop) {
    SHARDINE_ASSIGN_OR_RETURN(const auto file,
                              storage_.OpenForward(source_.path));
    // The digest comes from the same pass as the records, so that it covers the
    // bytes that were indexed.
    DigestingFile digesting(*file);
    auto opened = format_.OpenScanner(digesting);
    if (!opened.ok()) {
      SHARDINE_RETURN_IF_ERROR(LeaveOutAll(opened.status()));
    }
    ShardIndexWriter writer;
    while (opened.ok()) {
      ShardScanner* const scanner = opened->get();
      if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
      auto next = scanner->Next();
      if (!next.ok()) {
        SHARDINE_ASSIGN_OR_RETURN(const bool goes_on,
                                  LeaveOut(next.status(), *scanner));
        if (!goes_on) break;
        continue;
      }
      const std::optional<ScannedSample>& scanned = *next;
      if (!scanned) break;
      offsets_.push_back(scanned->record_offset);
      if (scanned->id) source_.ids.record_ids.push_back(*scanned->id);
      source_.classes.Add(*scanned);
      const IndexEntry entry = MakeIndexEntry(*scanned, 0, scanned->labels);
      nowhere_.Add(entry);
      source_.images.Add(entry);
      source_.texts.Add(*scanned);
      writer.Add(entry, scanned->key.value_or(""));
      // Shards that are indexed come from anywhere: a compressed or sparse file
      // can have more records than its size gives cause for.
      SHARDINE_RETURN_IF_ERROR(writer.CheckMemory(file->size()));
      on_record(*scanned);
    }
    if (opened.ok()) {
      SHARDINE_RETURN_IF_ERROR(NoteLacks(**opened));
    }
    source_.ids.samples = offsets_.size();
    IndexBinding binding;
    binding.shard_bytes = file->size();
    SHARDINE_ASSIGN_OR_RETURN(binding.shard_digest, digesting.Finish());
    if (!nowhere_.empty()) {
      source_.warnings.push_back(nowhere_.Warning(source_.path));
    }
    ReadCompanion();
    SHARDINE_ASSIGN_OR_RETURN(AtomicFile sidecar,
                              AtomicFile::Create(sidecars_, provisional));
    SHARDINE_RETURN_IF_ERROR(writer.WriteTo(sidecar, binding));
    // It lies in the work folder and is read by this run alone; after a power
    // cut it is made again.
    return sidecar.PublishUnsynced();
  }

 private:
  // Notes the unreadable record, or returns its failure if nothing is left out.
  // False: nothing after it is found.
  Result<bool> LeaveOut(const Status& status, ShardScanner& scanner) {
    if (!source_.leaves_out_bad || status.code() != Code::kCorrupt) {
      return status;
    }
    const std::uint64_t record = offsets_.size() + source_.lost.size();
    if (!scanner.SkipDamaged()) {
      NoteRest(status, record);
      return false;
    }
    Note(status, record, "unreadable");
    source_.skipped.Add(record);
    return true;
  }

  // The same of a shard that cannot be opened.
  Status LeaveOutAll(const Status& status) {
    if (!source_.leaves_out_bad || status.code() != Code::kCorrupt) {
      return status;
    }
    NoteRest(status, 0);
    return Status();
  }

  void NoteRest(const Status& status, std::uint64_t record) {
    Note(status, record, "lost-rest");
    ended_early_ = true;
    source_.warnings.push_back(
        "reading ends before record " + std::to_string(record) +
        ", and how many records are lost is not known: " +
        Status(status).At({.path = source_.path}).ToString());
  }

  void Note(const Status& status, std::uint64_t record, const char* reason) {
    source_.lost.push_back({.split = "",
                            .key = "",
                            .reason = reason,
                            .action = WordOf(OnBad::kSkip),
                            .detail = status.message(),
                            .file = source_.path,
                            .record = record,
                            .byte = status.where().offset});
  }

  Status NoteLacks(ShardScanner& scanner) {
    if (ended_early_) return Status();
    SHARDINE_ASSIGN_OR_RETURN(const auto lacks, scanner.Warnings());
    for (const std::string& lack : lacks) {
      source_.warnings.push_back(EscapeBytes(source_.path) + ": " + lack);
    }
    return Status();
  }

  // A native index that disagrees is reported and left out of the dataset.
  void ReadCompanion() {
    const std::vector<std::string> places =
        format_.CompanionPlaces(source_.path);
    const auto found = std::ranges::find_if(
        places,
        [&](const std::string& place) { return storage_.Stat(place).ok(); });
    if (found == places.end()) return;
    const std::string& path = *found;
    const Format& format = *format_.format;
    if (format.read_companion_ids != nullptr) {
      auto ids = format.read_companion_ids(storage_, path, offsets_);
      // An index that cannot be read is reported by the check that follows,
      // which says why.
      if (ids.ok()) source_.ids.companion_ids = *std::move(ids);
    }
    const Status agrees = format.check_companion(
        storage_, {source_.path, path}, offsets_, source_.ids.record_ids);
    if (agrees.ok()) {
      const auto place = static_cast<std::size_t>(found - places.begin());
      source_.companion = format_.CompanionPlaces(source_.relative)[place];
    } else {
      source_.warnings.push_back(Status(agrees).At({.path = path}).ToString());
    }
  }

  ReadableStorage& storage_;  // of the shard
  Storage& sidecars_;
  const FormatAndLayout& format_;
  IndexSource& source_;
  std::vector<std::uint64_t> offsets_;
  bool ended_early_ = false;
  FieldsWithoutExtents nowhere_;
};

// The content digest of records with other labels than they hold. Records whose
// fields are not in the shard as such need another scan, so records must be
// asked for in ascending order.
class Redigest {
 public:
  Redigest(const RandomAccessFile& file, const FormatAndLayout& format,
           const SkippedRecords& skipped)
      : file_(file), format_(format), skipped_(skipped) {}

  Status Run(std::uint64_t record, IndexEntry& entry) {
    std::vector<FieldView> fields;
    if (HasExtents(entry)) {
      SHARDINE_RETURN_IF_ERROR(ReadPayload(file_, entry, payload_));
      fields = FieldsOf(entry, payload_.view());
    } else {
      SHARDINE_ASSIGN_OR_RETURN(fields, Scan(record));
    }
    entry.content_digest = ContentDigest(entry.labels, fields);
    return Status();
  }

 private:
  Result<std::vector<FieldView>> Scan(std::uint64_t record) {
    if (scanner_ == nullptr) {
      SHARDINE_ASSIGN_OR_RETURN(scanner_, format_.OpenScanner(file_));
    }
    while (true) {
      const auto next = scanner_->Next();
      if (!next.ok() && !skipped_.empty() && scanner_->SkipDamaged()) continue;
      if (!next.ok()) return next.status();
      const std::optional<ScannedSample>& scanned = *next;
      if (!scanned) break;
      // The scan does not begin again: records are asked for in ascending
      // order.
      if (scanned->record < skipped_.InFile(record)) continue;
      std::vector<FieldView> fields;
      for (const ScannedField& field : scanned->fields) {
        fields.push_back({field.name, field.dtype, field.shape, field.bytes});
      }
      return fields;
    }
    return Status(Code::kChanged, "the file changed while it was indexed");
  }

  const RandomAccessFile& file_;
  const FormatAndLayout& format_;
  const SkippedRecords& skipped_;
  ByteBuffer payload_;
  std::unique_ptr<ShardScanner> scanner_;
};

Status InTheWay(const std::string& path) {
  return Status(Code::kAlreadyExists,
                "is in the way: an index of this shard that says other things "
                "of it; move it away, or index into another folder")
      .At({.path = path});
}

// A sidecar that a killed run left has the same bytes; any other may be all
// that has its shard's keys.
Status PlaceNew(Storage& storage, const std::string& from,
                const std::string& to) {
  const Status placed = storage.RenameNew(from, to);
  if (placed.ok()) return storage.SyncDirectory(DirectoryOf(to));
  if (placed.code() != Code::kAlreadyExists) return placed;
  SHARDINE_ASSIGN_OR_RETURN(const ManifestFile made,
                            DescribeFile(storage, ".", from));
  SHARDINE_ASSIGN_OR_RETURN(const ManifestFile standing,
                            DescribeFile(storage, ".", to));
  const bool same =
      made.bytes == standing.bytes && made.digest == standing.digest;
  return same ? Status() : InTheWay(to);
}

// Both describe the records of one shard. Where records name no class, the
// folders in the keys of the index may.
Status TakeOver(Storage& storage, const std::string& provisional,
                const std::string& path, IndexSource& source) {
  SHARDINE_ASSIGN_OR_RETURN(const auto scanned,
                            ShardIndex::Open(storage, provisional));
  SHARDINE_ASSIGN_OR_RETURN(const auto standing,
                            ShardIndex::Open(storage, path));
  const IndexBinding& bound = standing->binding();
  const bool same = scanned->size() == standing->size() &&
                    scanned->binding().shard_bytes == bound.shard_bytes &&
                    scanned->binding().shard_digest == bound.shard_digest;
  if (!same) return InTheWay(path);
  const auto named = source.classes.Classes();
  if (!named || !named->empty()) return Status();
  source.classes = ClassNames();
  return WalkIndex(*standing, [&](std::uint64_t, const IndexEntry& entry,
                                  const std::string& key) {
    ScannedSample sample;
    sample.key = key;
    sample.labels = entry.labels;
    source.classes.Add(sample);
    return Status();
  });
}

// Provisional sidecar + chosen ids + list -> final sidecar.
class SidecarFinisher {
 public:
  SidecarFinisher(const IndexStorages& storages, const FormatAndLayout& format,
                  IndexSource& source, const RecordNumbers& numbers)
      : storages_(storages),
        format_(format),
        source_(source),
        numbers_(numbers) {}

  Status Run(const std::string& provisional, const std::string& final_path) {
    SHARDINE_ASSIGN_OR_RETURN(
        const auto index, ShardIndex::Open(storages_.sidecars, provisional));
    SHARDINE_ASSIGN_OR_RETURN(const auto file,
                              storages_.shards.Open(source_.path));
    redigest_.emplace(*file, format_, source_.skipped);
    ShardIndexWriter writer;
    SHARDINE_RETURN_IF_ERROR(WalkIndex(
        *index, [&](std::uint64_t record, IndexEntry entry, std::string key) {
          Status status = Complete(record, entry, key);
          if (status.ok()) writer.Add(entry, key);
          return status;
        }));
    Summarize(index->size());
    SHARDINE_ASSIGN_OR_RETURN(
        AtomicFile sidecar,
        AtomicFile::Create(storages_.sidecars, provisional));
    SHARDINE_RETURN_IF_ERROR(writer.WriteTo(sidecar, index->binding()));
    SHARDINE_RETURN_IF_ERROR(sidecar.Publish());
    return PlaceNew(storages_.sidecars, provisional, final_path);
  }

 private:
  Status Complete(std::uint64_t record, IndexEntry& entry, std::string& key) {
    entry.id = numbers_.ids[record];
    std::optional<std::size_t> row;
    if (source_.listed) {
      auto found = FindRow(record, key);
      if (!found.ok()) {
        return std::move(found).status().At(
            {.path = source_.list, .record = record});
      }
      row = *found;
    }
    // A record without a row keeps its own labels and is counted among those
    // that are not in the list.
    if (row) {
      ++source_.used.matched;
      const LabelTable& list = source_.listed->table();
      if (key.empty()) key = list.key(*row);
      SHARDINE_RETURN_IF_ERROR(Relabel(record, list.labels(*row), entry));
    }
    if (key.empty()) key = MadeUpKey(entry.id, entry.facts);
    return Status();
  }

  Result<std::optional<std::size_t>> FindRow(std::uint64_t record,
                                             std::string_view key) {
    have_keys_ = have_keys_ || !key.empty();
    NamedSample sample{
        .key = key, .id = {}, .position = numbers_.first + record};
    if (!numbers_.list_ids.ids.empty() && !numbers_.list_ids.by_position) {
      sample.id = numbers_.list_ids.ids[record];
    }
    return source_.listed->Match(sample);
  }

  // The list's labels are exact where the record's are rounded.
  Status Relabel(std::uint64_t record, std::span<const Label> labels,
                 IndexEntry& entry) {
    if (labels.empty() || std::ranges::equal(labels, entry.labels)) {
      return Status();
    }
    const bool fills = entry.labels.empty();
    bool rounded = labels.size() == entry.labels.size();
    for (std::size_t i = 0; rounded && i < labels.size(); ++i) {
      rounded = RoundToLabelType(labels[i], format_.limits().label_type) ==
                entry.labels[i];
    }
    // Labels that are no rounding of the list's are others. A list that lies
    // beside a shard may be of another one.
    if (!rounded && !fills) {
      ++differing_;
      if (!source_.list_was_asked_for) return Status();
    }
    source_.used.labelled += fills ? 1 : 0;
    entry.labels.assign(labels.begin(), labels.end());
    return redigest_->Run(record, entry).At({.record = record});
  }

  void Summarize(std::uint64_t records) {
    if (!source_.listed) return;
    UsedList& used = source_.used;
    const MatchBy by = source_.list_by;
    used.path = source_.list;
    used.shard = source_.path;
    used.records = records;
    used.by = by == MatchBy::kKey && !have_keys_ ? "id" : WordOf(by);
    const std::string list = "the list " + EscapeBytes(source_.list);
    // Not one record could be matched: one warning instead of a count of all.
    if (by != MatchBy::kPosition && !have_keys_ && records > 0 &&
        (numbers_.list_ids.ids.empty() || numbers_.list_ids.by_position)) {
      Warn((numbers_.list_ids.by_position
                ? "records have neither keys nor ids, so that "
                : "records have ids that are not unique, so that ") +
               list + " cannot be told to be theirs",
           records);
      return;
    }
    Warn("records are not in " + list + " by their " + used.by,
         records - used.matched);
    Warn("records have other labels than " + list +
             (source_.list_was_asked_for ? "; the list's are used"
                                         : "; theirs are used"),
         differing_);
  }

  void Warn(const std::string& what, std::uint64_t count) {
    if (count == 0) return;
    source_.warnings.push_back(EscapeBytes(source_.path) + ": " +
                               std::to_string(count) + " " + what);
  }

  const IndexStorages& storages_;
  const FormatAndLayout& format_;
  IndexSource& source_;
  const RecordNumbers& numbers_;
  std::optional<Redigest> redigest_;
  bool have_keys_ = false;
  std::uint64_t differing_ = 0;
};

}  // namespace

Status ScanIntoSidecar(
    const IndexStorages& storages, const FormatAndLayout& format,
    IndexSource& source, const std::string& provisional,
    const std::function<void(const ScannedSample&)>& on_record,
    const std::stop_token& stop) {
  return ShardScan(storages, format, source).Run(provisional, on_record, stop);
}

Status FinishSidecar(const IndexStorages& storages,
                     const FormatAndLayout& format, IndexSource& source,
                     const RecordNumbers& numbers,
                     const std::string& provisional, const std::string& path) {
  if (source.taken_over) {
    return TakeOver(storages.sidecars, provisional, path, source);
  }
  return SidecarFinisher(storages, format, source, numbers)
      .Run(provisional, path);
}

}  // namespace shardine
