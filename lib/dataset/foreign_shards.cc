#include "dataset/foreign_shards.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "cache/kept_scan.h"
#include "dataset/class_names.h"
#include "dataset/index_entry.h"
#include "dataset/label_texts.h"
#include "dataset/said_counts.h"
#include "dataset/scan_folder.h"
#include "dataset/shard_format.h"
#include "dataset/shard_scan.h"
#include "dataset/sidecar_beside.h"
#include "dataset/text_fields.h"
#include "dataset/undecoded_images.h"
#include "io/atomic_file.h"
#include "io/path_scheme.h"
#include "pipeline/parallel_for.h"
#include "shardine/escape.h"

namespace shardine {

namespace {

// Names in the storage of sidecars.
std::string SidecarOf(std::size_t shard) {
  return std::to_string(shard) + std::string(kSidecarSuffix);
}

// A shorter one is read in less time than a kept scan takes to find.
constexpr std::uint64_t kLeastKept = std::uint64_t{8} << 20;

// The ids are taken by value: they are needed in record order afterwards.
bool AllUnique(std::vector<std::uint64_t> ids) {
  std::ranges::sort(ids);
  return std::ranges::adjacent_find(ids) == ids.end();
}

}  // namespace

Result<std::unique_ptr<ForeignShards>> ForeignShards::Open(
    ReadableStorage& storage, const std::vector<std::string>& paths,
    const FormatRegistry& formats, const std::stop_token& stop,
    const DatasetOptions& options) {
  if (paths.empty()) return Status(Code::kInvalidArgument, "no shards");
  std::unique_ptr<ForeignShards> foreign(
      new ForeignShards(storage, paths.size()));
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    // All paths are there before threads begin, so that each writes to its own
    // element and none moves.
    files.push_back(formats.ShardFileAt(storage, path));
    foreign->shards_.push_back({files.back(), 0});
  }
  const FieldRoles& roles = options.roles;
  foreign->uses_beside_ =
      options.labels.empty() && roles.empty() && !roles.one_hot;
  static_cast<FieldRoles&>(foreign->roles_) = roles;
  SHARDINE_RETURN_IF_ERROR(foreign->ChooseLabels(formats, files, stop));
  std::vector<ShardScan> scanned(paths.size());
  // The environment of this thread names the folder.
  ScanFolder folder(options.cache);
  SHARDINE_RETURN_IF_ERROR(
      ParallelFor(paths.size(), ThreadCount(0), [&](std::size_t i) {
        return foreign->OpenShard(i, formats, files, stop, folder, scanned[i])
            .At({.path = foreign->shards_[i].path});
      }));
  foreign->Summarize(scanned, folder.why_not());
  return foreign;
}

Status ForeignShards::ChooseLabels(const FormatRegistry& formats,
                                   const std::vector<std::string>& paths,
                                   const std::stop_token& stop) {
  if (roles_.label.empty() || roles_.one_hot) return Status();
  std::vector<ShardLabels> found(paths.size());
  SHARDINE_RETURN_IF_ERROR(
      ParallelFor(paths.size(), ThreadCount(0), [&](std::size_t i) -> Status {
        SHARDINE_ASSIGN_OR_RETURN(const auto file, storage_.Open(paths[i]));
        SHARDINE_ASSIGN_OR_RETURN(
            const FormatAndLayout format,
            FormatOfShard(formats, storage_, *file, paths, roles_));
        return CollectLabelTexts(*file, format, false, stop, found[i])
            .At({.path = paths[i]});
      }));
  SHARDINE_ASSIGN_OR_RETURN(const LabelTexts texts,
                            JoinLabels(std::move(found)));
  return NumberLabels(texts, {}, roles_);
}

Status ForeignShards::OpenShard(std::size_t shard,
                                const FormatRegistry& formats,
                                const std::vector<std::string>& paths,
                                const std::stop_token& stop, ScanFolder& folder,
                                ShardScan& scanned) {
  if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
  const std::string& path = shards_[shard].path;
  // Before the file is opened: a later change has another stamp.
  FileInfo looked_at;
  if (SchemeOf(path).empty()) {
    SHARDINE_ASSIGN_OR_RETURN(looked_at, storage_.Stat(path));
  }
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage_.Open(path));
  SHARDINE_ASSIGN_OR_RETURN(
      const FormatAndLayout format,
      FormatOfShard(formats, storage_, *file, paths, roles_));
  scanned.format = format.format;
  if (!uses_beside_ || !FindIndex(shard, *file, format, scanned)) {
    // These tell of files beside the shard now, and are not kept with the scan.
    const std::vector<std::string> misfits =
        std::exchange(scanned.warnings, {});
    SHARDINE_RETURN_IF_ERROR(
        FindScan(shard, *file, format, looked_at, stop, folder, scanned));
    scanned.warnings.insert(scanned.warnings.end(), misfits.begin(),
                            misfits.end());
  }
  shards_[shard].samples = scanned.samples;
  return Status();
}

bool ForeignShards::FindIndex(std::size_t shard, const RandomAccessFile& file,
                              const FormatAndLayout& format,
                              ShardScan& scanned) {
  beside_[shard] = FindSidecarBeside(storage_, file, scanned);
  if (!beside_[shard].empty()) return true;
  // A small shard is scanned for its checksums. Of a server each record would
  // take a round trip of its own.
  return file.size() >= kLeastKept && SchemeOf(file.path()).empty() &&
         indexed_->Find(shard, file, format, scanned);
}

Status ForeignShards::FindScan(std::size_t shard, const RandomAccessFile& file,
                               const FormatAndLayout& format,
                               const FileInfo& looked_at,
                               const std::stop_token& stop, ScanFolder& folder,
                               ShardScan& scanned) {
  const std::string& path = shards_[shard].path;
  const auto scan = [&] {
    return ScanShard(shard, file, format, stop, scanned);
  };
  // The classes of texts depend on all shards together.
  std::string layout = format.Name();
  for (const auto& [name, label] : format.roles.classes) {
    layout.append(1, '\0').append(name).append("=" + std::to_string(label));
  }
  std::string stamp;
  if (looked_at.inode != 0 && file.size() >= kLeastKept) {
    stamp = ShardStamp(path, looked_at, layout);
  }
  CacheFolder* const kept = stamp.empty() ? nullptr : folder.Get();
  if (kept == nullptr) return scan();
  const auto use = [&](ByteView bytes) {
    ShardScan found;
    found.format = format.format;
    if (!DecodeScan(bytes, stamp, file.size(), *sidecars_, SidecarOf(shard),
                    found)) {
      return false;
    }
    scanned = std::move(found);
    return true;
  };
  const auto make = [&]() -> Result<std::string> {
    SHARDINE_RETURN_IF_ERROR(scan());
    const auto now = storage_.Stat(path);
    if (!now.ok() || ShardStamp(path, *now, layout) != stamp) {
      return std::string();
    }
    SHARDINE_ASSIGN_OR_RETURN(const std::string sidecar,
                              sidecars_->Get(SidecarOf(shard)));
    return EncodeScan(stamp, scanned, sidecar);
  };
  SHARDINE_ASSIGN_OR_RETURN(
      const ScanUse used,
      UseOrScan(*kept, ScanCacheName(Xxh3_128(AsBytes(stamp))), {use, make},
                stop));
  scanned.use = used;
  return Status();
}

Status ForeignShards::ScanShard(std::size_t shard, const RandomAccessFile& file,
                                const FormatAndLayout& format,
                                const std::stop_token& stop,
                                ShardScan& scanned) {
  SHARDINE_ASSIGN_OR_RETURN(const auto scanner, format.OpenScanner(file));
  ShardIndexWriter writer;
  while (true) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    SHARDINE_ASSIGN_OR_RETURN(const auto sample, scanner->Next());
    if (!sample) break;
    if (sample->id) scanned.ids.push_back(*sample->id);
    scanned.classes.Add(*sample);
    scanned.texts.Add(*sample);
    const IndexEntry entry =
        MakeIndexEntry(*sample, sample->id.value_or(0), sample->labels);
    scanned.Add(entry);
    writer.Add(entry, sample->key.value_or(""));
    // A compressed or sparse file of few bytes can have records without number,
    // each of which takes a row in memory.
    SHARDINE_RETURN_IF_ERROR(writer.CheckMemory(file.size()));
  }
  SHARDINE_ASSIGN_OR_RETURN(scanned.warnings, scanner->Warnings());
  SHARDINE_ASSIGN_OR_RETURN(AtomicFile sidecar,
                            AtomicFile::Create(*sidecars_, SidecarOf(shard)));
  IndexBinding binding;
  binding.shard_bytes = file.size();
  SHARDINE_RETURN_IF_ERROR(writer.WriteTo(sidecar, binding));
  // The storage is memory: there is nothing to sync.
  return sidecar.PublishUnsynced();
}

void ForeignShards::Summarize(const std::vector<ShardScan>& scanned,
                              const std::string& why_not) {
  std::vector<std::uint64_t> ids;
  for (const ShardScan& shard : scanned) {
    ids.insert(ids.end(), shard.ids.begin(), shard.ids.end());
    ids_are_positions_ = ids_are_positions_ || !shard.all_have_ids();
  }
  // Two records of one id, as shards of two separate runs have them, could not
  // be told apart by it.
  ids_are_positions_ = ids_are_positions_ || !AllUnique(ids);
  if (ids_are_positions_) {
    ids.clear();
    for (const ShardScan& shard : scanned) {
      ids.resize(ids.size() + shard.samples);
    }
    std::iota(ids.begin(), ids.end(), std::uint64_t{0});
  }
  Xxh3Stream digest;
  // As in shard/FORMAT.md, so that a loader's state is good for the same shards
  // with a manifest, too, where that has the same ids.
  for (const std::uint64_t id : ids) digest.UpdateLe(id);
  order_digest_ = digest.Digest();
  WarnOfScans(scanned, why_not);
  if (ids_are_positions_) WarnOfIds();
  ChooseClasses(scanned);
  Warn(scanned);
}

void ForeignShards::ChooseClasses(const std::vector<ShardScan>& scanned) {
  const auto has_sidecar = [](const std::string& path) {
    return !path.empty();
  };
  if (std::ranges::all_of(beside_, has_sidecar)) {
    std::vector<std::string> paths;
    for (const ForeignShard& shard : shards_) paths.push_back(shard.path);
    if (const auto manifest = FindManifestOf(storage_, paths)) {
      classes_ = manifest->classes;
      text_fields_ = manifest->text_fields;
      return;
    }
  }
  ClassNames names;
  for (const ShardScan& shard : scanned) names.Add(shard.classes);
  auto classes = names.Classes();
  // Shards that disagree get no names at all: a name that is right for half of
  // the records is worse than none.
  if (classes) {
    classes_ = *std::move(classes);
  } else {
    warnings_.push_back(
        "records name their classes differently, or only some do: there are "
        "no class names");
  }
}

void ForeignShards::WarnOfIds() {
  bool has_other_ids = false;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    has_other_ids = has_other_ids || indexed_->HasOtherIds(i);
  }
  warnings_.push_back(
      std::string(has_other_ids
                      ? "indexes number records otherwise than these do"
                      : "not all records have an id of their own") +
      "; samples are numbered in the order of the shards");
}

void ForeignShards::WarnOfScans(const std::vector<ShardScan>& scanned,
                                const std::string& why_not) {
  const auto found =
      std::ranges::count(scanned, ScanUse::kFound, &ShardScan::use);
  const std::size_t count = scanned.size() - static_cast<std::size_t>(found);
  if (count == 0) return;
  const auto kept = static_cast<std::size_t>(
      std::ranges::count(scanned, ScanUse::kKept, &ShardScan::use));
  std::string text = count == 1
                         ? "1 shard was scanned"
                         : std::to_string(count) + " shards were scanned";
  if (kept == count) {
    text += " and the scan is kept in the cache";
  } else if (!why_not.empty()) {
    text += " and the scan is not kept: " + why_not;
  }
  warnings_.push_back(text +
                      "; a dataset that is made by indexing opens at once");
}

void ForeignShards::Warn(const std::vector<ShardScan>& scanned) {
  const std::size_t count = shards_.size();
  ImageCensus images;
  std::vector<ManifestKind> undecoded;
  ScannedTexts texts;
  std::uint64_t samples = 0;
  for (const ShardScan& shard : scanned) {
    images.Add(shard.images);
    AddKinds(shard.undecoded, undecoded);
    texts.Add(shard.texts);
    samples += shard.samples;
  }
  std::ranges::move(images.Warnings(), std::back_inserter(warnings_));
  std::ranges::move(texts.names(), std::back_inserter(text_fields_));
  std::ranges::move(texts.Warnings(), std::back_inserter(warnings_));
  undecoded_ = CountOf(undecoded);
  if (undecoded_ > 0) {
    warnings_.push_back(UndecodedWarning(undecoded, samples));
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::string& warning : scanned[i].warnings) {
      warnings_.push_back(EscapeBytes(shards_[i].path) + ": " + warning);
    }
    if (scanned[i].nowhere.empty()) continue;
    warnings_.push_back(scanned[i].nowhere.Warning(shards_[i].path));
  }
  WarnOfCounts(scanned);
}

void ForeignShards::WarnOfCounts(const std::vector<ShardScan>& scanned) {
  std::map<const Format*, std::vector<CountedShard>> by_format;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    by_format[scanned[i].format].push_back(
        {shards_[i].path, shards_[i].samples});
  }
  for (const auto& [format, shards] : by_format) {
    std::ranges::move(SaidCountWarnings(storage_, *format, shards),
                      std::back_inserter(warnings_));
  }
}

Result<PooledShard> ForeignShards::Open(
    std::size_t shard, std::shared_ptr<PageCache> pages) const {
  PooledShard opened;
  SHARDINE_ASSIGN_OR_RETURN(
      opened.index,
      beside_[shard].empty()
          ? ShardIndex::Open(*sidecars_, SidecarOf(shard), std::move(pages))
          : ShardIndex::Open(storage_, beside_[shard], std::move(pages)));
  SHARDINE_ASSIGN_OR_RETURN(opened.file, storage_.Open(shards_[shard].path));
  SHARDINE_RETURN_IF_ERROR(
      CheckShardSize(*opened.file, opened.index->binding().shard_bytes));
  return opened;
}

std::shared_ptr<const ListedShards> ForeignShards::indexed() const {
  return indexed_->paths().empty() ? nullptr : indexed_;
}

}  // namespace shardine
