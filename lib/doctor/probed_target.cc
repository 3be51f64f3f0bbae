#include "doctor/probed_target.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <utility>

#include "base/permutation.h"
#include "base/status_macros.h"
#include "cache/open_cache.h"
#include "dataset/dataset_folder.h"
#include "dataset/opened_source.h"
#include "dataset/sample_source.h"
#include "io/path_scheme.h"
#include "shard/encoded_image.h"
#include "shard/payload.h"
#include "source/source_file.h"

namespace shardine {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostShards = 64;
constexpr std::size_t kMostFiles = 512;
constexpr std::size_t kMostImages = 200;
constexpr std::chrono::milliseconds kWalkTime(1'500);
constexpr std::chrono::seconds kLookTime(1);
constexpr std::size_t kReadTogether = 32;
constexpr std::uint64_t kMostImageBytes = 256 << 20;

// Up to `most` of [0, count), drawn: any first few of them are a sample, too.
std::vector<std::uint64_t> Drawn(std::uint64_t count, std::uint64_t most) {
  const Permutation order(count, /*seed=*/0, "doctor");
  std::vector<std::uint64_t> drawn;
  for (std::uint64_t i = 0; i < std::min(count, most); ++i) {
    drawn.push_back(order(i));
  }
  return drawn;
}

// So many images of `bytes` each fit.
std::uint64_t MostImages(double bytes, std::uint64_t most_bytes) {
  const double fit = static_cast<double>(most_bytes) / std::max(bytes, 1.0);
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(fit), 1,
                                   kMostImages);
}

Result<const ManifestSplit*> LargestSplit(const DatasetReader& reader,
                                          const std::string& wanted) {
  const auto& splits = reader.manifest().splits;
  if (!wanted.empty() || splits.empty()) return ChooseSplit(reader, wanted);
  return &*std::ranges::max_element(splits, {}, &ManifestSplit::samples);
}

Result<ProbedTarget> TargetOf(const DatasetReader& reader,
                              const std::string& wanted) {
  SHARDINE_ASSIGN_OR_RETURN(const ManifestSplit* const split,
                            LargestSplit(reader, wanted));
  if (split->samples == 0) {
    return Status(Code::kInvalidArgument, "the split has no samples")
        .At({.path = reader.directory()});
  }
  ProbedTarget target;
  target.path = reader.directory();
  target.split = split->name;
  target.variant = reader.manifest().variant.name;
  for (const ManifestChild& child : reader.manifest().variants) {
    target.variants.push_back(child.path);
  }
  target.samples = split->samples;
  target.bytes = static_cast<double>(split->shard_bytes()) /
                 static_cast<double>(split->samples);
  for (const std::uint64_t i : Drawn(split->shards.size(), kMostShards)) {
    const ManifestFile& file = split->shards[i].file;
    target.files.push_back({reader.PathOf(file), file.bytes});
  }
  return target;
}

// The images below a folder, as far as the time goes; hidden names and links to
// folders are passed over.
struct FoundImages {
  std::vector<std::string> paths;
  bool is_complete = true;
};

Result<FoundImages> FindImages(ReadableStorage& storage,
                               const std::string& root,
                               const std::stop_token& stop) {
  FoundImages found;
  std::vector<std::string> folders = {root};
  const auto end = Clock::now() + kWalkTime;
  while (!folders.empty()) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    if (Clock::now() > end && !found.paths.empty()) {
      found.is_complete = false;
      return found;
    }
    const std::string folder = std::move(folders.back());
    folders.pop_back();
    SHARDINE_ASSIGN_OR_RETURN(const std::vector<DirEntry> entries,
                              storage.List(folder));
    for (const DirEntry& entry : entries) {
      if (entry.name.starts_with('.')) continue;
      std::string path = JoinPath(folder, entry.name);
      if (entry.kind == FileKind::kDirectory) {
        folders.push_back(std::move(path));
      } else if (HasImageSuffix(entry.name)) {
        found.paths.push_back(std::move(path));
      }
    }
  }
  return found;
}

Result<ProbedTarget> TreeTarget(ReadableStorage& storage,
                                const std::string& path,
                                const std::stop_token& stop) {
  SHARDINE_ASSIGN_OR_RETURN(const FoundImages found,
                            FindImages(storage, path, stop));
  ProbedTarget target;
  target.path = path;
  target.samples = found.paths.size();
  target.more_samples = !found.is_complete;
  std::uint64_t bytes = 0;
  const auto end = Clock::now() + kLookTime;
  for (const std::uint64_t i : Drawn(found.paths.size(), kMostFiles)) {
    if (bytes > 0 && Clock::now() > end) break;
    const auto info = storage.Stat(found.paths[i]);
    // A link that leads nowhere is no image.
    if (!info.ok() || info->kind != FileKind::kRegular) continue;
    bytes += info->size;
    target.files.push_back({found.paths[i], info->size});
  }
  if (bytes == 0) {
    return Status(Code::kNotFound, "neither a dataset nor a folder with images")
        .At({.path = path});
  }
  target.bytes =
      static_cast<double>(bytes) / static_cast<double>(target.files.size());
  return target;
}

// The encoded image of a sample that was read, with memory of its own; nullopt:
// it has none.
std::optional<ProbedImage> ImageOf(SampleRead& read) {
  const std::vector<FieldView> fields = FieldsOf(read.entry, read.payload);
  const FieldView* const image = FindEncodedImage(fields);
  if (image == nullptr) return std::nullopt;
  ProbedImage probed;
  probed.bytes.Append(image->bytes);
  probed.entry_points = std::move(read.entry_points);
  return probed;
}

// Some of the samples at a time: of a server in as few waits as there can be.
Result<std::vector<ProbedImage>> ReadSampleImages(ReadableStorage& storage,
                                                  const ProbedTarget& target,
                                                  std::uint64_t most,
                                                  Clock::time_point end) {
  DatasetOptions options{.split = target.split};
  options.cache = kNoCache;  // nothing is written
  SHARDINE_ASSIGN_OR_RETURN(const auto source,
                            SampleSource::Open(storage, target.path, options));
  const std::vector<std::uint64_t> drawn = Drawn(source->size(), most);
  std::vector<ProbedImage> images;
  Status first_failure;
  bool is_read = false;
  for (std::span<const std::uint64_t> left = drawn;
       !left.empty() && !(is_read && Clock::now() > end);) {
    const auto some = left.first(std::min(left.size(), kReadTogether));
    left = left.subspan(some.size());
    std::vector<SampleRead> samples(some.size());
    std::vector<Status> statuses(some.size());
    source->ReadMany(some, EntryPointUse::kRead, samples, statuses);
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (statuses[i].code() == Code::kCancelled) return statuses[i];
      if (!statuses[i].ok() && first_failure.ok()) first_failure = statuses[i];
      is_read = is_read || statuses[i].ok();
      if (!statuses[i].ok()) continue;
      if (auto image = ImageOf(samples[i])) images.push_back(*std::move(image));
    }
  }
  if (!is_read) return first_failure;
  return images;
}

Result<std::vector<ProbedImage>> ReadFileImages(ReadableStorage& storage,
                                                const ProbedTarget& target,
                                                std::uint64_t most,
                                                Clock::time_point end,
                                                const std::stop_token& stop) {
  std::vector<ProbedImage> images;
  Status first_failure;
  for (const ProbedFile& file : target.files) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    if (images.size() == most || (!images.empty() && Clock::now() > end)) break;
    const auto bytes = ReadFile(storage, file.path, kMostImageBytes);
    if (bytes.ok()) {
      ProbedImage image;
      image.bytes.Append(std::as_bytes(std::span(*bytes)));
      images.push_back(std::move(image));
    } else if (first_failure.ok()) {
      first_failure = bytes.status();
    }
  }
  if (images.empty()) return first_failure;
  return images;
}

}  // namespace

Result<ProbedTarget> FindProbedTarget(ReadableStorage& storage,
                                      const DoctorOptions& options,
                                      const std::stop_token& stop) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string folder,
                            DatasetFolder(storage, options.target));
  const auto reader = DatasetReader::Open(storage, folder);
  if (reader.ok()) return TargetOf(**reader, options.split);
  if (reader.status().code() != Code::kNotFound) return reader.status();
  auto tree = TreeTarget(storage, folder, stop);
  // A path that is no folder, or cannot be listed, was meant as a dataset.
  const Code code = tree.status().code();
  const bool is_place = tree.ok() || code == Code::kCancelled ||
                        tree.status().system_error() == 0;
  if (!is_place || !SchemeOf(folder).empty()) {
    if (!tree.ok() && code != Code::kCancelled) return reader.status();
  }
  if (tree.ok() && !options.split.empty()) {
    return Status(Code::kInvalidArgument, "a folder of images has no splits")
        .At({.path = folder});
  }
  return tree;
}

Result<ProbedTarget> FindProbedVariant(ReadableStorage& storage,
                                       const ProbedTarget& target,
                                       const std::string& variant) {
  SHARDINE_ASSIGN_OR_RETURN(
      const auto reader,
      DatasetReader::Open(storage, JoinPath(target.path, variant)));
  return TargetOf(*reader, target.split);
}

Result<std::vector<ProbedImage>> ReadProbedImages(ReadableStorage& storage,
                                                  const ProbedTarget& target,
                                                  const ProbeBudget& budget,
                                                  const std::stop_token& stop) {
  const std::uint64_t most = MostImages(target.bytes, budget.bytes);
  const auto end = Clock::now() + budget.time;
  return target.split.empty() ? ReadFileImages(storage, target, most, end, stop)
                              : ReadSampleImages(storage, target, most, end);
}

}  // namespace shardine
