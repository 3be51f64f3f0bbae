// The samples of one or more datasets as one list, and where each of them is.
// The datasets stay open; shards are opened as they are needed.
#ifndef SHARDINE_DATASET_DATASET_SAMPLES_H_
#define SHARDINE_DATASET_DATASET_SAMPLES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/dataset_reader.h"
#include "dataset/scanned_shards.h"
#include "dataset/shard_pool.h"
#include "io/readable_storage.h"
#include "shard/format_registry.h"
#include "shard/shard_index.h"
#include "shardine/sample.h"
#include "shardine/status.h"
#include "source/source_list.h"

namespace shardine {

class DatasetSamples {
 public:
  struct Shard {
    std::size_t dataset = 0;  // number of its dataset
    const DatasetReader::ShardRef* ref = nullptr;
    std::uint64_t first = 0;  // number of its first sample among all
    // Some payload is not in the file as such: only a scan gets at it.
    bool needs_scan = false;
    SourceFacts facts;  // of its file when it was listed
  };
  // The facts that List() finds of a shard, for a caller that takes its samples
  // elsewhere.
  struct Listed {
    SourceFacts shard;    // of its file
    SourceFacts sidecar;  // of that one
    bool needs_scan = false;

    friend bool operator==(const Listed&, const Listed&) = default;
  };
  struct Location {
    std::size_t shard = 0;  // into shards()
    std::uint64_t record = 0;
  };

  // `storage` and `formats` must outlive the samples.
  DatasetSamples(ReadableStorage& storage, const FormatRegistry& formats);
  DatasetSamples(const DatasetSamples&) = delete;
  DatasetSamples& operator=(const DatasetSamples&) = delete;

  // Opens one more dataset.
  Status Add(const std::string& directory);
  // One whose shards were scanned (dataset/scanned_shards.h). `path` is the
  // path that was given for it.
  Status Add(std::unique_ptr<ScannedShards> scanned, const std::string& path);
  // Reads only the image and these fields of each sample. Call before List().
  void KeepFields(const std::vector<std::string>& names) {
    fields_.emplace(names.begin(), names.end());
  }
  // Shards may be shorter or longer than their indexes say: each payload is
  // compared with its checksum all the same.
  void AllowOtherSizes() { allows_other_sizes_ = true; }
  bool keeps_all_fields() const { return !fields_.has_value(); }
  bool Keeps(std::string_view field) const {
    return !fields_ || field == kImageField || fields_->contains(field);
  }
  // Lists the samples of all datasets for which `visit` returns true; it is
  // called for each. Called once, before anything below. kCorrupt: the samples
  // of the sidecars do not add up to a manifest's digests.
  using Visit = std::function<Result<bool>(
      const Shard& shard, const IndexEntry& entry, const std::string& key)>;
  Status List(const Visit& visit);

  // Instead of List(): sample i is number `numbers`[i] of all that the datasets
  // have, whose shards were found to be `listed`. No sidecar is read. kChanged
  // if there are other shards, or, naming the file, if one that has any of the
  // samples has changed.
  Status Take(const std::vector<Listed>& listed,
              std::vector<std::uint64_t> numbers);
  // Both for Take(), after List().
  Result<std::vector<Listed>> ListedShards() const;
  std::uint64_t NumberOf(std::uint64_t sample) const {
    return numbers_ ? (*numbers_)[static_cast<std::size_t>(sample)] : sample;
  }

  std::size_t datasets() const { return datasets_.size(); }
  const DatasetReader& dataset(std::size_t number) const {
    return *datasets_[number].reader;
  }
  // Its folder, or the given path for shards without one.
  const std::string& path(std::size_t number) const {
    return datasets_[number].path;
  }
  const FormatAndLayout& format(std::size_t number) const {
    return datasets_[number].format;
  }
  const std::vector<Shard>& shards() const { return shards_; }
  bool needs_scan() const;
  // Whether each read waits for a server.
  bool is_remote() const;

  // REQUIRES: `sample` is in the list.
  Location Find(std::uint64_t sample) const;
  // Without entry points. Thread-safe. A bounded number of shards stays open
  // for the next call.
  Result<std::shared_ptr<const PooledShard>> Open(std::size_t shard) const {
    return pool_.Get(shard);
  }
  // Opens shards that are not open yet, on a server many at a time. Failures
  // are not returned here: opening such a shard again returns its failure.
  void OpenAll(const std::set<std::size_t>& shards) const;
  std::string ShardPath(std::size_t shard) const;
  // The same for people, wherever the dataset lies: from its folder, where
  // there is one dataset.
  std::string ShardName(std::size_t shard) const;
  // The number of a record in the file, which counts those that a scan passed
  // over.
  std::uint64_t RecordInFile(std::size_t shard, std::uint64_t record) const;
  // kChanged, with its path, if the file of one has changed since it was
  // listed. Thread-safe.
  Status CheckShards(const std::set<std::size_t>& shards) const;

 private:
  struct Dataset {
    std::string path;
    // Before the reader, which reads from its storage.
    std::unique_ptr<ScannedShards> scanned;
    std::unique_ptr<DatasetReader> reader;
    FormatAndLayout format;
  };

  Result<PooledShard> OpenShard(std::size_t shard) const;
  std::string SidecarPath(std::size_t shard) const;

  ReadableStorage& storage_;
  const FormatRegistry& formats_;
  std::vector<Dataset> datasets_;
  std::vector<Shard> shards_;
  std::optional<std::set<std::string, std::less<>>> fields_;
  bool allows_other_sizes_ = false;
  // The number among all samples of each sample in the list; not there while
  // they are the same.
  std::optional<std::vector<std::uint64_t>> numbers_;
  const std::shared_ptr<PageCache> pages_ = std::make_shared<PageCache>();
  mutable ShardPool pool_;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_DATASET_SAMPLES_H_
