#include "tasks/verify_folder.h"

#include <algorithm>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/dataset_folder.h"
#include "io/storage_for.h"
#include "source/source_snapshot.h"
#include "tasks/verify_head.h"

namespace shardine {
namespace {

Status Changed(const std::string& path) {
  return Status(Code::kChanged,
                "changed, came or went since the verification was planned; "
                "plan again")
      .At({.path = path});
}

}  // namespace

Result<FileFacts> FactsOf(ReadableStorage& storage, const std::string& path) {
  const auto info = storage.Stat(path);
  if (info.status().code() == Code::kNotFound) return FileFacts();
  if (!info.ok()) return info.status();
  return FileFacts{.size = info->size, .time_ns = info->mtime_ns};
}

std::vector<std::string> FilesOfShard(const DatasetReader& dataset,
                                      const ManifestShard& shard) {
  std::vector<std::string> paths = {dataset.PathOf(shard.file)};
  for (const ManifestFile& file : shard.companions) {
    paths.push_back(dataset.PathOf(file));
  }
  return paths;
}

Result<Digest128> ManifestDigest(ReadableStorage& storage,
                                 const std::string& directory) {
  const auto text = ReadManifestText(storage, directory);
  if (text.status().code() == Code::kNotFound) return Digest128();
  if (!text.ok()) return text.status();
  return Xxh3_128(AsBytes(*text));
}

Result<std::shared_ptr<ReadableStorage>> ListingOf(
    ReadableStorage& storage, const std::string& directory) {
  auto listing = SnapshotOf(storage, {{"train", directory}});
  if (listing.ok()) return std::shared_ptr(*std::move(listing));
  if (listing.status().code() != Code::kUnsupported) return listing.status();
  return std::shared_ptr<ReadableStorage>();
}

Result<std::unique_ptr<VerifyFolder>> VerifyFolder::Open(
    std::unique_ptr<PlanFile> plan, FactsFrom from, const Job& job) {
  const VerifyPart& part = plan->head().verify;
  SHARDINE_ASSIGN_OR_RETURN(OutputFolder notes,
                            OutputFolder::Of(job, part.notes));
  std::unique_ptr<VerifyFolder> folder(
      new VerifyFolder(std::move(plan), std::move(notes)));
  SHARDINE_ASSIGN_OR_RETURN(folder->storage_,
                            StorageFor(job, part.options.target));
  SHARDINE_RETURN_IF_ERROR(folder->CheckManifests());
  SHARDINE_ASSIGN_OR_RETURN(
      folder->family_, DatasetFamily::Open(*folder->storage_, part.options));
  SHARDINE_RETURN_IF_ERROR(folder->CheckTable());
  if (from == FactsFrom::kListing) {
    SHARDINE_ASSIGN_OR_RETURN(
        folder->listing_,
        ListingOf(*folder->storage_, folder->family().root().directory()));
  }
  SHARDINE_RETURN_IF_ERROR(folder->CheckOtherFiles());
  if (part.options.list.empty()) return folder;
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const lists,
                            StorageFor(job, part.options.list));
  SHARDINE_ASSIGN_OR_RETURN(const FileFacts list,
                            FactsOf(*lists, part.options.list));
  if (list != part.list) return Changed(part.options.list);
  return folder;
}

// Before anything is made of them: one that is damaged by now has changed.
Status VerifyFolder::CheckManifests() const {
  SHARDINE_ASSIGN_OR_RETURN(const std::string root,
                            DatasetFolder(*storage_, part().options.target));
  for (const PlannedMember& member : part().members) {
    const std::string directory = JoinPath(root, member.path);
    SHARDINE_ASSIGN_OR_RETURN(const Digest128 digest,
                              ManifestDigest(*storage_, directory));
    if (digest != member.manifest) {
      return Changed(JoinPath(directory, kManifestName));
    }
  }
  return Status();
}

// The manifests are those that the plan was made of, so a different table comes
// from another plan.
Status VerifyFolder::CheckTable() {
  const auto& members = family_->members();
  const std::vector<PlanShard>& shards = plan_->shards();
  const Status wrong = Status(Code::kCorrupt,
                              "the plan has other shards than the dataset, "
                              "whose manifest it knows; plan again")
                           .At({.path = plan_->path()});
  if (members.size() != part().members.size()) return wrong;
  std::size_t next = 0;
  for (std::size_t m = 0; m < members.size(); ++m) {
    first_.push_back(next);
    if (members[m].path != part().members[m].path) return wrong;
    if (members[m].reader == nullptr) continue;
    const Manifest& manifest = members[m].reader->manifest();
    if (part().members[m].files.size() != manifest.files.size()) return wrong;
    for (const DatasetReader::ShardRef& ref : members[m].reader->shards()) {
      if (next == shards.size() || shards[next].planned.split != m ||
          shards[next].planned.count != ref.shard->samples) {
        return wrong;
      }
      ++next;
    }
  }
  return next == shards.size() ? Status() : wrong;
}

Status VerifyFolder::CheckOtherFiles() const {
  const auto& members = family_->members();
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (members[m].reader == nullptr) continue;
    const DatasetReader& dataset = *members[m].reader;
    for (std::size_t i = 0; i < dataset.manifest().files.size(); ++i) {
      SHARDINE_RETURN_IF_ERROR(
          CheckFile(dataset.PathOf(dataset.manifest().files[i]),
                    part().members[m].files[i]));
    }
  }
  return Status();
}

Status VerifyFolder::CheckFile(const std::string& path,
                               const FileFacts& planned) const {
  ReadableStorage& storage = listing_ == nullptr ? *storage_ : *listing_;
  SHARDINE_ASSIGN_OR_RETURN(const FileFacts facts, FactsOf(storage, path));
  return facts == planned ? Status() : Changed(path);
}

VerifyFolder::Place VerifyFolder::PlaceOf(std::size_t shard) const {
  const std::size_t member = plan_->shards()[shard].planned.split;
  return {member, shard - first_[member]};
}

const ManifestShard& VerifyFolder::ShardAt(std::size_t shard) const {
  const Place place = PlaceOf(shard);
  const DatasetReader& dataset = *family_->members()[place.member].reader;
  return *dataset.shards()[place.shard].shard;
}

std::string VerifyFolder::ShardPath(std::size_t shard) const {
  const DatasetReader& dataset =
      *family_->members()[PlaceOf(shard).member].reader;
  return dataset.PathOf(ShardAt(shard).file);
}

Status VerifyFolder::CheckFacts(std::size_t shard) const {
  const PlanShard& planned = plan_->shards()[shard];
  SHARDINE_ASSIGN_OR_RETURN(const std::string rows, plan_->RowsOf(planned));
  const DatasetReader& dataset =
      *family_->members()[planned.planned.split].reader;
  const std::vector<std::string> paths = FilesOfShard(dataset, ShardAt(shard));
  std::vector<FileFacts> facts;
  if (!DecodeFacts(AsBytes(rows), facts) || facts.size() != paths.size() ||
      Xxh3_128(AsBytes(rows)) != planned.facts) {
    return Status(Code::kCorrupt,
                  "the plan says something else of the files of shard " +
                      std::to_string(shard) + " than of each")
        .At({.path = plan_->path(), .offset = planned.rows.offset});
  }
  for (std::size_t i = 0; i < paths.size(); ++i) {
    SHARDINE_RETURN_IF_ERROR(CheckFile(paths[i], facts[i]));
  }
  return Status();
}

Result<ShardOutcome> VerifyFolder::FindDone(std::size_t shard) const {
  const std::string path = VerifyNotePath(notes_, shard);
  SHARDINE_ASSIGN_OR_RETURN(const std::string text,
                            ReadFile(notes_.storage(), path, kMaxVerifyNote));
  auto note = ParseVerifyNote(text);
  if (!note) {
    return Status(Code::kCorrupt, "is no note of a shard, or is damaged")
        .At({.path = path});
  }
  if (note->plan != plan_->digest() || note->shard != shard ||
      note->facts != plan_->shards()[shard].facts) {
    return Status(Code::kChanged, "is the note of another plan")
        .At({.path = path});
  }
  if (!CanBe(note->outcome, ShardAt(shard), part().options.level)) {
    return Status(Code::kCorrupt, "says what cannot be so of the shard")
        .At({.path = path});
  }
  SHARDINE_RETURN_IF_ERROR(CheckFacts(shard));
  return std::move(note->outcome);
}

}  // namespace shardine
