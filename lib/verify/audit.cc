#include "shardine/audit.h"

#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <set>
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
#include "source/list_file.h"
#include "source/source_set.h"
#include "verify/audited_images.h"
#include "verify/near_copies.h"
#include "verify/near_groups.h"

namespace shardine {
namespace {

// What is found in one group of copies.
class GroupReport {
 public:
  GroupReport(const ImageCopies& copies, const ImageCopies::Image& group,
              CopyKind kind = CopyKind::kBytes)
      : copies_(copies), group_(group), kind_(kind) {
    labels_.resize(group.members.size());
    for (const std::uint32_t member : group.members) {
      copies.list().GetLabels(member, labels_[texts_.size()]);
      texts_.push_back(copies.LabelText(member));
      ++splits_[copies.list().split(member)];
      if (!texts_.back().empty()) different_.insert(texts_.back());
    }
  }

  bool leaks() const { return splits_.size() > 1; }
  bool conflicts() const { return different_.size() > 1; }
  std::uint64_t duplicates() const {
    return group_.members.size() - splits_.size();
  }

  Status Show(const std::function<Status(const CopiedImage&)>& visit) const {
    std::vector<AuditedSample> samples;
    for (std::size_t i = 0; i < group_.members.size(); ++i) {
      const std::uint32_t member = group_.members[i];
      const SourceList& list = copies_.list();
      samples.push_back({.split = copies_.splits()[list.split(member)].name,
                         .key = list.key(member),
                         .id = list.id(member),
                         .labels = labels_[i],
                         .label_text = texts_[i]});
    }
    CopiedImage image{.samples = samples,
                      .findings = {},
                      .kind = kind_,
                      .is_proved = group_.is_proved};
    if (leaks()) image.findings.push_back(AuditFinding::kLeakage);
    if (conflicts()) image.findings.push_back(AuditFinding::kLabelConflict);
    if (duplicates() > 0) image.findings.push_back(AuditFinding::kDuplicate);
    return visit(image);
  }

  // An evaluation on the small split is what copies in a large one spoil.
  std::uint32_t Kept() const {
    return *std::ranges::min_element(
        group_.members, {}, [&](std::uint32_t member) {
          return std::pair(
              copies_.splits()[copies_.list().split(member)].samples, member);
        });
  }

 private:
  const ImageCopies& copies_;
  const ImageCopies::Image& group_;
  const CopyKind kind_;
  std::vector<std::vector<Label>> labels_;
  std::vector<std::string> texts_;
  std::map<std::uint32_t, std::uint64_t> splits_;  // samples
  std::set<std::string> different_;
};

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

// What is audited: datasets, or the files of one source.
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
    return subject.LoadFiles(options, job).ok() ? Result(std::move(subject))
                                                : Result<Subject>(failed);
  }

  // Lists the samples at the positions `also`, too.
  Result<std::unique_ptr<ImageCopies>> Find(const AuditOptions& options,
                                            std::span<const std::uint64_t> also,
                                            const Job& job) const {
    auto copies = std::make_unique<ImageCopies>(Readers());
    SHARDINE_RETURN_IF_ERROR(
        files_ == nullptr
            ? copies->Find({.index_only = options.index_only, .also = also},
                           job)
            : copies->FindFiles(*storage_, *files_, also));
    return copies;
  }

  Result<NearCopies> FindNear(unsigned threads, const Job& job) const {
    if (files_ != nullptr) {
      return FindNearCopies(AuditedImages::Of(*storage_, *files_), threads,
                            job);
    }
    SHARDINE_ASSIGN_OR_RETURN(const AuditedImages images,
                              AuditedImages::Open(Readers(), job));
    return FindNearCopies(images, threads, job);
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
    SHARDINE_ASSIGN_OR_RETURN(storage_, StorageFor(job, FirstPath(source)));
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
  ReadableStorage* storage_ = nullptr;
  std::unique_ptr<SourceSet> files_;  // null: datasets
};

// Counts what groups of samples are worth, and shows each.
class Findings {
 public:
  Findings(const ImageCopies& copies,
           const std::function<Status(const CopiedImage&)>& visit,
           AuditResult& result)
      : copies_(copies),
        visit_(visit),
        result_(result),
        left_out_(copies.samples()) {}

  Status AddCopies() {
    for (const ImageCopies::Image& group : copies_.images_of_several()) {
      const GroupReport report(copies_, group);
      result_.leaking += report.leaks() ? 1 : 0;
      result_.conflicting += report.conflicts() ? 1 : 0;
      result_.duplicates += report.duplicates();
      result_.unproved += group.is_proved ? 0 : 1;
      SHARDINE_RETURN_IF_ERROR(Add(group, report));
    }
    result_.splits = copies_.CountBySplits();
    return Status();
  }

  Status AddNear(const NearGroups& groups) {
    for (std::size_t i = 0; i < groups.images().size(); ++i) {
      const ImageCopies::Image& group = groups.images()[i];
      const GroupReport report(copies_, group, groups.kind(i));
      result_.near_leaking += report.leaks() ? 1 : 0;
      result_.near_conflicting += report.conflicts() ? 1 : 0;
      result_.near_duplicates += report.duplicates();
      SHARDINE_RETURN_IF_ERROR(Add(group, report));
    }
    result_.near_splits = copies_.CountBySplits(groups.images());
    return Status();
  }

  // By position: whether another sample stands for it.
  const std::vector<bool>& left_out() const { return left_out_; }

 private:
  Status Add(const ImageCopies::Image& group, const GroupReport& report) {
    const std::uint32_t kept = report.Kept();
    for (const std::uint32_t member : group.members) {
      left_out_[copies_.position(member)] = member != kept;
    }
    return report.Show(visit_);
  }

  const ImageCopies& copies_;
  const std::function<Status(const CopiedImage&)>& visit_;
  AuditResult& result_;
  std::vector<bool> left_out_;
};

}  // namespace

Result<AuditResult> Audit(
    const AuditOptions& options,
    const std::function<Status(const CopiedImage&)>& visit, const Job& job) {
  const StopScope scope(job.stop);
  if (options.near && options.index_only) {
    return Status(Code::kInvalidArgument,
                  "images that are alike are not found in indexes");
  }
  SHARDINE_ASSIGN_OR_RETURN(const Subject subject, Subject::Open(options, job));
  if (!options.clean.empty() && subject.datasets() > 1) {
    return Status(Code::kInvalidArgument, "a list is of one dataset");
  }
  NearCopies near;
  if (options.near) {
    SHARDINE_ASSIGN_OR_RETURN(
        near, subject.FindNear(ThreadCount(options.threads), job));
  }
  SHARDINE_ASSIGN_OR_RETURN(
      const auto copies, subject.Find(options, PositionsOf(near.pairs), job));
  AuditResult result{.samples = copies->samples(),
                     .images = copies->images(),
                     .bytes = copies->bytes_read(),
                     .near_pairs = near.pairs.size(),
                     .undecoded = near.undecoded,
                     .plain = near.plain,
                     .cut = near.cut};
  Findings findings(*copies, visit, result);
  SHARDINE_RETURN_IF_ERROR(findings.AddCopies());
  if (options.near) {
    SHARDINE_RETURN_IF_ERROR(findings.AddNear(NearGroups(*copies, near.pairs)));
  }
  if (options.clean.empty()) return result;
  const std::vector<bool>& left_out = findings.left_out();
  result.left_out =
      static_cast<std::uint64_t>(std::ranges::count(left_out, true));
  SHARDINE_ASSIGN_OR_RETURN(result.lists,
                            subject.WriteOthers(left_out, options, job));
  return result;
}

OptionList DescribeOptions(AuditOptions& audit) {
  constexpr char kChecks[] = "Checks";
  return {{.group = kChecks,
           .name = "index-only",
           .value = FlagValue(audit.index_only),
           .help = "read no image: those of equal checksum, length, width and "
                   "height count as copies, and are called unproved"},
          {.group = "Output",
           .name = "clean",
           .meta = "FILE",
           .value = PathValue(audit.clean),
           .help = "write a .lst without the copies, one of each split where "
                   "there are several: of each image the sample in the "
                   "smallest split stays, there the first"}};
}

}  // namespace shardine
