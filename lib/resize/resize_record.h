// The record of a resize (OUT/.resize/record): which files were made of which
// samples, and how large they are. It tells a later run that OUT is its own
// work, how far that got, and whether a file is whole.
//
// Little-endian. Header: magic "SHDNRSZ3", plan digest and work digest (low,
// high), u32 files of each sample, u8 1 if the tree is complete, u8 OnBad, u16
// 0, XXH3-64 of all this. Then frames: u32 rows, u32 text bytes, rows, text,
// XXH3-64 of the frame. Row: u64 ResizePlan::NameHash(), u64 FactsHash() (0
// once complete), and for each of its files u32 size (0: not made),
// u8 (1: upscaled, 2: the source's bytes), XXH3-64 of it (0: not known; absent
// under the older magic "SHDNRSZ2", which is read). Text: the lines of
// rejected.jsonl of the samples that have any, each after its sample's hash and
// a blank. Frames are appended; one that is not whole ends the record.
#ifndef SHARDINE_RESIZE_RESIZE_RECORD_H_
#define SHARDINE_RESIZE_RESIZE_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataset/rejects.h"
#include "io/output_folder.h"
#include "resize/resize_plan.h"
#include "shardine/status.h"

namespace shardine {

struct ResizedFile {
  std::uint32_t size = 0;  // bytes; 0: not made
  bool upscaled = false;
  bool kept = false;       // holds the source's bytes
  std::uint64_t hash = 0;  // XXH3-64; 0: not known

  friend bool operator==(const ResizedFile&, const ResizedFile&) = default;
};

// Thread-compatible.
class ResizeRecord {
 public:
  // Locks OUT, then reads the record that is there or begins one. The record of
  // an unfinished tree is taken up where the options are the same, whatever
  // became of the sources. For samples that changed since, and for rejected
  // ones whose action changed, it only says which files are stale. kChanged:
  // the record is of other options; or complete, and of another plan or with
  // rejects dealt with otherwise; or has files of samples that the source no
  // longer has. kAlreadyExists: another run holds the lock. kCorrupt: the
  // header is damaged. `plan` must outlive the record.
  static Result<ResizeRecord> Open(const OutputFolder& output,
                                   const ResizePlan& plan, OnBad on_bad);

  // Before Begin(): as found. False for a new one.
  bool existed() const { return existed_; }
  bool complete() const { return complete_; }

  // Whether the record has the outcome of the sample.
  bool knows(std::size_t sample) const { return known_[sample]; }
  // Samples of which there may be files that have to go, ascending.
  const std::set<std::uint32_t>& stale() const { return stale_; }
  // REQUIRES for both: knows(sample), or (for file) that it is stale.
  ResizedFile file(std::size_t sample, std::size_t output) const;
  // Why the sample was rejected; null if it was not.
  const Reject* reject(std::size_t sample) const;
  // By sample.
  const std::map<std::uint32_t, Reject>& rejects() const { return rejects_; }

  // Writes the record again, as the record of an unfinished tree, for Append().
  // Its facts about files that are gone hold for files made in their place.
  Status Begin();
  // `reject` may be null. Takes effect with Append().
  void Add(std::uint32_t sample, std::span<const ResizedFile> files,
           const Reject* reject);
  // Appends the rows added since, unsynced: REQUIRES a sync of the file system
  // before any of these files gets its name.
  Status Append();
  // Publishes the record as the record of a complete tree. REQUIRES: knows()
  // all.
  Status Complete();

  // Removes the files that Open() made where nothing was begun.
  void RemoveIfNew();

  // Lets others write to the folder; the last call.
  Status Unlock();

 private:
  ResizeRecord(OutputFolder output, const ResizePlan& plan, OnBad on_bad);

  Status Read();
  Status ReadHeader(const std::string& bytes);
  Status ReadFrames(ByteView frames);
  void ReadRows(ByteView rows);
  void ReadRow(const std::byte* row);
  bool ReadText(std::string_view text);
  Status CheckFound();
  std::optional<std::uint32_t> FindSample(std::uint64_t hash) const;
  std::string Header(bool complete) const;
  void AppendRow(std::uint32_t sample, bool complete, std::string& rows) const;
  std::string Frame(std::span<const std::uint32_t> samples,
                    bool complete) const;
  Status WriteAll(bool complete);
  std::string Path() const;
  std::size_t row_size() const { return RowSize(true); }
  std::size_t RowSize(bool hashes) const;

  OutputFolder output_;
  const ResizePlan* plan_;
  OnBad on_bad_;
  // Equal hashes of two samples are too rare to be told apart: the files of the
  // second one are in the way then.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> hashes_;  // sorted
  std::optional<FolderLock> lock_;
  std::unique_ptr<WritableFile> file_;  // of Begin()
  bool existed_ = false;
  bool complete_ = false;
  bool found_hashes_ = true;                // in the record that was read
  std::vector<bool> known_;                 // by sample
  std::vector<std::uint32_t> sizes_;        // by sample and output
  std::vector<std::uint8_t> flags_;         // by sample and output
  std::vector<std::uint64_t> file_hashes_;  // likewise
  std::map<std::uint32_t, Reject> rejects_;
  std::set<std::uint32_t> stale_;
  std::set<std::uint64_t>
      strays_;  // hashes of samples with files and no source
  OnBad found_on_bad_ = OnBad::kFail;  // of the run before
  std::vector<std::uint32_t> added_;   // since the last Append()
};

}  // namespace shardine

#endif  // SHARDINE_RESIZE_RESIZE_RECORD_H_
