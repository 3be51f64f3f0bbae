#include "source/other_files.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "io/path_scheme.h"
#include "shardine/escape.h"
#include "source/field_file.h"
#include "source/source_file.h"

namespace shardine {
namespace {

constexpr std::string_view kFileColumn = "_file_name";

}  // namespace

std::optional<std::string_view> FieldOfFileColumn(std::string_view column) {
  if (column.size() <= kFileColumn.size() ||
      !LowerAscii(column).ends_with(kFileColumn)) {
    return std::nullopt;
  }
  return column.substr(0, column.size() - kFileColumn.size());
}

bool IsFileListColumn(std::string_view column) {
  const std::string lower = LowerAscii(column);
  return lower == "file_names" || lower.ends_with("_file_names");
}

Status OtherFiles::Take(const TableSample& row, const TableCell& cell,
                        std::size_t column, const std::string& root,
                        const std::string& path, std::string& cells) {
  const std::string& name = (*row.columns)[cell.column];
  const auto error = [&](const std::string& message) {
    return row.error("column " + EscapeBytes(name) + ": " + message);
  };
  if (IsFileListColumn(name)) {
    return error(
        "lists of files are not read; give the column another name and its "
        "values are text");
  }
  const bool is_text_cell =
      cell.kind == CellKind::kPlain || cell.kind == CellKind::kText;
  if (!is_text_cell) return error("not the name of a file");
  if (path.find('\0') != path.npos) return error("NUL byte in the path");
  const bool is_whole = path.starts_with('/') || !SchemeOf(path).empty();
  const auto info = storage_.Stat(is_whole ? path : JoinPath(root, path));
  if (const char* const fault = FileFault(info, /*is_link=*/false)) {
    return error("file " + EscapeBytes(path) + " is " + fault);
  }
  // Without the image's path, which a row need not have in full.
  AppendFieldFile(
      static_cast<std::uint32_t>(column),
      {.path = path, .facts = {.size = info->size, .mtime_ns = info->mtime_ns}},
      "", cells);
  const bool is_text = IsTextName(LowerAscii(path));
  const auto [known, is_new] = is_text_.try_emplace(column, is_text);
  known->second = known->second && is_text;
  return Status();
}

Status OtherFiles::Finish(const std::vector<std::string>& names,
                          SourceSet& set) const {
  std::vector<TableColumn>& columns = set.columns;
  const std::size_t count = is_text_.empty() ? 0 : is_text_.rbegin()->first + 1;
  for (std::size_t i = columns.size(); i < count; ++i) {
    columns.push_back({.name = names[i], .type = ColumnType::kNone});
  }
  for (const auto& [column, is_text] : is_text_) {
    std::string field(*FieldOfFileColumn(names[column]));
    for (const TableColumn& other : columns) {
      if (other.type == ColumnType::kNone || other.name != field) continue;
      return Status(Code::kUnsupported,
                    "columns " + EscapeBytes(field) + " and " +
                        EscapeBytes(names[column]) + " give one field");
    }
    columns[column] = {
        .name = std::move(field),
        .type = is_text ? ColumnType::kTextFile : ColumnType::kBytesFile};
  }
  for (const TableColumn& column : columns) {
    const bool is_text = column.type == ColumnType::kText ||
                         column.type == ColumnType::kTextFile;
    if (is_text) set.text_fields.push_back(column.name);
  }
  std::ranges::sort(set.text_fields);
  return Status();
}

}  // namespace shardine
