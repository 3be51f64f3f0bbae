#include "pack/index_sidecar.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "dataset/dataset.h"
#include "dataset/index_entry.h"
#include "dataset/index_walk.h"
#include "dataset/nowhere_fields.h"
#include "io/atomic_file.h"
#include "io/digesting_file.h"
#include "pack/shard_publisher.h"
#include "shard/content_digest.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

// Scans one shard into a provisional sidecar that has the records' own labels,
// and no keys.
class ShardScan {
 public:
  ShardScan(Storage& storage, const FormatAndLayout& format,
            IndexSource& source)
      : storage_(storage), format_(format), source_(source) {}

  Status Run(const std::string& provisional,
             const std::function<void(const ScannedSample&)>& on_record,
             const std::stop_token& stop) {
    SHARDINE_ASSIGN_OR_RETURN(const auto file, storage_.Open(source_.path));
    DigestingFile digesting(*file);
    SHARDINE_ASSIGN_OR_RETURN(auto scanner,
                              format_.format->open_scanner(digesting, format_));
    ShardIndexWriter writer;
    while (true) {
      if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
      SHARDINE_ASSIGN_OR_RETURN(const auto scanned, scanner->Next());
      if (!scanned) break;
      offsets_.push_back(scanned->record_offset);
      if (scanned->id) source_.ids.record_ids.push_back(*scanned->id);
      source_.classes.Add(*scanned);
      const IndexEntry entry = MakeIndexEntry(*scanned, 0, scanned->labels);
      nowhere_.Add(entry);
      writer.Add(entry, scanned->key.value_or(""));
      on_record(*scanned);
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
                              AtomicFile::Create(storage_, provisional));
    SHARDINE_RETURN_IF_ERROR(writer.WriteTo(sidecar, binding));
    return sidecar.PublishUnsynced();
  }

 private:
  // A native index that disagrees is reported and left out of the dataset.
  void ReadCompanion() {
    const std::string path = format_.CompanionName(source_.path);
    if (path.empty() || !storage_.Stat(path).ok()) return;
    const Format& format = *format_.format;
    if (format.read_companion_ids != nullptr) {
      auto ids = format.read_companion_ids(storage_, path, offsets_);
      if (ids.ok()) source_.ids.companion_ids = *std::move(ids);
    }
    const Status agrees = format.check_companion(
        storage_, {source_.path, path}, offsets_, source_.ids.record_ids);
    if (agrees.ok()) {
      source_.companion = path;
    } else {
      source_.warnings.push_back(Status(agrees).At({.path = path}).ToString());
    }
  }

  Storage& storage_;
  const FormatAndLayout& format_;
  IndexSource& source_;
  std::vector<std::uint64_t> offsets_;
  NowhereFields nowhere_;
};

// Provisional sidecar + chosen ids + list -> final sidecar.
class SidecarFinisher {
 public:
  SidecarFinisher(Storage& storage, const Limits& limits, IndexSource& source,
                  const std::vector<std::uint64_t>& ids,
                  const std::vector<std::uint64_t>& list_ids)
      : storage_(storage),
        limits_(limits),
        source_(source),
        ids_(ids),
        list_ids_(list_ids) {}

  Status Run(const std::string& provisional, const std::string& final_path) {
    SHARDINE_ASSIGN_OR_RETURN(const auto index,
                              ShardIndex::Open(storage_, provisional));
    SHARDINE_ASSIGN_OR_RETURN(file_, storage_.Open(source_.path));
    ShardIndexWriter writer;
    SHARDINE_RETURN_IF_ERROR(WalkIndex(
        *index, [&](std::uint64_t record, IndexEntry entry, std::string key) {
          Status status = Complete(record, entry, key);
          if (status.ok()) writer.Add(entry, key);
          return status;
        }));
    Warn(unlisted_, "records are not in the list");
    Warn(differing_,
         "records have other labels than the list; theirs are used");
    SHARDINE_ASSIGN_OR_RETURN(AtomicFile sidecar,
                              AtomicFile::Create(storage_, final_path));
    SHARDINE_RETURN_IF_ERROR(writer.WriteTo(sidecar, index->binding()));
    return sidecar.Publish();
  }

 private:
  Status Complete(std::uint64_t record, IndexEntry& entry, std::string& key) {
    entry.id = ids_[record];
    const ListedSamples::Row* row = nullptr;
    if (source_.listed != nullptr) {
      row = source_.listed->Find(list_ids_[record]);
      unlisted_ += row == nullptr ? 1 : 0;
    }
    if (row != nullptr) {
      key = row->key;
      SHARDINE_RETURN_IF_ERROR(Relabel(record, row->labels, entry));
    } else if (key.empty()) {
      key = MadeUpKey(entry.id, entry.facts);
    }
    return Status();
  }

  // The list's labels are exact where the record's are rounded.
  Status Relabel(std::uint64_t record, const std::vector<Label>& labels,
                 IndexEntry& entry) {
    if (labels == entry.labels) return Status();
    bool rounded = labels.size() == entry.labels.size();
    for (std::size_t i = 0; rounded && i < labels.size(); ++i) {
      rounded =
          RoundToLabelType(labels[i], limits_.label_type) == entry.labels[i];
    }
    if (!rounded) {
      ++differing_;
      return Status();
    }
    entry.labels = labels;
    Status read = ReadPayload(*file_, entry, payload_);
    if (!read.ok()) return std::move(read).At({.record = record});
    entry.content_digest =
        ContentDigest(labels, FieldsOf(entry, payload_.view()));
    return Status();
  }

  void Warn(std::uint64_t count, const char* what) {
    if (count == 0) return;
    source_.warnings.push_back(EscapeBytes(source_.path) + ": " +
                               std::to_string(count) + " " + what);
  }

  Storage& storage_;
  const Limits& limits_;
  IndexSource& source_;
  const std::vector<std::uint64_t>& ids_;
  const std::vector<std::uint64_t>& list_ids_;
  std::unique_ptr<RandomAccessFile> file_;
  ByteBuffer payload_;
  std::uint64_t unlisted_ = 0;
  std::uint64_t differing_ = 0;
};

}  // namespace

Status ScanIntoSidecar(
    Storage& storage, const FormatAndLayout& format, IndexSource& source,
    const std::string& provisional,
    const std::function<void(const ScannedSample&)>& on_record,
    const std::stop_token& stop) {
  return ShardScan(storage, format, source).Run(provisional, on_record, stop);
}

Status FinishSidecar(Storage& storage, const Limits& limits,
                     IndexSource& source, const std::vector<std::uint64_t>& ids,
                     const std::vector<std::uint64_t>& list_ids,
                     const std::string& provisional, const std::string& path) {
  return SidecarFinisher(storage, limits, source, ids, list_ids)
      .Run(provisional, path);
}

}  // namespace shardine
