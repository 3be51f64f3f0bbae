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
#include "shardine/describe.h"
#include "source/list_file.h"

namespace shardine {
namespace {

// What is found in one group of copies.
class GroupReport {
 public:
  GroupReport(const ImageCopies& copies, const ImageCopies::Group& group)
      : copies_(copies), group_(group) {
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
    CopiedImage image{
        .samples = samples, .findings = {}, .is_proved = group_.is_proved};
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
  const ImageCopies::Group& group_;
  std::vector<std::vector<Label>> labels_;
  std::vector<std::string> texts_;
  std::map<std::uint32_t, std::uint64_t> splits_;  // samples
  std::set<std::string> different_;
};

// Writes all samples but those at `left_out`.
class CleanLists {
 public:
  CleanLists(const DatasetReader& dataset, std::string path, const Job& job)
      : dataset_(dataset), path_(std::move(path)), job_(job) {}

  Result<std::vector<std::string>> Write(const std::vector<bool>& left_out) {
    std::uint64_t position = 0;
    const auto write = [&](const DatasetReader::ShardRef& ref,
                           const ShardIndex& index) -> Result<bool> {
      SHARDINE_RETURN_IF_ERROR(Begin(ref.split->name));
      SHARDINE_RETURN_IF_ERROR(WalkIndex(
          index,
          [&](std::uint64_t, const IndexEntry& entry, const std::string& key) {
            return left_out[position++]
                       ? Status()
                       : writers_.back().Add(entry.id, entry.labels, key);
          }));
      return true;
    };
    SHARDINE_RETURN_IF_ERROR(dataset_.ForEachIndex(dataset_.shards(), write));
    for (ListWriter& writer : writers_) {
      SHARDINE_RETURN_IF_ERROR(writer.Publish());
    }
    return std::move(paths_);
  }

 private:
  Status Begin(const std::string& split) {
    if (splits_.contains(split)) return Status();
    splits_.insert(split);
    paths_.push_back(dataset_.manifest().splits.size() == 1
                         ? path_
                         : SplitListPath(path_, split));
    SHARDINE_ASSIGN_OR_RETURN(Storage* const storage,
                              OutputStorageFor(job_, paths_.back()));
    SHARDINE_ASSIGN_OR_RETURN(
        ListWriter writer,
        ListWriter::Create(own_.emplace_back(*storage, paths_.back()),
                           paths_.back()));
    writers_.push_back(std::move(writer));
    return Status();
  }

  const DatasetReader& dataset_;
  const std::string path_;
  const Job& job_;
  std::set<std::string> splits_;
  std::vector<std::string> paths_;
  std::list<OwnAttempt> own_;  // writers refer to them
  std::vector<ListWriter> writers_;
};

}  // namespace

Result<AuditResult> Audit(
    const AuditOptions& options,
    const std::function<Status(const CopiedImage&)>& visit, const Job& job) {
  const StopScope scope(job.stop);
  if (!options.clean.empty() && options.datasets.size() > 1) {
    return Status(Code::kInvalidArgument, "a list is of one dataset");
  }
  std::vector<std::unique_ptr<DatasetReader>> readers;
  std::vector<const DatasetReader*> datasets;
  for (const std::string& path : options.datasets) {
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                              StorageFor(job, path));
    SHARDINE_ASSIGN_OR_RETURN(auto reader, DatasetReader::Open(*storage, path));
    const bool is_there =
        std::ranges::any_of(datasets, [&](const DatasetReader* earlier) {
          return earlier->directory() == reader->directory();
        });
    if (is_there) {
      return Status(Code::kInvalidArgument, "is named twice")
          .At({.path = path});
    }
    SHARDINE_RETURN_IF_ERROR(UseServerCache(*reader));
    datasets.push_back(readers.emplace_back(std::move(reader)).get());
  }
  ImageCopies copies(datasets);
  SHARDINE_RETURN_IF_ERROR(
      copies.Find({.index_only = options.index_only}, job));
  AuditResult result{.samples = copies.samples(),
                     .images = copies.images(),
                     .bytes = copies.bytes_read()};
  std::vector<bool> left_out(copies.samples());
  for (const ImageCopies::Group& group : copies.groups()) {
    const GroupReport report(copies, group);
    result.leaking += report.leaks() ? 1 : 0;
    result.conflicting += report.conflicts() ? 1 : 0;
    result.duplicates += report.duplicates();
    result.unproved += group.is_proved ? 0 : 1;
    const std::uint32_t kept = report.Kept();
    for (const std::uint32_t member : group.members) {
      left_out[copies.position(member)] = member != kept;
    }
    SHARDINE_RETURN_IF_ERROR(report.Show(visit));
  }
  result.splits = copies.CountBySplits();
  if (options.clean.empty()) return result;
  result.left_out =
      static_cast<std::uint64_t>(std::ranges::count(left_out, true));
  SHARDINE_ASSIGN_OR_RETURN(
      result.lists,
      CleanLists(*datasets[0], options.clean, job).Write(left_out));
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
