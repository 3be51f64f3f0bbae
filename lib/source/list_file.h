// The .lst list of MXNet's im2rec: one sample a line,
//   id \t label \t ... \t path \n
// with any number of labels, none included. Read and written as a stream.
#ifndef SHARDINE_LIB_SOURCE_LIST_FILE_H_
#define SHARDINE_LIB_SOURCE_LIST_FILE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/atomic_file.h"
#include "io/storage.h"
#include "shardine/label.h"
#include "shardine/status.h"
#include "source/line_reader.h"

namespace shardine {

// A decimal number in C notation without a leading `+` or blanks: "7", "-2",
// "0.000000", "1e3", "inf". nullopt for anything else: NaN, hexadecimal, what
// a double cannot hold, and whole numbers beyond int64 that it would round.
std::optional<Label> ParseLabel(std::string_view text);

struct ListEntry {
  std::uint64_t id = 0;
  std::vector<Label> labels;
  std::string_view path;  // valid until the next entry is read
  Line line;
};

// Thread-compatible. `file` must outlive it.
class ListReader {
 public:
  explicit ListReader(const RandomAccessFile& file) : lines_(file) {}

  // False at the end. Empty lines are passed over, "\r\n" ends a line as "\n"
  // does; blanks around id and labels are nothing, in a path they are part of
  // it. kCorrupt with path, line and byte for a line that is not id, numbers
  // and path between tabs. Ids are not compared with each other.
  Result<bool> Next(ListEntry& entry);

  // kCorrupt at that entry's line.
  Status Error(const ListEntry& entry, std::string_view message) const {
    return lines_.Error(entry.line, message);
  }

 private:
  LineReader lines_;
};

// Appends one line with the shortest text of each label to `text`. What it
// writes, ListReader reads as the same; what ListReader reads, it can write
// (unless the line grows too long). kUnsupported (with the key) for a path that
// a line cannot hold: empty, with a tab, line feed or NUL, with a carriage
// return at its end, or too long.
Status AppendListLine(std::uint64_t id, std::span<const Label> labels,
                      std::string_view path, std::string& text);

// Writes a list that appears under its name when it is complete.
// Thread-compatible. Ends in Publish() or in destruction, which abandons.
class ListWriter {
 public:
  // `storage` must outlive the writer.
  static Result<ListWriter> Create(Storage& storage, std::string path);

  Status Add(std::uint64_t id, std::span<const Label> labels,
             std::string_view path);
  Status Publish();

 private:
  explicit ListWriter(AtomicFile file) : file_(std::move(file)) {}

  AtomicFile file_;
  std::string pending_;
};

}  // namespace shardine

#endif  // SHARDINE_LIB_SOURCE_LIST_FILE_H_
