// Packs the files that a list names into one .rec: the common part of both
// styles of im2rec.
#ifndef SHARDINE_IM2REC_PACK_LIST_H_
#define SHARDINE_IM2REC_PACK_LIST_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "im2rec/file_work.h"
#include "im2rec/list_entry.h"
#include "im2rec/list_reader.h"
#include "io/storage.h"
#include "shardine/image_check.h"
#include "shardine/progress.h"
#include "shardine/status.h"

namespace shardine {

struct ListPacking {
  std::string list;
  std::uint64_t part = 0;
  std::uint64_t nsplit = 1;
  std::function<Result<ImageListEntry>(std::string_view line)> parse;
  // The path of an entry to that under which the file is opened; without, they
  // are the same.
  std::function<std::string(const std::string& path)> locate = {};
  std::string rec;
  std::optional<std::string> idx;
  // The work on the files' contents; without it, they are stored unchanged.
  FileWorkFactory work = {};
  // Threads that read files and do this work; the bytes do not depend on their
  // number.
  std::size_t threads = 1;
  // All arguments that decide the bytes: only a run of the same goes on where
  // another one ended.
  std::string arguments = {};
  // kFail, or kSkip: a line that is invalid, or whose file cannot be read or
  // worked on, is left out and listed in ReportPath(rec).
  OnBad on_bad = OnBad::kFail;
  bool keep_journal = false;          // as RecordFile::Work
  std::uint64_t mark_records = 1000;  // the same
  ProgressFunction progress = {};
  // Called with notes for the user about earlier runs.
  std::function<void(const std::string& text)> note = {};
};

// Lines packed by this run whose record holds less than the line.
struct NotedLines {
  std::uint64_t count = 0;
  std::uint64_t first = 0;  // its number, from 1
  std::string example = {};
};

// The contents of the files, whichever run has written them.
struct PackedList {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;     // of the .rec
  std::uint64_t empty = 0;     // records of files without a byte
  std::uint64_t rejected = 0;  // lines that are left out
  NotedLines dropped = {};     // labels after the first
  NotedLines rounded = {};     // whole numbers that float32 has not
};

// Files are stored in the order of the list. The first line, in list order,
// that cannot be read or whose file cannot be read or worked on is the failure:
// it names the list, the byte and the line, and nothing is published. With
// kSkip only errors that are not one file's own fail, and a list without a
// packed image.
Result<PackedList> PackList(Storage& storage, const ListPacking& packing);

}  // namespace shardine

#endif  // SHARDINE_IM2REC_PACK_LIST_H_
