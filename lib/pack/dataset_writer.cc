#include "shardine/dataset_writer.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/dataset_summary.h"
#include "dataset/metadata_files.h"
#include "dataset/unfinished.h"
#include "image/codec_versions.h"
#include "pack/journal.h"
#include "pack/making_of.h"
#include "pack/name_twins.h"
#include "pack/new_sample.h"
#include "pack/split_writer.h"
#include "pack/staging.h"
#include "pack/writer_folder.h"
#include "pack/writer_pipeline.h"
#include "pack/written_format.h"
#include "pipeline/processor_share.h"
#include "shard/shard_file.h"
#include "shardine/version.h"
#include "source/shard_plan.h"

namespace shardine {
namespace {

// Each split has a shard open, with its file and what is known of its samples.
constexpr std::size_t kMaxSplits = 64;

std::string FingerprintOf(const DatasetWriterOptions& options,
                          const FormatAndLayout& format) {
  return "write " + std::string(Version()) + " " + format.Name() +
         DescribeEntryPoints(options.entry_points);
}

Digest128 DigestOf(const Making& made) {
  return Xxh3_128(AsBytes(ToString(made)));
}

}  // namespace

class DatasetWriter::Work {
 public:
  Work(DatasetWriterOptions options, const Job& job, OutputFolder output,
       FormatAndLayout format, ClassMap classes)
      : options_(std::move(options)),
        job_(job),
        output_(std::move(output)),
        staged_{.folder = {output_.storage(), StagingFolder(output_.path())},
                .format = std::move(format),
                .classes = std::move(classes),
                .entry_points = options_.entry_points,
                .shard_bytes = options_.shard_bytes,
                .shard_samples = options_.shard_samples,
                .fingerprint = {}},
        made_(MakingOf(options_, staged_.format)),
        check_(staged_.format, job.formats, staged_.classes),
        content_(options_) {
    staged_.fingerprint = FingerprintOf(options_, staged_.format);
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  ~Work() {
    try {
      Abandon();
    } catch (const std::exception&) {
      // What is left is unfinished work, and says so.
    }
  }

  Status Begin();
  Status Append(const NewSample& sample);
  Result<PackResult> Finish();

 private:
  Status BeginThreads();
  Status AppendChecked(const NewSample& sample);
  Status Write(std::string_view split, const CheckedSample& checked);
  Result<PackResult> FinishAll();
  Status EndShards();
  Result<Manifest> Summarize();
  PackResult ResultOf(const Manifest& manifest);
  void CleanUp(PackResult& result);
  Status RemoveManifest();
  void Abandon();

  Storage& storage() const { return output_.storage(); }

  const DatasetWriterOptions options_;
  const Job job_;
  const OutputFolder output_;
  StagedWork staged_;
  const Making made_;
  NewSampleCheck check_;
  NewContentCheck content_;

  bool is_new_ = false;             // there was no such folder
  std::optional<Journal> journal_;  // held while at work
  std::map<std::string, SplitWriter, std::less<>> splits_;
  std::vector<StagedName> names_;
  std::vector<NamedShard> staged_shards_;  // as names_
  std::vector<FinishedShard> finished_;
  Progress done_;
  std::uint64_t image_bytes_ = 0;
  Status failure_;
  bool called_finish_ = false;
  bool manifest_begun_ = false;
  // What other programs look for, as far as it was not there before.
  std::vector<std::string> metadata_;
  std::uint64_t appended_ = 0;  // of which done_ counts those that are written
  // While it is there, what it writes to is its thread's.
  std::optional<WriterPipeline> pipeline_;
};

Status DatasetWriter::Work::Begin() {
  // Asked before the journal makes the folder: only a folder of our own goes
  // when the work is given up.
  is_new_ = storage().Stat(output_.path()).status().code() == Code::kNotFound;
  SHARDINE_RETURN_IF_ERROR(ClearFinished(output_));
  const bool has_journal = storage().Stat(Journal::PathIn(output_)).ok();
  SHARDINE_RETURN_IF_ERROR(CheckFolder(output_, has_journal));
  SHARDINE_ASSIGN_OR_RETURN(
      Journal journal,
      Journal::Begin(output_, JournalWork(made_, DigestOf(made_))));
  journal_.emplace(std::move(journal));
  // Another writer may have ended between the look and the lock: what it noted
  // is a dataset's then.
  SHARDINE_RETURN_IF_ERROR(CheckFolder(output_, true));
  // The samples come from the caller and cannot be asked for again from the
  // middle, so what an earlier run left is no use but to be removed.
  if (journal_->resumed()) {
    SHARDINE_ASSIGN_OR_RETURN(const auto foreign,
                              RemoveStaged(output_, staged_.format));
    if (!foreign.empty()) {
      return Status(Code::kAlreadyExists,
                    "is not the file to which an interrupted run gave this "
                    "name, and stays; move it away, or write into another "
                    "folder")
          .At({.path = foreign.front()});
    }
  }
  SHARDINE_RETURN_IF_ERROR(CheckFolder(output_, false));
  SHARDINE_RETURN_IF_ERROR(storage().CreateDirectories(staged_.folder.path()));
  return BeginThreads();
}

Status DatasetWriter::Work::BeginThreads() {
  const unsigned threads = ThreadCount(options_.threads);
  if (threads == 1) return Status();
  pipeline_.emplace(
      options_, [this](std::string_view split, const CheckedSample& checked) {
        return Write(split, checked);
      });
  return pipeline_->Start(threads);
}

Status DatasetWriter::Work::Append(const NewSample& sample) {
  SHARDINE_CHECK(!called_finish_);
  if (!failure_.ok()) return failure_;
  Status status = AppendChecked(sample);
  if (status.ok()) return status;
  status = std::move(status).At({.key = std::string(sample.key)});
  // One that was appended before this, and turns out to be bad, is the first.
  const Status before = pipeline_ ? pipeline_->Finish() : Status();
  failure_ = before.ok() ? status : before;
  Abandon();
  return failure_;
}

Status DatasetWriter::Work::AppendChecked(const NewSample& sample) {
  if (job_.stop.stop_requested()) {
    return Status(Code::kCancelled, "interrupted");
  }
  SHARDINE_ASSIGN_OR_RETURN(CheckedSample checked,
                            check_.Check(sample, appended_));
  ++appended_;
  if (pipeline_) return pipeline_->Append(checked, sample.split);
  SHARDINE_RETURN_IF_ERROR(content_.Check(checked));
  return Write(sample.split, checked);
}

Status DatasetWriter::Work::Write(std::string_view split_name,
                                  const CheckedSample& checked) {
  auto split = splits_.find(split_name);
  if (split == splits_.end()) {
    if (splits_.size() == kMaxSplits) {
      return Status(Code::kInvalidArgument,
                    "more than " + std::to_string(kMaxSplits) + " splits");
    }
    const std::string name(split_name);
    split = splits_.emplace(name, SplitWriter(staged_, name)).first;
  }
  SHARDINE_RETURN_IF_ERROR(split->second.Append(checked, job_.stop));
  ++done_.samples;
  done_.bytes += checked.bytes;
  if (job_.progress) job_.progress(done_);
  return Status();
}

Result<PackResult> DatasetWriter::Work::Finish() {
  SHARDINE_CHECK(!called_finish_);
  called_finish_ = true;
  if (!failure_.ok()) return failure_;
  auto result = FinishAll();
  failure_ = result.status();
  if (failure_.ok()) {
    CleanUp(*result);
  } else {
    Abandon();
  }
  return result;
}

Result<PackResult> DatasetWriter::Work::FinishAll() {
  if (pipeline_) SHARDINE_RETURN_IF_ERROR(pipeline_->Finish());
  SHARDINE_RETURN_IF_ERROR(EndShards());
  if (names_.empty()) {
    return Status(Code::kInvalidArgument, "no samples were appended")
        .At({.path = options_.output});
  }
  // Names are compared before a file moves: what is wrong with them leaves no
  // shard under a final name.
  SHARDINE_RETURN_IF_ERROR(CheckKeysUnique(storage(), staged_shards_));
  // Ids that were counted are unique by themselves.
  if (check_.ids_given()) {
    SHARDINE_RETURN_IF_ERROR(CheckIdsUnique(storage(), staged_shards_));
  }
  if (job_.stop.stop_requested()) {
    return Status(Code::kCancelled, "interrupted");
  }
  SHARDINE_RETURN_IF_ERROR(MoveStaged(output_, staged_.format, names_));
  SHARDINE_ASSIGN_OR_RETURN(Manifest manifest, Summarize());
  SHARDINE_ASSIGN_OR_RETURN(metadata_, WriteMetadata(storage(), options_.output,
                                                     staged_.format, manifest));
  // Set before: a manifest whose last step failed, the sync of the folder, may
  // be there all the same.
  manifest_begun_ = true;
  SHARDINE_RETURN_IF_ERROR(WriteManifest(storage(), options_.output, manifest));
  return ResultOf(manifest);
}

Status DatasetWriter::Work::EndShards() {
  for (auto& [name, split] : splits_) {
    SHARDINE_RETURN_IF_ERROR(split.EndShard(job_.stop));
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
           .entry_points = options_.entry_points == EntryPoints::kAuto});
    }
  }
  return Status();
}

Result<Manifest> DatasetWriter::Work::Summarize() {
  SHARDINE_ASSIGN_OR_RETURN(
      DatasetSummary summary,
      SummarizeShards(storage(), options_.output, finished_,
                      !staged_.classes.empty()));
  image_bytes_ = summary.image_bytes;
  // The plan of what has come: its shards in order.
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
  manifest.codec_versions = CodecVersions();
  return manifest;
}

PackResult DatasetWriter::Work::ResultOf(const Manifest& manifest) {
  PackResult result;
  result.output = options_.output;
  result.format = manifest.format;
  result.samples = manifest.samples();
  result.classes = manifest.classes.size();
  result.shards = names_.size();
  result.bytes = image_bytes_;
  result.entry_points = manifest.entry_points;
  result.content_digest = manifest.content_digest();
  result.warnings = check_.limits().LossWarnings();
  return result;
}

// The dataset is whole: what cannot be removed harms nobody, and is said.
void DatasetWriter::Work::CleanUp(PackResult& result) {
  splits_.clear();
  const Status removed = Journal::RemoveFolder(output_);
  if (!removed.ok()) {
    result.warnings.push_back("work files stay: " + removed.ToString());
  }
  journal_.reset();
}

// A manifest whose last step failed may stand over the shards. It goes before
// them, and for good: no power cut leaves it without them.
Status DatasetWriter::Work::RemoveManifest() {
  if (!manifest_begun_) return {};
  SHARDINE_RETURN_IF_ERROR(output_.Remove(output_.PathOf(kManifestName)));
  return storage().SyncDirectory(output_.path());
}

// Best effort: what cannot be removed is the next writer's to remove.
void DatasetWriter::Work::Abandon() {
  pipeline_.reset();
  splits_.clear();
  if (!journal_) return;
  for (const std::string& path : metadata_) {
    (void)storage().Remove(output_.PathOf(path));
  }
  // The journal stays where something could not be removed: without it those
  // files would be nobody's, and no run would touch them.
  if (RemoveManifest().ok() && RemoveStaged(output_, staged_.format).ok()) {
    (void)Journal::RemoveFolder(output_);
  }
  journal_.reset();
  if (is_new_) (void)storage().Remove(output_.path());
}

DatasetWriter::DatasetWriter(std::unique_ptr<Work> work)
    : work_(std::move(work)) {}
DatasetWriter::~DatasetWriter() = default;

Result<std::unique_ptr<DatasetWriter>> DatasetWriter::Create(
    DatasetWriterOptions options, const Job& job) {
  if (options.output.empty() || options.shard_bytes == 0) {
    return Status(Code::kInvalidArgument,
                  "a folder and a shard size above 0 are needed");
  }
  SHARDINE_ASSIGN_OR_RETURN(FormatAndLayout format,
                            ParseFormat(job.formats, options.format));
  SHARDINE_RETURN_IF_ERROR(CheckWritten(format));
  SHARDINE_ASSIGN_OR_RETURN(ClassMap classes, ClassesOf(options.classes));
  SHARDINE_ASSIGN_OR_RETURN(OutputFolder output,
                            OutputFolder::Of(job, options.output));
  auto work = std::make_unique<Work>(std::move(options), job, std::move(output),
                                     std::move(format), std::move(classes));
  SHARDINE_RETURN_IF_ERROR(work->Begin());
  return std::unique_ptr<DatasetWriter>(new DatasetWriter(std::move(work)));
}

Status DatasetWriter::Append(const NewSample& sample) {
  return work_->Append(sample);
}

Result<PackResult> DatasetWriter::Finish() { return work_->Finish(); }

}  // namespace shardine
