// The record of a resize (OUT/.resize/record): which files were made of which
// samples, and how large they are. It tells a later run that OUT is its own
// work, how far that got, and whether a file is whole.
//
// Little-endian. Header: magic "SHDNRSZ1", plan digest (low, high), u64
// samples, u32 files of each sample, u32 1 if the tree is complete, XXH3-64 of
// all this. Then frames: u32 rows, u32 text bytes, rows, text, XXH3-64 of the
// frame. Row: u32 sample, i64 mtime of its source (0 once complete), and for
// each of its files u32 size (0: not made), u8 (1: upscaled, 2: the source's
// bytes). Text: the lines of rejected.jsonl of the samples that have any, each
// behind its sample's number and a blank. Frames are appended; one that is not
// whole ends the record.
#ifndef SHARDINE_PACK_RESIZE_RECORD_H_
#define SHARDINE_PACK_RESIZE_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/folder_lock.h"
#include "io/storage.h"
#include "pack/rejects.h"
#include "pack/resize_plan.h"
#include "shardine/status.h"

namespace shardine {

struct ResizedFile {
  std::uint32_t size = 0;  // bytes; 0: not made
  bool upscaled = false;
  bool kept = false;  // holds the source's bytes

  friend bool operator==(const ResizedFile&, const ResizedFile&) = default;
};

// Thread-compatible.
class ResizeRecord {
 public:
  // Locks OUT, then reads the record that is there or begins one. kChanged: it
  // is of another plan, or a source of which it has files changed since.
  // kAlreadyExists: another run holds the lock. kCorrupt: the header is
  // damaged. `storage` and `plan` must outlive the record.
  static Result<ResizeRecord> Open(Storage& storage, const std::string& output,
                                   const ResizePlan& plan);

  // Before Begin(): as found. False for a new one.
  bool existed() const { return existed_; }
  bool complete() const { return complete_; }

  // Whether the record says what became of the sample.
  bool knows(std::size_t sample) const { return known_[sample]; }
  // REQUIRES for both: knows(sample).
  ResizedFile file(std::size_t sample, std::size_t output) const;
  // Why the sample was rejected; null if it was not.
  const Reject* reject(std::size_t sample) const;
  // By sample.
  const std::map<std::uint32_t, Reject>& rejects() const { return rejects_; }

  // Writes the record anew, as that of an unfinished tree, for Append(). What
  // it knows of files that are gone stays true of those made in their place.
  Status Begin();
  // `reject` may be null. Takes effect with Append().
  void Add(std::uint32_t sample, std::span<const ResizedFile> files,
           const Reject* reject);
  // Appends what was added since, unsynced: REQUIRES a sync of the file system
  // before any of these files gets its name.
  Status Append();
  // Publishes the record as that of a complete tree. REQUIRES: knows() all.
  Status Complete();

  // Takes away what Open() made where nothing was begun.
  void RemoveIfNew();

 private:
  ResizeRecord(Storage& storage, std::string output, const ResizePlan& plan);

  Status Read();
  Status ReadHeader(const std::string& bytes);
  Status ReadFrames(ByteView frames);
  Status ReadRows(ByteView rows);
  bool ReadText(std::string_view text);
  Status CheckUnchanged(std::uint32_t sample, std::int64_t mtime_ns) const;
  std::string Header(bool complete) const;
  void AppendRow(std::uint32_t sample, bool complete, std::string& rows) const;
  std::string Frame(std::span<const std::uint32_t> samples,
                    bool complete) const;
  Status WriteAll(bool complete);
  std::string Path() const;
  std::size_t row_size() const;

  Storage* storage_;
  std::string output_;
  const ResizePlan* plan_;
  std::optional<FolderLock> lock_;
  std::unique_ptr<WritableFile> file_;  // of Begin()
  bool existed_ = false;
  bool complete_ = false;
  std::vector<bool> known_;           // by sample
  std::vector<std::uint32_t> sizes_;  // by sample and output
  std::vector<std::uint8_t> flags_;   // by sample and output
  std::map<std::uint32_t, Reject> rejects_;
  std::vector<std::uint32_t> added_;  // since the last Append()
};

}  // namespace shardine

#endif  // SHARDINE_PACK_RESIZE_RECORD_H_
