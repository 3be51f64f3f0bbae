// The journal of a list being packed, beside the .rec while there is any: how
// far the work has come, mark by mark. A run that was killed leaves it, the
// same command finds it, and it is gone when the work is done. Text:
//
//   im2rec-journal 1 DIGEST \n
//   LIST_OFFSET RECORDS EMPTY REJECTED REC HEX IDX HEX REPORT HEX CRC \n ...
//
// DIGEST identifies the work. REC, IDX and REPORT are lengths of the three
// files, each with the digest of that much of it; CRC is the CRC-32C of the
// line before it, in hex.
#ifndef SHARDINE_IM2REC_WORK_JOURNAL_H_
#define SHARDINE_IM2REC_WORK_JOURNAL_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "im2rec/marked_file.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

// All lines of the list before `list_offset` are dealt with: so many became
// records, some of them empty, and so many were left out.
struct WorkMark {
  std::uint64_t list_offset = 0;
  std::uint64_t records = 0;
  std::uint64_t empty = 0;
  std::uint64_t rejected = 0;
  std::array<FileMark, 3> files;  // .rec, .idx, report of the images left out

  friend bool operator==(const WorkMark&, const WorkMark&) = default;
};

// The journal left by a run that did not end.
struct FoundJournal {
  bool of_this_work = false;
  std::vector<WorkMark> marks;  // none unless of this work
};

// nullopt if there is none. Marks end at the first line that is damaged or cut
// off.
Result<std::optional<FoundJournal>> ReadWorkJournal(ReadableStorage& storage,
                                                    const std::string& path,
                                                    const Digest128& work);

// Thread-compatible. Destruction leaves the file where it is.
class WorkJournal {
 public:
  // A journal with these marks, in place of the old one; atomically, so that a
  // kill in between leaves one of the two.
  static Result<WorkJournal> Begin(Storage& storage, const std::string& path,
                                   const Digest128& work,
                                   std::span<const WorkMark> marks);

  Status Add(const WorkMark& mark);

 private:
  explicit WorkJournal(std::unique_ptr<WritableFile> file)
      : file_(std::move(file)) {}

  std::unique_ptr<WritableFile> file_;
};

}  // namespace shardine

#endif  // SHARDINE_IM2REC_WORK_JOURNAL_H_
