// A .rec being written, the .idx beside it, and the report of images left out:
// all appear under their names when they are complete, or none does.
//
// A run that ends before that leaves them under temporary names, with a journal
// of marks (work_journal.h), and the next run of the same work goes on after
// the last mark that holds. Before the first mark a failure leaves nothing.
#ifndef SHARDINE_IM2REC_RECORD_FILE_H_
#define SHARDINE_IM2REC_RECORD_FILE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "im2rec/list_entry.h"
#include "im2rec/marked_file.h"
#include "im2rec/work_journal.h"
#include "io/storage.h"
#include "recordio/recordio_framing.h"
#include "shardine/status.h"

namespace shardine {

// "REC.rejected.jsonl".
std::string ReportPath(const std::string& rec);

// Removes the journal of a work that is done; fine if there is none.
Status RemoveWorkJournal(Storage& storage, const std::string& rec);

// Thread-compatible. Ends in Publish() or destruction.
class RecordFile {
 public:
  struct Work {
    std::string rec;
    std::optional<std::string> idx;
    Digest128 digest;         // of all that decides the bytes
    std::uint64_t begin = 0;  // of the list's part that is packed
    std::uint64_t end = 0;
    // After Publish() the journal, if there is one, tells the next run of this
    // work that it is done, until RemoveWorkJournal().
    bool keep_journal = false;
    // Records, or bytes of them, from one mark to the next.
    std::uint64_t mark_records = 1000;
    std::uint64_t mark_bytes = std::uint64_t{16} << 20;
  };

  // Existing files of these names stay untouched until Publish(). `storage`
  // must outlive this. kAlreadyExists: another run is at work on this .rec.
  static Result<std::unique_ptr<RecordFile>> Open(Storage& storage, Work work);
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;
  ~RecordFile();

  // The work done by this run and those before it.
  const WorkMark& done() const { return done_; }
  // All of it was done by an earlier run; only Publish() is left.
  bool complete() const { return complete_; }
  // The remains of an unfinished run were of other work or changed, and were
  // dropped.
  bool dropped() const { return dropped_; }
  // A failure now loses only the work after the last mark.
  bool resumable() const { return journal_.has_value(); }

  // One record: the header of `entry`, its packed labels, the image. Adds
  // "id \t offset" to the .idx.
  Status Append(const ImageListEntry& entry, ByteView image);
  // One line, with its end, of the report.
  Status Reject(std::string_view line);
  // All lines of the list before `list_offset` are appended or rejected.
  Status DealtWith(std::uint64_t list_offset);
  // The size of the .rec so far.
  std::uint64_t bytes() const;
  // Syncs the files, then renames. An older .idx is removed before the .rec
  // gets its name: a crash in between leaves a .rec without .idx, never one
  // with another's. An older report goes where there is nothing to tell.
  Status Publish();

 private:
  enum File : std::size_t { kRec, kIdx, kReport };

  RecordFile(Storage& storage, Work work, std::unique_ptr<FileLock> lock);
  Status Begin();
  Result<bool> GoOn();
  Status GoOnAfter(const WorkMark& mark);
  Status TakeUp(const WorkMark& mark);
  Result<std::size_t> CountMarks(std::span<const WorkMark> marks);
  std::string PathOf(File file) const;
  Result<bool> IsUnfinished(File file) const;
  Status Flush();
  Status Mark();
  Status CloseAll();
  Status PublishIfExists(File file);
  void RemoveUnfinished();

  Storage& storage_;
  const Work work_;
  const std::unique_ptr<FileLock> lock_;
  std::unique_ptr<RecordIoFileWriter> writer_;
  // The .rec, which the writer owns, and its size at the start.
  MarkedFile* rec_ = nullptr;
  std::uint64_t rec_begin_ = 0;
  std::unique_ptr<MarkedFile> idx_;     // null where none is wanted
  std::unique_ptr<MarkedFile> report_;  // null before the first line
  std::string idx_text_;                // not yet in idx_
  std::string prefix_;                  // of the record being written
  std::optional<WorkJournal> journal_;  // from the first mark on
  WorkMark done_;
  WorkMark marked_;     // the last mark
  bool begun_ = false;  // by this run
  bool complete_ = false;
  bool dropped_ = false;
  bool published_ = false;
};

}  // namespace shardine

#endif  // SHARDINE_IM2REC_RECORD_FILE_H_
