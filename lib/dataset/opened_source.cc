#include "dataset/opened_source.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "dataset/dataset_reader.h"
#include "dataset/foreign_shards.h"
#include "dataset/server_cache.h"
#include "dataset/undecoded_images.h"
#include "image/deep_image.h"
#include "io/path_scheme.h"
#include "pipeline/parallel_for.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::string_view kOriginal = "original";

std::string Join(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    if (!list.empty()) list += ", ";
    list += EscapeBytes(name);
  }
  return list;
}

Status NoVariant(ReadableStorage& storage, const std::string& path,
                 const std::string& variant) {
  std::vector<std::string> names;
  if (storage.Stat(JoinPath(path, kManifestName)).ok()) {
    names.emplace_back(kOriginal);
  }
  std::ranges::copy(DatasetReader::VariantsBelow(storage, path),
                    std::back_inserter(names));
  const std::string there =
      names.empty() ? "; nor is there a dataset" : "; there are: ";
  return Status(Code::kNotFound, "no variant \"" + EscapeBytes(variant) + "\"" +
                                     there + Join(names))
      .At({.path = path});
}

// A variant's folder is a dataset of its own: it can be asked for by name, or
// its path be given.
Result<std::unique_ptr<DatasetReader>> OpenVariant(ReadableStorage& storage,
                                                   const std::string& path,
                                                   const std::string& variant) {
  // The folder's own dataset is meant whatever it is called, so that a folder
  // of a size can be opened without naming the size.
  if (variant == kOriginal) return DatasetReader::Open(storage, path);
  // The name is looked up in a list and not joined to the path: it comes from
  // the user, and "../x" is no variant.
  for (const std::string& name : DatasetReader::VariantsBelow(storage, path)) {
    if (name == variant) {
      return DatasetReader::Open(storage, JoinPath(path, variant));
    }
  }
  auto itself = DatasetReader::Open(storage, path);
  if (itself.ok() && (*itself)->manifest().variant.name == variant) {
    return itself;
  }
  return NoVariant(storage, path, variant);
}

}  // namespace

Result<const ManifestSplit*> ChooseSplit(const DatasetReader& reader,
                                         const std::string& wanted) {
  const Manifest& manifest = reader.manifest();
  if (wanted.empty() && manifest.splits.size() == 1) return &manifest.splits[0];
  const ManifestSplit* split = manifest.FindSplit(wanted);
  if (split != nullptr) return split;
  std::vector<std::string> names;
  for (const ManifestSplit& each : manifest.splits) names.push_back(each.name);
  const std::string problem =
      wanted.empty() ? "there are several splits, name one of them: "
                     : "no split \"" + EscapeBytes(wanted) + "\"; there are: ";
  return Status(Code::kInvalidArgument, problem + Join(names))
      .At({.path = reader.directory()});
}

namespace {

// The files of a shard, as they were opened.
struct ShardFiles {
  using File = Result<std::unique_ptr<RandomAccessFile>>;

  File shard = std::unique_ptr<RandomAccessFile>();
  File sidecar = std::unique_ptr<RandomAccessFile>();
  File points = std::unique_ptr<RandomAccessFile>();
};

// A server is asked for all of them at a time: each takes a round trip.
ShardFiles OpenFiles(const DatasetReader& reader,
                     const DatasetReader::ShardRef& ref) {
  ShardFiles files;
  const auto open = [&](std::size_t i) {
    const ManifestFile* const companion =
        i == 1 ? DatasetReader::SidecarOf(*ref.shard)
               : DatasetReader::EntryPointsOf(*ref.shard);
    if (i == 0) {
      files.shard = reader.OpenShard(ref);
    } else if (companion != nullptr) {
      (i == 1 ? files.sidecar : files.points) =
          reader.OpenCompanion(*companion);
    }
    return Status();
  };
  const unsigned threads = SchemeOf(reader.directory()).empty() ? 1 : 3;
  static_cast<void>(ParallelFor(3, threads, open));
  return files;
}

}  // namespace

// Entry points only make decoding faster: without them, or with some that
// belong elsewhere, samples are read all the same. (Too many open files says
// nothing about them: the pool can help. Nor does a stop.)
Result<PooledShard> OpenPooledShard(const DatasetReader& reader,
                                    const DatasetReader::ShardRef& ref,
                                    const std::shared_ptr<PageCache>& pages) {
  ShardFiles files = OpenFiles(reader, ref);
  PooledShard opened;
  SHARDINE_ASSIGN_OR_RETURN(opened.file, std::move(files.shard));
  // A shard that was replaced since is refused before an extent is read from
  // it.
  SHARDINE_RETURN_IF_ERROR(CheckShardSize(*opened.file, ref.shard->file.bytes));
  if (DatasetReader::SidecarOf(*ref.shard) == nullptr) {
    return reader.OpenIndex(ref, pages).status();
  }
  SHARDINE_ASSIGN_OR_RETURN(
      opened.index, reader.OpenIndex(ref, std::move(files.sidecar), pages));
  if (DatasetReader::EntryPointsOf(*ref.shard) == nullptr) return opened;
  auto points = DatasetReader::OpenEntryPoints(*opened.index,
                                               std::move(files.points), pages);
  if (points.ok()) {
    opened.entry_points = *std::move(points);
  } else if (points.status().system_error() == EMFILE ||
             points.status().code() == Code::kCancelled) {
    return std::move(points).status();
  }
  return opened;
}

namespace {

// Results of opening shards, by the shard's number.
using OpenedShards =
    std::map<std::size_t,
             std::optional<Result<std::shared_ptr<const PooledShard>>>>;

// Opens the shards on a server that are not open, all at a time.
OpenedShards OpenMissing(const OpenedSource& source, ShardPool& pool,
                         std::span<const std::uint64_t> positions) {
  OpenedShards missing;
  if (SchemeOf(source.path).empty()) return missing;
  for (const std::uint64_t position : positions) {
    const std::size_t shard = source.Find(position).shard;
    if (!pool.IsOpen(shard)) missing.try_emplace(shard);
  }
  constexpr unsigned kThreads = 16;
  static_cast<void>(ParallelFor(missing.size(), kThreads, [&](std::size_t i) {
    const auto at = std::next(missing.begin(), static_cast<std::ptrdiff_t>(i));
    at->second = pool.Get(at->first);
    return Status();
  }));
  return missing;
}

bool AreInClasses(const Manifest& manifest) {
  std::uint64_t counted = 0;
  for (const ClassInfo& info : manifest.classes) counted += info.count;
  for (const ManifestSplit& split : manifest.splits) {
    counted += split.unlabelled;
  }
  return !manifest.classes.empty() && counted == manifest.samples();
}

std::vector<std::string> Union(std::vector<std::string> names,
                               const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void AddClasses(const ClassMap& classes, OpenedSource& source) {
  for (const ClassInfo& info : classes) {
    source.classes.push_back({info.name, info.label});
  }
}

}  // namespace

OpenedSource::Place OpenedSource::Find(std::uint64_t position) const {
  SHARDINE_CHECK(position < firsts.back());
  const auto behind = std::ranges::upper_bound(firsts, position);
  const auto shard = static_cast<std::size_t>(behind - firsts.begin()) - 1;
  return {shard, position - firsts[shard]};
}

std::size_t OpenTogether(const OpenedSource& source, ShardPool& pool,
                         std::span<const std::uint64_t> positions,
                         std::span<SampleTask> tasks) {
  const OpenedShards opened =
      OpenMissing(source, pool, positions.first(tasks.size()));
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const OpenedSource::Place place = source.Find(positions[i]);
    const auto at = opened.find(place.shard);
    auto shard =
        at == opened.end() || !at->second ? pool.Get(place.shard) : *at->second;
    // The first sample alone cannot wait for others to close: if not even its
    // shard can be opened, that is its failure.
    if (!shard.ok() && shard.status().system_error() == EMFILE && i > 0) {
      return i;
    }
    tasks[i].record = place.record;
    if (shard.ok()) {
      tasks[i].shard = *std::move(shard);
    } else {
      tasks[i].status = std::move(shard).status();
    }
  }
  return tasks.size();
}

Result<OpenedSource> OpenDatasetSource(ReadableStorage& storage,
                                       const std::string& path,
                                       const DatasetOptions& options,
                                       const FormatRegistry& formats) {
  if (!options.roles.empty() || options.roles.one_hot) {
    return Status(Code::kInvalidArgument,
                  "is a dataset, whose index says which fields are image, "
                  "label and key")
        .At({.path = path});
  }
  SHARDINE_ASSIGN_OR_RETURN(auto opened,
                            OpenVariant(storage, path, options.variant));
  SHARDINE_RETURN_IF_ERROR(UseServerCache(*opened, options));
  const std::shared_ptr<const DatasetReader> reader = std::move(opened);
  SHARDINE_ASSIGN_OR_RETURN(const ManifestSplit* split,
                            ChooseSplit(*reader, options.split));
  OpenedSource source;
  source.path = path;
  source.split = split->name;
  source.variant = reader->manifest().variant.name;
  AddClasses(reader->manifest().classes, source);
  source.order_digest = split->order_digest;
  // Only shards that were indexed in place have no plan.
  source.is_foreign = reader->manifest().plan_digest == Digest128();
  if (split->deep > 0) {
    source.warnings.push_back(DeepImagesText(split->deep));
  }
  source.folder = reader->directory();
  for (const ManifestSplit& each : reader->manifest().splits) {
    if (&each != split) source.other_splits.push_back(each.name);
  }
  source.listed = ListedSamples::Of(reader->manifest(), formats);
  source.all_in_classes = AreInClasses(reader->manifest());
  source.undecoded = CountOf(split->unsupported);
  source.text_fields =
      Union(reader->manifest().text_fields, options.text_fields);
  std::vector<const DatasetReader::ShardRef*> refs;
  for (const DatasetReader::ShardRef& ref : reader->shards()) {
    if (ref.split != split) continue;
    refs.push_back(&ref);
    source.shards.push_back(reader->ShardPath(ref));
    source.firsts.push_back(ref.first);
    source.bytes += ref.shard->file.bytes;
  }
  source.firsts.push_back(split->samples);
  // The function shares the reader, into whose manifest the refs point.
  source.open = [reader, refs = std::move(refs),
                 pages = std::make_shared<PageCache>()](std::size_t shard) {
    return OpenPooledShard(*reader, *refs[shard], pages);
  };
  return source;
}

Result<OpenedSource> OpenShardsSource(ReadableStorage& storage,
                                      const std::vector<std::string>& shards,
                                      const DatasetOptions& options,
                                      const FormatRegistry& formats,
                                      const std::stop_token& stop) {
  if (options.variant != kOriginal) {
    return Status(Code::kInvalidArgument,
                  "shards without a dataset have no variants; there is no \"" +
                      EscapeBytes(options.variant) + "\"");
  }
  SHARDINE_ASSIGN_OR_RETURN(
      auto opened,
      ForeignShards::Open(storage, shards, formats, stop, options));
  const std::shared_ptr<const ForeignShards> foreign = std::move(opened);
  OpenedSource source;
  source.path = shards.front();
  source.split = options.split.empty() ? "train" : options.split;
  source.variant = kOriginal;
  AddClasses(foreign->classes(), source);
  source.order_digest = foreign->order_digest();
  source.is_foreign = true;
  source.warnings = foreign->warnings();
  source.undecoded = foreign->undecoded();
  source.text_fields = Union(foreign->text_fields(), options.text_fields);
  std::uint64_t first = 0;
  for (const ForeignShard& shard : foreign->shards()) {
    source.shards.push_back(shard.path);
    source.firsts.push_back(first);
    first += shard.samples;
  }
  source.firsts.push_back(first);
  source.ids_are_positions = foreign->ids_are_positions();
  source.listed = {.makes_keys_up = false,
                   .has_ids = !source.ids_are_positions};
  source.awaited = foreign->indexed();
  if (foreign->indexed()) source.indexes = foreign->indexed()->paths();
  source.open = [foreign, pages = std::make_shared<PageCache>()](
                    std::size_t shard) { return foreign->Open(shard, pages); };
  return source;
}

}  // namespace shardine
