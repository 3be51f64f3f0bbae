// DatasetWriter: samples from a program, in the order in which they are given,
// become a dataset of any format: for data that is no tree of images.
#ifndef SHARDINE_DATASET_WRITER_H_
#define SHARDINE_DATASET_WRITER_H_

#include <chrono>
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
  // A folder, which is new or empty, or has parts of the same dataset alone.
  std::string output;
  std::string format = "recordio";  // or "recordio/mxnet"
  // A shard ends before the sample that would make it larger; a sample counts
  // for its fields, key and labels and 64 bytes. It bounds memory, too: the
  // index entries of a shard's samples are kept until its end.
  std::uint64_t shard_bytes = 256ull << 20;
  std::uint64_t shard_samples = 0;  // at most so many in a shard; 0: any number
  // Each name and label once, in any order. Where there are some, the label of
  // a sample that has just one is one of theirs.
  std::vector<NewClass> classes = {};
  bool lossy_labels = false;  // as PackOptions::lossy_labels
  // The check of images, and the fate of a sample with a bad one. It is listed
  // in OUT/rejected.jsonl; OnBad::kQuarantine copies the image to
  // OUT/quarantine, OnBad::kKeep writes the sample all the same. With parts,
  // the join finds and lists them.
  ImageCheckLevel check = ImageCheckLevel::kHeader;
  OnBad on_bad = OnBad::kFail;
  EntryPoints entry_points = EntryPoints::kAuto;
  // A dataset in the folder gives way when Finish() succeeds, with all files
  // that its manifests list and no other file. It stays complete until then.
  bool replace = false;
  // 1: the calling thread does everything. More look at the images, and one
  // beside them writes; 0: this process's share. Never changes bytes.
  unsigned threads = 1;
  // With `parts`, 1 to 99999: the samples are those of part number `part`, from
  // 0 on, of so many that writers make, one after the other or side by side,
  // each in a process of its own if that is wanted; JoinParts() makes the
  // dataset of all.
  std::uint32_t part = 0;
  std::uint32_t parts = 0;  // 0: this writer makes the whole dataset
};

// Views: they need to be valid only while the sample is appended.
struct NewSample {
  // Any bytes, 1 to 2^16 - 1; unique in its split. Where there is none, it is
  // the number of samples appended before, of all splits: "00000042".
  std::optional<std::string_view> key = {};
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
// A shard's name holds how many there are in its split (train-00000-of-00012),
// which only Finish() knows, so that a shard is whole, read back and synced
// when it ends but named at the end, unlike Pack(), which has a plan. So an
// abandoned writer also leaves nothing, as promised: no shard of samples that
// never became a dataset stands under a name that readers look for.
//
// An interrupted writer cannot be resumed. After a failure, but for those that
// Finish() may be called again after, and by destruction without Finish(), all
// that was written is removed, and no other file. After a crash or a kill it
// stays, and the next writer with these options takes the folder over and
// begins from the start; where the dataset was whole by then, any writer clears
// away and leaves it.
//
// A part is staged in a folder of its own, OUT/.parts/00003-of-00008, under a
// lock of its own: its writers touch nothing of other parts, and that folder
// takes the place of OUT above. Finish() leaves the part there, whole; an empty
// one is as good as another. A key or an id that comes twice in different parts
// is found by JoinParts().
//
// Same options and samples, same bytes. With several threads a sample is copied
// and looked at later, with at most 34 MiB of others and the largest sample: a
// fault of its image or its shard is returned by a later call, still the first
// failure in the order of samples. Thread-compatible; no fork of the process
// may touch it.
class DatasetWriter {
 public:
  // `job`'s storage and formats must outlive the writer. Its progress counts
  // samples and bytes, whose totals it does not know, and with several threads
  // is called by one of them.
  //
  // kInvalidArgument: options. kAlreadyExists: the folder holds something, be
  // it a dataset, or another run is at work on it, or a file of an interrupted
  // writer is another file by now (it stays). kChanged: it holds the unfinished
  // work of another command. For a part: kAlreadyExists if the part is
  // finished; kInvalidArgument if the folder holds parts of another number of
  // them, or finished ones of other options.
  static Result<std::unique_ptr<DatasetWriter>> Create(
      DatasetWriterOptions options, const Job& job = {});
  ~DatasetWriter();
  DatasetWriter(const DatasetWriter&) = delete;
  DatasetWriter& operator=(const DatasetWriter&) = delete;

  // kInvalidArgument: not a sample as above; a label that would change
  // (`lossy_labels`); its key is there already (one that
  // is in another shard is found by Finish); more than 64 splits. kUnsupported:
  // the format cannot hold it. kCorrupt: a bad image, or a shard that did not
  // read back. kCancelled: a stop was asked for. The first failure is the
  // answer of every later call, too: no dataset lacks a sample in silence. But
  // where the disk has no room left (ENOSPC, looked at once a MiB) the sample
  // was not taken, and may be appended again; can_finish() tells the two apart.
  // REQUIRES: Finish() was not called.
  Status Append(const NewSample& sample);
  // Whether Append() of a sample of so many bytes would not wait for threads
  // that have enough to do, or will not within that time; for callers that also
  // wait for other events. True where it does everything itself, as long as
  // that takes.
  bool WaitForRoom(std::uint64_t bytes, std::chrono::nanoseconds time);

  // Gives the shards their names and writes the manifest, last; the dataset is
  // there, or this failed and nothing is. For a part, which has no shards yet,
  // the same holds of the part. `warnings` name the facts that only the sidecar
  // index keeps. kInvalidArgument: no samples at all, or two with one id or, in
  // a split, one key; a part may have none. After kAlreadyExists (a file that
  // the work did not make has one of the names, and stays), kIo and kRemote all
  // shards may be whole and wait for another call: can_finish(). So they do
  // where the disk has no room for the files still to be written.
  // REQUIRES: no call before succeeded.
  Result<PackResult> Finish();
  // Whether Finish() was not called, or failed so that another call may do.
  bool can_finish() const;

 private:
  DatasetWriter(std::unique_ptr<class Replacement> replacement,
                std::unique_ptr<class WriterWork> work);

  std::unique_ptr<class Replacement> replacement_;
  std::unique_ptr<class WriterWork> work_;
  std::optional<PackResult> made_;  // the work's files, in its folder
  bool published_ = false;
};

struct JoinOptions {
  std::string output;    // that the parts were written into
  unsigned threads = 0;  // as DatasetWriterOptions::threads
};

// Makes one dataset of the parts in `output`: the samples of part 0, then those
// of part 1, and so on, whatever was finished first. Every file equals, byte
// for byte, one writer's that is given all these samples in this order: shards
// do not end where parts end, ids and keys that were not given are those of the
// whole. Then the parts are removed. Until then it takes the room of both.
//
// Parts are not trusted: each sample is checked as if it was appended here,
// after the checksums of its bytes; all options are those of every part. After
// a failure there is no dataset, and the parts are as they were. A join that
// was killed, or follows one that was done, ends as one that was not: where the
// dataset is there, parts that went into it are removed, and the result has
// `nothing_to_do`.
//
// kNotFound: no parts are there, or some are missing, naming them.
// kAlreadyExists: a part is being written or was interrupted, naming all of
// them; another run is at work; a dataset of other parts exists.
// kInvalidArgument: parts of different options, classes or numbers of parts;
// ids in some of them alone; two samples with one id or, in a split, one key;
// no sample at all. kCorrupt: a part is damaged, with file, record and byte.
// Others as DatasetWriter.
Result<PackResult> JoinParts(const JoinOptions& options, const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_DATASET_WRITER_H_
