// The one reader of lists of samples: a .lst (source/list_file.h) or a table
// (source/table_rows.h), whose columns it knows by their names:
//   file_name, path, image, filepath, filename, key, ImageId   the file
//   label, labels, class, category, target    numbers, names, or lists of them
//   split, id                                 whose samples these are
// in any case. All others are fields of the sample. A table without a header
// has one file name with the suffix of an image in its first row, and labels.
#ifndef SHARDINE_SOURCE_SAMPLE_TABLE_H_
#define SHARDINE_SOURCE_SAMPLE_TABLE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/label.h"
#include "shardine/status.h"
#include "source/list_file.h"
#include "source/table_rows.h"

namespace shardine {

// Views are valid while the sample is taken.
struct TableSample {
  std::string_view path;
  std::optional<std::uint64_t> id;
  bool has_labels = false;  // even an empty list of them
  std::vector<Label> labels;
  std::vector<std::string_view> names;  // of classes, if labels are names
  std::string_view split;
  std::vector<TableCell> fields;  // of all other columns, by `columns`
  const std::vector<std::string>* columns = nullptr;  // TableShape::columns
  // The cells that name other files, or should (source/other_files.h).
  std::vector<TableCell> files;
  std::uint64_t line = 0;    // from 1; 0: an entry of a JSON array
  std::uint64_t number = 0;  // of samples before it
  // kCorrupt (a JSON array: kInvalidArgument) at this sample.
  std::function<Status(std::string_view message)> error;
};

struct ListTable {
  TableShape shape;
  std::optional<ListForm> list_form;  // of a .lst
  bool has_splits = false;
  // "columns: path, label, split; header: yes"; JSON has no header. Empty for a
  // .lst.
  std::string Columns() const;
};

enum class TableIds : std::uint8_t {
  kIds,      // the column id has them
  kMayFind,  // rows with ids need no path
  kNone,     // the column id is a field
};

// Gives `take` each sample in the order of the file; "-" is standard input,
// which is read once. kCorrupt, with path,
// line and column: failures of source/table_rows.h and source/list_file.h, a
// value that does not fit its column, labels of which some are names and others
// numbers; no column names the files, or several could, or could be their
// labels.
Result<ListTable> ReadListTable(
    ReadableStorage& storage, const std::string& path,
    const std::function<Status(const TableSample&)>& take,
    TableIds ids = TableIds::kIds);

// Whether a name is one of those above for files or labels, in any case.
bool IsFileColumn(std::string_view name);
bool IsLabelColumn(std::string_view name);

// Whether a text is a line of a .lst of some form.
bool IsListLine(std::string_view line);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_SAMPLE_TABLE_H_
