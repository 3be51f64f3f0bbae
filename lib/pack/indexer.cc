#include "pack/indexer.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "dataset/content_counts.h"
#include "dataset/dataset_summary.h"
#include "dataset/image_census.h"
#include "dataset/own_path.h"
#include "dataset/said_counts.h"
#include "dataset/undecoded_images.h"
#include "pack/class_name_file.h"
#include "pack/duplicate_names.h"
#include "pack/index_ids.h"
#include "pack/label_name_file.h"
#include "pack/provenance_of.h"
#include "pipeline/parallel_for.h"
#include "pipeline/shared_progress.h"
#include "shard/companion_folder.h"
#include "shard/shard_index.h"
#include "shardine/escape.h"
#include "source/label_matcher.h"
#include "source/server_threads.h"

namespace shardine {
namespace {

class Indexer {
 public:
  Indexer(const IndexPlace& place, const IndexOptions& options, const Job& job,
          const FormatAndLayout& format, std::vector<IndexSource> sources)
      : place_(place),
        output_(place.output),
        storage_(place.output.storage()),
        options_(options),
        stop_(job.stop),
        format_(format),
        sources_(std::move(sources)),
        say_(job.say),
        progress_(job.progress) {}

  Result<IndexedShards> Run() {
    if (!options_.class_names.empty()) {
      SHARDINE_ASSIGN_OR_RETURN(
          named_, ReadClassNames(place_.shards, options_.class_names));
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
    std::vector<std::uint64_t> firsts = {0};
    for (const auto& ids : chosen.ids) {
      firsts.push_back(firsts.back() + ids.size());
    }
    SHARDINE_RETURN_IF_ERROR(ForEachSource([&](std::size_t i) {
      return FinishSidecar(storages(), format_, sources_[i],
                           {chosen.ids[i], chosen.list_ids[i], firsts[i]},
                           Provisional(sources_[i]),
                           output_.PathOf(sources_[i].sidecar));
    }));
    Status rows = CheckRows();
    if (!rows.ok()) RemoveSidecars();
    SHARDINE_RETURN_IF_ERROR(std::move(rows));
    SHARDINE_RETURN_IF_ERROR(CheckTakenOver());
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      counted_.push_back({sources_[i].path, chosen.ids[i].size()});
    }
    return Finish(chosen.warning);
  }

 private:
  IndexStorages storages() const { return {place_.shards, storage_}; }

  std::string Provisional(const IndexSource& source) const {
    return output_.WorkPath(FileNameOf(source.sidecar));
  }

  Status ScanAll() {
    std::vector<std::uint64_t> sizes(sources_.size());
    const auto stat = [&](std::size_t i) -> Status {
      SHARDINE_ASSIGN_OR_RETURN(const FileInfo info,
                                place_.shards.Stat(sources_[i].path));
      sizes[i] = info.size;
      return Status();
    };
    SHARDINE_RETURN_IF_ERROR(ForEachSource(stat));
    for (const std::uint64_t size : sizes) {
      progress_.AddToTotal(0, size);
      largest_ = std::max(largest_, size);
    }
    const auto on_record = [&](const ScannedSample& s) { Count(s); };
    return ForEachSource([&](std::size_t i) {
      return ScanIntoSidecar(storages(), format_, sources_[i],
                             Provisional(sources_[i]), on_record, stop_)
          .At({.path = sources_[i].path});
    });
  }

  // A list that was asked for describes these records and no others. One beside
  // a shard may have been cut differently.
  Status CheckRows() {
    std::optional<LabelMatcher> all;
    for (IndexSource& source : sources_) {
      if (!source.listed) continue;
      if (!source.list_was_asked_for) {
        NoteStrangers(source);
      } else if (!all) {
        all = source.listed;
      } else {
        SHARDINE_RETURN_IF_ERROR(all->Add(*source.listed));
      }
    }
    return all ? all->CheckRows() : Status();
  }

  static void NoteStrangers(IndexSource& source) {
    const std::uint64_t rows = source.listed->strangers();
    if (rows == 0 || source.listed->matched() == 0) return;
    source.warnings.push_back(
        EscapeBytes(source.list) + ": " + std::to_string(rows) +
        (rows == 1 ? " row is" : " rows are") + " of no record");
  }

  // Shards of two datasets may have one key or id.
  Status CheckTakenOver() const {
    std::vector<NamedShard> shards;
    for (const IndexSource& source : sources_) {
      if (!source.taken_over) return Status();
      std::string name = FileNameOf(source.sidecar);
      name.resize(name.size() - kSidecarSuffix.size());
      SHARDINE_ASSIGN_OR_RETURN(
          const auto index,
          ShardIndex::Open(storage_, output_.PathOf(source.sidecar)));
      shards.push_back({source.split, output_.PathOf(name), index->size()});
    }
    SHARDINE_RETURN_IF_ERROR(CheckKeysUnique(storage_, shards));
    return CheckIdsUnique(storage_, shards);
  }

  void RemoveSidecars() const {
    for (const IndexSource& source : sources_) {
      if (source.stands) continue;
      // Best effort: without a manifest the files belong to no dataset.
      (void)storage_.Remove(output_.PathOf(source.sidecar));
    }
    (void)storage_.Remove(output_.PathOf(kCompanionFolder));
  }

  // In parallel; the failure returned is the first in their order.
  Status ForEachSource(const std::function<Status(std::size_t)>& work) {
    const std::string& first = sources_.front().path;
    return ParallelFor(
        sources_.size(),
        ServerThreads(first, options_.threads, ServerShards(largest_)), work);
  }

  // Each list once, however many shards it is for.
  Status ReadLists() {
    const bool is_asked_for = !options_.list.empty();
    std::map<std::string, std::optional<LabelMatcher>> lists;
    for (IndexSource& source : sources_) {
      if (source.list.empty()) continue;
      source.list_was_asked_for = is_asked_for;
      if (is_asked_for) source.list_by = options_.list_by;
      std::optional<LabelMatcher>& list = lists[source.list];
      if (!list) {
        SHARDINE_ASSIGN_OR_RETURN(
            list, LabelMatcher::Read(place_.shards, source.list, source.list_by,
                                     named_));
        SayColumns(*list);
      }
      source.listed = list;
    }
    return Status();
  }

  void SayColumns(const LabelMatcher& list) const {
    if (say_ && !list.columns().empty()) say_(list.columns());
  }

  void Count(const ScannedSample& scanned) {
    std::uint64_t bytes = 0;
    for (const ScannedField& field : scanned.fields) {
      bytes += field.bytes.size();
    }
    progress_.AddSample(bytes);
  }

  Result<IndexedShards> Finish(const std::string& warning) {
    std::vector<FinishedShard> shards;
    for (const IndexSource& source : sources_) {
      FinishedShard shard{source.split, source.relative, "", source.sidecar,
                          source.taken_over};
      if (place_.on_disk) shard.companion = source.companion;
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
    const std::vector<ContentCounts> counts = std::move(summary.counts);
    ClassMap classes = Classes(summary.label_counts);
    IndexedShards indexed;
    indexed.manifest =
        ManifestOf(std::move(summary), format_.Name(), std::move(classes),
                   ProvenanceOf(options_, format_));
    const Manifest& manifest = indexed.manifest;
    PackResult& result = indexed.result;
    result.output = output_.path();
    result.format = manifest.format;
    result.samples = manifest.samples();
    result.classes = manifest.classes.size();
    result.shards = sources_.size();
    result.bytes = image_bytes;
    result.content_digest = manifest.content_digest();
    result.contents = ContentsOf(counts, manifest.samples());
    if (!warning.empty()) result.warnings.push_back(warning);
    ImageCensus images;
    ScannedTexts texts;
    for (IndexSource& source : sources_) {
      images.Add(source.images);
      texts.Add(source.texts);
      if (source.listed) {
        result.lists.push_back(std::move(source.used));
      }
      TakeLost(source, indexed);
      std::move(source.warnings.begin(), source.warnings.end(),
                std::back_inserter(result.warnings));
    }
    std::ranges::move(images.Warnings(), std::back_inserter(result.warnings));
    indexed.manifest.text_fields = texts.names();
    std::ranges::move(texts.Warnings(), std::back_inserter(result.warnings));
    const std::string undecoded =
        UndecodedWarning(UndecodedOf(manifest), manifest.samples());
    if (!undecoded.empty()) result.warnings.push_back(undecoded);
    std::ranges::move(
        SaidCountWarnings(place_.shards, *format_.format, counted_),
        std::back_inserter(result.warnings));
    return indexed;
  }

  static void TakeLost(IndexSource& source, IndexedShards& indexed) {
    for (Reject& lost : source.lost) {
      lost.split = source.split;
      indexed.lost.push_back(std::move(lost));
    }
    if (source.skipped.empty()) return;
    indexed.skipped[source.relative] = std::move(source.skipped);
  }

  // `counts`: of the samples by label, those of lists among them.
  ClassMap Classes(const std::map<std::int64_t, std::uint64_t>& counts) {
    ClassNames names;
    for (const IndexSource& source : sources_) names.Add(source.classes);
    const auto classes = names.Classes();
    const bool folders = names.named_by_folders();
    const auto warn = [&](std::string warning) {
      sources_.front().warnings.push_back(std::move(warning));
    };
    if (!named_.empty()) {
      if (!folders && (!classes || !AreNamed(named_, *classes))) {
        warn("records name their classes otherwise than " +
             EscapeBytes(options_.class_names) + "; its names are used");
      }
      return named_;
    }
    if (!classes) {
      warn(
          "records name their classes differently, or only some do: the "
          "dataset has no class names");
      return {};
    }
    if (!folders && !classes->empty()) return *classes;
    ClassMap beside = NamesBeside(counts);
    if (!beside.empty() || !folders) return beside;
    // Folders are no statement about classes: they name all labels or none.
    if (!CheckAllNamed(*classes, counts).ok()) return {};
    warn(
        "records name no class; the folders in their keys do, one for each "
        "label, and the classes are called so");
    return *classes;
  }

  // For shards whose records name no class; none if there is no such file, or
  // if it is not of these labels.
  ClassMap NamesBeside(const std::map<std::int64_t, std::uint64_t>& counts) {
    if (counts.empty()) return {};
    const std::string path = LabelNameFileBeside(place_.shards, options_.files);
    if (path.empty()) return {};
    auto names = ReadLabelNames(place_.shards, path, counts);
    sources_.front().warnings.push_back(
        names.ok() ? "records name no class; " + EscapeBytes(path) +
                         " beside them does, and the classes are called so"
                   : names.status().ToString() +
                         "; its names are not taken for the classes");
    return names.ok() ? *std::move(names) : ClassMap();
  }

  const IndexPlace& place_;
  const OutputFolder& output_;
  Storage& storage_;  // of the output
  ClassMap named_;    // by options_.class_names
  const IndexOptions& options_;
  const std::stop_token& stop_;
  const FormatAndLayout& format_;
  std::vector<IndexSource> sources_;
  std::vector<CountedShard> counted_;  // the sources
  std::uint64_t largest_ = 0;          // bytes of a source
  const SayFunction& say_;
  SharedProgress progress_;
};

}  // namespace

Result<IndexedShards> ScanIntoIndex(const IndexPlace& place,
                                    const IndexOptions& options, const Job& job,
                                    const FormatAndLayout& format,
                                    std::vector<IndexSource> sources) {
  return Indexer(place, options, job, format, std::move(sources)).Run();
}

}  // namespace shardine
