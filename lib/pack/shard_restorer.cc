#include "pack/shard_restorer.h"

#include <algorithm>

#include "base/status_macros.h"
#include "dataset/dataset_summary.h"
#include "pack/journal.h"
#include "shard/companion_folder.h"
#include "shard/shard_file.h"

namespace shardine {
namespace {

// The shard is last: with it in place nothing of it is lost.
std::vector<const ManifestFile*> FilesOf(const ManifestShard& shard) {
  std::vector<const ManifestFile*> files;
  for (const ManifestFile& companion : shard.companions) {
    files.push_back(&companion);
  }
  files.push_back(&shard.file);
  return files;
}

}  // namespace

ShardRestorer::ShardRestorer(const OutputFolder& output,
                             const DatasetPlan& planned,
                             const PlannedVariant& variant,
                             const VariantState& state)
    : folder_(output.Below(variant.folder)),
      staging_(output.storage(),
               JoinPath(output.WorkPath(kAgainFolder), variant.folder)),
      planned_(planned),
      lost_(state.lost.begin(), state.lost.end()),
      publisher_(staging_, planned.plan.source(), planned.format,
                 planned.entry_points, variant) {
  for (const ManifestSplit& split : state.complete->splits) {
    for (const ManifestShard& shard : split.shards) {
      shards_[shard.file.path] = &shard;
    }
  }
}

const ManifestShard* ShardRestorer::Find(const PlannedShard& shard) const {
  const auto found = shards_.find(ShardFileOf(planned_.format, shard.name));
  return found == shards_.end() ? nullptr : found->second;
}

bool ShardRestorer::Lacks(const PlannedShard& shard) const {
  const ManifestShard* const listed = Find(shard);
  return listed != nullptr &&
         std::ranges::any_of(FilesOf(*listed), [&](const ManifestFile* file) {
           return lost_.contains(file->path);
         });
}

Status ShardRestorer::Begin() const {
  SHARDINE_RETURN_IF_ERROR(
      staging_.storage().CreateDirectories(staging_.path()));
  SHARDINE_RETURN_IF_ERROR(Journal::RemoveTemporaries(staging_));
  for (const auto& [path, shard] : shards_) {
    for (const ManifestFile* file : FilesOf(*shard)) {
      SHARDINE_RETURN_IF_ERROR(staging_.Remove(staging_.PathOf(file->path)));
    }
  }
  return Status();
}

Status ShardRestorer::Place(const PlannedShard& shard) const {
  const std::vector<const ManifestFile*> files = FilesOf(*Find(shard));
  for (const ManifestFile* file : files) {
    if (!lost_.contains(file->path)) continue;
    const auto made =
        DescribeFile(staging_.storage(), staging_.path(), file->path);
    if (!made.ok() && made.status().code() != Code::kNotFound) {
      return made.status();
    }
    if (made.ok() && *made == *file) continue;
    return Status(Code::kChanged,
                  "is lost, and the sources give other bytes than it had when "
                  "the dataset was made")
        .At({.path = folder_.PathOf(file->path)});
  }
  // These go first: after a kill with all names given, no run looks for them.
  for (const ManifestFile* file : files) {
    if (lost_.contains(file->path)) continue;
    SHARDINE_RETURN_IF_ERROR(staging_.Remove(staging_.PathOf(file->path)));
  }
  for (const ManifestFile* file : files) {
    if (!lost_.contains(file->path)) continue;
    SHARDINE_RETURN_IF_ERROR(PlaceFile(*file));
  }
  return Status();
}

Status ShardRestorer::PlaceFile(const ManifestFile& file) const {
  Storage& storage = folder_.storage();
  const std::string from = staging_.PathOf(file.path);
  const std::string to = folder_.PathOf(file.path);
  SHARDINE_RETURN_IF_ERROR(storage.CreateDirectories(DirectoryOf(to)));
  const auto there = storage.Stat(to);
  // An empty file has no bytes to lose.
  if (there.ok() && there->kind == FileKind::kRegular && there->size == 0) {
    SHARDINE_RETURN_IF_ERROR(storage.Remove(to));
  }
  SHARDINE_RETURN_IF_ERROR(storage.RenameNew(from, to));
  return storage.SyncDirectory(DirectoryOf(to));
}

void ShardRestorer::End() const {
  Storage& storage = staging_.storage();
  for (const auto& [path, shard] : shards_) {
    const std::string own = DirectoryOf(path);
    if (own != ".") (void)storage.Remove(staging_.PathOf(own));
  }
  (void)storage.Remove(staging_.PathOf(kCompanionFolder));
  for (std::string path = staging_.path(); FileNameOf(path) != kWorkFolder;
       path = DirectoryOf(path)) {
    (void)storage.Remove(path);
  }
}

ShardRestorers::ShardRestorers(const OutputFolder& output,
                               const DatasetPlan& planned,
                               const OutputState& state)
    : planned_(planned) {
  for (std::size_t i = 0; i < planned.variants.size(); ++i) {
    const VariantState& variant = state.variants[i];
    if (variant.lost.empty() || variant.ours) continue;
    restorers_.emplace_back(output, planned, planned.variants[i], variant);
  }
}

Status ShardRestorers::Begin(std::vector<ShardWork>& work) const {
  const ShardPlan& plan = planned_.plan;
  for (const ShardRestorer& restorer : restorers_) {
    SHARDINE_RETURN_IF_ERROR(restorer.Begin());
    for (std::size_t i = 0; i < plan.shards().size(); ++i) {
      if (!restorer.Lacks(plan.shards()[i])) continue;
      auto entry = std::ranges::lower_bound(work, i, {}, &ShardWork::shard);
      if (entry == work.end() || entry->shard != i) {
        entry = work.insert(entry, {.shard = i, .publishers = {}});
      }
      entry->publishers.push_back(&restorer.publisher());
    }
  }
  return Status();
}

Status ShardRestorers::Place(const PlannedShard& shard) const {
  for (const ShardRestorer& restorer : restorers_) {
    if (!restorer.Lacks(shard)) continue;
    SHARDINE_RETURN_IF_ERROR(restorer.Place(shard));
  }
  return Status();
}

void ShardRestorers::End() const {
  for (const ShardRestorer& restorer : restorers_) restorer.End();
}

}  // namespace shardine
