#include "pack/shard_publisher.h"

#include <utility>

#include "base/status_macros.h"
#include "dataset/index_entry.h"
#include "io/atomic_file.h"
#include "io/digesting_file.h"
#include "pack/own_shard.h"
#include "pack/shard_place.h"
#include "shard/shard_file.h"
#include "shard/shard_index.h"

namespace shardine {

// One pass over a written shard: compares each record with its sample and
// gathers the rows of the sidecar.
class ShardPublisher::ReadBack {
 public:
  ReadBack(const SourceList& samples, const FormatAndLayout& format)
      : list_(samples), format_(format) {}

  Status Run(const RandomAccessFile& file, const WrittenShard& written,
             const std::stop_token& stop) {
    DigestingFile digesting(file);
    SHARDINE_ASSIGN_OR_RETURN(auto scanner, format_.OpenScanner(digesting));
    for (const WrittenShard::Sample& sample : written.samples) {
      if (stop.stop_requested()) {
        return Status(Code::kCancelled, "interrupted");
      }
      SHARDINE_ASSIGN_OR_RETURN(const auto scanned, scanner->Next());
      // The scan goes by the appended samples, not by the file's own count: a
      // writer that lost its last record would agree with its own file.
      if (!scanned) return Status(Code::kCorrupt, "records are missing");
      SHARDINE_RETURN_IF_ERROR(AddRecord(*scanned, sample));
    }
    SHARDINE_ASSIGN_OR_RETURN(const auto beyond, scanner->Next());
    if (beyond) return Status(Code::kCorrupt, "more records than were written");
    binding_.shard_bytes = file.size();
    SHARDINE_ASSIGN_OR_RETURN(binding_.shard_digest, digesting.Finish());
    return Status();
  }

  const ShardIndexWriter& index() const { return index_; }
  IndexBinding binding() const { return binding_; }
  const std::vector<std::uint64_t>& offsets() const { return offsets_; }
  const std::vector<std::uint64_t>& ids() const { return ids_; }
  const std::vector<std::uint32_t>& payload_crcs() const {
    return payload_crcs_;
  }

 private:
  Status AddRecord(const ScannedSample& scanned,
                   const WrittenShard::Sample& sample) {
    const std::uint64_t id = list_.id(sample.source);
    const std::string_view key = list_.key(sample.source);
    list_.GetLabels(sample.source, labels_);
    const IndexEntry entry = MakeIndexEntry(scanned, id, labels_);
    // The digest was taken of the bytes in memory before they were written. All
    // that lies between is compared by it: the writer, the disk, the page cache
    // and the scanner.
    if (entry.content_digest != sample.digest) {
      return Status(Code::kCorrupt,
                    "reads back differently from what was "
                    "written; the disk or memory is at fault")
          .At({.offset = scanned.record_offset,
               .record = scanned.record,
               .key = std::string(key)});
    }
    SHARDINE_RETURN_IF_ERROR(
        CompareWithRecord(scanned, format_.limits(), id, labels_, key));
    index_.Add(entry, key);
    offsets_.push_back(scanned.record_offset);
    ids_.push_back(id);
    payload_crcs_.push_back(entry.payload_crc);
    return Status();
  }

  const SourceList& list_;
  const FormatAndLayout& format_;
  ShardIndexWriter index_;
  IndexBinding binding_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::uint32_t> payload_crcs_;
  std::vector<Label> labels_;
};

Result<WrittenShard> ShardPublisher::Begin(const PlannedShard& shard) const {
  WrittenShard written;
  written.shard = &shard;
  const std::string sidecar = SidecarName(folder_.PathOf(shard.name));
  SHARDINE_RETURN_IF_ERROR(storage_.CreateDirectories(DirectoryOf(sidecar)));
  ShardPaths paths = TemporaryPaths(shard.name);
  paths.split = source_.splits[shard.split];
  paths.classes = ClassFactsOf(source_.classes);
  SHARDINE_ASSIGN_OR_RETURN(
      written.writer, format_.format->create_writer(storage_, paths, format_));
  if (entry_points_ == EntryPoints::kAuto) {
    written.entry_points.emplace(storage_, EntryPointName(sidecar));
  }
  return written;
}

ShardPaths ShardPublisher::FinalPaths(const std::string& shard) const {
  const std::string companion = format_.CompanionName(shard);
  return {folder_.PathOf(ShardFileOf(format_, shard)),
          companion.empty() ? "" : folder_.PathOf(companion)};
}

ShardPaths ShardPublisher::TemporaryPaths(const std::string& shard) const {
  const ShardPaths paths = FinalPaths(shard);
  // In the dataset's folder even where the shard is to lie in one of its own:
  // files of a killed run are looked for there.
  return {TemporaryName(folder_.PathOf(shard)),
          paths.companion.empty() ? "" : TemporaryName(paths.companion)};
}

Result<bool> ShardPublisher::IsFinished(
    const PlannedShard& shard, const std::optional<NotedFile>& noted) const {
  const ShardPaths paths = FinalPaths(shard.name);
  auto index =
      ShardIndex::Open(storage_, SidecarName(folder_.PathOf(shard.name)));
  if (!index.ok()) {
    // Absent or damaged: made again. The disk's own errors are not hidden.
    if (index.status().code() == Code::kIo) return std::move(index).status();
    return false;
  }
  const IndexBinding& binding = (*index)->binding();
  if (binding.plan_digest != variant_.ShardDigest(shard)) return false;
  if (!paths.companion.empty() && !storage_.Stat(paths.companion).ok()) {
    return false;
  }
  const auto info = storage_.Stat(paths.shard);
  if (!info.ok() || info->size != binding.shard_bytes) return false;
  // It got its name after it was synced and read back, so only another program
  // can have changed it, which would have changed the noted time.
  if (noted && *noted == NotedFile{info->size, info->mtime_ns}) return true;
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage_.Open(paths.shard));
  DigestingFile digesting(*file);
  SHARDINE_ASSIGN_OR_RETURN(const Digest128 digest, digesting.Finish());
  return digest == binding.shard_digest;
}

Result<NotedFile> ShardPublisher::FactsOf(const PlannedShard& shard) const {
  SHARDINE_ASSIGN_OR_RETURN(const FileInfo info,
                            storage_.Stat(FinalPaths(shard.name).shard));
  return NotedFile{info.size, info.mtime_ns};
}

Status ShardPublisher::CheckRemovable(const std::string& shard,
                                      std::span<const Digest128> parts) const {
  std::vector<Digest128> plan_digests;
  PlannedShard planned;
  for (const Digest128& part : parts) {
    planned.digest = part;
    plan_digests.push_back(variant_.ShardDigest(planned));
  }
  return CheckOwnShard(folder_, format_, shard, plan_digests);
}

Status ShardPublisher::Remove(const std::string& shard) const {
  const std::string path = folder_.PathOf(shard);
  const std::string sidecar = SidecarName(path);
  // Older versions put all of them beside the shard.
  const std::string beside = path + std::string(kSidecarSuffix);
  // Nothing was published without one.
  if (storage_.Stat(sidecar).status().code() == Code::kNotFound &&
      storage_.Stat(beside).status().code() == Code::kNotFound) {
    return Status();
  }
  // In the reverse order of publishing, each step on the disk before the next:
  // after a power cut no shard counts as finished that is half gone, and none
  // is there without the sidecar that shows whose it is.
  SHARDINE_RETURN_IF_ERROR(RemoveForGood(format_.CompanionPlaces(path)));
  SHARDINE_RETURN_IF_ERROR(RemoveShard(folder_, format_, shard));
  SHARDINE_RETURN_IF_ERROR(
      RemoveForGood({EntryPointName(sidecar), EntryPointName(beside)}));
  return RemoveForGood({sidecar, beside});
}

Status ShardPublisher::RemoveForGood(
    const std::vector<std::string>& files) const {
  for (const std::string& file : files) {
    SHARDINE_RETURN_IF_ERROR(folder_.Remove(file));
  }
  // Even where nothing was there any more: the run that removed it may have
  // been killed before this.
  for (const std::string& file : files) {
    const Status synced = storage_.SyncDirectory(DirectoryOf(file));
    if (synced.code() != Code::kNotFound) SHARDINE_RETURN_IF_ERROR(synced);
  }
  return Status();
}

Status ShardPublisher::Publish(WrittenShard written,
                               const std::stop_token& stop) const {
  if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
  SHARDINE_ASSIGN_OR_RETURN(const ShardSummary summary,
                            written.writer->Finish());
  // The file is closed before it is read, so that the whole file is read back.
  written.writer.reset();
  const std::string& name = written.shard->name;
  const std::string temporary = TemporaryPaths(name).shard;
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage_.Open(temporary));
  ReadBack read_back(source_.samples, format_);
  SHARDINE_RETURN_IF_ERROR(
      read_back.Run(*file, written, stop).At({.path = temporary}));
  if (file->size() != summary.bytes) {
    return Status(Code::kCorrupt, "size differs from what was written")
        .At({.path = temporary});
  }
  SHARDINE_RETURN_IF_ERROR(CheckCompanion(written, read_back));
  SHARDINE_RETURN_IF_ERROR(CheckFree(name));
  return Place(written, read_back);
}

// Renaming replaces a file of that name, and the names were checked when the
// run began, which may be hours ago.
Status ShardPublisher::CheckFree(const std::string& shard) const {
  if (twins_ == Twins::kAny) return Status();
  const ShardPaths paths = FinalPaths(shard);
  const std::string sidecar = SidecarName(folder_.PathOf(shard));
  for (const std::string& path :
       {paths.shard, paths.companion, sidecar, EntryPointName(sidecar)}) {
    if (path.empty()) continue;
    const Status there = storage_.Stat(path).status();
    if (there.code() == Code::kNotFound) continue;
    SHARDINE_RETURN_IF_ERROR(there);
    return Status(Code::kAlreadyExists,
                  "is in the way of a shard and appeared while it was made; "
                  "move it away and run the same command again")
        .At({.path = path});
  }
  return Status();
}

// The sidecar is first, and in place for good: it identifies the files that a
// kill or power cut leaves of the rest. The shard, or the companion that it
// has, is last, and makes it a finished one.
Status ShardPublisher::Place(WrittenShard& written,
                             const ReadBack& read_back) const {
  const std::string& name = written.shard->name;
  IndexBinding binding = read_back.binding();
  binding.plan_digest = variant_.ShardDigest(*written.shard);
  SHARDINE_ASSIGN_OR_RETURN(
      AtomicFile sidecar,
      AtomicFile::Create(storage_, SidecarName(folder_.PathOf(name))));
  SHARDINE_RETURN_IF_ERROR(read_back.index().WriteTo(sidecar, binding));
  SHARDINE_RETURN_IF_ERROR(sidecar.PublishNew());
  if (written.entry_points) {
    SHARDINE_RETURN_IF_ERROR(
        written.entry_points->PublishNew(binding, read_back.payload_crcs()));
  }
  SHARDINE_RETURN_IF_ERROR(
      PlaceShard(folder_, format_, TemporaryPaths(name).shard, name));
  SHARDINE_RETURN_IF_ERROR(storage_.SyncDirectory(folder_.path()));
  const std::string companion = FinalPaths(name).companion;
  if (companion.empty()) return Status();
  SHARDINE_RETURN_IF_ERROR(
      storage_.RenameNew(TemporaryName(companion), companion));
  return storage_.SyncDirectory(DirectoryOf(companion));
}

Status ShardPublisher::CheckCompanion(const WrittenShard& written,
                                      const ReadBack& read_back) const {
  const ShardPaths paths = TemporaryPaths(written.shard->name);
  if (paths.companion.empty()) return Status();
  return format_.format->check_companion(storage_, paths, read_back.offsets(),
                                         read_back.ids());
}

void ShardPublisher::RemoveTemporaries(const std::string& shard) const {
  // Best effort: the next run removes the rest.
  const ShardPaths paths = TemporaryPaths(shard);
  for (const std::string& path : {paths.shard, paths.companion}) {
    if (!path.empty()) (void)storage_.Remove(path);
  }
}

}  // namespace shardine
