// The rows of a table in a text file, as cells of named columns: values between
// commas, tabs or semicolons (RFC 4180, by libcsv), a JSON array or JSON lines.
// source/sample_table.h defines the meaning of the columns.
#ifndef SHARDINE_SOURCE_TABLE_ROWS_H_
#define SHARDINE_SOURCE_TABLE_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// The known kind of a cell. A text file knows of none: kPlain.
enum class CellKind : std::uint8_t {
  kMissing,  // JSON's null
  kPlain,
  kText,
  kNumber,
  kBool,
  kJson,  // a list or an object, as compact JSON
};

struct TableCell {
  CellKind kind = CellKind::kMissing;
  std::string_view text;   // valid while the row is taken
  std::size_t column = 0;  // into TableShape::columns
};

struct TableRow {
  // By column in a separated text. A JSON object has the cells of its members.
  std::vector<TableCell> cells;
  std::uint64_t line = 0;    // on which it begins, from 1; 0 in a JSON array
  std::uint64_t offset = 0;  // of that line
  std::uint64_t number = 0;  // of rows before it, without the header
};

enum class TableForm : std::uint8_t {
  kList,       // no table: a .lst (source/list_file.h)
  kSeparated,  // by a delimiter
  kJsonArray,
  kJsonLines,
};

struct TableShape {
  TableForm form = TableForm::kList;
  char delimiter = ',';  // of kSeparated
  bool header = false;   // the first row has the names
  // So far: a JSON table may have more of them in each row. Without a header
  // they are empty.
  std::vector<std::string> columns;
};

// Whether a first row is a header, by its cells.
using IsHeader = std::function<bool(const std::vector<TableCell>&)>;

// The shape from the file's suffix and its first line; `list` tells whether
// that line is one of a .lst, which then it is taken for unless the suffix is
// .csv or .tsv. kUnsupported: no text, such as Parquet or UTF-16, which it
// names. kCorrupt: the line could be cut at two delimiters.
Result<TableShape> FindTableShape(
    const RandomAccessFile& file,
    const std::function<bool(std::string_view)>& is_list);

// One wanted column, by its names in lower case.
struct WantedColumn {
  std::vector<std::string_view> names;
  bool is_needed = true;

  bool Has(std::string_view name) const;
};

// nullopt: the file is no table with these columns. JSON lines by their suffix
// or first bytes, else a first line that has the names of all needed ones, and
// more than one value unless the suffix is .csv or .tsv. kUnsupported as above.
Result<std::optional<TableShape>> FindNamedTable(
    const RandomAccessFile& file, std::span<const WantedColumn> wanted);

// Gives `take` each row. A row has as many cells as the first one. kCorrupt
// with path, line or byte, and column: two columns of one name, an open quote,
// a quote within a cell, a NUL byte, another number of cells, a line of more
// than 1 MiB or a row of more than 16 MiB, text that is not JSON, or JSON that
// is no row. REQUIRES: shape.form is not kList.
Status ForEachTableRow(const RandomAccessFile& file, const IsHeader& is_header,
                       TableShape& shape,
                       const std::function<Status(const TableRow&)>& take);

// Rows of a JSON array beyond that are not read.
inline constexpr std::uint64_t kMaxJsonTable = std::uint64_t{1} << 30;  // bytes

// kCorrupt, or `code`, at a row of the file: "line 3, column label: MESSAGE".
Status RowError(const RandomAccessFile& file, const TableRow& row,
                std::string_view column, std::string_view message,
                Code code = Code::kCorrupt);

// Compact JSON text as a list's elements; false if it is no list without lists.
bool ReadJsonElements(std::string_view json, std::vector<std::string>& texts,
                      std::vector<TableCell>& elements);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_TABLE_ROWS_H_
