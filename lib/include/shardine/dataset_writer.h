// DatasetWriter: samples of one's own, in the order in which they are given,
// become a dataset of any format: for what is no tree of images.
#ifndef SHARDINE_DATASET_WRITER_H_
#define SHARDINE_DATASET_WRITER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/entry_points.h"
#include "shardine/image_check.h"
#include "shardine/job.h"
#include "shardine/pack_result.h"
#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

// A class of the dataset to be.
struct NewClass {
  std::string name;  // "n01440764": any bytes, at least one
  std::int64_t label = 0;
  std::string text = {};  // for people: "tench, Tinca tinca"
};

struct DatasetWriterOptions {
  std::string output;               // a folder, which is new or empty
  std::string format = "recordio";  // or "recordio/mxnet"
  // A shard ends before the sample that would make it larger; a sample counts
  // for its fields, key and labels and 64 bytes. It bounds memory, too: what is
  // known of the samples of a shard is kept until its end.
  std::uint64_t shard_bytes = 256ull << 20;
  std::uint64_t shard_samples = 0;  // at most so many in a shard; 0: any number
  // Each name and label once, in any order. Where there are some, the label of
  // a sample that has just one is one of theirs.
  std::vector<NewClass> classes = {};
  // Whether an image is bad. A bad one ends the work: leave it out before.
  ImageCheckLevel check = ImageCheckLevel::kHeader;
  EntryPoints entry_points = EntryPoints::kAuto;
  // 1: the calling thread does everything. More look at the images, and one
  // beside them writes; 0: this process's share. Never changes bytes.
  unsigned threads = 1;
};

// Views: they need to be valid only while the sample is appended.
struct NewSample {
  std::string_view key;  // any bytes, 1 to 2^16 - 1; unique in its split
  // An id is unique in the dataset. All samples have one, or none has; they are
  // numbered in the order of appending then.
  std::optional<std::uint64_t> id = {};
  std::span<const Label> labels = {};
  // Fields in any order; arrays with dtype and shape. An encoded image is the
  // field kImageField of plain bytes. No two of one name.
  std::span<const FieldView> fields = {};
  std::string_view split = "train";  // letters, digits, `_`, `.` and `-`
};

// Writes shards as samples come and reads each back when it ends, as Pack()
// does. Until Finish() they have no final names, so that nothing can be taken
// for a dataset or for part of one: they lie in OUT/.pack, which opening the
// folder, verify and the other verbs call unfinished.
//
// What is begun cannot be gone on with. After any failure, and by destruction
// without Finish(), all that was written is removed. After a crash or a kill
// it stays, and the next writer with these options takes the folder over and
// begins from the start; where the dataset was whole by then, any writer clears
// away and leaves it.
//
// Same options and samples, same bytes. With several threads a sample is copied
// and looked at later, with at most 34 MiB of others and the largest sample:
// what is wrong with its image or its shard is the answer of a call after, the
// first failure in the order of samples all the same. Thread-compatible; no
// fork of the process may touch it.
class DatasetWriter {
 public:
  // `job`'s storage and formats must outlive the writer. Its progress counts
  // samples and bytes, whose totals it does not know, and with several threads
  // is called by one of them.
  //
  // kInvalidArgument: options. kAlreadyExists: the folder holds something, be
  // it a dataset, or another run is at work on it, or what an interrupted
  // writer put there is another file by now (it stays). kChanged: it holds the
  // unfinished work of another command.
  static Result<std::unique_ptr<DatasetWriter>> Create(
      DatasetWriterOptions options, const Job& job = {});
  ~DatasetWriter();
  DatasetWriter(const DatasetWriter&) = delete;
  DatasetWriter& operator=(const DatasetWriter&) = delete;

  // kInvalidArgument: not a sample as above; its key is there already (one that
  // is in another shard is found by Finish); more than 64 splits. kUnsupported:
  // the format cannot hold it. kCorrupt: a bad image, or a shard that did not
  // read back. kCancelled: a stop was asked for. The first failure is the
  // answer of every later call, too: no dataset lacks a sample in silence.
  // REQUIRES: Finish() was not called.
  Status Append(const NewSample& sample);

  // Gives the shards their names and writes the manifest, last; the dataset is
  // there, or this failed and nothing is. What only the sidecar index keeps is
  // said in `warnings`. kInvalidArgument: no samples at all, or two with one id
  // or, in a split, one key. REQUIRES: called once.
  Result<PackResult> Finish();

 private:
  class Work;
  explicit DatasetWriter(std::unique_ptr<Work> work);

  std::unique_ptr<Work> work_;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_WRITER_H_
