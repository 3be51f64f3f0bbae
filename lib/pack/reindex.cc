#include "shardine/reindex.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/dataset_folder.h"
#include "dataset/dataset_format.h"
#include "dataset/dataset_reader.h"
#include "dataset/dataset_summary.h"
#include "dataset/own_path.h"
#include "dataset/shard_entry_points.h"
#include "io/atomic_file.h"
#include "io/folder_lock.h"
#include "io/storage_for.h"
#include "io/temporary_name.h"
#include "pipeline/parallel_for.h"
#include "pipeline/shared_progress.h"
#include "shard/companion_folder.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

// The entry points of a shard after its turn.
struct ShardState {
  std::optional<ManifestFile> file;
  EntryPointCounts counts;
  bool written = false;
};

// The work on one dataset, without its variants.
class DatasetReindexer {
 public:
  DatasetReindexer(Storage& storage, const DatasetReader& dataset,
                   const FormatAndLayout& format, SharedProgress& progress)
      : storage_(storage),
        dataset_(dataset),
        format_(format),
        progress_(progress),
        manifest_(dataset.manifest()) {
    result_.path = dataset.directory();
    result_.samples = manifest_.samples();
    for (const auto& ref : dataset.shards()) {
      result_.shard_bytes += ref.shard->file.bytes;
      listed_.insert(ref.shard->file.path);
      for (const ManifestFile& file : ref.shard->companions) {
        listed_.insert(file.path);
      }
    }
    // A crafted manifest could list a shard, or the list of rejects, under the
    // name that entry points are to get. Nothing listed is ever replaced as
    // something else.
    for (const ManifestFile& file : manifest_.files) listed_.insert(file.path);
  }

  // REQUIRES: no other process works on the dataset.
  Result<ReindexedDataset> Run(const ReindexOptions& options,
                               const std::stop_token& stop) {
    SHARDINE_RETURN_IF_ERROR(RemoveTemporaries());
    SHARDINE_RETURN_IF_ERROR(options.entry_points == EntryPoints::kAuto
                                 ? Add(ThreadCount(options.threads), stop)
                                 : Remove());
    return result_;
  }

 private:
  Status Add(unsigned threads, const std::stop_token& stop) {
    const auto shards = dataset_.shards();
    std::vector<ShardState> states(shards.size());
    SHARDINE_RETURN_IF_ERROR(ParallelFor(
        shards.size(), threads,
        [&](std::size_t i) { return AddTo(shards[i], states[i], stop); }));
    for (const ShardState& state : states) {
      result_.files_written += state.written ? 1 : 0;
      result_.entry_points += state.counts;
      if (state.file) result_.entry_point_bytes += state.file->bytes;
    }
    return PublishManifest(states);
  }

  // The temporary files of a run that was killed: a reindex leaves no others.
  Status RemoveTemporaries() {
    const std::string& folder = dataset_.directory();
    SHARDINE_RETURN_IF_ERROR(
        CheckOwnFolder(storage_, folder, kCompanionFolder));
    SHARDINE_RETURN_IF_ERROR(RemoveTemporariesIn(folder));
    const Status removed =
        RemoveTemporariesIn(JoinPath(folder, kCompanionFolder));
    return removed.code() == Code::kNotFound ? Status() : removed;
  }

  Status RemoveTemporariesIn(const std::string& folder) {
    SHARDINE_ASSIGN_OR_RETURN(const auto entries, storage_.List(folder));
    for (const DirEntry& entry : entries) {
      const auto name = NameOfTemporary(entry.name);
      if (!name || entry.kind != FileKind::kRegular) continue;
      if (*name != kManifestName && !name->ends_with(kEntryPointSuffix)) {
        continue;
      }
      SHARDINE_RETURN_IF_ERROR(storage_.Remove(JoinPath(folder, entry.name)));
    }
    return Status();
  }

  // A file that is whole stays, whether the manifest lists it or an earlier run
  // did not come so far.
  Status AddTo(const DatasetReader::ShardRef& ref, ShardState& state,
               const std::stop_token& stop) {
    SHARDINE_ASSIGN_OR_RETURN(const auto index, dataset_.OpenIndex(ref));
    const std::string name = NameOf(*ref.shard);
    const std::string path = JoinPath(dataset_.directory(), name);
    SHARDINE_RETURN_IF_ERROR(CheckOwn(name, *ref.shard));
    SHARDINE_ASSIGN_OR_RETURN(bool there, IsWhole(path, *index));
    if (!there) {
      SHARDINE_RETURN_IF_ERROR(CheckReplaceable(path, *ref.shard));
      SHARDINE_RETURN_IF_ERROR(FindEntryPoints(
          storage_, format_, {dataset_, ref, *index}, path,
          [&](std::uint64_t bytes) { progress_.AddSample(bytes); }, stop));
      // Looked at again: a shard without JPEG images has no file, and one that
      // was just written is read back before the manifest lists it.
      SHARDINE_ASSIGN_OR_RETURN(there, IsWhole(path, *index));
      state.written = there;
    }
    if (!there) return Status();
    SHARDINE_ASSIGN_OR_RETURN(const auto points,
                              EntryPointFile::Open(storage_, path));
    state.counts = points->counts();
    SHARDINE_ASSIGN_OR_RETURN(
        state.file, DescribeFile(storage_, dataset_.directory(), name));
    return Status();
  }

  // Checks that only this shard's entry points are replaced or removed.
  Status CheckOwn(const std::string& name, const ManifestShard& shard) const {
    const ManifestFile* listed = DatasetReader::EntryPointsOf(shard);
    const bool is_own = listed != nullptr && listed->path == name;
    if (!is_own && listed_.contains(name)) {
      return Status(Code::kCorrupt,
                    "the manifest lists it, and as something else than the "
                    "entry points of " +
                        EscapeBytes(shard.file.path))
          .At({.path = JoinPath(dataset_.directory(), name)});
    }
    return CheckOwnFile(storage_, dataset_.directory(), name);
  }

  // A file that an earlier run of ours left under that name is whole.
  Status CheckReplaceable(const std::string& path,
                          const ManifestShard& shard) const {
    if (DatasetReader::EntryPointsOf(shard) != nullptr) return Status();
    const auto info = storage_.Stat(path);
    if (info.status().code() == Code::kNotFound) return Status();
    if (!info.ok()) return info.status();
    return Status(Code::kAlreadyExists,
                  "is in the way: neither listed in the manifest nor entry "
                  "points of this shard; move it away")
        .At({.path = path});
  }

  Result<bool> IsWhole(const std::string& path, const ShardIndex& index) const {
    const auto points = EntryPointFile::Open(storage_, path);
    Status status = points.status();
    if (status.ok()) status = CheckEntryPoints(**points, index);
    if (status.ok()) return true;
    // A damaged sidecar is not ours to mend.
    const bool replaced =
        status.code() == Code::kNotFound ||
        (status.code() == Code::kCorrupt && status.where().path == path);
    if (replaced) return false;
    return status;
  }

  Status Remove() {
    std::vector<std::string> removable;
    for (const DatasetReader::ShardRef& ref : dataset_.shards()) {
      const std::string name = NameOf(*ref.shard);
      const std::string path = JoinPath(dataset_.directory(), name);
      SHARDINE_RETURN_IF_ERROR(CheckOwn(name, *ref.shard));
      SHARDINE_ASSIGN_OR_RETURN(const bool remove, IsRemovable(ref, path));
      if (remove) removable.push_back(path);
    }
    SHARDINE_RETURN_IF_ERROR(
        PublishManifest(std::vector<ShardState>(dataset_.shards().size())));
    // The manifest that no longer lists them is published by now. The other way
    // round a power cut would leave a dataset that lacks files of its own.
    for (const std::string& path : removable) {
      SHARDINE_RETURN_IF_ERROR(storage_.Remove(path));
      ++result_.files_removed;
    }
    return Status();
  }

  // A file that is not listed may be foreign, unless it belongs to this shard.
  Result<bool> IsRemovable(const DatasetReader::ShardRef& ref,
                           const std::string& path) const {
    const auto info = storage_.Stat(path);
    if (info.status().code() == Code::kNotFound) return false;
    if (!info.ok()) return info.status();
    const ManifestFile* listed = DatasetReader::EntryPointsOf(*ref.shard);
    if (listed != nullptr && dataset_.PathOf(*listed) == path) return true;
    const auto points = EntryPointFile::Open(storage_, path);
    if (points.status().code() == Code::kIo) return points.status();
    const ManifestFile& shard = ref.shard->file;
    return points.ok() && (*points)->binding().shard_bytes == shard.bytes &&
           (*points)->binding().shard_digest == shard.digest;
  }

  // Lists the shards' entry points as they are now; writes no byte if the
  // manifest lists them already.
  Status PublishManifest(const std::vector<ShardState>& states) {
    auto state = states.begin();
    manifest_.entry_points = EntryPointCounts();
    for (ManifestSplit& split : manifest_.splits) {
      for (ManifestShard& shard : split.shards) {
        List(*state++, shard);
      }
    }
    if (manifest_ == dataset_.manifest()) return Status();
    return WriteManifest(storage_, dataset_.directory(), manifest_);
  }

  void List(const ShardState& state, ManifestShard& shard) {
    manifest_.entry_points += state.counts;
    const ManifestFile* listed = DatasetReader::EntryPointsOf(shard);
    if (listed != nullptr) {
      shard.companions.erase(shard.companions.begin() +
                             (listed - shard.companions.data()));
    }
    if (!state.file) return;
    const auto behind = std::ranges::upper_bound(
        shard.companions, state.file->path, {}, &ManifestFile::path);
    shard.companions.insert(behind, *state.file);
  }

  static std::string NameOf(const ManifestShard& shard) {
    return EntryPointName(DatasetReader::SidecarOf(shard)->path);
  }

  Storage& storage_;
  const DatasetReader& dataset_;
  const FormatAndLayout& format_;
  SharedProgress& progress_;
  Manifest manifest_;
  std::set<std::string> listed_;  // paths of all files of the manifest
  ReindexedDataset result_;
};

// The dataset and the variants below it, held against other runs.
class Family {
 public:
  Family(Storage& storage, std::string folder)
      : storage_(storage), folder_(std::move(folder)) {}

  // A variant that is gone is a warning.
  Status Open(std::vector<std::string>& warnings) {
    SHARDINE_RETURN_IF_ERROR(Add(folder_));
    const Manifest& root = readers_.front()->manifest();
    for (const ManifestChild& child : root.variants) {
      // A child's path comes from the manifest: a link on it could lead to a
      // dataset elsewhere, in which files would then be written and removed.
      SHARDINE_RETURN_IF_ERROR(CheckOwnFolder(storage_, folder_, child.path));
      Status status = Add(JoinPath(folder_, child.path));
      if (status.code() == Code::kNotFound) {
        warnings.push_back("the variant " + EscapeBytes(child.path) +
                           " is not there");
      } else {
        SHARDINE_RETURN_IF_ERROR(std::move(status));
      }
    }
    return Status();
  }

  // Whatever became of Open().
  Status Close() {
    Status first;
    for (FolderLock& lock : locks_) {
      Status status = lock.Release();
      if (first.ok()) first = std::move(status);
    }
    return first;
  }

  Storage& storage() const { return storage_; }
  const std::vector<std::unique_ptr<DatasetReader>>& readers() const {
    return readers_;
  }

 private:
  Status Add(const std::string& folder) {
    // Nothing is left in a folder without a dataset.
    SHARDINE_RETURN_IF_ERROR(DatasetReader::Open(storage_, folder).status());
    SHARDINE_ASSIGN_OR_RETURN(FolderLock lock,
                              FolderLock::Take(storage_, folder));
    locks_.push_back(std::move(lock));
    // The dataset is read again, now that the lock keeps it from changing.
    SHARDINE_ASSIGN_OR_RETURN(auto reader,
                              DatasetReader::Open(storage_, folder));
    for (const DatasetReader::ShardRef& ref : reader->shards()) {
      if (DatasetReader::SidecarOf(*ref.shard) != nullptr) continue;
      SHARDINE_RETURN_IF_ERROR(reader->OpenIndex(ref).status());
    }
    readers_.push_back(std::move(reader));
    return Status();
  }

  Storage& storage_;
  const std::string folder_;
  std::vector<FolderLock> locks_;
  std::vector<std::unique_ptr<DatasetReader>> readers_;
};

Status ReindexAll(const Family& family, const ReindexOptions& options,
                  const Job& job, ReindexResult& result) {
  SharedProgress shared(job.progress);
  for (const auto& reader : family.readers()) {
    shared.AddToTotal(reader->manifest().samples(),
                      reader->manifest().shard_bytes());
  }
  for (const auto& reader : family.readers()) {
    SHARDINE_ASSIGN_OR_RETURN(const FormatAndLayout format,
                              FormatOf(*reader, job.formats));
    SHARDINE_ASSIGN_OR_RETURN(
        ReindexedDataset one,
        DatasetReindexer(family.storage(), *reader, format, shared)
            .Run(options, job.stop));
    result.datasets.push_back(std::move(one));
  }
  return Status();
}

}  // namespace

Result<ReindexResult> Reindex(const ReindexOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(Storage* const storage,
                            OutputStorageFor(job, options.dataset));
  SHARDINE_ASSIGN_OR_RETURN(const std::string folder,
                            DatasetFolder(*storage, options.dataset));
  ReindexResult result;
  Family family(*storage, folder);
  Status status = family.Open(result.warnings);
  if (status.ok()) {
    status = ReindexAll(family, options, job, result);
  }
  const Status closed = family.Close();
  SHARDINE_RETURN_IF_ERROR(std::move(status));
  SHARDINE_RETURN_IF_ERROR(closed);
  return result;
}

}  // namespace shardine
