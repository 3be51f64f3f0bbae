#include "source/name_file.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/status_macros.h"
#include "shardine/escape.h"
#include "source/list_input.h"

namespace shardine {

namespace {

using TakeName =
    std::function<Status(std::string name, const LineError& error)>;

// A row as a line of those values that are wanted.
Status TakeRow(const RandomAccessFile& file, const TableShape& shape,
               const TableRow& row, const NameColumns& columns,
               const TakeName& take) {
  std::string line;
  std::size_t values = 0;
  for (const WantedColumn& wanted : columns.wanted) {
    const auto cell = std::ranges::find_if(row.cells, [&](const TableCell& c) {
      return wanted.Has(shape.columns[c.column]);
    });
    const bool is_there = cell != row.cells.end() && !cell->text.empty();
    if (!is_there && !wanted.is_needed) break;
    if (!is_there) {
      return RowError(file, row, wanted.names.front(), "no value");
    }
    if (cell->text.find(columns.between) != cell->text.npos && values > 0) {
      return RowError(file, row, shape.columns[cell->column],
                      "a tab, or a comma, in the value");
    }
    if (values++ > 0) line += columns.between;
    const std::size_t begin = line.size();
    line += cell->text;
    // A path of Windows, which no image has.
    if (wanted.names == FileColumn().names &&
        cell->text.find('/') == cell->text.npos) {
      std::replace(line.begin() + static_cast<std::ptrdiff_t>(begin),
                   line.end(), '\\', '/');
    }
  }
  return take(std::move(line), LineError(row.line, [&](std::string_view why) {
                return RowError(file, row, "", why);
              }));
}

}  // namespace

WantedColumn FileColumn() {
  return {.names = {"file_name", "path", "image", "filepath", "filename", "key",
                    "imageid", "image_file_name"}};
}

WantedColumn LabelColumn() {
  return {.names = {"label", "labels", "class", "category", "target"}};
}

WantedColumn ClassColumn() {
  return {.names = {"name", "class", "class_name", "classname", "synset",
                    "wnid", "category"}};
}

NameColumns LabelMapColumns() {
  return {.wanted = {ClassColumn(),
                     {.names = {"label", "label_id", "class_id", "id", "index",
                                "number", "target"}}}};
}

Status ForEachName(ReadableStorage& storage, const std::string& path,
                   const NameColumns& columns, const TakeName& take) {
  SHARDINE_ASSIGN_OR_RETURN(
      const std::unique_ptr<RandomAccessFile> file,
      columns.takes_input ? OpenList(storage, path) : storage.Open(path));
  SHARDINE_ASSIGN_OR_RETURN(std::optional<TableShape> table,
                            FindNamedTable(*file, columns.wanted));
  if (table) {
    return ForEachTableRow(
        *file, [](const auto&) { return true; }, *table,
        [&](const TableRow& row) {
          return TakeRow(*file, *table, row, columns, take);
        });
  }
  LineReader lines(*file);
  while (true) {
    SHARDINE_ASSIGN_OR_RETURN(const std::optional<Line> line, lines.Next());
    if (!line) return Status();
    if (line->text.empty()) continue;
    std::optional<std::string> name = UnescapeBytes(line->text);
    if (!name) {
      return lines.Error(*line,
                         "a backslash that does not begin \\xHH "
                         "(write a backslash as \\x5C)");
    }
    SHARDINE_RETURN_IF_ERROR(
        take(*std::move(name),
             LineError(line->number, [&](std::string_view message) {
               return lines.Error(*line, message);
             })));
  }
}

bool IsHeaderWord(std::string_view line) {
  constexpr std::string_view kWords[] = {
      "category", "class",  "class_id", "class_name", "classes", "classname",
      "id",       "label",  "label_id", "labels",     "name",    "names",
      "species",  "synset", "target",   "targets",    "wnid"};
  return std::ranges::binary_search(kWords, LowerAscii(line));
}

NameAndValue CutValue(std::string_view line) {
  std::size_t cut = line.rfind('\t');
  if (cut == std::string_view::npos) cut = line.rfind(' ');
  if (cut == std::string_view::npos) return {line, {}};
  NameAndValue parts{line.substr(0, cut), line.substr(cut + 1)};
  const std::size_t last = parts.name.find_last_not_of(" \t");
  parts.name =
      parts.name.substr(0, last == std::string_view::npos ? 0 : last + 1);
  return parts;
}

}  // namespace shardine
