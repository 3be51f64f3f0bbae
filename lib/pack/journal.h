// The journal (OUT/.pack/journal): which command is at work in OUT. It tells a
// later run of that command that OUT is its own unfinished work. Changes of the
// sources meanwhile are found by each shard's notes (pack/shard_notes.h).
// Written and synced before the first shard, and again where a later run of the
// command makes another number of shards; gone when the manifest is published.
#ifndef SHARDINE_PACK_JOURNAL_H_
#define SHARDINE_PACK_JOURNAL_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dataset/journal_entry.h"
#include "io/output_folder.h"
#include "pack/dataset_plan.h"
#include "shardine/status.h"

namespace shardine {

// Folder in OUT/.pack for lost shards made again (pack/shard_restorer.h).
inline constexpr char kAgainFolder[] = "again";

// The command at work in a folder. The making must outlive it.
struct JournalWork {
  const Provenance& made;
  Digest128 plan_digest;            // no other work has it
  std::vector<std::string> shards;  // names that it will give
  // Number of shards of each split; empty where it is not known yet.
  std::map<std::string, std::uint64_t> shard_counts;

  explicit JournalWork(const DatasetPlan& planned);
  JournalWork(const Provenance& provenance, const Digest128& digest)
      : made(provenance), plan_digest(digest) {}
};

// Held for the time of a pack: no second one works on the same output.
// Thread-compatible.
class Journal {
 public:
  // Locks OUT and begins a new journal for the plan or takes up the one of an
  // interrupted run, whose leftover temporary files are removed. It is taken up
  // if sources and options are as they were written there, whatever the sources
  // hold by now, or if the plan is the very same. `folders`, below OUT, are
  // those that shards will be written to; they are there then.
  //
  // kAlreadyExists: another run holds the lock, or a file that is no journal
  // has its name. kChanged: the journal is of another command, or OUT holds
  // shards under the plan's names but no journal.
  static Result<Journal> Begin(const OutputFolder& output,
                               const JournalWork& work,
                               const std::vector<std::string>& folders = {""});
  static Result<Journal> Begin(const OutputFolder& output,
                               const DatasetPlan& planned,
                               const std::vector<std::string>& folders = {""}) {
    return Begin(output, JournalWork(planned), folders);
  }

  // OUT/.pack/journal.
  static std::string PathIn(const OutputFolder& output);

  // Removes the files that runs keep in OUT/.pack, the journal last, and the
  // folder if nothing else is in it and nobody holds its lock; fine if it is
  // absent.
  static Status RemoveFolder(const OutputFolder& output);

  // Removes unfinished files of shards, manifest and companions from a folder
  // of OUT's. kUnsupported: a link has the place of the companions' folder.
  static Status RemoveTemporaries(const OutputFolder& folder);

  // Failures of Begin(), found without the lock: nothing is changed.
  static Status Check(const OutputFolder& output, const JournalWork& work,
                      const std::vector<std::string>& folders);

  // Whether the journal is of this command, or of this very plan. The same
  // command may have another plan by now, since its sources changed.
  static bool IsOf(const JournalEntry& entry, const JournalWork& work);

  // True if an interrupted run was taken up.
  bool resumed() const { return resumed_; }
  // When the lock does not keep other runs out, in words; mostly empty.
  std::string weakness() const { return lock_.weakness(); }

 private:
  explicit Journal(FolderLock lock) : lock_(std::move(lock)) {}

  FolderLock lock_;
  bool resumed_ = false;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_JOURNAL_H_
