#include "shardine/inspect.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/content_counts.h"
#include "dataset/dataset_path.h"
#include "dataset/dataset_reader.h"
#include "dataset/index_walk.h"
#include "dataset/key_search.h"
#include "dataset/located_samples.h"
#include "dataset/server_cache.h"
#include "dataset/split_contents.h"
#include "io/atomic_file.h"
#include "io/storage_for.h"
#include "shard/payload.h"
#include "shardine/did_you_mean.h"
#include "shardine/escape.h"
#include "source/list_file.h"

namespace shardine {
namespace {

Result<std::unique_ptr<DatasetReader>> OpenDataset(const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage, StorageFor(path));
  return DatasetReader::Open(*storage, path);
}

DatasetSplitInfo SplitInfo(const ManifestSplit& split) {
  DatasetSplitInfo info{.name = split.name,
                        .samples = split.samples,
                        .unlabelled = split.unlabelled,
                        .deep = split.deep,
                        .lacking = split.lacking,
                        .unsupported = {},
                        .content_digest = split.content_digest,
                        .names_digest = split.names_digest,
                        .order_digest = split.order_digest,
                        .binding_digest = split.binding_digest,
                        .shards = {},
                        .fields = {},
                        .class_counts = {}};
  for (const auto& [kind, count] : split.unsupported) {
    info.unsupported.push_back({kind, count});
  }
  for (const ManifestShard& shard : split.shards) {
    info.shards.push_back({.path = shard.file.path,
                           .samples = shard.samples,
                           .bytes = shard.file.bytes});
  }
  return info;
}

Status AddCounts(const DatasetReader& dataset, DatasetInfo& info) {
  SHARDINE_ASSIGN_OR_RETURN(const auto contents, ReadContents(dataset));
  for (std::size_t i = 0; i < contents.size(); ++i) {
    DatasetSplitInfo& split = info.splits[i];
    for (const auto& [name, field] : contents[i].fields) {
      split.fields.push_back({.name = name,
                              .samples = field.samples,
                              .dtype = field.dtype,
                              .shape = field.shape});
    }
    for (const DatasetClassInfo& entry : info.classes) {
      const auto found = contents[i].labels.find(entry.label);
      split.class_counts.push_back(
          found == contents[i].labels.end() ? 0 : found->second);
    }
  }
  return Status();
}

Status ListShard(const DatasetReader::ShardRef& ref, const ShardIndex& index,
                 const std::function<Status(const ListedSample&)>& visit) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> extents;
  std::vector<ListedField> fields;
  return WalkIndex(index, [&](std::uint64_t record, const IndexEntry& entry,
                              const std::string& key) {
    ListedSample sample{.id = entry.id,
                        .split = ref.split->name,
                        .labels = entry.labels,
                        .key = key,
                        .bytes = 0,
                        .shard = ref.shard->file.path,
                        .record = record,
                        .extents = {},
                        .fields = {}};
    extents.clear();
    fields.clear();
    for (const IndexField& field : entry.fields) {
      const bool is_image = field.name == kImageField;
      std::uint64_t bytes = 0;
      for (const Extent& extent : field.extents) {
        bytes += extent.length;
        // A field that the container stores in another form has no place in the
        // shard to read it from; its extent only tells its length.
        if (!is_image || extent.offset == kNowhere) continue;
        extents.emplace_back(extent.offset, extent.length);
      }
      if (is_image) sample.bytes = bytes;
      // The sample's own members describe an encoded image. Only an image that
      // is an array is listed as a field, since type and shape are of interest
      // there.
      if (is_image && field.dtype == kBytesDtype) continue;
      fields.push_back({field.name, field.dtype, field.shape, bytes});
    }
    sample.extents = extents;
    sample.fields = fields;
    return visit(sample);
  });
}

Result<std::span<const DatasetReader::ShardRef>> ShardsOf(
    const DatasetReader& dataset, const std::string& split) {
  const auto all = dataset.shards();
  if (split.empty()) return all;
  SHARDINE_RETURN_IF_ERROR(CheckSplit(dataset, split));
  const auto is_other = [&](const DatasetReader::ShardRef& ref) {
    return ref.split->name != split;
  };
  const auto first = std::ranges::find_if_not(all, is_other);
  return std::span(first, std::find_if(first, all.end(), is_other));
}

// A name comes before a number: class folders may be called "12".
Result<Label> LabelOf(const DatasetReader& dataset, const std::string& name) {
  std::vector<std::string> names;
  for (const ClassInfo& entry : dataset.manifest().classes) {
    if (entry.name == name) return Label(entry.label);
    names.push_back(entry.name);
  }
  if (const auto label = ParseLabel(name); label.has_value()) return *label;
  return Status(Code::kInvalidArgument, "the dataset has no class \"" +
                                            EscapeBytes(name) + "\"" +
                                            DidYouMean(name, names))
      .At({.path = dataset.directory()});
}

Result<std::string_view> ImageOf(const SampleRead& read) {
  for (const FieldView& field : FieldsOf(read.entry, read.payload)) {
    if (field.name == kImageField) return AsText(field.bytes);
  }
  return Status(Code::kUnsupported, "the sample has no image");
}

}  // namespace

Result<DatasetInfo> ReadDatasetInfo(const std::string& dataset,
                                    const std::stop_token& stop, bool counts) {
  const StopScope scope(stop);
  SHARDINE_ASSIGN_OR_RETURN(const auto reader, OpenDataset(dataset));
  const Manifest& manifest = reader->manifest();
  DatasetInfo info{.schema = manifest.schema,
                   .format = manifest.format,
                   .variant = manifest.variant.name,
                   .images = manifest.variant.images,
                   .upscaled = manifest.variant.upscaled,
                   .kept = manifest.variant.kept,
                   .parent_digest = manifest.variant.parent_digest,
                   .samples = manifest.samples(),
                   .bytes = 0,
                   .contents = ContentsOf(manifest),
                   .entry_points = manifest.entry_points,
                   .entry_point_bytes = 0,
                   .content_digest = manifest.content_digest(),
                   .names_digest = manifest.names_digest(),
                   .order_digest = manifest.order_digest(),
                   .binding_digest = manifest.binding_digest(),
                   .plan_digest = manifest.plan_digest,
                   .tool_version = manifest.tool_version,
                   .made = manifest.made,
                   .classes = {},
                   .splits = {},
                   .variants = {},
                   .rejected = 0,
                   .ignored = 0,
                   .text_fields = manifest.text_fields};
  for (const Category& category : manifest.categories) {
    info.categories.push_back({category.label, category.id, category.name});
  }
  for (const ClassInfo& entry : manifest.classes) {
    info.classes.push_back(
        {.name = entry.name, .label = entry.label, .count = entry.count});
  }
  for (const ManifestSplit& split : manifest.splits) {
    info.splits.push_back(SplitInfo(split));
    for (const ManifestShard& shard : split.shards) {
      info.bytes += shard.file.bytes;
      // The bytes come from the manifest alone, so that `info` of a remote
      // dataset reads one file.
      const ManifestFile* points = DatasetReader::EntryPointsOf(shard);
      if (points != nullptr) info.entry_point_bytes += points->bytes;
    }
  }
  for (const ManifestChild& child : manifest.variants) {
    info.variants.push_back(child.path);
  }
  for (const ManifestRejected& entry : manifest.rejected) {
    info.rejected += entry.count;
  }
  for (const ManifestIgnored& entry : manifest.ignored) {
    info.ignored += entry.count;
  }
  if (counts) {
    SHARDINE_RETURN_IF_ERROR(AddCounts(*reader, info));
  }
  return info;
}

Status ListSamples(const ListingOptions& options,
                   const std::function<Status(const ListedSample&)>& visit,
                   const std::stop_token& stop) {
  const StopScope scope(stop);
  SHARDINE_ASSIGN_OR_RETURN(const auto reader, OpenDataset(options.dataset));
  SHARDINE_RETURN_IF_ERROR(UseServerCache(*reader));
  SHARDINE_ASSIGN_OR_RETURN(const auto shards,
                            ShardsOf(*reader, options.split));
  std::optional<Label> label;
  if (!options.class_name.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(label, LabelOf(*reader, options.class_name));
  }
  std::uint64_t left = options.limit == 0
                           ? std::numeric_limits<std::uint64_t>::max()
                           : options.limit;
  const auto visit_chosen = [&](const ListedSample& sample) -> Status {
    const bool is_chosen = !label || std::ranges::find(sample.labels, *label) !=
                                         sample.labels.end();
    if (!is_chosen || left == 0) return Status();
    --left;
    return visit(sample);
  };
  return reader->ForEachIndex(
      shards, [&](const auto& ref, const ShardIndex& index) -> Result<bool> {
        SHARDINE_RETURN_IF_ERROR(ListShard(ref, index, visit_chosen));
        return left > 0;
      });
}

Status ReadImages(const ImageKeys& wanted,
                  const std::function<Status(std::string_view image)>& visit,
                  const std::stop_token& stop) {
  const StopScope scope(stop);
  SHARDINE_ASSIGN_OR_RETURN(const auto reader, OpenDataset(wanted.dataset));
  SHARDINE_RETURN_IF_ERROR(UseServerCache(*reader));
  SHARDINE_ASSIGN_OR_RETURN(
      const std::vector<LocatedSample> samples,
      FindKeys(*reader, wanted.keys, wanted.split, wanted.escaped));
  // Other fields of a sample can be much larger than its image: only that one
  // is read, and compared with its own CRC where the index has one.
  const std::vector<std::string> fields = {std::string(kImageField)};
  std::size_t next = 0;
  Status read =
      ReadLocated(*reader, samples, &fields,
                  [&](std::size_t i, const SampleRead& sample) -> Status {
                    next = i;
                    auto image = ImageOf(sample);
                    if (!image.ok()) {
                      return std::move(image).status().At(
                          {.path = reader->ShardPath(*samples[i].shard),
                           .record = samples[i].record});
                    }
                    next = i + 1;
                    return visit(*image);
                  });
  // A failure of `visit` is not about the sample.
  if (read.ok() || !read.where().record) return read;
  return std::move(read).At({.key = wanted.keys[next]});
}

Status SaveImages(const ImageKeys& wanted, const std::string& file,
                  bool overwrite, const std::stop_token& stop) {
  SHARDINE_ASSIGN_OR_RETURN(Storage* const storage, OutputStorageFor(file));
  if (!overwrite && storage->Stat(file).ok()) {
    return Status(Code::kAlreadyExists, "something has this name")
        .At({.path = file});
  }
  SHARDINE_RETURN_IF_ERROR(CheckIsNotOfDataset(*storage, file));
  SHARDINE_ASSIGN_OR_RETURN(AtomicFile saved,
                            AtomicFile::Create(*storage, file));
  SHARDINE_RETURN_IF_ERROR(ReadImages(
      wanted,
      [&](std::string_view image) { return saved.Append(AsBytes(image)); },
      stop));
  return overwrite ? saved.Publish() : saved.PublishNew();
}

Result<std::string> ReadImage(const std::string& dataset,
                              const std::string& key, const std::string& split,
                              const std::stop_token& stop) {
  std::string image;
  SHARDINE_RETURN_IF_ERROR(ReadImages(
      {.dataset = dataset, .keys = {key}, .split = split},
      [&](std::string_view bytes) {
        image = bytes;
        return Status();
      },
      stop));
  return image;
}

}  // namespace shardine
