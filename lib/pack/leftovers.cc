#include "pack/leftovers.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "pack/journal.h"
#include "pack/list_bad_images.h"
#include "pack/published_files.h"
#include "pack/shard_notes.h"

namespace shardine {
namespace {

class Leftovers {
 public:
  explicit Leftovers(const LeftoversOf& run) : run_(run) {}

  // Shards that were finished when there were more or fewer samples.
  Status FindStrays() {
    std::set<std::string> planned;
    for (const PlannedShard& shard : run_.planned.plan.shards()) {
      planned.insert(shard.name);
    }
    SHARDINE_ASSIGN_OR_RETURN(const auto names, ListNotedShards(run_.output));
    for (const std::string& name : names) {
      // Notes of anything else belong to another program.
      if (planned.contains(name) || !IsShardName(name)) continue;
      SHARDINE_ASSIGN_OR_RETURN(const auto noted,
                                ReadShardNotes(run_.output, name));
      if (!noted) continue;
      strays_.push_back(name);
      std::size_t variant = 0;
      for (const ShardPublisher& publisher : run_.publishers) {
        // Strays go before the first shard of a plan is written, so that a
        // variant which is complete has none.
        if (!run_.state.variants[variant].complete) {
          shards_.push_back({name, variant, &publisher, {noted->part}});
        }
        ++variant;
      }
    }
    return Status();
  }

  Status FindWork() {
    const std::vector<PlannedShard>& shards = run_.planned.plan.shards();
    for (std::size_t i = 0; i < shards.size(); ++i) {
      SHARDINE_RETURN_IF_ERROR(FindWork(i, shards[i]));
    }
    return Status();
  }

  Status Check(const std::stop_token& stop) const {
    for (const Leftover& shard : shards_) {
      if (stop.stop_requested()) {
        return Status(Code::kCancelled, "interrupted");
      }
      SHARDINE_RETURN_IF_ERROR(
          shard.publisher->CheckRemovable(shard.name, shard.parts));
    }
    return Status();
  }

  Status Remove() {
    for (const Leftover& shard : shards_) {
      VariantState& variant = run_.state.variants[shard.variant];
      variant.outdated = variant.outdated || variant.complete.has_value();
      variant.complete.reset();
    }
    // The manifests go first, and for good: from here on their folders hold
    // unfinished datasets, which the journal explains.
    SHARDINE_RETURN_IF_ERROR(TakeBackManifests());
    for (const Leftover& shard : shards_) {
      SHARDINE_RETURN_IF_ERROR(shard.publisher->Remove(shard.name));
    }
    for (const std::string& name : strays_) {
      SHARDINE_RETURN_IF_ERROR(RemoveShardNotes(run_.output, name));
    }
    return run_.output.Remove(BadImagesPath(run_.output));
  }

  std::vector<ShardWork> TakeWork() { return std::move(work_); }

 private:
  // One in one variant, and which parts of plans it may be.
  struct Leftover {
    std::string name;
    std::size_t variant = 0;  // into DatasetPlan::variants
    const ShardPublisher* publisher = nullptr;
    std::vector<Digest128> parts;
  };

  Status TakeBackManifests() const {
    SHARDINE_ASSIGN_OR_RETURN(
        const PublishedFiles published,
        PublishedFiles::Of(run_.output, JournalWork(run_.planned)));
    for (std::size_t i = 0; i < run_.state.variants.size(); ++i) {
      if (!run_.state.variants[i].outdated) continue;
      SHARDINE_RETURN_IF_ERROR(published.TakeBack(
          JoinPath(run_.planned.variants[i].folder, kManifestName)));
    }
    return Status();
  }

  bool IsShardName(const std::string& name) const {
    return shardine::IsShardName(name, run_.planned.format.format->suffix) ||
           shardine::IsShardName(name, "");
  }

  // Whether the notes are those that the shard would have now.
  bool IsAsNow(const NotedShard& noted, const PlannedShard& shard) const {
    return noted.facts == FactsDigest(run_.planned.plan, shard) &&
           HoldsUnder(noted.judged, noted.has_rejects, run_.judged);
  }

  Status FindWork(std::size_t number, const PlannedShard& shard) {
    std::optional<NotedShard> noted;
    if (run_.resumed) {
      SHARDINE_ASSIGN_OR_RETURN(noted, ReadShardNotes(run_.output, shard.name));
    }
    const bool as_now = noted && IsAsNow(*noted, shard);
    std::vector<Digest128> parts = {shard.digest};
    if (noted) parts.push_back(noted->part);
    ShardWork missing{.shard = number, .publishers = {}};
    std::size_t variant = 0;
    for (const ShardPublisher& publisher : run_.publishers) {
      const VariantState& state = run_.state.variants[variant];
      bool finished = state.complete && !state.ours;
      // The notes of a complete variant may be gone with its work folder. They
      // only speak against it if they are there and differ.
      if (!finished && (as_now || (state.complete && !noted))) {
        SHARDINE_ASSIGN_OR_RETURN(
            finished, publisher.IsFinished(
                          shard, noted ? noted->FactsOf(publisher.variant())
                                       : std::optional<NotedFile>()));
      }
      if (!finished) {
        missing.publishers.push_back(&publisher);
        // Anything else would have been in the way of the new journal.
        if (state.complete || run_.resumed) {
          shards_.push_back({shard.name, variant, &publisher, parts});
        }
      }
      ++variant;
    }
    if (!missing.publishers.empty()) work_.push_back(std::move(missing));
    return Status();
  }

  const LeftoversOf& run_;
  std::vector<ShardWork> work_;
  std::vector<Leftover> shards_;     // that have to go, if they are there
  std::vector<std::string> strays_;  // whose notes go with them
};

}  // namespace

Result<std::vector<ShardWork>> ClearLeftovers(const LeftoversOf& run,
                                              const std::stop_token& stop) {
  Leftovers leftovers(run);
  if (run.resumed) SHARDINE_RETURN_IF_ERROR(leftovers.FindStrays());
  SHARDINE_RETURN_IF_ERROR(leftovers.FindWork());
  SHARDINE_RETURN_IF_ERROR(leftovers.Check(stop));
  SHARDINE_RETURN_IF_ERROR(leftovers.Remove());
  return leftovers.TakeWork();
}

}  // namespace shardine
