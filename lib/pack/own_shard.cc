#include "pack/own_shard.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/status_macros.h"
#include "io/digesting_file.h"
#include "shard/companion_folder.h"
#include "shard/entry_point_file.h"
#include "shard/shard_file.h"
#include "shard/shard_index.h"

namespace shardine {
namespace {

Status Foreign(const std::string& path) {
  return Status(Code::kAlreadyExists,
                "is in the way of a shard, and nothing shows that this command "
                "made it; move away all files with the name of the shard, in " +
                    std::string(kCompanionFolder) +
                    " too, or pack into another folder")
      .At({.path = path});
}

// A disk that cannot be read now says nothing of whose a file is.
Status ForeignUnlessIo(const Status& status, const std::string& path) {
  return status.code() == Code::kIo ? status : Foreign(path);
}

class OwnShardCheck {
 public:
  OwnShardCheck(const OutputFolder& folder, const FormatAndLayout& format,
                const std::string& shard)
      : storage_(folder.storage()),
        format_(format),
        path_(folder.PathOf(shard)),
        file_(folder.PathOf(ShardFileOf(format, shard))) {}

  Status Run(std::span<const Digest128> plan_digests) {
    // Older versions put all of them beside the shard.
    const std::string sidecars[] = {SidecarName(path_),
                                    path_ + std::string(kSidecarSuffix)};
    for (const std::string& sidecar : sidecars) {
      SHARDINE_RETURN_IF_ERROR(CheckSidecar(sidecar, plan_digests));
    }
    SHARDINE_RETURN_IF_ERROR(FindCompanions());
    SHARDINE_RETURN_IF_ERROR(CheckShard());
    for (const std::string& companion : companions_) {
      SHARDINE_RETURN_IF_ERROR(CheckCompanion(companion));
    }
    for (const std::string& sidecar : sidecars) {
      SHARDINE_RETURN_IF_ERROR(CheckEntryPoints(EntryPointName(sidecar)));
    }
    return Status();
  }

 private:
  // Anything that has the name but a regular file is not ours.
  Result<bool> IsThere(const std::string& path) const {
    const auto info = storage_.Stat(path);
    if (info.status().code() == Code::kNotFound) return false;
    if (!info.ok()) return info.status();
    if (info->kind != FileKind::kRegular) return Foreign(path);
    return true;
  }

  Status FindCompanions() {
    for (const std::string& path : format_.CompanionPlaces(path_)) {
      SHARDINE_ASSIGN_OR_RETURN(const bool is_there, IsThere(path));
      if (is_there) companions_.push_back(path);
    }
    return Status();
  }

  Status CheckSidecar(const std::string& path,
                      std::span<const Digest128> plan_digests) {
    SHARDINE_ASSIGN_OR_RETURN(const bool is_there, IsThere(path));
    if (!is_there) return Status();
    auto index = ShardIndex::Open(storage_, path);
    if (!index.ok()) return ForeignUnlessIo(index.status(), path);
    if (std::ranges::find(plan_digests, (*index)->binding().plan_digest) ==
        plan_digests.end()) {
      return Foreign(path);
    }
    if (index_ == nullptr) index_ = *std::move(index);
    return Status();
  }

  Status CheckShard() {
    SHARDINE_ASSIGN_OR_RETURN(has_shard_, IsThere(file_));
    if (!has_shard_) return Status();
    if (index_ == nullptr) return Foreign(file_);
    SHARDINE_ASSIGN_OR_RETURN(const auto file, storage_.Open(file_));
    const IndexBinding& binding = index_->binding();
    if (file->size() != binding.shard_bytes) return Foreign(file_);
    DigestingFile digesting(*file);
    // In one pass with the digest, which decides first: of other bytes it does
    // not matter why they cannot be scanned.
    const Status scanned = companions_.empty() ? Status() : Scan(digesting);
    SHARDINE_ASSIGN_OR_RETURN(const Digest128 digest, digesting.Finish());
    if (digest != binding.shard_digest) return Foreign(file_);
    // The shard is as it was written, so that it is the sidecar that is
    // damaged.
    return scanned.code() == Code::kCorrupt ? Foreign(index_->path()) : scanned;
  }

  Status Scan(const RandomAccessFile& file) {
    SHARDINE_ASSIGN_OR_RETURN(auto scanner, format_.OpenScanner(file));
    IndexEntry entry;
    while (true) {
      SHARDINE_ASSIGN_OR_RETURN(const auto scanned, scanner->Next());
      if (!scanned || scanned->record >= index_->size()) return Status();
      SHARDINE_RETURN_IF_ERROR(index_->ReadEntry(scanned->record, entry));
      offsets_.push_back(scanned->record_offset);
      ids_.push_back(entry.id);
    }
  }

  Status CheckCompanion(const std::string& path) const {
    // No companion is published before its shard, or removed after it.
    if (!has_shard_) return Foreign(path);
    const Status status = format_.format->check_companion(
        storage_, {file_, path}, offsets_, ids_);
    return status.ok() ? status : ForeignUnlessIo(status, path);
  }

  Status CheckEntryPoints(const std::string& path) const {
    SHARDINE_ASSIGN_OR_RETURN(const bool is_there, IsThere(path));
    if (!is_there) return Status();
    if (index_ == nullptr) return Foreign(path);
    const auto points = EntryPointFile::Open(storage_, path);
    if (!points.ok()) return ForeignUnlessIo(points.status(), path);
    return CheckBelongs(**points, *index_).ok() ? Status() : Foreign(path);
  }

  Storage& storage_;
  const FormatAndLayout& format_;
  const std::string path_;  // of the shard, which may be a folder
  const std::string file_;
  std::unique_ptr<ShardIndex> index_;  // null: ownership is unknown
  bool has_shard_ = false;
  std::vector<std::string> companions_;
  // Offsets and ids of the shard's records, where it has companions.
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint64_t> ids_;
};

}  // namespace

Status CheckOwnShard(const OutputFolder& folder, const FormatAndLayout& format,
                     const std::string& shard,
                     std::span<const Digest128> plan_digests) {
  return OwnShardCheck(folder, format, shard).Run(plan_digests);
}

}  // namespace shardine
