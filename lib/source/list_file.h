// The .lst list of MXNet's im2rec: one sample a line,
//   id \t label \t ... \t path \n
// with any number of labels, none included. Read and written as a stream. Read
// are two other forms, too, which never are written:
//   id label path       with blanks, as im2rec.cc takes it, and one label
//   path label ...      as Caffe's and tensorpack's lists have it, without ids;
//                       of several labels, between tabs or after a suffix
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
// "0.000000", "1e3", "inf". nullopt for anything else: NaN, hexadecimal,
// numbers beyond a double, and whole numbers beyond int64 that it would round.
std::optional<Label> ParseLabel(std::string_view text);

// A class number as text: "3", but not "3.0" and "007", which are numbers as
// well and here more likely names.
std::optional<std::int64_t> ParseClassNumber(std::string_view text);

struct ListEntry {
  std::uint64_t id = 0;
  std::vector<Label> labels;
  std::string_view path;  // valid until the next entry is read
  Line line;
};

enum class ListForm : std::uint8_t { kTabs, kBlanks, kPathLabel };

// Thread-compatible. `file` must outlive it.
class ListReader {
 public:
  // A list with tabs.
  explicit ListReader(const RandomAccessFile& file)
      : lines_(file), form_(ListForm::kTabs) {}
  // Takes the form that the first line shows, if it shows one alone; all other
  // lines have to be of the same.
  static ListReader OfAnyForm(const RandomAccessFile& file) {
    ListReader reader(file);
    reader.form_.reset();
    return reader;
  }

  // False at the end. Empty lines are passed over, "\r\n" ends a line as "\n"
  // does; blanks around id and labels are nothing, in a path they are part of
  // it, but for those at its ends in a list without tabs. kCorrupt with path,
  // line and byte for a line that has another form than the list, or whose
  // parts cannot be told apart. Ids are not compared with each other; a list
  // without ids has 0, 1, ... in its order.
  Result<bool> Next(ListEntry& entry);

  // nullopt before the first line of a list of any form.
  std::optional<ListForm> form() const { return form_; }

  // kCorrupt at that entry's line.
  Status Error(const ListEntry& entry, std::string_view message) const {
    return lines_.Error(entry.line, message);
  }

 private:
  Status FindForm(const ListEntry& entry);
  Status ReadTabs(ListEntry& entry) const;
  Status ReadBlanks(ListEntry& entry) const;
  Status ReadPathLabel(ListEntry& entry);

  LineReader lines_;
  std::optional<ListForm> form_;
  std::uint64_t next_id_ = 0;  // of a list without ids
};

// Appends one line with the shortest text of each label to `text`. ListReader
// reads the line as the same; every line that ListReader reads, this function
// can write (unless it grows too long). kUnsupported (with the key) for a path
// that a line cannot hold: empty, with a tab, line feed or NUL, with a carriage
// return at its end, or too long.
Status AppendListLine(std::uint64_t id, std::span<const Label> labels,
                      std::string_view path, std::string& text);

// The name of a list of one split: "a/b.lst" and "val" give "a/b_val.lst".
std::string SplitListPath(const std::string& output, const std::string& split);

// Writes a list that appears under its name when it is complete.
// Thread-compatible. Ends in Publish() or in destruction, which abandons.
class ListWriter {
 public:
  // `storage` must outlive the writer. kInvalidArgument: a file of that name is
  // no list, by its first line.
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
