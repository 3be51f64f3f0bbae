#include <algorithm>
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
#include "dataset/metadata_files.h"
#include "dataset/own_path.h"
#include "dataset/shard_format.h"
#include "io/output_folder.h"
#include "pack/class_name_file.h"
#include "pack/index_ids.h"
#include "pack/index_sidecar.h"
#include "pack/index_split.h"
#include "pack/index_state.h"
#include "pack/journal.h"
#include "pack/making_of.h"
#include "pack/shard_publisher.h"
#include "pipeline/parallel_for.h"
#include "pipeline/shared_progress.h"
#include "shard/companion_folder.h"
#include "shard/foreign_value.h"
#include "shardine/escape.h"
#include "source/label_table.h"

namespace shardine {
namespace {

// The way from the output folder to a file, by the names of their folders.
Result<std::string> RelativePath(const OutputFolder& output,
                                 const std::string& path) {
  ReadableStorage& storage = output.storage();
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path from = fs::absolute(output.path(), error).lexically_normal();
  const fs::path to = fs::absolute(path, error).lexically_normal();
  const std::string relative =
      to.lexically_relative(from / "").generic_string();
  // Links on the way can make ".." lead elsewhere.
  SHARDINE_ASSIGN_OR_RETURN(const FileInfo wanted, storage.Stat(path));
  const auto reached = storage.Stat(output.PathOf(relative));
  if (relative.empty() || !reached.ok() || reached->inode != wanted.inode ||
      reached->device != wanted.device) {
    return Status(Code::kInvalidArgument,
                  "cannot be reached from the output folder by names; give "
                  "both without symbolic links")
        .At({.path = path});
  }
  return relative;
}

std::string ListBeside(ReadableStorage& storage, const std::string& path) {
  const std::size_t dot = FileNameOf(path).rfind('.');
  if (dot == std::string::npos) return "";
  const std::string list =
      path.substr(0, path.size() - FileNameOf(path).size() + dot) + ".lst";
  return storage.Stat(list).ok() ? list : "";
}

Result<std::vector<IndexSource>> FindSources(const OutputFolder& output,
                                             const IndexOptions& options,
                                             const FormatRegistry& formats) {
  ReadableStorage& storage = output.storage();
  std::vector<IndexSource> sources;
  std::set<std::string> names;
  if (!options.splits.empty() &&
      (options.splits.size() != options.files.size() ||
       !options.split.empty())) {
    return Status(Code::kInvalidArgument,
                  "one split for all files, or one for each of them");
  }
  for (std::string path : options.files) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    IndexSource source;
    source.split =
        options.splits.empty() ? options.split : options.splits[sources.size()];
    source.path = formats.ShardFileAt(storage, path);
    // Sidecars of shards from several folders lie in one, so that their names
    // have to differ there.
    source.sidecar = SidecarName(FileNameOf(path));
    source.list =
        options.list.empty() ? ListBeside(storage, path) : options.list;
    if (!names.insert(source.sidecar).second) {
      return Status(Code::kInvalidArgument, "two files have this name")
          .At({.path = FileNameOf(path)});
    }
    SHARDINE_ASSIGN_OR_RETURN(source.relative,
                              RelativePath(output, source.path));
    sources.push_back(std::move(source));
  }
  if (sources.empty()) {
    return Status(Code::kInvalidArgument, "no files to index");
  }
  return sources;
}

// What is for writing alone is no reason to read files apart: where they differ
// in it, all have the default.
void UniteSourceValues(FormatAndLayout& common, FormatAndLayout& found) {
  if (common.layout != found.layout) return;
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    const LayoutParameter& parameter = found.layout->parameters[i];
    if (parameter.of_foreign != kAsFound || common.values[i] == found.values[i])
      continue;
    common.values[i] = parameter.default_value;
    found.values[i] = parameter.default_value;
  }
}

// The format that was asked for, or the one that all files are in.
Result<FormatAndLayout> CommonFormat(ReadableStorage& storage,
                                     const std::vector<IndexSource>& sources,
                                     const IndexOptions& options,
                                     const FormatRegistry& formats) {
  if (!options.format.empty()) return ParseFormat(formats, options.format);
  std::vector<std::string> paths;
  for (const IndexSource& source : sources) paths.push_back(source.path);
  FormatAndLayout common;
  bool told = false;  // by a file with records
  for (const std::string& path : paths) {
    SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
    SHARDINE_ASSIGN_OR_RETURN(FormatAndLayout found,
                              FormatOfShard(formats, storage, *file, paths));
    // Nothing in an empty file tells its layout.
    const bool tells = file->size() > 0;
    if (told && tells) UniteSourceValues(common, found);
    const bool differs = told && tells ? common.Name() != found.Name()
                                       : common.format != found.format;
    if (common.format != nullptr && differs) {
      return Status(Code::kInvalidArgument,
                    "is " + found.Name() + ", the files before " +
                        common.Name() + "; index them one by one")
          .At({.path = path});
    }
    if (tells || common.format == nullptr) common = std::move(found);
    told = told || tells;
  }
  return common;
}

class Indexer {
 public:
  Indexer(const OutputFolder& output, const IndexOptions& options,
          const Job& job, const FormatAndLayout& format,
          std::vector<IndexSource> sources)
      : output_(output),
        storage_(output.storage()),
        options_(options),
        stop_(job.stop),
        format_(format),
        sources_(std::move(sources)),
        progress_(job.progress) {}

  Result<PackResult> Run() {
    if (!options_.class_names.empty()) {
      SHARDINE_ASSIGN_OR_RETURN(named_,
                                ReadClassNames(storage_, options_.class_names));
    }
    SHARDINE_RETURN_IF_ERROR(ScanAll());
    std::vector<ScannedIds> scanned;
    for (IndexSource& source : sources_)
      scanned.push_back(std::move(source.ids));
    const ChosenIds chosen = ChooseIds(
        std::move(scanned),
        options_.list.empty() ? ListScope::kShard : ListScope::kAllShards);
    SHARDINE_RETURN_IF_ERROR(ReadLists());
    SHARDINE_RETURN_IF_ERROR(
        CheckOwnFolder(storage_, output_.path(), kCompanionFolder));
    SHARDINE_RETURN_IF_ERROR(
        storage_.CreateDirectories(output_.PathOf(kCompanionFolder)));
    SHARDINE_RETURN_IF_ERROR(ForEachSource([&](std::size_t i) {
      return FinishSidecar(
          storage_, format_, sources_[i], {chosen.ids[i], chosen.list_ids[i]},
          Provisional(sources_[i]), output_.PathOf(sources_[i].sidecar));
    }));
    SHARDINE_RETURN_IF_ERROR(CheckListWasUsed());
    return Finish(chosen.warning);
  }

 private:
  std::string Provisional(const IndexSource& source) const {
    return output_.WorkPath(FileNameOf(source.sidecar));
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
    RemoveSidecars();
    const UsedList& used = sources_.front().used;
    return Status(Code::kInvalidArgument,
                  "none of the " +
                      std::to_string(sources_.front().listed->size()) +
                      " rows of the list is of one of the " +
                      std::to_string(records) + " records, by their " + used.by)
        .At({.path = options_.list});
  }

  void RemoveSidecars() const {
    for (const IndexSource& source : sources_) {
      // Best effort: without a manifest they are nobody's.
      (void)storage_.Remove(output_.PathOf(source.sidecar));
    }
    (void)storage_.Remove(output_.PathOf(kCompanionFolder));
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
      FinishedShard shard{source.split, source.relative, source.companion,
                          source.sidecar};
      shards.push_back(std::move(shard));
    }
    SHARDINE_ASSIGN_OR_RETURN(
        DatasetSummary summary,
        SummarizeShards(storage_, output_.path(), shards));
    if (!named_.empty()) {
      Status named = CheckAllNamed(named_, summary.label_counts);
      if (!named.ok()) RemoveSidecars();
      SHARDINE_RETURN_IF_ERROR(
          std::move(named).At({.path = options_.class_names}));
    }
    const std::uint64_t image_bytes = summary.image_bytes;
    Manifest manifest = ManifestOf(std::move(summary), format_.Name(),
                                   Classes(), MakingOf(options_, format_));
    SHARDINE_RETURN_IF_ERROR(
        WriteMetadata(storage_, output_.path(), format_, manifest).status());
    // The sidecars are under their final names and synced by now. The manifest
    // makes them a dataset; the provisional ones go after it, and are made
    // again if it is never written.
    SHARDINE_RETURN_IF_ERROR(WriteManifest(storage_, output_.path(), manifest));
    SHARDINE_RETURN_IF_ERROR(Journal::RemoveFolder(output_));
    PackResult result;
    result.output = output_.path();
    result.format = manifest.format;
    result.samples = manifest.samples();
    result.classes = manifest.classes.size();
    result.shards = sources_.size();
    result.bytes = image_bytes;
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

  ClassMap Classes() {
    ClassNames names;
    for (const IndexSource& source : sources_) names.Add(source.classes);
    auto classes = names.Classes();
    if (!named_.empty()) {
      if (!classes || !AreNamed(named_, *classes)) {
        sources_.front().warnings.push_back(
            "records name their classes otherwise than " +
            EscapeBytes(options_.class_names) + "; its names are used");
      }
      return named_;
    }
    if (!classes) {
      sources_.front().warnings.push_back(
          "records name their classes differently, or only some do: the "
          "dataset has no class names");
      return {};
    }
    return *std::move(classes);
  }

  const OutputFolder& output_;
  Storage& storage_;  // of the output
  ClassMap named_;    // by options_.class_names
  const IndexOptions& options_;
  const std::stop_token& stop_;
  const FormatAndLayout& format_;
  std::vector<IndexSource> sources_;
  SharedProgress progress_;
};

// The result where the output is complete with these files.
Result<std::optional<PackResult>> FindDone(const OutputFolder& output,
                                           const IndexOptions& options,
                                           const FormatRegistry& formats) {
  if (!output.storage().Stat(output.PathOf(kManifestName)).ok()) {
    return std::optional<PackResult>();
  }
  SHARDINE_ASSIGN_OR_RETURN(const auto sources,
                            FindSources(output, options, formats));
  std::vector<std::string> files;
  for (const IndexSource& source : sources) files.push_back(source.relative);
  return FindIndexed(output, options, files);
}

// Without a manifest a sidecar is what a run that was killed left, or not ours.
Status RefuseForeignSidecar(ReadableStorage& storage, const IndexSource& source,
                            const std::string& path) {
  if (!storage.Stat(path).ok()) return Status();
  SHARDINE_ASSIGN_OR_RETURN(const FileInfo shard, storage.Stat(source.path));
  // A sound sidecar for a file of this size is taken for what was left by a run
  // that was killed: the whole shard would have to be read to know its digest.
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
Result<PackResult> IndexInto(const OutputFolder& output,
                             const IndexOptions& options, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(std::vector<IndexSource> sources,
                            FindSources(output, options, job.formats));
  SHARDINE_ASSIGN_OR_RETURN(
      FormatAndLayout format,
      CommonFormat(output.storage(), sources, options, job.formats));
  SHARDINE_RETURN_IF_ERROR(ChooseSplits(output.storage(), format, sources));
  for (const IndexSource& source : sources) {
    SHARDINE_RETURN_IF_ERROR(RefuseForeignSidecar(
        output.storage(), source, output.PathOf(source.sidecar)));
  }
  return Indexer(output, options, job, format, std::move(sources)).Run();
}

}  // namespace

// The shards have to be where the output is: the manifest names them by their
// way from there.
Result<PackResult> IndexShards(const IndexOptions& options, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(const OutputFolder output,
                            OutputFolder::Of(job, options.output));
  SHARDINE_ASSIGN_OR_RETURN(auto done, FindDone(output, options, job.formats));
  if (done) return *std::move(done);
  // Asked before the lock, which makes the folder.
  const bool is_new = !output.storage().Stat(output.path()).ok();
  SHARDINE_ASSIGN_OR_RETURN(FolderLock lock, output.Lock());
  // Another run may have finished between the look and the lock.
  SHARDINE_ASSIGN_OR_RETURN(done, FindDone(output, options, job.formats));
  if (done) return *std::move(done);
  auto result = IndexInto(output, options, job);
  if (result.ok()) {
    SHARDINE_RETURN_IF_ERROR(lock.Release());
  } else if (is_new) {
    // Best effort: a folder that holds something is left as it is.
    (void)Journal::RemoveFolder(output);
    (void)lock.Release();
    (void)output.storage().Remove(output.PathOf(kCompanionFolder));
    (void)output.storage().Remove(output.path());
  }
  return result;
}

}  // namespace shardine
