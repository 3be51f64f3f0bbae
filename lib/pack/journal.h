// The journal (OUT/.pack/journal): sizes and times of the sources of a pack in
// progress. It tells a later run of the same command that OUT is its own
// unfinished work, and that no source changed in between. Binary, written once
// and synced before the first shard, gone when the manifest is published.
#ifndef SHARDINE_PACK_JOURNAL_H_
#define SHARDINE_PACK_JOURNAL_H_

#include <string>
#include <utility>
#include <vector>

#include "dataset/shard_plan.h"
#include "io/folder_lock.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

// Held for the time of a pack: no second one works on the same output.
// Thread-compatible.
class Journal {
 public:
  // Locks OUT and begins a new journal for `plan` or takes up the one of an
  // interrupted run, whose leftover temporary files are removed. `folders`,
  // below OUT, are those that shards will be written to; they are there then.
  //
  // kAlreadyExists: another run holds the lock. kChanged: the journal is of
  // another plan, a source changed since it was written, or OUT holds shards
  // under the plan's names but no journal.
  static Result<Journal> Begin(Storage& storage, const std::string& output,
                               const ShardPlan& plan,
                               const std::vector<std::string>& folders = {""});

  // Removes what runs keep in OUT/.pack, and the folder if nothing else is in
  // it and nobody holds its lock; fine if it is absent.
  static Status RemoveFolder(Storage& storage, const std::string& output);

  // True if an interrupted run was taken up.
  bool resumed() const { return resumed_; }

 private:
  explicit Journal(FolderLock lock) : lock_(std::move(lock)) {}

  FolderLock lock_;
  bool resumed_ = false;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_JOURNAL_H_
