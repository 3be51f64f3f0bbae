#include "shardine/dataset.h"

#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/dataset_path.h"
#include "dataset/sample_source.h"
#include "io/storage_for.h"
#include "shard/encoded_image.h"
#include "shard/payload.h"

namespace shardine {

std::span<const std::byte> Sample::image() const {
  const FieldView* image = FindEncodedImage(fields);
  return image == nullptr ? std::span<const std::byte>() : image->bytes;
}

Dataset::Dataset(std::unique_ptr<const SampleSource> source)
    : source_(std::move(source)) {}
Dataset::~Dataset() = default;

Result<std::shared_ptr<const Dataset>> Dataset::Open(
    const std::string& path, const DatasetOptions& options,
    const FormatRegistry& formats, const std::stop_token& stop) {
  const StopScope scope(stop);
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage, StorageFor(path));
  SHARDINE_ASSIGN_OR_RETURN(const DatasetPath given,
                            FindDatasetPath(*storage, path, formats));
  if (given.is_bare_shard) {
    return OpenShards({given.path}, options, formats, stop);
  }
  SHARDINE_ASSIGN_OR_RETURN(
      auto source,
      SampleSource::Open(*storage, given.path, options, stop, formats));
  return std::make_shared<const Dataset>(std::move(source));
}

Result<std::shared_ptr<const Dataset>> Dataset::OpenShards(
    const std::vector<std::string>& shards, const DatasetOptions& options,
    const FormatRegistry& formats, const std::stop_token& stop) {
  const StopScope scope(stop);
  // All shards of a dataset lie in the storage of the first.
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                            StorageFor(shards.empty() ? "" : shards.front()));
  SHARDINE_ASSIGN_OR_RETURN(
      auto source,
      SampleSource::OpenShards(*storage, shards, options, formats, stop));
  return std::make_shared<const Dataset>(std::move(source));
}

Result<std::shared_ptr<const Dataset>> Dataset::Concatenate(
    const std::vector<std::shared_ptr<const Dataset>>& datasets) {
  if (datasets.empty()) {
    return Status(Code::kInvalidArgument, "datasets: none");
  }
  std::vector<const SampleSource*> sources;
  sources.reserve(datasets.size());
  for (const auto& dataset : datasets) sources.push_back(&dataset->source());
  SHARDINE_ASSIGN_OR_RETURN(auto joined, SampleSource::Join(sources));
  return std::make_shared<const Dataset>(std::move(joined));
}

std::uint64_t Dataset::size() const { return source_->size(); }

namespace {

// A read without a stop token of its own ends with this thread's work.
class OwnStop {
 public:
  explicit OwnStop(const std::stop_token& stop) {
    if (stop.stop_possible()) scope_.emplace(stop);
  }

 private:
  std::optional<StopScope> scope_;
};

}  // namespace

Result<Sample> Dataset::Read(std::uint64_t position,
                             const std::stop_token& stop) const {
  return std::move(ReadMany(std::span(&position, 1), stop).front());
}

std::vector<Result<Sample>> Dataset::ReadMany(
    std::span<const std::uint64_t> positions,
    const std::stop_token& stop) const {
  const OwnStop scope(stop);
  std::vector<SampleRead> reads(positions.size());
  std::vector<Status> statuses(positions.size());
  source_->ReadMany(positions, EntryPointUse::kSkip, reads, statuses);
  std::vector<std::string> keys;
  const bool has_keys = source_->Keys(positions, keys).ok();
  std::vector<Result<Sample>> samples;
  samples.reserve(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    // Which of them has no key is seen of each alone.
    if (statuses[i].ok() && !has_keys) {
      auto key = source_->Key(positions[i]);
      statuses[i] = key.status();
      if (key.ok()) keys[i] = *std::move(key);
    }
    if (!statuses[i].ok()) {
      samples.emplace_back(std::move(statuses[i]));
      continue;
    }
    auto read = std::make_shared<SampleRead>(std::move(reads[i]));
    Sample sample;
    sample.key = std::move(keys[i]);
    sample.id = read->entry.id;
    sample.labels = read->entry.labels;
    sample.fields = FieldsOf(read->entry, read->payload);
    sample.unread = std::move(read->unread);
    sample.memory_ = std::move(read);
    samples.emplace_back(std::move(sample));
  }
  return samples;
}

Result<std::string> Dataset::Key(std::uint64_t position,
                                 const std::stop_token& stop) const {
  const OwnStop scope(stop);
  return source_->Key(position);
}

Status Dataset::Keys(std::span<const std::uint64_t> positions,
                     std::vector<std::string>& keys,
                     const std::stop_token& stop) const {
  const OwnStop scope(stop);
  return source_->Keys(positions, keys);
}

Status Dataset::Labels(std::uint64_t first, std::uint64_t count,
                       std::vector<std::vector<Label>>& labels,
                       const std::stop_token& stop) const {
  const OwnStop scope(stop);
  labels.clear();
  std::vector<IndexEntry> entries;
  SHARDINE_RETURN_IF_ERROR(
      source_->Entries(first, count, entries, EntryParts::kLabels));
  labels.reserve(entries.size());
  for (IndexEntry& entry : entries) labels.push_back(std::move(entry.labels));
  return Status();
}

const std::string& Dataset::path() const { return source_->path(); }

const std::string& Dataset::split() const { return source_->split(); }

const std::string& Dataset::variant() const { return source_->variant(); }

const std::vector<DatasetClass>& Dataset::classes() const {
  return source_->classes();
}

Digest128 Dataset::order_digest() const { return source_->order_digest(); }

const std::vector<std::string>& Dataset::text_fields() const {
  return source_->text_fields();
}

const std::vector<std::string>& Dataset::warnings() const {
  return source_->warnings();
}

const std::vector<std::string>& Dataset::indexes() const {
  return source_->indexes();
}

}  // namespace shardine
