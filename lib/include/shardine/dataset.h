// Dataset: the samples of one split, by position, whatever format they are in.
#ifndef SHARDINE_DATASET_H_
#define SHARDINE_DATASET_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/digest.h"
#include "shardine/field_roles.h"
#include "shardine/format.h"
#include "shardine/list_match.h"
#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

struct DatasetOptions {
  std::string split = {};            // may be empty if there is only one
  std::string variant = "original";  // "sz/160"
  // A list file (.lst or JSON) whose labels take the place of those packed: all
  // keys are read once, when the dataset is opened. A sample that the list does
  // not name keeps its labels. Rows of other splits are passed over. Empty:
  // none.
  std::string labels = {};
  MatchBy labels_by = MatchBy::kKey;
  bool labels_for_all = false;  // a sample that has no row is an error
  // For datasets on servers: the folder in which any number of processes keep
  // the bytes read, for the next time; empty: the user's own; "off": none.
  // kInvalidArgument: a folder that holds files of others, a home, the root of
  // a disk.
  std::string cache = {};
  // The bytes that it may take, samples included; 0: sidecars and entry points
  // alone are kept, of 4 GiB.
  std::uint64_t cache_bytes = 0;
  // Fields of plain bytes that are text beside those that the dataset says:
  // of one that was made before datasets said it.
  std::vector<std::string> text_fields = {};
  // Labels, ascending, that are 0, 1, 2, ... here; their classes are those of
  // the dataset, and any other label is -1. Empty: labels are as they are.
  std::vector<std::int64_t> compact_labels = {};
  // The fields of shards without a dataset that are image, label and key, and
  // the ones that are kept. kInvalidArgument: no record has one of them, or
  // there is a dataset, whose index says it.
  FieldRoles roles = {};
};

struct DatasetClass {
  std::string name;  // "n01440764"
  std::int64_t label = 0;
};

// One sample with memory of its own.
class Sample {
 public:
  std::uint64_t id = 0;
  std::string key;  // any bytes
  std::vector<Label> labels;
  std::vector<FieldView> fields;  // by ascending name; views of this sample
  // Names of those that are not in the shard as such (compressed, or numbers in
  // another form): convert the dataset to read them. Where the image is one
  // of them, the sample cannot be read: kUnsupported.
  std::vector<std::string> unread;

  // The encoded image; empty if there is none.
  std::span<const std::byte> image() const;

 private:
  friend class Dataset;
  std::shared_ptr<const void> memory_;  // behind the views
};

// Immutable once open, so thread-safe, and good on both sides of a fork while
// no other thread reads. Shards are opened as they are needed; a bounded number
// of them stays open.
class Dataset {
 public:
  // `path`: the folder of a dataset, or its manifest. Reads that and nothing
  // else, however large it is, but for `labels`. A shard that is in no dataset
  // is as with OpenShards. kNotFound: no dataset, or not that variant, naming
  // those there are; or one file of a dataset, naming its folder;
  // kInvalidArgument: no such split, or none was asked for and there are
  // several, naming them; or a row of `labels` matches no sample, no rejected
  // one, or several samples; kCancelled: a stop was asked for.
  static Result<std::shared_ptr<const Dataset>> Open(
      const std::string& path, const DatasetOptions& options = {},
      const FormatRegistry& formats = BuiltinFormats(),
      const std::stop_token& stop = {});

  // Shards of any format without a dataset around them, in the order given. One
  // with its sidecar in .shardine or beside it is opened by that; a local one
  // of 8 MiB or more with MXNet's .idx beside it by that, and each record is
  // read when it is asked for. All others, and all with `labels` or `roles`,
  // are read through here and now, which warnings() says. A directory may stand
  // for a shard, as with LMDB. Ids are those of the records where all have one
  // of their own, else positions. kInvalidArgument: another variant than
  // "original".
  static Result<std::shared_ptr<const Dataset>> OpenShards(
      const std::vector<std::string>& shards,
      const DatasetOptions& options = {},
      const FormatRegistry& formats = BuiltinFormats(),
      const std::stop_token& stop = {});

  // The samples of several datasets, one after another, each with the id that
  // it has in its own: samples of two may have the same. For MixedSampling
  // (shardine/sampling.h). kInvalidArgument: there are none; a label has one
  // name in one of them and another in another, or a name two labels.
  static Result<std::shared_ptr<const Dataset>> Concatenate(
      const std::vector<std::shared_ptr<const Dataset>>& datasets);

  ~Dataset();
  Dataset(const Dataset&) = delete;
  Dataset& operator=(const Dataset&) = delete;

  std::uint64_t size() const;
  // A sample of the split in its stored order. The CRC of the payload is
  // checked. kCorrupt, kIo, kNotFound with shard, record and, where it could be
  // read, key. Here and below a wait for a server ends with `stop`: kCancelled.
  // REQUIRES: position < size().
  Result<Sample> Read(std::uint64_t position,
                      const std::stop_token& stop = {}) const;
  // The samples at these positions, in their order, each as Read() gives it: of
  // a server in as few waits as there can be. All are in memory at a time.
  // REQUIRES: all positions < size().
  std::vector<Result<Sample>> ReadMany(std::span<const std::uint64_t> positions,
                                       const std::stop_token& stop = {}) const;
  Result<std::string> Key(std::uint64_t position,
                          const std::stop_token& stop = {}) const;
  // The keys of several samples, in any order: neighbours are read together.
  // Replaces the vector's contents. REQUIRES: all positions < size().
  Status Keys(std::span<const std::uint64_t> positions,
              std::vector<std::string>& keys,
              const std::stop_token& stop = {}) const;
  // The labels of the samples [first, first + count), from the indexes alone:
  // no sample is read. Replaces the vector's contents.
  // REQUIRES: first + count <= size().
  Status Labels(std::uint64_t first, std::uint64_t count,
                std::vector<std::vector<Label>>& labels,
                const std::stop_token& stop = {}) const;

  const std::string& path() const;   // as given; of shards, the first
  const std::string& split() const;  // "train"
  const std::string& variant() const;
  const std::vector<DatasetClass>& classes() const;  // by label
  Digest128 order_digest() const;  // of the ids in their order
  const std::vector<std::string>& warnings() const;
  // Paths of the indexes of other programs (MXNet's .idx) by which bare shards
  // were opened without a scan.
  const std::vector<std::string>& indexes() const;
  // Names of the fields of plain bytes that are text in UTF-8, ascending: those
  // that were given as text, and of others' shards those that their containers
  // call text. Bytes that are none all the same are no failure here.
  const std::vector<std::string>& text_fields() const;

  // A dataset of a source such as Open makes and the loader reads through
  // (dataset/sample_source.h): for a storage other than the file system, say.
  explicit Dataset(std::unique_ptr<const class SampleSource> source);
  const SampleSource& source() const { return *source_; }

 private:
  std::unique_ptr<const SampleSource> source_;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_H_
