// Packs the files that a list names into one .rec: what both styles of im2rec
// have in common.
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
#include "shardine/status.h"

namespace shardine {

struct ListPacking {
  std::string list;
  std::uint64_t part = 0;
  std::uint64_t nsplit = 1;
  // A line to its entry, with the path under which the file is opened.
  std::function<Result<ImageListEntry>(std::string_view line)> parse;
  std::string rec;
  std::optional<std::string> idx;
  // What becomes of the files' contents; without, they are stored as they are.
  FileWorkFactory work = {};
  // That read files and do this work; the bytes do not depend on it.
  std::size_t threads = 1;
};

struct PackedList {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  // of the .rec
  std::uint64_t empty = 0;  // records of files without a byte
};

// Files are stored in the order of the list. The first line, in list order,
// that cannot be read or whose file cannot be read or worked on is the failure:
// it names the list, the byte and the line, and nothing is published.
Result<PackedList> PackList(Storage& storage, const ListPacking& packing);

}  // namespace shardine

#endif  // SHARDINE_IM2REC_PACK_LIST_H_
