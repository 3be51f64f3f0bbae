#include "verify/shard_verifier.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "dataset/dataset_summary.h"
#include "dataset/index_entry.h"
#include "image/older_facts.h"
#include "io/digesting_file.h"
#include "io/path_scheme.h"
#include "pipeline/parallel_for.h"
#include "shard/content_digest.h"
#include "shard/encoded_image.h"
#include "shard/field_label.h"
#include "verify/locate_damage.h"
#include "verify/reading_failure.h"
#include "verify/verify_file.h"
#include "verify/verify_tree.h"

namespace shardine {
namespace {

// Index rows held at a time: as many as share a frame of keys.
constexpr std::uint64_t kRun = 256;

}  // namespace

ShardVerifier::ShardVerifier(ReadableStorage& storage,
                             const DatasetReader& dataset,
                             const DatasetReader::ShardRef& shard,
                             const FormatAndLayout& format,
                             const Options& options)
    : storage_(storage),
      dataset_(dataset),
      shard_(shard),
      format_(format),
      options_(options),
      path_(dataset.PathOf(shard.shard->file)),
      entry_points_(storage, dataset, shard),
      checker_({.level = options.level == VerifyLevel::kDeep
                             ? ImageCheck::kDecode
                             : ImageCheck::kNone,
                .find_entry_points = true}) {
  if (options.against != nullptr) {
    comparison_.emplace(*options.against, shard.split->name, findings_);
  }
}

Status ShardVerifier::Run(const std::stop_token& stop) {
  // Sizes come first: a truncated file is reported as short once, before each
  // of its records fails.
  CheckSizes();
  SHARDINE_RETURN_IF_ERROR(ReadingFailure(findings_));
  OpenIndex();
  OpenEntryPoints();
  SHARDINE_RETURN_IF_ERROR(ReadingFailure(findings_));
  if (options_.level == VerifyLevel::kQuick) return Status();
  SHARDINE_RETURN_IF_ERROR(CheckRecords(stop));
  CheckCompanion();
  return ReadingFailure(findings_);
}

void ShardVerifier::Find(Status finding, const std::string& path) {
  findings_.push_back(std::move(finding).At({.path = path}));
}

void ShardVerifier::CheckSizes() {
  std::vector<const ManifestFile*> files = {&shard_.shard->file};
  for (const ManifestFile& file : shard_.shard->companions) {
    files.push_back(&file);
  }
  std::vector<std::optional<Result<FileInfo>>> found(files.size());
  const auto ask = [&](std::size_t i) {
    if (i < files.size()) {
      found[i] = storage_.Stat(dataset_.PathOf(*files[i]));
    } else {
      OpenShard();
    }
    return Status();
  };
  // Each answer of a server takes a while: all are asked at once, and the
  // shard's first bytes come while its index is looked at.
  const bool waits = !SchemeOf(path_).empty();
  const bool reads = waits && options_.level != VerifyLevel::kQuick;
  const std::size_t asks = files.size() + (reads ? 1 : 0);
  const Status asked =
      ParallelFor(asks, waits ? static_cast<unsigned>(asks) : 1, ask);
  if (!asked.ok()) return Find(asked, path_);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string path = dataset_.PathOf(*files[i]);
    const Result<FileInfo>& info = *found[i];
    if (!info.ok()) {
      Find(info.status(), path);
    } else if (info->size != files[i]->bytes) {
      Find(Status(Code::kCorrupt, "is " + std::to_string(info->size) +
                                      " bytes long; the manifest says " +
                                      std::to_string(files[i]->bytes)),
           path);
    }
  }
}

// Failures are no error here: the later reads report them.
void ShardVerifier::OpenShard() {
  file_ = storage_.OpenForward(path_);
  std::byte first{};
  if (file_->ok()) (void)(**file_)->ReadAt(0, {&first, 1});
}

void ShardVerifier::OpenIndex() {
  auto index = dataset_.OpenIndex(shard_);
  const std::size_t before = findings_.size();
  if (index.ok()) {
    index_ = *std::move(index);
  } else {
    Find(std::move(index).status(), path_);
  }
  if (options_.level == VerifyLevel::kQuick) return;
  // An error of the index itself says more than its digest.
  const ManifestFile* sidecar = DatasetReader::SidecarOf(*shard_.shard);
  if (sidecar != nullptr && findings_.size() == before) {
    CheckSidecarDigest(*sidecar);
  }
}

// Whatever is wrong with them, the images are as good as before.
void ShardVerifier::OpenEntryPoints() {
  if (index_ == nullptr) return;
  Status status = entry_points_.Open(*index_);
  if (status.ok() && options_.level != VerifyLevel::kQuick) {
    status = entry_points_.CheckFile(*index_);
  }
  sums_.entry_points = entry_points_.counts();
  // Damage of the index was found before.
  if (status.ok() || status.where().path == index_->path()) return;
  findings_.push_back(std::move(status));
}

void ShardVerifier::CheckSidecarDigest(const ManifestFile& sidecar) {
  const auto found = DescribeFile(storage_, dataset_.directory(), sidecar.path);
  if (found.ok() && found->digest == sidecar.digest) return;
  const std::string path = dataset_.PathOf(sidecar);
  if (!found.ok()) return Find(found.status(), path);
  for (std::uint64_t r = 0; r < index_->size(); ++r) {
    if (!LoadRow(r)) return;  // it said where
  }
  Find(Status(Code::kCorrupt, "digest differs from the manifest's"), path);
}

// Makes the row the current run of rows holds; a row that cannot be read is a
// finding, and the index is not used further.
bool ShardVerifier::LoadRow(std::uint64_t record) {
  if (index_ == nullptr || record >= index_->size()) return false;
  if (record >= rows_first_ && record < rows_first_ + entries_.size()) {
    return true;
  }
  rows_first_ = record;
  const std::uint64_t count = std::min(kRun, index_->size() - record);
  Status status = index_->Entries(record, count, entries_);
  if (status.ok()) status = index_->Keys(record, count, keys_);
  if (status.ok()) return true;
  Find(std::move(status), path_);
  entries_.clear();
  index_.reset();
  return false;
}

Status ShardVerifier::CheckRecords(const std::stop_token& stop) {
  if (!file_) OpenShard();
  if (!file_->ok()) {
    // An absent file was found when its size was looked at.
    if (file_->status().code() != Code::kNotFound) Find(file_->status(), path_);
    return Status();
  }
  const RandomAccessFile& file = ***file_;
  const std::size_t before = findings_.size();
  DigestingFile digesting(file);
  SHARDINE_RETURN_IF_ERROR(ScanRecords(digesting, stop));
  if (comparison_) comparison_->Finish();
  const auto digest = digesting.Finish();
  if (!digest.ok()) {
    Find(digest.status(), path_);
  } else if (findings_.size() == before) {
    CheckDigest(file, *digest);
  }
  return Status();
}

Status ShardVerifier::ScanRecords(const RandomAccessFile& file,
                                  const std::stop_token& stop) {
  auto scanner = format_.OpenScanner(file);
  if (!scanner.ok()) {
    Find(std::move(scanner).status(), path_);
    return CheckByExtents(file, stop);
  }
  while (true) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    const auto scanned = (*scanner)->Next();
    if (!scanned.ok()) {
      Status finding = scanned.status();
      if (LoadRow(offsets_.size())) {
        // A scanner that lost its way knows the byte only. The record is the
        // next one, and the sidecar has its key.
        finding.Annotate({.record = offsets_.size(),
                          .key = keys_[offsets_.size() - rows_first_]});
      }
      Find(std::move(finding), path_);
      return CheckByExtents(file, stop);
    }
    if (!*scanned) break;
    CheckRecord(**scanned);
  }
  if (offsets_.size() != shard_.shard->samples) {
    Find(Status(Code::kCorrupt, "holds " + std::to_string(offsets_.size()) +
                                    " records; the manifest says " +
                                    std::to_string(shard_.shard->samples)),
         path_);
  }
  return Status();
}

void ShardVerifier::CheckRecord(const ScannedSample& scanned) {
  const std::uint64_t record = offsets_.size();
  offsets_.push_back(scanned.record_offset);
  ids_.push_back(scanned.id.value_or(record));
  std::uint64_t bytes = 0;
  for (const ScannedField& field : scanned.fields) bytes += field.bytes.size();
  if (LoadRow(record)) {
    const IndexEntry& entry = entries_[record - rows_first_];
    const std::string& key = keys_[record - rows_first_];
    // By the sidecar, not by the scan: findings name the differences there, and
    // the sums tell whether the sidecars are those of the manifest.
    sums_.content += entry.content_digest;
    sums_.names += NameDigest(entry.id, shard_.split->name, key);
    sums_.bindings +=
        BindingDigest(entry.id, shard_.split->name, key, entry.content_digest);
    sums_.ids.push_back(entry.id);
    sums_.counts.Add(entry);
    CheckContent(scanned, entry, key);
  }
  if (options_.on_record) options_.on_record(bytes);
}

void ShardVerifier::CheckContent(const ScannedSample& scanned,
                                 const IndexEntry& entry,
                                 const std::string& key) {
  const Where where{.path = path_,
                    .offset = scanned.record_offset,
                    .record = scanned.record,
                    .key = key};
  IndexEntry found = MakeIndexEntry(scanned, entry.id, entry.labels);
  // Indexes of version 1 have no CRCs of fields.
  for (std::size_t i = 0;
       i < std::min(found.fields.size(), entry.fields.size()); ++i) {
    if (!entry.fields[i].crc) found.fields[i].crc.reset();
  }
  if (found.payload_crc != entry.payload_crc ||
      found.content_digest != entry.content_digest) {
    findings_.push_back(
        Status(Code::kCorrupt, "content differs from what was packed")
            .At(where));
    return;
  }
  if (IsOlderProbe(entry.facts, found.facts)) found.facts = entry.facts;
  // The content is right, so the difference is in place or type: a reader that
  // goes by the index would get other bytes.
  if (found != entry) {
    findings_.push_back(
        Status(Code::kCorrupt, "lies elsewhere than its index says").At(where));
    return;
  }
  // Foreign ids need not be unique, so an index may have new numbers.
  Limits limits = format_.limits();
  if (dataset_.manifest().plan_digest == Digest128()) {
    limits.ids = limits.keys = false;
    // A chosen field is a label as it is, whatever the layout's own may be.
    if (!format_.roles.label.empty()) {
      limits.label_type = LabelType::kExact;
      limits.max_labels = kMostFieldLabels;
    }
    // A list may have labelled records without a label.
    if (scanned.labels.empty()) limits.max_labels = 0;
  }
  Status same = CompareWithRecord(scanned, limits, entry.id, entry.labels, key);
  if (!same.ok()) return Find(std::move(same), path_);
  const ScannedField* image = FindEncodedImage(scanned.fields);
  if (image == nullptr) return;
  CheckImage(image->bytes, found, where);
  if (comparison_) {
    comparison_->Add(image->bytes,
                     {.path = path_, .record = scanned.record, .key = key});
  }
}

// A lie in the entry points has CRCs that fit and shows in pixels only, so they
// are computed again at this level, too: in a third of the time of a decode.
void ShardVerifier::CheckImage(ByteView image, const IndexEntry& entry,
                               const Where& where) {
  const bool deep = options_.level == VerifyLevel::kDeep;
  if (!deep && !entry_points_.in_use()) return;
  const CheckedImage checked = checker_.Check(image);
  const ImageVerdict& verdict = checked.verdict;
  Status points = entry_points_.CheckImage(*where.record, entry.payload_crc,
                                           checked.entry_points);
  if (!points.ok()) {
    findings_.push_back(std::move(points).At({.key = where.key}));
  }
  if (!deep || verdict.good()) return;
  if (options_.kept != nullptr &&
      options_.kept->Has(shard_.split->name, *where.key)) {
    ++kept_[verdict.reason];
    return;
  }
  findings_.push_back(BadImage(verdict).At(where));
}

// Once framing is lost the index still tells where the later payloads lie.
Status ShardVerifier::CheckByExtents(const RandomAccessFile& file,
                                     const std::stop_token& stop) {
  ByteBuffer payload;
  for (std::uint64_t r = offsets_.size(); LoadRow(r); ++r) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    const IndexEntry& entry = entries_[r - rows_first_];
    const std::string& key = keys_[r - rows_first_];
    Status status = ReadPayload(file, entry, payload);
    if (!status.ok()) {
      Find(std::move(status).At({.record = r, .key = key}), path_);
    }
    if (options_.on_record) options_.on_record(payload.size());
  }
  return Status();
}

void ShardVerifier::CheckDigest(const RandomAccessFile& file,
                                const Digest128& digest) {
  const ManifestFile& expected = shard_.shard->file;
  if (digest == expected.digest && file.size() == expected.bytes) return;
  if (index_ != nullptr) {
    const auto damage = LocateDamage(
        format_, file, *index_,
        {dataset_.manifest().classes, shard_.split->name}, expected.digest);
    if (damage) {
      const auto next =
          // The damage is in the record that begins before it, in its header or
          // padding.
          std::upper_bound(offsets_.begin(), offsets_.end(), *damage);
      Where where{.path = path_, .offset = *damage};
      if (next != offsets_.begin()) {
        const auto record =
            static_cast<std::uint64_t>(next - offsets_.begin()) - 1;
        where.record = record;
        if (LoadRow(record)) where.key = keys_[record - rows_first_];
      }
      findings_.push_back(
          Status(Code::kCorrupt, "framing differs from what was written")
              .At(where));
      return;
    }
  }
  Find(Status(Code::kCorrupt,
              "digest differs from the manifest's, though each record reads "
              "as it should"),
       path_);
}

void ShardVerifier::CheckCompanion() {
  for (const ManifestFile& file : shard_.shard->companions) {
    if (file.path != format_.CompanionName(shard_.shard->file.path)) continue;
    const std::string path = dataset_.PathOf(file);
    // After a scan that ended early there is nothing to compare all entries
    // with; the digest still tells.
    if (offsets_.size() == shard_.shard->samples) {
      Status status = format_.format->check_companion(storage_, {path_, path},
                                                      offsets_, ids_);
      if (!status.ok()) {
        // Absence and size were reported already.
        if (status.code() != Code::kNotFound) Find(std::move(status), path);
        continue;
      }
    }
    const auto found = DescribeFile(storage_, dataset_.directory(), file.path);
    if (!found.ok()) {
      // Absence was reported already.
      if (found.status().code() != Code::kNotFound) Find(found.status(), path);
    } else if (found->digest != file.digest) {
      Find(Status(Code::kCorrupt, "digest differs from the manifest's"), path);
    }
  }
}

}  // namespace shardine
