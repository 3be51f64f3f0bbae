#include "dataset/located_samples.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "io/path_scheme.h"
#include "pipeline/in_order.h"
#include "pipeline/parallel_for.h"
#include "source/server_threads.h"
#include "source/source_batch.h"

namespace shardine {
namespace {

constexpr std::size_t kShardsOpen = 32;

class Blocks {
 public:
  Blocks(const DatasetReader& dataset, std::span<const LocatedSample> samples,
         const std::vector<std::string>* wanted)
      : dataset_(dataset),
        samples_(samples),
        wanted_(wanted),
        pool_(kShardsOpen, [this](std::size_t shard) { return Open(shard); }),
        blocks_(CutSources(samples.size(),
                           [&](std::size_t i) { return samples[i].bytes; },
                           {.count = 64, .bytes = std::uint64_t{2} << 20})) {}

  Status Read(
      const std::function<Status(std::size_t, const SampleRead&)>& visit) {
    const auto take = [&](std::uint64_t i, const Reads& reads) -> Result<bool> {
      for (std::size_t k = 0; k < reads.samples.size(); ++k) {
        SHARDINE_RETURN_IF_ERROR(
            visit(blocks_[i].first + k, *reads.samples[k]));
      }
      if (!reads.status.ok()) return reads.status;
      return true;
    };
    return WorkInOrder<Reads>(
        {.count = blocks_.size(),
         .threads = is_remote() ? kServerBlocks : 1,
         .bytes = [&](std::uint64_t i) { return blocks_[i].bytes; }},
        {.make = [&](std::uint64_t i) { return ReadBlock(blocks_[i]); },
         .take = take});
  }

 private:
  struct Reads {
    std::vector<std::unique_ptr<SampleRead>> samples;  // up to the failure
    Status status;
  };

  bool is_remote() const { return !SchemeOf(dataset_.directory()).empty(); }

  Result<PooledShard> Open(std::size_t shard) const {
    const DatasetReader::ShardRef& ref = dataset_.shards()[shard];
    PooledShard opened;
    const auto open = [&](std::size_t i) -> Status {
      if (i == 0) {
        SHARDINE_ASSIGN_OR_RETURN(opened.index, dataset_.OpenIndex(ref));
      } else {
        SHARDINE_ASSIGN_OR_RETURN(opened.file, dataset_.OpenShard(ref));
      }
      return Status();
    };
    SHARDINE_RETURN_IF_ERROR(ParallelFor(2, is_remote() ? 2 : 1, open));
    return opened;
  }

  Reads ReadBlock(const SourceBlock& block) {
    Reads reads;
    std::vector<SampleTask> tasks;
    for (std::size_t i = block.first; i < block.first + block.count; ++i) {
      const LocatedSample& sample = samples_[i];
      const auto shard =
          static_cast<std::size_t>(sample.shard - dataset_.shards().data());
      auto open = pool_.Get(shard);
      if (!open.ok()) {
        reads.status = std::move(open).status();
        break;
      }
      reads.samples.push_back(std::make_unique<SampleRead>());
      reads.samples.back()->wanted = wanted_;
      SampleTask& task = tasks.emplace_back();
      task.shard = *std::move(open);
      task.record = sample.record;
      task.sample = reads.samples.back().get();
    }
    ReadSamples(tasks, EntryPointUse::kSkip);
    const auto failed = std::ranges::find_if(
        tasks, [](const SampleTask& task) { return !task.status.ok(); });
    // The failure of the earliest sample counts.
    if (failed == tasks.end()) return reads;
    reads.status = std::move(failed->status)
                       .At({.path = failed->shard->file->path(),
                            .record = failed->record});
    reads.samples.resize(static_cast<std::size_t>(failed - tasks.begin()));
    return reads;
  }

  const DatasetReader& dataset_;
  const std::span<const LocatedSample> samples_;
  const std::vector<std::string>* const wanted_;
  ShardPool pool_;
  const std::vector<SourceBlock> blocks_;
};

}  // namespace

Status ReadLocated(
    const DatasetReader& dataset, std::span<const LocatedSample> samples,
    const std::vector<std::string>* wanted,
    const std::function<Status(std::size_t i, const SampleRead& read)>& visit) {
  return Blocks(dataset, samples, wanted).Read(visit);
}

}  // namespace shardine
