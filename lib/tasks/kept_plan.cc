#include "tasks/kept_plan.h"

#include <string>
#include <thread>
#include <utility>

#include "base/status_macros.h"
#include "dataset/journal_entry.h"
#include "io/atomic_file.h"
#include "io/path_scheme.h"
#include "pack/journal.h"
#include "pack/make_dataset.h"
#include "pack/output_state.h"
#include "pack/pack_plan.h"
#include "source/source_storage.h"
#include "tasks/plan_writing.h"
#include "tasks/task_waits.h"

namespace shardine {
namespace {

constexpr char kPlanPath[] = "/plan";

// A sample that a pack leaves out has a place in the epoch under way, and none
// in the epoch of the dataset.
Status CheckKept(const PackOptions& pack) {
  const auto refuse = [](const char* why) {
    return Status(Code::kInvalidArgument, why);
  };
  if (pack.on_bad != OnBad::kFail) {
    return refuse(
        "on_bad: a dataset that is made while it is loaded has all samples, "
        "so that \"fail\" alone is possible; pack first to leave bad images "
        "out");
  }
  if (!pack.variants.original) {
    return refuse(
        "variants: a dataset that is made while it is loaded has the original");
  }
  if (pack.recode.recode) {
    return refuse(
        "recode: a dataset that is made while it is loaded has the images as "
        "they are");
  }
  if (pack.replace) {
    return refuse(
        "replace: a dataset that is made while it is loaded replaces none");
  }
  if (!SchemeOf(pack.output).empty()) {
    return Status(Code::kUnsupported,
                  "a dataset that is made while it is loaded is on this "
                  "machine's file systems")
        .At({.path = pack.output});
  }
  return {};
}

}  // namespace

KeptPlan::KeptPlan(const PackOptions& pack, const Job& job, OutputFolder output,
                   std::shared_ptr<ReadableStorage> sources)
    : pack_(pack),
      job_{.formats = job.formats, .storage = job.storage},
      output_(std::move(output)),
      sources_(std::move(sources)) {}

Result<std::unique_ptr<KeptPlan>> KeptPlan::Make(const PackOptions& pack,
                                                 const Job& job) {
  SHARDINE_RETURN_IF_ERROR(CheckKept(pack));
  SHARDINE_ASSIGN_OR_RETURN(auto sources, OpenSources(job, pack.source));
  SHARDINE_ASSIGN_OR_RETURN(OutputFolder output,
                            OutputFolder::Of(job, pack.output));
  std::unique_ptr<KeptPlan> plan(
      new KeptPlan(pack, job, std::move(output), std::move(sources)));
  SHARDINE_ASSIGN_OR_RETURN(
      DatasetPlan planned,
      MakePackPlan(*plan->sources_, plan->output_, pack, job.formats, job.say));
  plan->planned_ = std::make_unique<const DatasetPlan>(std::move(planned));
  SHARDINE_ASSIGN_OR_RETURN(
      const OutputState state,
      OutputState::Of(plan->output_, *plan->planned_, JudgementOf(pack)));
  plan->is_complete_ = state.is_complete();
  if (state.has_all_manifests() && !plan->is_complete_) {
    return Status(Code::kChanged,
                  "the dataset here has lost files; pack makes them again")
        .At({.path = plan->output_.path()});
  }
  SHARDINE_RETURN_IF_ERROR(plan->Write());
  if (plan->is_complete_) return plan;
  SHARDINE_RETURN_IF_ERROR(plan->FindJournal().status());
  return plan;
}

Status KeptPlan::Write() {
  constexpr std::uint64_t kOneShard = 1;  // bytes of a task
  Job in_memory = job_;
  in_memory.storage = &memory_;
  return WritePlan({.path = kPlanPath,
                    .head = HeadOfPack(pack_, *planned_, kOneShard, job_),
                    .planned = *planned_,
                    .input = nullptr,
                    .output = output_,
                    .judged = JudgementOf(pack_)},
                   in_memory)
      .status();
}

Result<std::unique_ptr<PlanFile>> KeptPlan::OpenPlan() const {
  return PlanFile::Open(memory_, kPlanPath, job_.formats);
}

// False: there is none.
Result<bool> KeptPlan::FindJournal() const {
  const JournalWork work(*planned_);
  const auto text = ReadJournalText(output_.storage(), output_.path());
  if (text.status().code() == Code::kNotFound) return false;
  if (!text.ok()) return text.status();
  const auto entry = ParseJournal(*text);
  if (entry && entry->plan_digest == work.plan_digest) return true;
  return Status(Code::kChanged,
                "the dataset here was begun with other samples or options" +
                    (entry ? ": " + ToString(entry->made) : std::string()) +
                    "; an epoch goes on with the samples that it began with: "
                    "pack finishes the dataset of those that there are now")
      .At({.path = output_.path()});
}

// Processes that begin at once list the source one by one: only those that
// found the same may go on.
Status KeptPlan::Claim(const std::stop_token& stop) const {
  const JournalWork work(*planned_);
  for (int pauses = 0;; ++pauses) {
    SHARDINE_ASSIGN_OR_RETURN(bool is_claimed, FindJournal());
    if (is_claimed) return {};
    auto lock = output_.Lock();
    if (lock.ok()) {
      SHARDINE_ASSIGN_OR_RETURN(is_claimed, FindJournal());
      if (!is_claimed) {
        if (pack_.check_space) {
          SHARDINE_RETURN_IF_ERROR(CheckSpace(output_, planned_->plan.bytes()));
        }
        SHARDINE_RETURN_IF_ERROR(WriteFileAtomically(
            output_.storage(), Journal::PathIn(output_),
            AsBytes(JournalText(
                {work.made, work.plan_digest, work.shard_counts, {}}))));
      }
      return lock->Release();
    }
    if (lock.status().code() != Code::kAlreadyExists || pauses == kLockPauses) {
      return std::move(lock).status();
    }
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    std::this_thread::sleep_for(kLockPause);
  }
}

}  // namespace shardine
