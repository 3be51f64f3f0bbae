#include "verify/dataset_shards.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "dataset/dataset_format.h"
#include "io/path_scheme.h"
#include "io/uncached_storage.h"
#include "source/server_threads.h"
#include "verify/shard_verifier.h"

namespace shardine {

Result<std::unique_ptr<DatasetShards>> DatasetShards::Open(
    ReadableStorage& storage, const DatasetReader& dataset,
    const FormatRegistry& formats, const VerifyOptions& options) {
  SHARDINE_ASSIGN_OR_RETURN(FormatAndLayout format, FormatOf(dataset, formats));
  std::unique_ptr<DatasetShards> shards(
      new DatasetShards(storage, dataset, std::move(format), options));
  if (!options.against.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(shards->against_,
                              SourceTree::Open(storage, dataset, options));
  }
  shards->ReadKept();
  return shards;
}

// Only decoding finds the faults that these excuse.
void DatasetShards::ReadKept() {
  if (options_.level != VerifyLevel::kDeep) return;
  auto kept = KeptImages::Read(dataset_);
  if (kept.ok()) {
    kept_ = *std::move(kept);
  } else {
    kept_failure_ = std::move(kept).status();
  }
}

// Shards of a server are mostly waited for, their many small files above all.
unsigned DatasetShards::threads() const {
  std::uint64_t largest = 0;
  for (const DatasetReader::ShardRef& ref : dataset_.shards()) {
    largest = std::max(largest, ref.shard->file.bytes);
  }
  return ServerThreads(dataset_.directory(), options_.threads,
                       options_.threads == 0 ? ServerShards(largest) : 1);
}

Result<ShardOutcome> DatasetShards::Verify(
    std::size_t shard, const std::function<void(std::uint64_t)>& on_record,
    const std::stop_token& stop) const {
  SHARDINE_ASSIGN_OR_RETURN(ShardOutcome outcome,
                            VerifyOn(storage_, shard, on_record, stop));
  // Bytes from a server may be damaged on the way.
  if (outcome.findings.empty() || SchemeOf(dataset_.directory()).empty()) {
    return outcome;
  }
  UncachedStorage storage(storage_);
  SHARDINE_ASSIGN_OR_RETURN(ShardOutcome anew,
                            VerifyOn(storage, shard, nullptr, stop));
  anew.came_wrong = anew.findings.empty();
  anew.samples = outcome.samples;
  anew.bytes = outcome.bytes;
  return anew;
}

Result<ShardOutcome> DatasetShards::VerifyOn(
    ReadableStorage& storage, std::size_t shard,
    const std::function<void(std::uint64_t)>& on_record,
    const std::stop_token& stop) const {
  ShardOutcome outcome;
  const ShardVerifier::Options options{.level = options_.level,
                                       .against = against(),
                                       .kept = &kept_,
                                       .on_record = [&](std::uint64_t bytes) {
                                         ++outcome.samples;
                                         outcome.bytes += bytes;
                                         if (on_record) on_record(bytes);
                                       }};
  ShardVerifier verifier(storage, dataset_, dataset_.shards()[shard], format_,
                         options);
  SHARDINE_RETURN_IF_ERROR(verifier.Run(stop));
  outcome.findings = verifier.findings();
  outcome.sums = verifier.sums();
  outcome.kept = verifier.kept();
  return outcome;
}

}  // namespace shardine
