#include <algorithm>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "io/attempt_storage.h"
#include "io/storage_for.h"
#include "pipeline/parallel_for.h"
#include "shardine/describe.h"
#include "shardine/verify_tasks.h"
#include "shardine/version.h"
#include "tasks/plan_file.h"
#include "tasks/plan_paths.h"
#include "tasks/task_size.h"
#include "tasks/task_waits.h"
#include "tasks/verify_folder.h"
#include "tasks/verify_head.h"
#include "tasks/verify_reach.h"
#include "verify/dataset_family.h"
#include "verify/dataset_shards.h"
#include "verify/verify_tree.h"

namespace shardine {
namespace {

// One folder, or "train=DIR,val=DIR".
std::string AgainstForAll(const Job& job, const std::string& against) {
  if (against.empty()) return against;
  const auto named = NamedFolders(against);
  if (named.empty()) return PathForAll(job, against);
  std::string text;
  for (const SourceOptions::Folder& folder : named) {
    text += (text.empty() ? "" : ",") + folder.split + "=" +
            PathForAll(job, folder.path);
  }
  return text;
}

VerifyOptions OptionsForAll(const Job& job, const VerifyOptions& options) {
  VerifyOptions all = options;
  all.target = PathForAll(job, options.target);
  all.against = AgainstForAll(job, options.against);
  if (!options.list.empty()) all.list = PathForAll(job, options.list);
  if (!options.list_root.empty()) {
    all.list_root = PathForAll(job, options.list_root);
  }
  all.threads = 0;
  return all;
}

Provenance MadeBy(const VerifyOptions& options) {
  return {.command = "verify",
          .sources = {options.target},
          .options = RecordedOptions(options)};
}

// A shard as the plan has it, and where its files are.
struct FoundShard {
  PlanShard planned;
  std::vector<std::string> paths;
  std::vector<FileFacts> facts = {};
};

// The dataset to verify, as it is now.
class Survey {
 public:
  Survey(ReadableStorage& storage, const DatasetFamily& family, const Job& job)
      : storage_(storage), family_(family), job_(job) {}

  Status Run(VerifyPart& part) {
    SHARDINE_ASSIGN_OR_RETURN(listing_,
                              ListingOf(storage_, family_.root().directory()));
    for (std::size_t m = 0; m < family_.members().size(); ++m) {
      SHARDINE_RETURN_IF_ERROR(AddMember(m, part));
    }
    return ParallelFor(
        shards_.size(), WaitingThreads(storage_), [&](std::size_t i) {
          if (job_.stop.stop_requested()) {
            return Status(Code::kCancelled, "interrupted");
          }
          FoundShard& shard = shards_[i];
          for (const std::string& path : shard.paths) {
            SHARDINE_ASSIGN_OR_RETURN(FileFacts facts, FactsOf(files(), path));
            shard.facts.push_back(facts);
          }
          return Status();
        });
  }

  std::vector<FoundShard>& shards() { return shards_; }

 private:
  ReadableStorage& files() const {
    return listing_ == nullptr ? storage_ : *listing_;
  }

  Status AddMember(std::size_t number, VerifyPart& part) {
    const DatasetFamily::Member& member = family_.members()[number];
    PlannedMember planned{.path = member.path, .manifest = {}, .files = {}};
    SHARDINE_ASSIGN_OR_RETURN(
        planned.manifest,
        ManifestDigest(storage_,
                       JoinPath(family_.root().directory(), member.path)));
    if (member.reader != nullptr) {
      const DatasetReader& dataset = *member.reader;
      for (const ManifestFile& file : dataset.manifest().files) {
        SHARDINE_ASSIGN_OR_RETURN(const FileFacts facts,
                                  FactsOf(files(), dataset.PathOf(file)));
        planned.files.push_back(facts);
      }
      for (const DatasetReader::ShardRef& ref : dataset.shards()) {
        FoundShard& shard = shards_.emplace_back();
        shard.planned.planned.split = static_cast<std::uint32_t>(number);
        shard.planned.planned.count = ref.shard->samples;
        shard.planned.bytes = ref.shard->file.bytes;
        shard.paths = FilesOfShard(dataset, *ref.shard);
      }
    }
    part.members.push_back(std::move(planned));
    return Status();
  }

  ReadableStorage& storage_;
  const DatasetFamily& family_;
  const Job& job_;
  std::shared_ptr<ReadableStorage> listing_;
  std::vector<FoundShard> shards_;
};

// Only a plan of the same command may have the name that this one is to get.
Status CheckName(Storage& storage, const std::string& path,
                 const PlanHead& head, const Job& job) {
  const auto there = storage.Stat(path);
  if (there.status().code() == Code::kNotFound) return Status();
  if (!there.ok()) return there.status();
  const auto plan = PlanFile::Open(storage, path, job.formats);
  if (plan.ok() ? (*plan)->head().kind == head.kind &&
                      (*plan)->head().made == head.made &&
                      (*plan)->head().verify.notes == head.verify.notes
                : plan.status().code() == Code::kChanged) {
    return Status();
  }
  if (plan.status().code() == Code::kIo ||
      plan.status().code() == Code::kRemote) {
    return plan.status();
  }
  return Status(Code::kAlreadyExists,
                "is there and is no plan of this command; choose another name, "
                "or remove it")
      .At({.path = path});
}

Result<std::uint64_t> Write(Storage& storage, const std::string& path,
                            const PlanHead& head,
                            std::vector<FoundShard>& shards) {
  OwnAttempt own(storage, path);
  SHARDINE_ASSIGN_OR_RETURN(PlanFileWriter writer,
                            PlanFileWriter::Begin(own, path, head));
  for (FoundShard& shard : shards) {
    const std::string rows = EncodeFacts(shard.facts);
    shard.planned.facts = Xxh3_128(AsBytes(rows));
    SHARDINE_RETURN_IF_ERROR(writer.Add(std::move(shard.planned), rows));
  }
  SHARDINE_RETURN_IF_ERROR(writer.Finish());
  return writer.bytes();
}

// Without the dataset to verify.
PlanHead HeadOf(const VerifyPlanOptions& options, const Job& job) {
  PlanHead head;
  head.tool_version = Version();
  head.kind = TaskKind::kVerify;
  head.verify.options = OptionsForAll(job, options.verify);
  head.verify.notes = PathForAll(
      job, options.notes.empty() ? options.plan + ".notes" : options.notes);
  head.made = MadeBy(head.verify.options);
  return head;
}

Result<DatasetFamily> OpenFamily(ReadableStorage& storage,
                                 const VerifyOptions& options, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string file,
                            FindShardFile(storage, job.formats, options));
  if (file.empty()) return DatasetFamily::Open(storage, options);
  return Status(Code::kInvalidArgument,
                "is one shard file, which is no work for several: shardine "
                "verify checks it")
      .At({.path = options.target});
}

// Rejects plans that would fail every task, or put files into the dataset.
Status CheckPlan(const VerifyPlanOptions& options, const PlanHead& head,
                 ReadableStorage& storage, const DatasetFamily& family,
                 const Job& job) {
  const std::string& dataset = family.root().directory();
  SHARDINE_RETURN_IF_ERROR(CheckPlace(PathForAll(job, options.plan), dataset,
                                      "the plan", "the dataset"));
  SHARDINE_RETURN_IF_ERROR(
      CheckPlace(head.verify.notes, dataset, "the notes", "the dataset"));
  SHARDINE_RETURN_IF_ERROR(CheckTree(head.verify.options, job));
  return DatasetShards::Open(storage, family.root(), job.formats,
                             head.verify.options)
      .status();
}

TaskPlan PlanOf(const VerifyPlanOptions& options, const PlanHead& head,
                const std::vector<FoundShard>& shards) {
  const std::uint64_t each = head.shards_per_task;
  TaskPlan plan{.plan = options.plan,
                .tasks = (shards.size() + each - 1) / each,
                .shards = shards.size(),
                .shards_per_task = each};
  for (const FoundShard& shard : shards) {
    plan.samples += shard.planned.planned.count;
    plan.bytes += shard.planned.bytes;
  }
  return plan;
}

}  // namespace

Result<TaskPlan> PlanVerifyTasks(const VerifyPlanOptions& options,
                                 const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_RETURN_IF_ERROR(CheckVerifyOptions(options.verify));
  PlanHead head = HeadOf(options, job);
  VerifyPart& part = head.verify;
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                            StorageFor(job, part.options.target));
  SHARDINE_ASSIGN_OR_RETURN(const DatasetFamily family,
                            OpenFamily(*storage, part.options, job));
  SHARDINE_RETURN_IF_ERROR(CheckPlan(options, head, *storage, family, job));
  Survey survey(*storage, family, job);
  SHARDINE_RETURN_IF_ERROR(survey.Run(part));
  if (!part.options.list.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const lists,
                              StorageFor(job, part.options.list));
    SHARDINE_ASSIGN_OR_RETURN(part.list, FactsOf(*lists, part.options.list));
  }
  std::uint64_t bytes = 0;
  for (const FoundShard& shard : survey.shards()) bytes += shard.planned.bytes;
  head.shards_per_task =
      ShardsPerTask(survey.shards().size(), bytes, options.task_bytes);
  SHARDINE_ASSIGN_OR_RETURN(Storage* const plans,
                            OutputStorageFor(job, options.plan));
  SHARDINE_RETURN_IF_ERROR(CheckName(*plans, options.plan, head, job));
  TaskPlan plan = PlanOf(options, head, survey.shards());
  SHARDINE_ASSIGN_OR_RETURN(plan.plan_bytes,
                            Write(*plans, options.plan, head, survey.shards()));
  return plan;
}

}  // namespace shardine
