// SampleSource: the samples of one split of a dataset, read one by one, in any
// order, by any number of threads. Dataset and Loader read through it.
#ifndef SHARDINE_DATASET_SAMPLE_SOURCE_H_
#define SHARDINE_DATASET_SAMPLE_SOURCE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "dataset/ask_ahead.h"
#include "dataset/dataset_reader.h"
#include "dataset/proved_samples.h"
#include "dataset/sample_read.h"
#include "dataset/shard_pool.h"
#include "io/readable_storage.h"
#include "shard/format_registry.h"
#include "shard/shard_index.h"
#include "shardine/dataset.h"
#include "shardine/status.h"

namespace shardine {

struct OpenedSource;  // dataset/opened_source.h

// The parts of entries that are wanted: all, or ids and labels, which need no
// read of samples whose shards are not made yet.
enum class EntryParts : std::uint8_t { kAll, kLabels };

// Thread-safe. `storage` must outlive it. Read and Entries use the memory they
// are given again. A fork is no problem while no other thread is inside.
class SampleSource {
 public:
  static Result<std::unique_ptr<SampleSource>> Open(
      ReadableStorage& storage, const std::string& path,
      const DatasetOptions& options, const std::stop_token& stop = {},
      const FormatRegistry& formats = BuiltinFormats());
  static Result<std::unique_ptr<SampleSource>> OpenShards(
      ReadableStorage& storage, const std::vector<std::string>& shards,
      const DatasetOptions& options, const FormatRegistry& formats,
      const std::stop_token& stop = {});
  // A source that is open already.
  static std::unique_ptr<SampleSource> Of(OpenedSource opened);
  // One after another; the memory of their facts, such as labels of a list, is
  // shared. Failures as of JoinSources. REQUIRES: there is one.
  static Result<std::unique_ptr<SampleSource>> Join(
      std::span<const SampleSource* const> parts);
  ~SampleSource();

  std::uint64_t size() const;
  // Where a failure happened is in the Status: shard, record, byte, and key if
  // it can be read. Entry points that are damaged or missing are no failure:
  // then there are none.
  // REQUIRES of these: position < size().
  Status Read(std::uint64_t position, EntryPointUse use,
              SampleRead& sample) const;
  // The same of many, each with its own status, in as few waits for storage as
  // there can be: where the shards are open, two, or three where samples are
  // more than a photo with a label; of each, pages of indexes that are kept
  // save one. REQUIRES: as many samples and statuses as positions.
  void ReadMany(std::span<const std::uint64_t> positions, EntryPointUse use,
                std::span<SampleRead> samples,
                std::span<Status> statuses) const;
  // A hint that these samples will be read soon (ask_ahead.h). REQUIRES: they
  // are in ascending order.
  void ReadAhead(std::span<const std::uint64_t> positions, const AheadUse& use,
                 AheadBytes& ahead) const;
  // Whether these fields lie in the shards as such, as far as the first page of
  // each index tells: a compressed field is compressed from the first record
  // on. kUnsupported with shard, record and field.
  Status CheckStreams(const std::vector<std::string>& fields) const;
  // The row of the sidecar index alone: header facts, id, labels, extents.
  Result<IndexEntry> Entry(std::uint64_t position) const;
  Result<std::string> Key(std::uint64_t position) const;
  // As Dataset::Keys.
  Status Keys(std::span<const std::uint64_t> positions,
              std::vector<std::string>& keys) const;
  // The samples whose entry points are proved, by any reader.
  ProvedSamples& proved() const;
  // Shard, record and key, for messages.
  Where WhereIs(std::uint64_t position) const;

  // Entries [first, first + count), some thousands at a time; for orders by
  // facts of the headers. Replaces the contents of the vector.
  Status Entries(std::uint64_t first, std::uint64_t count,
                 std::vector<IndexEntry>& entries,
                 EntryParts parts = EntryParts::kAll) const;

  const std::string& path() const;
  const std::string& split() const;
  const std::string& variant() const;
  const std::vector<DatasetClass>& classes() const;
  // As many samples are counted by class as there are, so that all labels are
  // integers. False of labels of a list, and where nothing is counted.
  bool all_in_classes() const;
  // Samples whose image is of a kind that is not decoded, where the manifest or
  // a scan knows of some; a list of labels changes nothing of it.
  std::uint64_t undecoded() const;
  // As Dataset::text_fields().
  const std::vector<std::string>& text_fields() const;
  Digest128 order_digest() const;
  const std::vector<std::string>& warnings() const;
  // As Dataset::indexes().
  const std::vector<std::string>& indexes() const;

 private:
  struct Parts;
  explicit SampleSource(std::shared_ptr<Parts> parts);
  void ReadMade(std::span<const std::uint64_t> positions, EntryPointUse use,
                std::span<SampleRead> samples,
                std::span<Status> statuses) const;
  std::shared_ptr<Parts> parts_;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_SAMPLE_SOURCE_H_
