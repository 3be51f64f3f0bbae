#include "shardine/audit.h"

#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/dataset_reader.h"
#include "dataset/image_copies.h"
#include "dataset/index_walk.h"
#include "dataset/server_cache.h"
#include "io/attempt_storage.h"
#include "io/storage_for.h"
#include "pipeline/processor_share.h"
#include "shardine/describe.h"
#include "shardine/source.h"
#include "source/file_images.h"
#include "source/list_file.h"
#include "source/near_copies.h"
#include "source/read_source.h"
#include "source/source_set.h"
#include "source/source_storage.h"
#include "verify/audit_findings.h"
#include "verify/audited_images.h"

namespace shardine {
namespace {

// Lists of samples, one of each split where there are several.
class CleanLists {
 public:
  Status Begin(const std::vector<std::string>& splits,
               const std::string& output, const Job& job) {
    for (const std::string& split : splits) {
      const std::string path =
          splits.size() == 1 ? output : SplitListPath(output, split);
      SHARDINE_ASSIGN_OR_RETURN(Storage* const storage,
                                OutputStorageFor(job, path));
      SHARDINE_ASSIGN_OR_RETURN(
          ListWriter writer,
          ListWriter::Create(own_.emplace_back(*storage, path), path));
      writers_.emplace(split, std::move(writer));
      paths_.push_back(path);
    }
    return Status();
  }

  Status Add(const std::string& split, std::uint64_t id,
             std::span<const Label> labels, std::string_view key) {
    return writers_.at(split).Add(id, labels, key);
  }

  // Returns their paths.
  Result<std::vector<std::string>> Publish() {
    for (auto& [split, writer] : writers_) {
      SHARDINE_RETURN_IF_ERROR(writer.Publish());
    }
    return std::move(paths_);
  }

 private:
  std::vector<std::string> paths_;
  std::list<OwnAttempt> own_;  // writers refer to them
  std::map<std::string, ListWriter> writers_;
};

// The subject of an audit: datasets, or the files of one source.
class Subject {
 public:
  static Result<Subject> Open(const AuditOptions& options, const Job& job) {
    Subject subject;
    Status failed = subject.OpenDatasets(options, job);
    if (failed.ok()) return subject;
    // Nothing of it may be a dataset, whose own failure says more.
    if (failed.code() != Code::kNotFound || !subject.readers_.empty() ||
        options.index_only) {
      return failed;
    }
    const Status loaded = subject.LoadFiles(options, job);
    if (loaded.ok()) return subject;
    return IsUnreadable(loaded) ? loaded : failed;
  }

  // Lists the samples at the positions `also`, too.
  Result<std::unique_ptr<ImageCopies>> Find(const AuditOptions& options,
                                            std::span<const std::uint64_t> also,
                                            UnreadImages& unread,
                                            const Job& job) const {
    auto copies = std::make_unique<ImageCopies>(Readers());
    SHARDINE_RETURN_IF_ERROR(
        files_ == nullptr
            ? copies->Find({.index_only = options.index_only, .also = also},
                           job)
            : copies->FindFiles(*storage_, *files_, also,
                                [&](std::uint32_t file, const Status& why) {
                                  unread.Add(file, why);
                                }));
    return copies;
  }

  Result<NearCopies> FindNear(const AuditOptions& options, UnreadImages& unread,
                              const Job& job) const {
    SHARDINE_ASSIGN_OR_RETURN(const auto images, OpenImages(job));
    NearSearch search{.threads = ThreadCount(options.threads)};
    if (options.near_distance > 0) {
      search.distance = static_cast<std::uint32_t>(options.near_distance);
    }
    if (options.near_begins) options.near_begins(WorkOf(*images, search));
    return FindNearCopies(*images, search, unread, job.progress);
  }

  Result<std::vector<OddPosition>> FindOdd(const AuditOptions& options,
                                           UnreadImages& unread,
                                           const Job& job) const {
    SHARDINE_ASSIGN_OR_RETURN(const auto images, OpenImages(job));
    return FindOddImages(*images, ThreadCount(options.threads), unread,
                         job.progress);
  }

  // Files that the tree has and that cannot be read are named first.
  void AddUnread(const UnreadImages& unread, AuditResult& result) const {
    result.unread = unread.count();
    result.unsupported = unread.unsupported();
    if (files_ != nullptr) {
      result.unread += files_->bad.size();
      for (const SourceProblem& bad : files_->bad) {
        if (result.problems.size() == UnreadImages::kMostNamed) break;
        const std::string path = JoinPath(files_->roots[bad.root], bad.key);
        result.problems.push_back(
            Status(Code::kCorrupt, bad.reason).At({.path = path}));
      }
    }
    for (Status& status : unread.Named()) {
      if (result.problems.size() == UnreadImages::kMostNamed) break;
      result.problems.push_back(std::move(status));
    }
  }

  std::size_t datasets() const { return readers_.size(); }

  // All samples but those at these positions.
  Result<std::vector<std::string>> WriteOthers(
      const std::vector<bool>& left_out, const AuditOptions& options,
      const Job& job) const {
    if (files_ != nullptr) return WriteFiles(left_out, options, job);
    const DatasetReader& dataset = *readers_.front();
    std::vector<std::string> splits;
    for (const ManifestSplit& split : dataset.manifest().splits) {
      splits.push_back(split.name);
    }
    CleanLists lists;
    SHARDINE_RETURN_IF_ERROR(lists.Begin(splits, options.clean, job));
    std::uint64_t position = 0;
    const auto write = [&](const DatasetReader::ShardRef& ref,
                           const ShardIndex& index) -> Result<bool> {
      SHARDINE_RETURN_IF_ERROR(WalkIndex(index, [&](std::uint64_t,
                                                    const IndexEntry& entry,
                                                    const std::string& key) {
        return left_out[position++]
                   ? Status()
                   : lists.Add(ref.split->name, entry.id, entry.labels, key);
      }));
      return true;
    };
    SHARDINE_RETURN_IF_ERROR(dataset.ForEachIndex(dataset.shards(), write));
    return lists.Publish();
  }

 private:
  Result<std::unique_ptr<ComparedImages>> OpenImages(const Job& job) const {
    std::unique_ptr<ComparedImages> images;
    if (files_ != nullptr) {
      images = std::make_unique<FileImages>(*storage_, *files_);
    } else {
      SHARDINE_ASSIGN_OR_RETURN(images, AuditedImages::Open(Readers(), job));
    }
    return images;
  }

  std::vector<const DatasetReader*> Readers() const {
    std::vector<const DatasetReader*> readers;
    for (const auto& reader : readers_) readers.push_back(reader.get());
    return readers;
  }

  Status OpenDatasets(const AuditOptions& options, const Job& job) {
    for (const std::string& path : options.datasets) {
      SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                                StorageFor(job, path));
      SHARDINE_ASSIGN_OR_RETURN(auto reader,
                                DatasetReader::Open(*storage, path));
      const bool is_there =
          std::ranges::any_of(readers_, [&](const auto& earlier) {
            return earlier->directory() == reader->directory();
          });
      if (is_there) {
        return Status(Code::kInvalidArgument, "is named twice")
            .At({.path = path});
      }
      SHARDINE_RETURN_IF_ERROR(UseServerCache(*reader));
      readers_.push_back(std::move(reader));
    }
    return Status();
  }

  Status LoadFiles(const AuditOptions& options, const Job& job) {
    SourceOptions source;
    SHARDINE_ASSIGN_OR_RETURN(source.folders,
                              ParseSourceArguments(options.datasets));
    source.unlabelled = true;
    source.empty_classes = EmptyClasses::kKeep;
    source.metadata_file = "none";  // files are looked at, not rows
    SHARDINE_ASSIGN_OR_RETURN(storage_, OpenSources(job, source));
    SHARDINE_ASSIGN_OR_RETURN(SourceSet files, LoadSource(*storage_, source));
    files_ = std::make_unique<SourceSet>(std::move(files));
    return Status();
  }

  Result<std::vector<std::string>> WriteFiles(const std::vector<bool>& left_out,
                                              const AuditOptions& options,
                                              const Job& job) const {
    CleanLists lists;
    SHARDINE_RETURN_IF_ERROR(lists.Begin(files_->splits, options.clean, job));
    std::vector<Label> labels;
    const SourceList& list = files_->samples;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (left_out[i]) continue;
      list.GetLabels(i, labels);
      SHARDINE_RETURN_IF_ERROR(lists.Add(files_->splits[list.split(i)],
                                         list.id(i), labels, list.path(i)));
    }
    return lists.Publish();
  }

  std::vector<std::unique_ptr<DatasetReader>> readers_;
  std::shared_ptr<ReadableStorage> storage_;
  std::unique_ptr<SourceSet> files_;  // null: datasets
};

Status CheckOptions(const AuditOptions& options) {
  if (options.near && options.index_only) {
    return Status(Code::kInvalidArgument,
                  "images that are alike are not found in indexes");
  }
  if (options.odd && options.index_only) {
    return Status(Code::kInvalidArgument,
                  "odd images are not found in indexes");
  }
  if (options.near_distance > kMostNearDistance) {
    return Status(Code::kInvalidArgument,
                  "hashes are at most " + std::to_string(kMostNearDistance) +
                      " bits apart");
  }
  return Status();
}

}  // namespace

Result<AuditResult> Audit(
    const AuditOptions& options,
    const std::function<Status(const CopiedImage&)>& visit, const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_RETURN_IF_ERROR(CheckOptions(options));
  SHARDINE_ASSIGN_OR_RETURN(const Subject subject, Subject::Open(options, job));
  if (!options.clean.empty() && subject.datasets() > 1) {
    return Status(Code::kInvalidArgument, "a list is of one dataset");
  }
  UnreadImages unread;
  NearCopies near;
  if (options.near) {
    SHARDINE_ASSIGN_OR_RETURN(near, subject.FindNear(options, unread, job));
  }
  std::vector<OddPosition> odd;
  if (options.odd) {
    SHARDINE_ASSIGN_OR_RETURN(odd, subject.FindOdd(options, unread, job));
  }
  SHARDINE_ASSIGN_OR_RETURN(
      const auto copies,
      subject.Find(options, PositionsOf(near.pairs, odd), unread, job));
  AuditResult result{.samples = copies->samples(),
                     .images = copies->images(),
                     .bytes = copies->bytes_read(),
                     .plain = near.plain,
                     .cut = near.cut};
  subject.AddUnread(unread, result);
  AuditFindings findings(*copies, visit, result);
  SHARDINE_RETURN_IF_ERROR(findings.AddCopies());
  if (options.near) SHARDINE_RETURN_IF_ERROR(findings.AddNear(near.pairs));
  if (options.odd) {
    SHARDINE_RETURN_IF_ERROR(findings.AddOdd(odd, options.visit_odd));
  }
  if (options.clean.empty()) return result;
  const std::vector<bool> left_out = findings.LeftOut();
  result.left_out =
      static_cast<std::uint64_t>(std::ranges::count(left_out, true));
  SHARDINE_ASSIGN_OR_RETURN(result.lists,
                            subject.WriteOthers(left_out, options, job));
  return result;
}

OptionList DescribeOptions(AuditOptions& audit) {
  constexpr char kChecks[] = "Checks";
  constexpr auto kNeeds = OptionRule::Kind::kNeeds;
  constexpr auto kBeside = OptionRule::Kind::kBeside;
  const std::vector<OptionRule> of_near = {{kNeeds, audit.near, "near"}};
  Option jobs = JobsOption(audit.threads);
  jobs.rules = {{kNeeds, audit.near || audit.odd, "near"}};
  return {
      {.group = kChecks,
       .name = "index-only",
       .value = FlagValue(audit.index_only),
       .help = "read no image: those of equal checksum, length, width and "
               "height count as copies, and are called unproved"},
      {.group = kChecks,
       .name = "near",
       .value = FlagValue(audit.near),
       .help = "find images that look alike, too: encoded again, resized, "
               "gray, cropped a little or turned; every image is decoded",
       .rules = {{kBeside, !audit.index_only, "index-only"}}},
      {.group = kChecks,
       .name = "near-distance",
       .meta = "BITS",
       .value = NumberValue(audit.near_distance, {1, kMostNearDistance}),
       .help = "compare the pixels of images whose hashes differ in up to so "
               "many of 256 bits, of any two; from 32 on each image is "
               "compared with all (default: 31; 84 in the smallest splits, of "
               "50000 samples together)",
       .rules = of_near},
      {.group = kChecks,
       .name = "odd",
       .value = FlagValue(audit.odd),
       .help = "find images that are dark, light, odd_aspect_ratio, "
               "low_information, blurry, grayscale or odd_size, as CleanVision "
               "calls them; every image is decoded",
       .rules = {{kBeside, !audit.index_only, "index-only"}}},
      {.group = "Output",
       .name = "clean",
       .meta = "FILE",
       .value = PathValue(audit.clean),
       .help = "write a .lst without the copies, one of each split where "
               "there are several: from the smallest split to the largest, "
               "each in its order, a sample stays unless it is a copy of one "
               "that stays"},
      std::move(jobs)};
}

}  // namespace shardine
