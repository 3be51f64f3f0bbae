// DatasetShards: the shards of one dataset, and the data that verifying any of
// them needs beside it: the format, the tree to compare with, the images that
// are known to be bad.
#ifndef SHARDINE_VERIFY_DATASET_SHARDS_H_
#define SHARDINE_VERIFY_DATASET_SHARDS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "dataset/dataset_reader.h"
#include "dataset/kept_images.h"
#include "io/readable_storage.h"
#include "shard/format_registry.h"
#include "shardine/status.h"
#include "shardine/verify.h"
#include "verify/shard_outcome.h"
#include "verify/verify_tree.h"

namespace shardine {

// Immutable once open, so thread-safe.
class DatasetShards {
 public:
  // All must outlive the object. Failures: the format is unknown, or those of
  // SourceTree::Open().
  static Result<std::unique_ptr<DatasetShards>> Open(
      ReadableStorage& storage, const DatasetReader& dataset,
      const FormatRegistry& formats, const VerifyOptions& options);

  const DatasetReader& dataset() const { return dataset_; }
  const FormatAndLayout& format() const { return format_; }
  // Null: there is nothing to compare with.
  const SourceTree* against() const { return against_ ? &*against_ : nullptr; }
  // Why the list of bad images that were kept cannot be read. It then excuses
  // nothing: the images it may have excused are found, too.
  const Status& kept_failure() const { return kept_failure_; }
  // How many shards are looked at together.
  unsigned threads() const;

  // `on_record` is called after each record with its size in bytes; empty: it
  // is not called. A shard of a server with findings is read once more, past
  // every cache. kCancelled: stopped; else a failure to read
  // (verify/reading_failure.h). REQUIRES: there is such a shard.
  Result<ShardOutcome> Verify(
      std::size_t shard, const std::function<void(std::uint64_t)>& on_record,
      const std::stop_token& stop) const;

 private:
  DatasetShards(ReadableStorage& storage, const DatasetReader& dataset,
                FormatAndLayout format, const VerifyOptions& options)
      : storage_(storage),
        dataset_(dataset),
        format_(std::move(format)),
        options_(options) {}
  void ReadKept();
  Result<ShardOutcome> VerifyOn(
      ReadableStorage& storage, std::size_t shard,
      const std::function<void(std::uint64_t)>& on_record,
      const std::stop_token& stop) const;

  ReadableStorage& storage_;
  const DatasetReader& dataset_;
  const FormatAndLayout format_;
  const VerifyOptions& options_;
  std::optional<SourceTree> against_;
  KeptImages kept_;
  Status kept_failure_;
};

}  // namespace shardine

#endif  // SHARDINE_VERIFY_DATASET_SHARDS_H_
