#include "tasks/take_output.h"

#include <algorithm>
#include <list>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/status_macros.h"
#include "dataset/journal_entry.h"
#include "io/atomic_file.h"
#include "pack/journal.h"
#include "pack/output_state.h"
#include "pack/shard_notes.h"
#include "pack/shard_publisher.h"
#include "tasks/task_waits.h"

namespace shardine {
namespace {

class OutputTransfer {
 public:
  OutputTransfer(const TaskFolder& folder, const OutputFolder& attempt,
                 const std::vector<std::size_t>& missing)
      : folder_(folder),
        output_(folder.output()),
        attempt_(attempt),
        missing_(missing),
        work_(folder.outline()) {
    for (const PlannedVariant& variant : folder.outline().variants) {
      publishers_.emplace_back(output_, folder.outline(), variant);
    }
  }

  Status Run(const std::stop_token& stop) {
    for (int pauses = 0;; ++pauses) {
      SHARDINE_ASSIGN_OR_RETURN(const auto entry, FindJournal());
      // Attempts that write it at once write the same.
      if (!entry) SHARDINE_RETURN_IF_ERROR(WriteJournal());
      SHARDINE_ASSIGN_OR_RETURN(const auto outdated, FindOutdated());
      const bool ours = !entry || entry->plan_digest == work_.plan_digest;
      if (ours && outdated.empty()) return Status();
      auto lock = output_.Lock();
      if (lock.ok()) return TakeOver(*std::move(lock));
      if (lock.status().code() != Code::kAlreadyExists ||
          pauses == kLockPauses) {
        return std::move(lock).status();
      }
      if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
      std::this_thread::sleep_for(kLockPause);
    }
  }

 private:
  // A shard that has to go, and the part of a plan that it was made by.
  struct Outdated {
    std::string name;
    std::vector<Digest128> parts;
  };

  // nullopt: there is none.
  Result<std::optional<JournalEntry>> FindJournal() const {
    const auto text = ReadJournalText(output_.storage(), output_.path());
    if (text.status().code() == Code::kNotFound) {
      return std::optional<JournalEntry>();
    }
    if (!text.ok()) return text.status();
    auto entry = ParseJournal(*text);
    if (entry && Journal::IsOf(*entry, work_)) return entry;
    return Status(Code::kChanged,
                  entry ? "other work is under way in this folder: " +
                              ToString(entry->made) +
                              "; plan again, or remove the folder"
                        : "is no journal of the tasks' work; plan again")
        .At({.path = Journal::PathIn(output_)});
  }

  Status WriteJournal() const {
    SHARDINE_RETURN_IF_ERROR(
        attempt_.storage().CreateDirectories(attempt_.WorkPath("")));
    return WriteFileAtomically(
        attempt_.storage(), Journal::PathIn(attempt_),
        AsBytes(JournalText(
            {work_.made, work_.plan_digest, work_.shard_counts, {}})));
  }

  // Finds the outdated ones among the shards to be made. A shard that another
  // attempt is making has the notes of this plan.
  Result<std::vector<Outdated>> FindOutdated() const {
    std::vector<Outdated> found;
    for (const std::size_t i : missing_) {
      const PlanShard& shard = folder_.plan().shards()[i];
      const std::string& name = shard.planned.name;
      SHARDINE_ASSIGN_OR_RETURN(const auto noted,
                                ReadShardNotes(output_, name));
      if (!noted ||
          (noted->part == shard.planned.digest && noted->facts == shard.facts &&
           HoldsUnder(noted->judged, noted->has_rejects, folder_.judged()))) {
        continue;
      }
      found.push_back({name, {noted->part, shard.planned.digest}});
    }
    return found;
  }

  // Shards that the plan no longer has.
  Result<std::vector<Outdated>> FindStrays() const {
    std::vector<Outdated> found;
    const std::string suffix(folder_.outline().format.format->suffix);
    SHARDINE_ASSIGN_OR_RETURN(const auto names, ListNotedShards(output_));
    for (const std::string& name : names) {
      const bool planned = std::ranges::any_of(
          folder_.plan().shards(),
          [&](const PlanShard& shard) { return shard.planned.name == name; });
      if (planned || (!IsShardName(name, suffix) && !IsShardName(name, ""))) {
        continue;
      }
      SHARDINE_ASSIGN_OR_RETURN(const auto noted,
                                ReadShardNotes(output_, name));
      if (noted) found.push_back({name, {noted->part}});
    }
    return found;
  }

  // All is looked at again, since another attempt may have had the lock.
  Status TakeOver(FolderLock lock) {
    SHARDINE_ASSIGN_OR_RETURN(const OutputState state, folder_.FindState());
    SHARDINE_ASSIGN_OR_RETURN(const auto entry, FindJournal());
    SHARDINE_ASSIGN_OR_RETURN(std::vector<Outdated> shards, FindOutdated());
    const bool ours = entry && entry->plan_digest == work_.plan_digest;
    if (!ours) {
      SHARDINE_ASSIGN_OR_RETURN(const auto strays, FindStrays());
      shards.insert(shards.end(), strays.begin(), strays.end());
    }
    SHARDINE_RETURN_IF_ERROR(RemoveAll(state, shards));
    if (!ours) SHARDINE_RETURN_IF_ERROR(WriteJournal());
    return lock.Release();
  }

  Status RemoveAll(const OutputState& state,
                   const std::vector<Outdated>& shards) {
    for (const bool remove : {false, true}) {
      for (const Outdated& shard : shards) {
        std::size_t variant = 0;
        for (const ShardPublisher& publisher : publishers_) {
          if (state.variants[variant++].complete) continue;
          SHARDINE_RETURN_IF_ERROR(
              remove ? publisher.Remove(shard.name)
                     : publisher.CheckRemovable(shard.name, shard.parts));
        }
        if (!remove) continue;
        SHARDINE_RETURN_IF_ERROR(RemoveShardNotes(output_, shard.name));
      }
    }
    return Status();
  }

  const TaskFolder& folder_;
  const OutputFolder& output_;
  const OutputFolder& attempt_;
  const std::vector<std::size_t>& missing_;
  const JournalWork work_;
  std::list<ShardPublisher> publishers_;
};

}  // namespace

Status TakeOutput(const TaskFolder& folder, const OutputFolder& attempt,
                  const std::vector<std::size_t>& missing,
                  const std::stop_token& stop) {
  return OutputTransfer(folder, attempt, missing).Run(stop);
}

}  // namespace shardine
