#include "source/sample_table.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/ascii.h"
#include "base/number.h"
#include "base/status_macros.h"
#include "io/memory_storage.h"
#include "shardine/escape.h"
#include "source/list_input.h"
#include "source/name_file.h"
#include "source/other_files.h"
#include "source/source_file.h"

namespace shardine {
namespace {

enum class Role : std::uint8_t {
  kField,
  kFile,
  kLabel,
  kId,
  kSplit,
  kOtherFile
};

bool IsOneOf(std::string_view name,
             const std::vector<std::string_view>& words) {
  const std::string lower = LowerAscii(name);
  return std::ranges::find(words, lower) != words.end();
}

Role RoleOf(std::string_view name) {
  if (IsFileColumn(name)) return Role::kFile;
  if (IsLabelColumn(name)) return Role::kLabel;
  if (IsOneOf(name, {"id"})) return Role::kId;
  if (IsOneOf(name, {"split"})) return Role::kSplit;
  const bool is_file = FieldOfFileColumn(name) || IsFileListColumn(name);
  return is_file ? Role::kOtherFile : Role::kField;
}

// Names of files, or of ids and labels.
bool IsHeaderRow(const std::vector<TableCell>& cells) {
  const auto has = [&](Role role) {
    return std::ranges::any_of(cells, [&](const TableCell& cell) {
      return RoleOf(cell.text) == role;
    });
  };
  return has(Role::kFile) || (has(Role::kId) && has(Role::kLabel));
}

// A row as its columns and values, for messages.
std::string Shown(std::string_view what, std::string_view value) {
  return std::string(what) + " \"" + EscapeBytes(value.substr(0, 80)) + "\"";
}

// Gives samples of the rows of a table.
class TableRowReader {
 public:
  TableRowReader(const RandomAccessFile& file, ListTable& table,
                 const std::function<Status(const TableSample&)>& take,
                 TableIds ids)
      : file_(file), table_(table), take_(take), ids_(ids) {
    sample_.columns = &table_.shape.columns;
    sample_.error = [this](std::string_view message) {
      return RowError(file_, *row_, "", message, ErrorCode());
    };
  }

  Status Take(const TableRow& row) {
    row_ = &row;
    SHARDINE_RETURN_IF_ERROR(SetRoles(row));
    Clear(row);
    for (const TableCell& cell : row.cells) {
      SHARDINE_RETURN_IF_ERROR(TakeCell(cell));
    }
    if (sample_.path.empty() && !(ids_ == TableIds::kMayFind && sample_.id)) {
      return Wrong(NameOf(file_column_), "no path");
    }
    return take_(sample_);
  }

 private:
  bool is_array() const { return table_.shape.form == TableForm::kJsonArray; }
  bool is_named() const {
    return table_.shape.form != TableForm::kSeparated || table_.shape.header;
  }
  Code ErrorCode() const {
    return is_array() ? Code::kInvalidArgument : Code::kCorrupt;
  }
  std::string NameOf(std::size_t column) const {
    if (column >= table_.shape.columns.size()) return "";
    const std::string& name = table_.shape.columns[column];
    return name.empty() ? std::to_string(column + 1) : name;
  }
  Status Wrong(std::string_view column, std::string_view message) const {
    return RowError(file_, *row_, column, message);
  }
  Status Wrong(const TableCell& cell, std::string_view message) const {
    return Wrong(NameOf(cell.column), message);
  }

  void Clear(const TableRow& row) {
    sample_.path = {};
    sample_.id.reset();
    sample_.has_labels = false;
    sample_.labels.clear();
    sample_.names.clear();
    sample_.split = {};
    sample_.fields.clear();
    sample_.files.clear();
    sample_.line = row.line;
    sample_.number = row.number;
  }

  Status SetRoles(const TableRow& row) {
    const std::size_t columns = table_.shape.columns.size();
    if (!is_named()) return roles_.empty() ? GuessRoles(row) : Status();
    while (roles_.size() < columns) {
      const std::string& name = table_.shape.columns[roles_.size()];
      Role role = RoleOf(name);
      if (role == Role::kId && ids_ == TableIds::kNone) role = Role::kField;
      if (role == Role::kFile) file_column_ = roles_.size();
      has_ids_ = has_ids_ || role == Role::kId;
      table_.has_splits = table_.has_splits || role == Role::kSplit;
      roles_.push_back(role);
    }
    if (file_column_ != kNoColumn || (ids_ == TableIds::kMayFind && has_ids_))
      return Status();
    return Wrong("",
                 "no column names the files: one of file_name, path, image, "
                 "filepath, filename, key and ImageId does");
  }

  // The two columns of a role and this row's values in them.
  Status TwoColumns(Role role) const {
    std::string message = role == Role::kFile ? "the file could be "
                                              : "the labels could be those of ";
    std::string_view between;
    for (const TableCell& cell : row_->cells) {
      if (RoleOf(table_.shape.columns[cell.column]) != role) continue;
      message += between;
      message += Shown(EscapeBytes(NameOf(cell.column)), cell.text);
      between = " or ";
    }
    return Wrong("", message + "; give one of the columns another name");
  }

  // A table without a header has one name of an image, and labels.
  Status GuessRoles(const TableRow& row) {
    std::vector<std::size_t> images;
    for (const TableCell& cell : row.cells) {
      if (HasImageSuffix(cell.text)) images.push_back(cell.column);
    }
    const std::size_t count = row.cells.size();
    if (images.size() != 1) return NeedsHeader(row);
    file_column_ = images[0];
    const bool last = file_column_ + 1 == count && count > 1;
    const bool id_first = ParseUnsigned(row.cells[0].text).has_value();
    if (last && id_first && count == 2) {
      return Wrong("", Shown("label", row.cells[0].text) + " or " +
                           Shown("id", row.cells[0].text) + " of " +
                           Shown("path", row.cells[1].text) +
                           ": it could be both; write a header");
    }
    roles_.assign(count, Role::kLabel);
    table_.shape.columns.assign(count, "label");
    roles_[file_column_] = Role::kFile;
    table_.shape.columns[file_column_] = "path";
    // As in a .lst: id, labels, path.
    if (last && id_first) {
      roles_[0] = Role::kId;
      table_.shape.columns[0] = "id";
    }
    return Status();
  }

  Status NeedsHeader(const TableRow& row) const {
    const TableCell& first = row.cells.front();
    const TableCell& other = row.cells.size() > 1 ? row.cells[1] : first;
    std::string message = Shown("path", first.text);
    if (row.cells.size() > 1) {
      message += " and " + Shown("label", other.text) + ", or " +
                 Shown("label", first.text) + " and " +
                 Shown("path", other.text) + ": it could be both";
    } else {
      message += ", or the name of a column";
    }
    return Wrong("", message + "; write a header such as path,label");
  }

  Status TakeCell(const TableCell& cell) {
    if (cell.column >= roles_.size()) return Status();
    switch (roles_[cell.column]) {
      case Role::kFile:
        if (cell.kind != CellKind::kPlain && cell.kind != CellKind::kText) {
          return Wrong(cell, "not the name of a file");
        }
        if (cell.text.find('\0') != cell.text.npos) {
          return Wrong(cell, "NUL byte in the path");
        }
        if (!sample_.path.empty()) return TwoColumns(Role::kFile);
        sample_.path = cell.text;
        return Status();
      case Role::kLabel:
        return TakeLabels(cell);
      case Role::kId:
        if (cell.kind == CellKind::kMissing || cell.text.empty()) {
          return Status();
        }
        sample_.id = ParseUnsigned(cell.text);
        if (sample_.id && cell.kind != CellKind::kText) return Status();
        return Wrong(cell, "the id is not a whole number in [0, 2^64)");
      case Role::kSplit:
        sample_.split = cell.text;
        return Status();
      case Role::kOtherFile:
        if (cell.kind != CellKind::kMissing && !cell.text.empty()) {
          sample_.files.push_back(cell);
        }
        return Status();
      case Role::kField:
        sample_.fields.push_back(cell);
    }
    return Status();
  }

  Status TakeLabels(const TableCell& cell) {
    if (cell.kind == CellKind::kMissing) return Status();
    // Without a header each value beside the path is a label.
    if (sample_.has_labels && is_named()) return TwoColumns(Role::kLabel);
    sample_.has_labels = true;
    if (cell.kind == CellKind::kPlain && cell.text.empty()) return Status();
    const bool is_list =
        cell.kind == CellKind::kJson ||
        (cell.kind == CellKind::kPlain && cell.text.starts_with('[') &&
         cell.text.ends_with(']'));
    if (!is_list) return TakeLabel(cell, cell);
    if (!ReadJsonElements(cell.text, texts_, elements_)) {
      return Wrong(cell, "not a list of labels");
    }
    for (const TableCell& element : elements_) {
      SHARDINE_RETURN_IF_ERROR(TakeLabel(element, cell));
    }
    return Status();
  }

  Status TakeLabel(const TableCell& value, const TableCell& cell) {
    std::optional<Label> label;
    if (value.kind == CellKind::kPlain || value.kind == CellKind::kNumber) {
      label = ParseLabel(value.text);
    }
    if (value.kind == CellKind::kBool) {
      return Wrong(cell, "a boolean is no label");
    }
    if (value.kind == CellKind::kNumber && !label) {
      return Wrong(cell, "a label that cannot be held exactly");
    }
    // A class has a name or a number. A column of both is one of neither.
    if (!labels_are_names_) {
      labels_are_names_ = !label;
      first_ = std::string(value.text);
    }
    if (*labels_are_names_ == label.has_value()) {
      return Wrong(cell, Shown("label", value.text) + " is a " +
                             (label ? "number" : "name") + ", and " +
                             Shown("label", first_) + " before is none");
    }
    if (label) {
      sample_.labels.push_back(*label);
    } else {
      sample_.names.push_back(value.text);
    }
    return Status();
  }

  static constexpr std::size_t kNoColumn = ~std::size_t{0};
  const RandomAccessFile& file_;
  ListTable& table_;
  const std::function<Status(const TableSample&)>& take_;
  const TableIds ids_;
  bool has_ids_ = false;
  const TableRow* row_ = nullptr;
  std::vector<Role> roles_;
  std::size_t file_column_ = kNoColumn;
  std::optional<bool> labels_are_names_;
  std::string first_;
  std::vector<std::string> texts_;  // that elements_ are views of
  std::vector<TableCell> elements_;
  TableSample sample_;
};

Status ReadList(const RandomAccessFile& file, ListTable& table,
                const std::function<Status(const TableSample&)>& take) {
  ListReader reader = ListReader::OfAnyForm(file);
  ListEntry entry;
  TableSample sample;
  sample.has_labels = true;
  sample.error = [&](std::string_view message) {
    return reader.Error(entry, message);
  };
  while (true) {
    SHARDINE_ASSIGN_OR_RETURN(const bool more, reader.Next(entry));
    table.list_form = reader.form();
    if (!more) return Status();
    sample.path = entry.path;
    sample.id.reset();
    if (reader.form() != ListForm::kPathLabel) sample.id = entry.id;
    sample.labels = entry.labels;
    sample.line = entry.line.number;
    SHARDINE_RETURN_IF_ERROR(take(sample));
    ++sample.number;
  }
}

}  // namespace

bool IsFileColumn(std::string_view name) { return FileColumn().Has(name); }

bool IsLabelColumn(std::string_view name) { return LabelColumn().Has(name); }

bool IsListLine(std::string_view line) {
  MemoryStorage storage;
  storage.Put("line", std::string(line));
  const auto file = storage.Open("line");
  if (!file.ok()) return false;
  ListReader reader = ListReader::OfAnyForm(**file);
  ListEntry entry;
  const auto read = reader.Next(entry);
  return read.ok() && *read;
}

std::string ListTable::Columns() const {
  if (shape.form == TableForm::kList) return "";
  std::string text;
  std::size_t shown = 0;
  for (const std::string& column : shape.columns) {
    if (column.empty()) continue;
    if (shown == 8) {
      text += ", ...";
      break;
    }
    text += (shown++ == 0 ? "" : ", ") + EscapeBytes(column);
  }
  text = "columns: " + text;
  if (shape.form != TableForm::kSeparated) return text;
  return text + "; header: " + (shape.header ? "yes" : "no");
}

Result<ListTable> ReadListTable(
    ReadableStorage& storage, const std::string& path,
    const std::function<Status(const TableSample&)>& take, TableIds ids) {
  SHARDINE_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessFile> file,
                            OpenList(storage, path));
  ListTable table;
  SHARDINE_ASSIGN_OR_RETURN(table.shape, FindTableShape(*file, &IsListLine));
  if (table.shape.form == TableForm::kList) {
    SHARDINE_RETURN_IF_ERROR(ReadList(*file, table, take));
    return table;
  }
  TableRowReader taker(*file, table, take, ids);
  SHARDINE_RETURN_IF_ERROR(
      ForEachTableRow(*file, &IsHeaderRow, table.shape,
                      [&](const TableRow& row) { return taker.Take(row); }));
  return table;
}

}  // namespace shardine
