#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/status_macros.h"
#include "dataset/dataset_reader.h"
#include "dataset/dataset_summary.h"
#include "dataset/manifest.h"
#include "io/folder_lock.h"
#include "pack/index_ids.h"
#include "pack/index_sidecar.h"
#include "pack/index_state.h"
#include "pack/journal.h"
#include "pack/making_of.h"
#include "pack/shard_publisher.h"
#include "pipeline/parallel_for.h"
#include "pipeline/shared_progress.h"
#include "shardine/version.h"
#include "source/label_table.h"

namespace shardine {
namespace {

// The way from the output folder to a file, by the names of their folders.
Result<std::string> RelativePath(Storage& storage, const std::string& output,
                                 const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path from = fs::absolute(output, error).lexically_normal();
  const fs::path to = fs::absolute(path, error).lexically_normal();
  const std::string relative =
      to.lexically_relative(from / "").generic_string();
  // Links on the way can make ".." lead elsewhere.
  SHARDINE_ASSIGN_OR_RETURN(const FileInfo wanted, storage.Stat(path));
  const auto reached = storage.Stat(JoinPath(output, relative));
  if (relative.empty() || !reached.ok() || reached->inode != wanted.inode ||
      reached->device != wanted.device) {
    return Status(Code::kInvalidArgument,
                  "cannot be reached from the output folder by names; give "
                  "both without symbolic links")
        .At({.path = path});
  }
  return relative;
}

std::string ListBeside(Storage& storage, const std::string& path) {
  const std::size_t dot = FileNameOf(path).rfind('.');
  if (dot == std::string::npos) return "";
  const std::string list =
      path.substr(0, path.size() - FileNameOf(path).size() + dot) + ".lst";
  return storage.Stat(list).ok() ? list : "";
}

Result<std::vector<IndexSource>> FindSources(Storage& storage,
                                             const IndexOptions& options,
                                             const FormatRegistry& formats) {
  std::vector<IndexSource> sources;
  std::set<std::string> names;
  for (std::string path : options.files) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    IndexSource source;
    source.path = formats.ShardFileAt(storage, path);
    source.sidecar = SidecarName(FileNameOf(path));
    source.list =
        options.list.empty() ? ListBeside(storage, path) : options.list;
    if (!names.insert(source.sidecar).second) {
      return Status(Code::kInvalidArgument, "two files have this name")
          .At({.path = FileNameOf(path)});
    }
    SHARDINE_ASSIGN_OR_RETURN(
        source.relative, RelativePath(storage, options.output, source.path));
    sources.push_back(std::move(source));
  }
  if (sources.empty()) {
    return Status(Code::kInvalidArgument, "no files to index");
  }
  return sources;
}

// The format that was asked for, or the one that all files are in.
Result<FormatAndLayout> CommonFormat(Storage& storage,
                                     const std::vector<IndexSource>& sources,
                                     const IndexOptions& options,
                                     const FormatRegistry& formats) {
  if (!options.format.empty()) return ParseFormat(formats, options.format);
  FormatAndLayout common;
  for (const IndexSource& source : sources) {
    SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(source.path));
    SHARDINE_ASSIGN_OR_RETURN(FormatAndLayout found,
                              formats.DetectLayout(*file));
    if (common.format != nullptr && common.Name() != found.Name()) {
      return Status(Code::kInvalidArgument,
                    "is " + found.Name() + ", the files before " +
                        common.Name() + "; index them one by one")
          .At({.path = source.path});
    }
    common = std::move(found);
  }
  return common;
}

class Indexer {
 public:
  Indexer(Storage& storage, const IndexOptions& options,
          const ProgressFunction& progress, const std::stop_token& stop,
          const FormatAndLayout& format, std::vector<IndexSource> sources)
      : storage_(storage),
        options_(options),
        stop_(stop),
        format_(format),
        sources_(std::move(sources)),
        progress_(progress) {}

  Result<PackResult> Run() {
    SHARDINE_RETURN_IF_ERROR(ScanAll());
    std::vector<ScannedIds> scanned;
    for (IndexSource& source : sources_)
      scanned.push_back(std::move(source.ids));
    const ChosenIds chosen = ChooseIds(
        std::move(scanned),
        options_.list.empty() ? ListScope::kShard : ListScope::kAllShards);
    SHARDINE_RETURN_IF_ERROR(ReadLists());
    SHARDINE_RETURN_IF_ERROR(ForEachSource([&](std::size_t i) {
      return FinishSidecar(storage_, format_, sources_[i],
                           {chosen.ids[i], chosen.list_ids[i]},
                           Provisional(sources_[i]),
                           JoinPath(options_.output, sources_[i].sidecar));
    }));
    SHARDINE_RETURN_IF_ERROR(CheckListWasUsed());
    return Finish(chosen.warning);
  }

 private:
  std::string Provisional(const IndexSource& source) const {
    return WorkPath(options_.output, source.sidecar);
  }

  Status ScanAll() {
    for (const IndexSource& source : sources_) {
      SHARDINE_ASSIGN_OR_RETURN(const FileInfo info,
                                storage_.Stat(source.path));
      progress_.AddToTotal(0, info.size);
    }
    const auto on_record = [&](const ScannedSample& s) { Count(s); };
    return ForEachSource([&](std::size_t i) {
      return ScanIntoSidecar(storage_, format_, sources_[i],
                             Provisional(sources_[i]), on_record, stop_)
          .At({.path = sources_[i].path});
    });
  }

  // A list that was asked for and says nothing of any record is the wrong one.
  Status CheckListWasUsed() const {
    if (options_.list.empty()) return Status();
    std::uint64_t records = 0;
    for (const IndexSource& source : sources_) {
      if (source.used.matched > 0) return Status();
      records += source.used.records;
    }
    for (const IndexSource& source : sources_) {
      // Best effort: without a manifest they are nobody's.
      (void)storage_.Remove(JoinPath(options_.output, source.sidecar));
    }
    const UsedList& used = sources_.front().used;
    return Status(Code::kInvalidArgument,
                  "none of the " +
                      std::to_string(sources_.front().listed->size()) +
                      " rows of the list is of one of the " +
                      std::to_string(records) + " records, by their " + used.by)
        .At({.path = options_.list});
  }

  // In parallel; the failure returned is the first in their order.
  Status ForEachSource(const std::function<Status(std::size_t)>& work) {
    return ParallelFor(sources_.size(), ThreadCount(options_.threads), work);
  }

  // Each list once, however many shards it is for.
  Status ReadLists() {
    std::map<std::string, std::shared_ptr<const LabelTable>> lists;
    for (IndexSource& source : sources_) {
      if (source.list.empty()) continue;
      auto& list = lists[source.list];
      if (list == nullptr) {
        SHARDINE_ASSIGN_OR_RETURN(
            LabelTable read,
            LabelTable::ReadLst(storage_, source.list, LabelTable::By::kBoth));
        list = std::make_shared<const LabelTable>(std::move(read));
      }
      source.listed = list;
    }
    return Status();
  }

  void Count(const ScannedSample& scanned) {
    std::uint64_t bytes = 0;
    for (const ScannedField& field : scanned.fields) {
      bytes += field.bytes.size();
    }
    progress_.AddSample(bytes);
  }

  Result<PackResult> Finish(const std::string& warning) {
    std::vector<FinishedShard> shards;
    for (const IndexSource& source : sources_) {
      FinishedShard shard{options_.split, source.relative, "", source.sidecar};
      if (!source.companion.empty()) {
        shard.companion = format_.CompanionName(source.relative);
      }
      shards.push_back(std::move(shard));
    }
    SHARDINE_ASSIGN_OR_RETURN(
        DatasetSummary summary,
        SummarizeShards(storage_, options_.output, shards));
    Manifest manifest;
    manifest.format = format_.Name();
    manifest.classes = Classes(summary);
    manifest.splits = std::move(summary.splits);
    manifest.tool_version = Version();
    manifest.made = MakingOf(options_, format_);
    SHARDINE_RETURN_IF_ERROR(
        WriteManifest(storage_, options_.output, manifest));
    SHARDINE_RETURN_IF_ERROR(Journal::RemoveFolder(storage_, options_.output));
    PackResult result;
    result.output = options_.output;
    result.format = manifest.format;
    result.samples = manifest.samples();
    result.classes = manifest.classes.size();
    result.shards = sources_.size();
    result.bytes = summary.image_bytes;
    result.content_digest = manifest.content_digest();
    if (!warning.empty()) result.warnings.push_back(warning);
    for (IndexSource& source : sources_) {
      if (source.listed != nullptr) {
        result.lists.push_back(std::move(source.used));
      }
      std::move(source.warnings.begin(), source.warnings.end(),
                std::back_inserter(result.warnings));
    }
    return result;
  }

  ClassMap Classes(DatasetSummary& summary) {
    ClassNames names;
    for (const IndexSource& source : sources_) names.Add(source.classes);
    auto classes = names.Classes();
    if (!classes) {
      sources_.front().warnings.push_back(
          "records name their classes differently, or only some do: the "
          "dataset has no class names");
      return {};
    }
    for (ClassInfo& info : *classes) {
      info.count = summary.label_counts[info.label];
    }
    return *std::move(classes);
  }

  Storage& storage_;
  const IndexOptions& options_;
  const std::stop_token& stop_;
  const FormatAndLayout& format_;
  std::vector<IndexSource> sources_;
  SharedProgress progress_;
};

// The result where the output is complete with these files.
Result<std::optional<PackResult>> FindDone(Storage& storage,
                                           const IndexOptions& options,
                                           const FormatRegistry& formats) {
  if (!storage.Stat(JoinPath(options.output, kManifestName)).ok()) {
    return std::optional<PackResult>();
  }
  SHARDINE_ASSIGN_OR_RETURN(const auto sources,
                            FindSources(storage, options, formats));
  std::vector<std::string> files;
  for (const IndexSource& source : sources) files.push_back(source.relative);
  return FindIndexed(storage, options, files);
}

// Without a manifest a sidecar is what a run that was killed left, or not ours.
Status RefuseForeignSidecar(Storage& storage, const IndexSource& source,
                            const std::string& path) {
  if (!storage.Stat(path).ok()) return Status();
  SHARDINE_ASSIGN_OR_RETURN(const FileInfo shard, storage.Stat(source.path));
  const auto index = ShardIndex::Open(storage, path);
  if (index.ok() && (*index)->binding().shard_bytes == shard.size) {
    return Status();
  }
  return Status(Code::kAlreadyExists,
                "is in the way and no index of " + source.path +
                    "; index into another folder, or remove it")
      .At({.path = path});
}

// REQUIRES: the output is locked.
Result<PackResult> IndexInto(const IndexOptions& options, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(std::vector<IndexSource> sources,
                            FindSources(job.storage, options, job.formats));
  SHARDINE_ASSIGN_OR_RETURN(
      const FormatAndLayout format,
      CommonFormat(job.storage, sources, options, job.formats));
  for (const IndexSource& source : sources) {
    SHARDINE_RETURN_IF_ERROR(RefuseForeignSidecar(
        job.storage, source, JoinPath(options.output, source.sidecar)));
  }
  return Indexer(job.storage, options, job.progress, job.stop, format,
                 std::move(sources))
      .Run();
}

}  // namespace

Result<PackResult> IndexShards(const IndexOptions& options, const Job& job) {
  const std::string& output = options.output;
  SHARDINE_ASSIGN_OR_RETURN(auto done,
                            FindDone(job.storage, options, job.formats));
  if (done) return *std::move(done);
  const bool is_new = !job.storage.Stat(output).ok();
  SHARDINE_ASSIGN_OR_RETURN(FolderLock lock,
                            FolderLock::Take(job.storage, output));
  // Another run may have finished between the look and the lock.
  SHARDINE_ASSIGN_OR_RETURN(done, FindDone(job.storage, options, job.formats));
  if (done) return *std::move(done);
  auto result = IndexInto(options, job);
  if (result.ok()) {
    SHARDINE_RETURN_IF_ERROR(lock.Release());
  } else if (is_new) {
    // Best effort: a folder that holds something is left as it is.
    (void)Journal::RemoveFolder(job.storage, output);
    (void)lock.Release();
    (void)job.storage.Remove(output);
  }
  return result;
}

}  // namespace shardine
