#include "source/table_rows.h"

#include <csv.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/foreign_kind.h"
#include "base/status_macros.h"
#include "shardine/escape.h"
#include "source/line_reader.h"
#include "source/table_json.h"

namespace shardine {
namespace {

constexpr std::size_t kMaxRow = std::size_t{16} << 20;
constexpr std::size_t kHead = std::size_t{64} << 10;

bool HasSuffix(const std::string& path, std::string_view suffix) {
  return path.size() > suffix.size() &&
         LowerAscii(path.substr(path.size() - suffix.size())) == suffix;
}

// libcsv, which is given the lines of a text. Not movable.
class RowCutter {
 public:
  explicit RowCutter(char delimiter) {
    // Strict: a quote within a cell that has none around it is refused.
    csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI);
    csv_set_delim(&parser_, static_cast<unsigned char>(delimiter));
    csv_set_blk_size(&parser_, std::size_t{64} << 10);
  }
  ~RowCutter() { csv_free(&parser_); }
  RowCutter(const RowCutter&) = delete;
  RowCutter& operator=(const RowCutter&) = delete;

  void Begin() {
    text_.clear();
    ends_.clear();
    done_ = false;
  }
  // False: a quote stands where none can.
  bool Feed(std::string_view text) {
    return csv_parse(&parser_, text.data(), text.size(), &OnCell, &OnRow,
                     this) == text.size();
  }
  bool done() const { return done_; }
  // The text had more after the end of the row.
  bool is_cut() const { return is_cut_; }
  std::size_t cells() const { return ends_.size(); }
  void GetCells(std::vector<TableCell>& cells) const {
    cells.clear();
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      cells.push_back({CellKind::kPlain,
                       std::string_view(text_).substr(begin, end - begin),
                       cells.size()});
      begin = end;
    }
  }

 private:
  static void OnCell(void* cell, std::size_t size, void* self) {
    auto& cutter = *static_cast<RowCutter*>(self);
    cutter.is_cut_ = cutter.done_;
    cutter.text_.append(static_cast<const char*>(cell), size);
    cutter.ends_.push_back(cutter.text_.size());
  }
  static void OnRow(int, void* self) {
    static_cast<RowCutter*>(self)->done_ = true;
  }

  csv_parser parser_ = {};
  std::string text_;
  std::vector<std::size_t> ends_;
  bool done_ = false;
  bool is_cut_ = false;
};

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t") == text.npos;
}

// Rows of a separated text, one after the other.
class SeparatedRows {
 public:
  SeparatedRows(const RandomAccessFile& file, char delimiter)
      : file_(file), lines_(file), cutter_(delimiter) {}

  // False at the end.
  Result<bool> Next(TableRow& row) {
    cutter_.Begin();
    bool begun = false;
    std::size_t bytes = 0;
    while (!cutter_.done()) {
      SHARDINE_ASSIGN_OR_RETURN(const std::optional<Line> line, lines_.Next());
      if (!line) {
        if (!begun) return false;
        return Wrong(row, "a quote is opened and not closed");
      }
      if (!begun && IsBlank(line->text)) continue;
      if (!begun) {
        row.line = line->number;
        row.offset = line->offset;
        begun = true;
      }
      bytes += line->text.size();
      if (bytes > kMaxRow) {
        return Wrong(row, "a quote is not closed within 16 MiB");
      }
      if (!cutter_.Feed(line->text) || !cutter_.Feed(line->end)) {
        return Wrong(row, "a quote stands within a value, or after one");
      }
      if (cutter_.is_cut()) {
        return Wrong(row, "a carriage return stands within a line");
      }
    }
    cutter_.GetCells(row.cells);
    for (const TableCell& cell : row.cells) {
      if (cell.text.find('\0') == cell.text.npos) continue;
      return RowError(file_, row, std::to_string(cell.column + 1),
                      "NUL byte in the value");
    }
    return true;
  }

 private:
  Status Wrong(const TableRow& row, std::string_view message) const {
    return RowError(file_, row, std::to_string(cutter_.cells() + 1), message);
  }

  const RandomAccessFile& file_;
  LineReader lines_;
  RowCutter cutter_;
};

// Columns without a name are ignored, unless they have values.
Status CheckNames(const RandomAccessFile& file, const TableRow& header) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (const TableCell& cell : header.cells) {
    if (cell.text.empty()) continue;
    const auto [known, is_new] = places.try_emplace(cell.text, cell.column);
    if (is_new) continue;
    return RowError(file, header, cell.text,
                    "two columns have this name, the " +
                        std::to_string(known->second + 1) + ". and the " +
                        std::to_string(cell.column + 1) +
                        ".; give one of them another");
  }
  return Status();
}

Status TakeSeparated(const RandomAccessFile& file, const IsHeader& is_header,
                     TableShape& shape,
                     const std::function<Status(const TableRow&)>& take) {
  SeparatedRows rows(file, shape.delimiter);
  TableRow row;
  SHARDINE_ASSIGN_OR_RETURN(bool more, rows.Next(row));
  shape.columns.assign(row.cells.size(), std::string());
  shape.header = more && is_header(row.cells);
  if (shape.header) {
    for (const TableCell& cell : row.cells) {
      shape.columns[cell.column] = std::string(cell.text);
    }
    SHARDINE_RETURN_IF_ERROR(CheckNames(file, row));
    SHARDINE_ASSIGN_OR_RETURN(more, rows.Next(row));
  }
  while (more) {
    if (row.cells.size() != shape.columns.size()) {
      return RowError(file, row, "",
                      std::to_string(row.cells.size()) + " values, and " +
                          std::to_string(shape.columns.size()) +
                          " in the first row");
    }
    SHARDINE_RETURN_IF_ERROR(take(row));
    ++row.number;
    SHARDINE_ASSIGN_OR_RETURN(more, rows.Next(row));
  }
  return Status();
}

Status TakeJsonLines(const RandomAccessFile& file, JsonRows& rows) {
  LineReader lines(file);
  while (true) {
    SHARDINE_ASSIGN_OR_RETURN(const std::optional<Line> line, lines.Next());
    if (!line) return Status();
    if (IsBlank(line->text)) continue;
    const Status status = rows.TakeLine(line->text, line->number, line->offset);
    if (status.ok()) continue;
    if (!status.where().path.empty()) return status;
    return lines.Error(*line, status.message());
  }
}

Status TakeJsonArray(const RandomAccessFile& file, JsonRows& rows) {
  if (file.size() > kMaxJsonTable) {
    return Status(Code::kUnsupported,
                  "is larger than a JSON array may be; write JSON lines")
        .At({.path = file.path()});
  }
  ByteBuffer text;
  text.Resize(static_cast<std::size_t>(file.size()));
  SHARDINE_ASSIGN_OR_RETURN(const std::size_t read,
                            file.ReadAt(0, text.span()));
  text.Resize(read);
  Status status = rows.TakeArray(AsText(text.view()));
  if (status.ok() || !status.where().path.empty()) return status;
  return std::move(status).At({.path = file.path()});
}

// The delimiters of `line` that cut it in several cells, outside quotes.
std::string DelimitersOf(std::string_view line) {
  std::array<std::size_t, 3> counts = {};
  constexpr std::string_view kDelimiters = "\t,;";
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    const std::size_t at = kDelimiters.find(c);
    if (!quoted && at != kDelimiters.npos) ++counts[at];
  }
  // A tab is in no name, so that it comes before the others.
  if (counts[0] > 0) return "\t";
  std::string found;
  for (std::size_t i = 1; i < counts.size(); ++i) {
    if (counts[i] > 0) found += kDelimiters[i];
  }
  return found;
}

// Refuses a file that is no text, known by its first bytes, with the way out.
Status RefuseForeign(std::string_view head) {
  using namespace std::string_view_literals;
  constexpr std::size_t kLooked = 64;
  const std::string_view begin = head.substr(0, kLooked);
  std::string kind(ForeignKind(AsBytes(head)));
  std::string advice = "write it as CSV or JSON lines";
  // Names of classes may begin as any of those does.
  const auto is_control = [](char c) { return c >= 0 && c < ' '; };
  std::string rest(begin);
  std::erase_if(rest,
                [](char c) { return c == '\t' || c == '\n' || c == '\r'; });
  if (std::ranges::none_of(rest, is_control)) kind.clear();
  if (kind == "Parquet") {
    advice += ": pandas.read_parquet(IN).to_csv(OUT, index=False)";
  }
  for (const std::string_view magic : {"\x1f\x8b"sv, "\x28\xb5\x2f\xfd"sv}) {
    if (!begin.starts_with(magic)) continue;
    kind = magic[0] == '\x1f' ? "compressed by gzip" : "compressed by zstd";
    advice = "decompress it first";
  }
  if (begin.starts_with("\xff\xfe"sv) || begin.starts_with("\xfe\xff"sv)) {
    kind = "UTF-16";
    advice = "write it as UTF-8";
  }
  if (kind.empty()) return Status();
  return Status(Code::kUnsupported,
                "is " + kind + ", and no text here; " + advice);
}

// The first bytes, from the first line on that is not empty.
Result<std::string> HeadOf(const RandomAccessFile& file) {
  ByteBuffer head;
  head.Resize(kHead);
  SHARDINE_ASSIGN_OR_RETURN(const std::size_t read,
                            file.ReadAt(0, head.span()));
  std::string_view text = AsText(head.view()).substr(0, read);
  SHARDINE_RETURN_IF_ERROR(RefuseForeign(text).At({.path = file.path()}));
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of("\r\n"), text.size()));
  return std::string(text);
}

std::string_view FirstLine(std::string_view head) {
  std::string_view line = head.substr(0, head.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool IsJsonLines(const RandomAccessFile& file, std::string_view head) {
  return HasSuffix(file.path(), ".jsonl") ||
         HasSuffix(file.path(), ".ndjson") || head.starts_with("{\"");
}

bool IsSeparated(const RandomAccessFile& file) {
  return HasSuffix(file.path(), ".csv") || HasSuffix(file.path(), ".tsv");
}

Result<char> DelimiterOf(const RandomAccessFile& file, std::string_view line) {
  if (HasSuffix(file.path(), ".tsv")) return '\t';
  const std::string found = DelimitersOf(line);
  if (found.size() < 2) return found.empty() ? ',' : found[0];
  const auto first = [line](char delimiter) {
    return EscapeBytes(line.substr(0, line.find(delimiter)));
  };
  return Status(Code::kCorrupt,
                "line 1: the first value is \"" + first(',') +
                    "\" before a comma, or \"" + first(';') +
                    "\" before a semicolon: it could be both; put quotes "
                    "around values that have one of them")
      .At({.path = file.path(), .offset = 0});
}

}  // namespace

bool WantedColumn::Has(std::string_view name) const {
  const std::string lower = LowerAscii(name);
  return std::ranges::find(names, lower) != names.end();
}

Result<std::optional<TableShape>> FindNamedTable(
    const RandomAccessFile& file, std::span<const WantedColumn> wanted) {
  using Found = std::optional<TableShape>;
  SHARDINE_ASSIGN_OR_RETURN(const std::string head, HeadOf(file));
  if (IsJsonLines(file, head)) {
    return Found({.form = TableForm::kJsonLines, .columns = {}});
  }
  const std::string_view line = FirstLine(head);
  const bool is_separated = IsSeparated(file);
  for (const char delimiter : std::string_view("\t,;")) {
    RowCutter cutter(delimiter);
    cutter.Begin();
    std::vector<TableCell> cells;
    if (!cutter.Feed(line) || !cutter.Feed("\n")) continue;
    cutter.GetCells(cells);
    if (cells.size() < 2 && !is_separated) continue;
    if (std::ranges::all_of(wanted, [&](const WantedColumn& column) {
          return !column.is_needed ||
                 std::ranges::any_of(cells, [&](const TableCell& cell) {
                   return column.Has(cell.text);
                 });
        })) {
      return Found({.form = TableForm::kSeparated,
                    .delimiter = delimiter,
                    .header = true,
                    .columns = {}});
    }
  }
  return Found();
}

Result<TableShape> FindTableShape(
    const RandomAccessFile& file,
    const std::function<bool(std::string_view)>& is_list) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string head, HeadOf(file));
  const std::string_view text = head;
  TableShape shape;
  if (HasSuffix(file.path(), ".lst")) return shape;
  if (HasSuffix(file.path(), ".json")) {
    shape.form = TableForm::kJsonArray;
    return shape;
  }
  if (IsJsonLines(file, text)) {
    shape.form = TableForm::kJsonLines;
    return shape;
  }
  if (text.starts_with("[{\"") || text.starts_with("[\"")) {
    shape.form = TableForm::kJsonArray;
    return shape;
  }
  const std::string_view line = FirstLine(text);
  const bool is_separated = IsSeparated(file);
  const std::string delimiters = DelimitersOf(line);
  if (is_list(line) &&
      (!is_separated || delimiters.empty() || delimiters == "\t")) {
    return shape;
  }
  if (delimiters.empty() && !is_separated) return shape;
  shape.form = TableForm::kSeparated;
  SHARDINE_ASSIGN_OR_RETURN(shape.delimiter, DelimiterOf(file, line));
  return shape;
}

Status ForEachTableRow(const RandomAccessFile& file, const IsHeader& is_header,
                       TableShape& shape,
                       const std::function<Status(const TableRow&)>& take) {
  if (shape.form == TableForm::kSeparated) {
    return TakeSeparated(file, is_header, shape, take);
  }
  shape.columns.clear();
  JsonRows rows(shape.columns, take);
  return shape.form == TableForm::kJsonLines ? TakeJsonLines(file, rows)
                                             : TakeJsonArray(file, rows);
}

Status RowError(const RandomAccessFile& file, const TableRow& row,
                std::string_view column, std::string_view message, Code code) {
  std::string text;
  if (row.line > 0) text = "line " + std::to_string(row.line);
  if (!column.empty()) {
    text += (text.empty() ? "column " : ", column ") + EscapeBytes(column);
  }
  text += (text.empty() ? "" : ": ") + std::string(message);
  Where where{.path = file.path()};
  if (row.line > 0) {
    where.offset = row.offset;
  } else {
    where.record = row.number;
  }
  return Status(code, text).At(where);
}

}  // namespace shardine
