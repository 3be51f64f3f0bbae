#include "shardine/dataset_writer.h"

#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/content_counts.h"
#include "dataset/dataset_summary.h"
#include "dataset/manifest_json.h"
#include "dataset/metadata_files.h"
#include "dataset/rejects.h"
#include "dataset/unfinished.h"
#include "image/codec_versions.h"
#include "pack/duplicate_names.h"
#include "pack/journal.h"
#include "pack/provenance_of.h"
#include "pack/publish_manifests.h"
#include "pack/published_files.h"
#include "pack/replacement.h"
#include "pack/split_writer.h"
#include "pack/staging.h"
#include "pack/writer_folder.h"
#include "pack/writer_work.h"
#include "shard/shard_file.h"
#include "shardine/pack_words.h"
#include "shardine/version.h"
#include "source/shard_plan.h"

namespace shardine {
namespace {

// Each split has a shard open, with its file and the facts of its samples.
constexpr std::size_t kMaxSplits = 64;

std::string FingerprintOf(const DatasetWriterOptions& options,
                          const FormatAndLayout& format) {
  return "write " + std::string(Version()) + " " + format.Name() +
         DescribeEntryPoints(options.entry_points);
}

Digest128 DigestOf(const Provenance& made) {
  return Xxh3_128(AsBytes(ToString(made)));
}

class WholeWork final : public WriterWork {
 public:
  WholeWork(WriterPlan plan, const Job& job, bool from_parts)
      : WriterWork(std::move(plan), job),
        staged_{.folder = {storage(), StagingFolder(output().path())},
                .format = format(),
                .classes = classes(),
                .entry_points = options().entry_points,
                .shard_bytes = options().shard_bytes,
                .shard_samples = options().shard_samples,
                .fingerprint = FingerprintOf(options(), format()),
                .finisher = options().threads == 1 ? nullptr : &finisher_},
        made_(ProvenanceOf(options(), format())) {
    if (from_parts) expected_.emplace_back(kPartsFolder);
    if (options().on_bad == OnBad::kQuarantine) {
      expected_.emplace_back(kQuarantineFolder);
    }
  }
  WholeWork(const WholeWork&) = delete;
  WholeWork& operator=(const WholeWork&) = delete;

  ~WholeWork() override {
    try {
      RemoveWork();
    } catch (const std::exception&) {
      // The rest is unfinished work, which a later run recognizes.
    }
  }

  Status Begin();

 private:
  Status Write(std::string_view split, const CheckedSample& checked) override;
  Status Settle() override { return finisher_.Wait(); }
  std::uint64_t BytesToStage() const override;
  Status Stage() override;
  Result<PackResult> Publish() override;
  void Abandon() override { RemoveWork(); }

  Status EndShards();
  // Before the shards can go: one may still be read back.
  void EndSplits() {
    static_cast<void>(finisher_.Wait());
    splits_.clear();
  }
  Result<Manifest> Summarize();
  Result<bool> Takes(std::string_view split, const CheckedSample& checked);
  Status ListRejects(Manifest& manifest);
  PackResult ResultOf(const Manifest& manifest);
  void CleanUp(PackResult& result);
  void RemoveWork();

  std::vector<std::string> expected_;  // names that may be in the folder before
  StagedWork staged_;
  const Provenance made_;

  bool is_new_ = false;             // there was no such folder
  std::optional<Journal> journal_;  // held while at work
  ShardFinisher finisher_;
  std::map<std::string, SplitWriter, std::less<>> splits_;
  std::vector<StagedName> names_;
  std::vector<NamedShard> staged_shards_;  // as names_
  std::vector<FinishedShard> finished_;
  std::uint64_t image_bytes_ = 0;
  std::vector<Reject> rejects_;
  std::optional<PublishedFiles> files_;  // with the journal
  // Files that other programs look for, as far as they did not exist before.
  std::vector<std::string> metadata_;
};

Status WholeWork::Begin() {
  // Asked before the journal makes the folder: only a folder of our own goes
  // when the work is given up.
  is_new_ = storage().Stat(output().path()).status().code() == Code::kNotFound;
  SHARDINE_RETURN_IF_ERROR(ClearFinished(output()));
  const bool has_journal = storage().Stat(Journal::PathIn(output())).ok();
  SHARDINE_RETURN_IF_ERROR(CheckFolder(output(), has_journal, expected_));
  SHARDINE_ASSIGN_OR_RETURN(
      Journal journal,
      Journal::Begin(output(), JournalWork(made_, DigestOf(made_))));
  journal_.emplace(std::move(journal));
  SHARDINE_ASSIGN_OR_RETURN(
      PublishedFiles files,
      PublishedFiles::Of(output(), JournalWork(made_, DigestOf(made_))));
  files_.emplace(std::move(files));
  // Another writer may have ended between the look and the lock: the shards it
  // noted are a dataset's then.
  SHARDINE_RETURN_IF_ERROR(CheckFolder(output(), true, expected_));
  // The samples come from the caller and cannot be asked for again from the
  // middle, so the shards that an earlier run left are removed.
  if (journal_->resumed()) {
    SHARDINE_RETURN_IF_ERROR(files_->TakeBack(kRejectedName));
    SHARDINE_ASSIGN_OR_RETURN(const auto foreign,
                              RemoveStaged(output(), staged_.format));
    if (!foreign.empty()) {
      return Status(Code::kAlreadyExists,
                    "is not the file to which an interrupted run gave this "
                    "name, and stays; move it away, or write into another "
                    "folder")
          .At({.path = foreign.front()});
    }
  }
  SHARDINE_RETURN_IF_ERROR(CheckFolder(output(), false, expected_));
  SHARDINE_RETURN_IF_ERROR(storage().CreateDirectories(staged_.folder.path()));
  return BeginThreads();
}

// Notes a bad sample, and says whether the sample is written.
Result<bool> WholeWork::Takes(std::string_view split,
                              const CheckedSample& checked) {
  if (checked.reason.empty()) return true;
  const OnBad on_bad = options().on_bad;
  rejects_.push_back({.split = std::string(split),
                      .key = std::string(checked.view.key),
                      .reason = checked.reason,
                      .action = WordOf(on_bad),
                      .detail = checked.detail});
  if (on_bad == OnBad::kQuarantine) {
    SHARDINE_RETURN_IF_ERROR(Quarantine(output(), rejects_.back().split,
                                        rejects_.back().key,
                                        checked.view.image()));
  }
  return on_bad == OnBad::kKeep;
}

Status WholeWork::Write(std::string_view split_name,
                        const CheckedSample& checked) {
  SHARDINE_ASSIGN_OR_RETURN(const bool takes, Takes(split_name, checked));
  if (!takes) return Status();
  auto split = splits_.find(split_name);
  if (split == splits_.end()) {
    if (splits_.size() == kMaxSplits) {
      return Status(Code::kInvalidArgument,
                    "more than " + std::to_string(kMaxSplits) + " splits");
    }
    const std::string name(split_name);
    split = splits_.emplace(name, SplitWriter(staged_, name)).first;
  }
  return split->second.Append(checked, job().stop);
}

std::uint64_t WholeWork::BytesToStage() const {
  std::uint64_t bytes = 0;
  for (const auto& [name, split] : splits_) bytes += split.BytesToEndShard();
  return bytes;
}

Status WholeWork::Stage() {
  SHARDINE_RETURN_IF_ERROR(EndShards());
  if (names_.empty()) {
    return Status(Code::kInvalidArgument, "no samples were appended")
        .At({.path = options().output});
  }
  // Names are compared before a file moves, so that a duplicate leaves no shard
  // under a final name.
  SHARDINE_RETURN_IF_ERROR(CheckKeysUnique(storage(), staged_shards_));
  // Ids that were counted are unique by themselves.
  if (!check().ids_given()) return Status();
  return CheckIdsUnique(storage(), staged_shards_);
}

Result<PackResult> WholeWork::Publish() {
  if (job().stop.stop_requested()) {
    return Status(Code::kCancelled, "interrupted");
  }
  SHARDINE_RETURN_IF_ERROR(MoveStaged(output(), format(), names_));
  SHARDINE_ASSIGN_OR_RETURN(Manifest manifest, Summarize());
  SHARDINE_RETURN_IF_ERROR(ListRejects(manifest));
  SHARDINE_ASSIGN_OR_RETURN(
      const std::vector<std::string> metadata,
      WriteMetadata(storage(), options().output, staged_.format, manifest));
  metadata_.insert(metadata_.end(), metadata.begin(), metadata.end());
  SHARDINE_ASSIGN_OR_RETURN(const std::string text,
                            ManifestText(options().output, manifest));
  SHARDINE_RETURN_IF_ERROR(files_->Write(kManifestName, text));
  PackResult result = ResultOf(manifest);
  CleanUp(result);
  return result;
}

Status WholeWork::EndShards() {
  for (auto& [name, split] : splits_) {
    SHARDINE_RETURN_IF_ERROR(split.EndShard(job().stop));
  }
  SHARDINE_RETURN_IF_ERROR(finisher_.Wait());
  for (const auto& [name, split] : splits_) {
    const std::size_t count = split.shards().size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string shard =
          ShardName(name, i, count, staged_.format.format->suffix);
      const StagedShard& staged = split.shards()[i];
      names_.push_back({staged.name, shard});
      staged_shards_.push_back(
          {name, staged_.folder.PathOf(staged.name), staged.samples});
      finished_.push_back(
          {.split = name,
           .path = ShardFileOf(staged_.format, shard),
           .companion = staged_.format.CompanionName(shard),
           .sidecar = SidecarName(shard),
           .entry_points = options().entry_points == EntryPoints::kAuto});
    }
  }
  return Status();
}

Result<Manifest> WholeWork::Summarize() {
  SHARDINE_ASSIGN_OR_RETURN(
      DatasetSummary summary,
      SummarizeShards(storage(), options().output, finished_,
                      !staged_.classes.empty()));
  image_bytes_ = summary.image_bytes;
  // The plan of the samples that came: their shards in order.
  Xxh3Stream plan;
  plan.Update(AsBytes(staged_.fingerprint));
  for (const auto& [name, split] : splits_) {
    for (const StagedShard& shard : split.shards()) {
      plan.UpdateLe(shard.digest.low);
      plan.UpdateLe(shard.digest.high);
    }
  }
  Manifest manifest = ManifestOf(std::move(summary), staged_.format.Name(),
                                 staged_.classes, made_);
  manifest.plan_digest = plan.Digest();
  manifest.text_fields = check().text_fields();
  manifest.codec_versions = CodecVersions();
  return manifest;
}

Status WholeWork::ListRejects(Manifest& manifest) {
  RecordJudgement({options().on_bad, options().check}, false, manifest.made);
  if (rejects_.empty()) return Status();
  manifest.rejected = CountRejects(rejects_);
  std::string lines;
  for (const Reject& reject : rejects_) lines += RejectLine(reject);
  return PublishRejects(*files_, output(), kRejectedName, lines, manifest);
}

PackResult WholeWork::ResultOf(const Manifest& manifest) {
  PackResult result;
  result.output = options().output;
  result.format = manifest.format;
  result.samples = manifest.samples();
  result.classes = manifest.classes.size();
  result.shards = names_.size();
  result.bytes = image_bytes_;
  result.entry_points = manifest.entry_points;
  result.content_digest = manifest.content_digest();
  result.contents = ContentsOf(manifest);
  for (const ManifestRejected& entry : manifest.rejected) {
    result.rejected.push_back({entry.reason, entry.action, entry.count});
  }
  result.warnings = Warnings();
  return result;
}

// The dataset is whole: a file that cannot be removed does no harm, and is a
// warning.
void WholeWork::CleanUp(PackResult& result) {
  EndSplits();
  const Status removed = Journal::RemoveFolder(output());
  if (!removed.ok()) {
    result.warnings.push_back("work files stay: " + removed.ToString());
  }
  journal_.reset();
}

// Best effort: the next writer removes the rest.
void WholeWork::RemoveWork() {
  EndThreads();
  EndSplits();
  if (!journal_) return;
  for (const std::string& path : metadata_) {
    (void)storage().Remove(output().PathOf(path));
  }
  // A manifest of these very bytes, whose last step failed, may stand over the
  // shards. It goes before them. A journal that could not be read keeps all.
  const bool bare = files_ ? files_->TakeBack(kManifestName).ok() &&
                                 files_->TakeBack(kRejectedName).ok()
                           : !journal_->resumed();
  // The journal stays where something could not be removed: without it no run
  // would take those files for its own and touch them.
  if (bare && RemoveStaged(output(), staged_.format).ok()) {
    (void)Journal::RemoveFolder(output());
  }
  journal_.reset();
  if (is_new_) (void)storage().Remove(output().path());
}

}  // namespace

Result<std::unique_ptr<WriterWork>> BeginWhole(WriterPlan plan, const Job& job,
                                               bool from_parts) {
  auto work = std::make_unique<WholeWork>(std::move(plan), job, from_parts);
  SHARDINE_RETURN_IF_ERROR(work->Begin());
  return std::unique_ptr<WriterWork>(std::move(work));
}

DatasetWriter::DatasetWriter(std::unique_ptr<Replacement> replacement,
                             std::unique_ptr<WriterWork> work)
    : replacement_(std::move(replacement)), work_(std::move(work)) {}
DatasetWriter::~DatasetWriter() = default;

Result<std::unique_ptr<DatasetWriter>> DatasetWriter::Create(
    DatasetWriterOptions options, const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(WriterPlan plan,
                            PlanWriter(std::move(options), job));
  const auto refusal = [&] {
    return CheckFolder(plan.output, true, {kPartsFolder});
  };
  SHARDINE_ASSIGN_OR_RETURN(
      Replacement replacement,
      Replacement::Begin(plan.output, plan.options.replace, refusal));
  SHARDINE_RETURN_IF_ERROR(replacement.ClearTarget());
  plan.output = replacement.target();
  plan.options.output = plan.output.path();
  auto work = plan.options.parts > 0 ? BeginPart(std::move(plan), job)
                                     : BeginWhole(std::move(plan), job, false);
  if (!work.ok()) return std::move(work).status();
  return std::unique_ptr<DatasetWriter>(new DatasetWriter(
      std::make_unique<Replacement>(std::move(replacement)), *std::move(work)));
}

Status DatasetWriter::Append(const NewSample& sample) {
  return work_->Append(sample);
}

bool DatasetWriter::WaitForRoom(std::uint64_t bytes,
                                std::chrono::nanoseconds time) {
  return work_->WaitForRoom(bytes, time);
}

Result<PackResult> DatasetWriter::Finish() {
  if (!made_) {
    SHARDINE_ASSIGN_OR_RETURN(made_, work_->Finish());
  }
  const StopScope scope(work_->stop());
  Result<PackResult> result = replacement_->Finish(*made_);
  published_ = result.ok();
  return result;
}

bool DatasetWriter::can_finish() const {
  return made_ ? !published_ : work_->can_finish();
}

}  // namespace shardine
