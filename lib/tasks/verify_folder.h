// VerifyFolder: a plan of a verification, its dataset, and the notes of its
// tasks, as one process sees them.
#ifndef SHARDINE_TASKS_VERIFY_FOLDER_H_
#define SHARDINE_TASKS_VERIFY_FOLDER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/output_folder.h"
#include "io/readable_storage.h"
#include "shardine/job.h"
#include "shardine/status.h"
#include "tasks/plan_file.h"
#include "tasks/verify_note.h"
#include "tasks/verify_part.h"
#include "verify/dataset_family.h"
#include "verify/shard_outcome.h"

namespace shardine {

// Where facts of files come from: from each file for a few tasks, or for all
// tasks from one listing, since each single answer takes a while.
enum class FactsFrom { kFiles, kListing };

// Immutable once open, so thread-safe.
class VerifyFolder {
 public:
  // kChanged, naming the file: the dataset's manifests, or those of its files
  // that belong to no shard, or the list that it is compared by, changed since
  // the work was planned. kCorrupt: the plan has other shards than the dataset.
  // REQUIRES: the plan is for a verification.
  static Result<std::unique_ptr<VerifyFolder>> Open(
      std::unique_ptr<PlanFile> plan, FactsFrom from, const Job& job);

  const PlanFile& plan() const { return *plan_; }
  const VerifyPart& part() const { return plan_->head().verify; }
  const DatasetFamily& family() const { return *family_; }
  ReadableStorage& storage() const { return *storage_; }
  const OutputFolder& notes() const { return notes_; }

  // Where the shard of the plan is. REQUIRES: it has one of that number.
  struct Place {
    std::size_t member = 0;
    std::size_t shard = 0;  // in that dataset
  };
  Place PlaceOf(std::size_t shard) const;
  // The number of the first shard of a member.
  std::size_t FirstOf(std::size_t member) const { return first_[member]; }
  const ManifestShard& ShardAt(std::size_t shard) const;
  std::string ShardPath(std::size_t shard) const;

  // kChanged, naming the file: one of the shard's changed since the work was
  // planned.
  Status CheckFacts(std::size_t shard) const;

  // The outcome of a shard, by its note. kNotFound: there is none; kChanged: it
  // belongs to another plan, or as CheckFacts(); kCorrupt: it is damaged, or
  // impossible for this shard.
  Result<ShardOutcome> FindDone(std::size_t shard) const;

 private:
  VerifyFolder(std::unique_ptr<PlanFile> plan, OutputFolder notes)
      : plan_(std::move(plan)), notes_(std::move(notes)) {}
  Status CheckManifests() const;
  Status CheckTable();
  Status CheckOtherFiles() const;
  Status CheckFile(const std::string& path, const FileFacts& planned) const;

  std::unique_ptr<PlanFile> plan_;
  OutputFolder notes_;
  ReadableStorage* storage_ = nullptr;
  std::shared_ptr<ReadableStorage> listing_;  // null: the storage itself
  std::optional<DatasetFamily> family_;
  std::vector<std::size_t> first_;  // by member
};

// Facts of a file as it is now; FileFacts() for an absent one.
Result<FileFacts> FactsOf(ReadableStorage& storage, const std::string& path);

// The files of a shard, in the order of its rows.
std::vector<std::string> FilesOfShard(const DatasetReader& dataset,
                                      const ManifestShard& shard);

// XXH3-128 of the manifest's text; zero: there is none.
Result<Digest128> ManifestDigest(ReadableStorage& storage,
                                 const std::string& directory);

// A storage that has the names of a folder's files at hand; null: `storage`
// itself is quick, or cannot list them.
Result<std::shared_ptr<ReadableStorage>> ListingOf(
    ReadableStorage& storage, const std::string& directory);

}  // namespace shardine

#endif  // SHARDINE_TASKS_VERIFY_FOLDER_H_
