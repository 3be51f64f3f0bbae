// The small text files that speak of keys, file names and classes: one a line,
// in the notation of text output (shardine/escape.h), perhaps with a value
// after the last blank or tab. Empty lines are passed over. Or a table
// (source/table_rows.h) with such columns.
#ifndef SHARDINE_SOURCE_NAME_FILE_H_
#define SHARDINE_SOURCE_NAME_FILE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/status.h"
#include "source/line_reader.h"
#include "source/table_rows.h"

namespace shardine {

// The place of a line, and a function that makes an error there.
class LineError {
 public:
  LineError(std::uint64_t number, std::function<Status(std::string_view)> error)
      : number_(number), error_(std::move(error)) {}

  Status operator()(std::string_view message) const { return error_(message); }
  std::uint64_t number() const { return number_; }  // from 1

 private:
  std::uint64_t number_;
  std::function<Status(std::string_view)> error_;
};

// The columns where a table is taken for lines, and the text between their
// values then.
struct NameColumns {
  std::vector<WantedColumn> wanted;
  char between = '\t';
  bool takes_input = false;  // the path "-" is standard input
};
// Columns that name files, labels of files, classes.
WantedColumn FileColumn();
WantedColumn LabelColumn();
WantedColumn ClassColumn();
// Classes and their labels.
NameColumns LabelMapColumns();

// Calls `take` with the unescaped text of each line, or of each row of a table
// that has the columns: the values of those, as they stand, up to the last that
// there is; a path with backslashes alone has slashes. kCorrupt for a malformed
// escape, and for a row without a value that is needed.
Status ForEachName(ReadableStorage& storage, const std::string& path,
                   const NameColumns& columns,
                   const std::function<Status(std::string name,
                                              const LineError& error)>& take);

struct NameAndValue {
  std::string_view name;
  std::string_view value;  // empty if the line has none
};

// "n01 cat\t7" -> {"n01 cat", "7"}: cut at the last tab, at the last blank if
// there is no tab; runs of blanks count as one.
NameAndValue CutValue(std::string_view line);

// The usual names of columns of names and labels in tables, in any case:
// "class", "Label", "wnid". Such a line is more likely a header than a name.
bool IsHeaderWord(std::string_view line);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_NAME_FILE_H_
