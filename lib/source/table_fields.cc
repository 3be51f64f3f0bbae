#include "source/table_fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/number.h"
#include "base/utf8.h"
#include "shardine/escape.h"
#include "source/field_file.h"

namespace shardine {
namespace {

constexpr std::uint8_t kMaxSides = 3;  // of arrays

std::optional<double> ParseReal(std::string_view text) {
  double real = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, real);
  if (error != std::errc() || stop != end) return std::nullopt;
  return real;
}

// "true", "True", "TRUE".
std::optional<bool> ParseBool(std::string_view text) {
  if (text.size() != 4 && text.size() != 5) return std::nullopt;
  const std::string lower = LowerAscii(text);
  if (lower == "true") return true;
  return lower == "false" ? std::optional(false) : std::nullopt;
}

ColumnType NumberType(std::string_view text) {
  if (ParseSigned(text)) return ColumnType::kInt64;
  const auto real = ParseReal(text);
  if (!real) return ColumnType::kText;
  // A whole number beyond 64 bits is not rounded.
  const bool whole = text.find_first_not_of("-0123456789") == text.npos;
  return whole ? ColumnType::kText : ColumnType::kFloat64;
}

ColumnType ListType(std::string_view json) {
  std::vector<std::string> texts;
  std::vector<TableCell> elements;
  if (!ReadJsonElements(json, texts, elements)) return ColumnType::kText;
  ColumnType type = ColumnType::kInt64List;
  for (const TableCell& element : elements) {
    const ColumnType one = element.kind == CellKind::kNumber
                               ? NumberType(element.text)
                               : ColumnType::kText;
    if (one == ColumnType::kText) return one;
    if (one == ColumnType::kFloat64) type = ColumnType::kFloat64List;
  }
  return type;
}

ColumnType TextType(std::string_view text) {
  return IsUtf8(text) ? ColumnType::kText : ColumnType::kBytes;
}

ColumnType TypeOf(const TableCell& cell) {
  switch (cell.kind) {
    case CellKind::kMissing:
      return ColumnType::kNone;
    case CellKind::kText:
      return TextType(cell.text);
    case CellKind::kBool:
      return ColumnType::kBool;
    case CellKind::kNumber:
      return NumberType(cell.text);
    case CellKind::kJson:
      return ListType(cell.text);
    case CellKind::kPlain:
      break;
  }
  if (cell.text.empty()) return ColumnType::kNone;
  // "007" and "+1" are no numbers that give their text back, but codes.
  const std::string_view digits =
      cell.text.substr(cell.text.starts_with('-') ? 1 : 0);
  const bool is_code = digits.size() > 1 && digits[0] == '0' &&
                       digits[1] >= '0' && digits[1] <= '9';
  if (is_code) return ColumnType::kText;
  if (ParseBool(cell.text)) return ColumnType::kBool;
  if (cell.text.starts_with('[') && cell.text.ends_with(']')) {
    return ListType(cell.text);
  }
  const ColumnType type = NumberType(cell.text);
  return type == ColumnType::kText ? TextType(cell.text) : type;
}

// The type that has the values of both.
ColumnType Joined(ColumnType a, ColumnType b) {
  if (a == b || b == ColumnType::kNone) return a;
  if (a == ColumnType::kNone) return b;
  if (a == ColumnType::kBytes || b == ColumnType::kBytes) {
    return ColumnType::kBytes;
  }
  const auto are = [&](ColumnType x, ColumnType y) {
    return (a == x && b == y) || (a == y && b == x);
  };
  if (are(ColumnType::kInt64, ColumnType::kFloat64)) {
    return ColumnType::kFloat64;
  }
  if (are(ColumnType::kInt64List, ColumnType::kFloat64List)) {
    return ColumnType::kFloat64List;
  }
  return ColumnType::kText;
}

bool ReadCell(ByteCursor& cursor, std::uint32_t& column,
              std::string_view& text) {
  std::uint32_t size = 0;
  ByteView bytes;
  if (!cursor.Read(column) || !cursor.Read(size) ||
      !cursor.ReadBytes(size, bytes)) {
    return false;
  }
  text = AsText(bytes);
  return true;
}

bool AppendNumber(std::string_view text, ColumnType type, std::string& bytes) {
  if (type == ColumnType::kInt64 || type == ColumnType::kInt64List) {
    const auto number = ParseSigned(text);
    if (number) AppendLe(*number, bytes);
    return number.has_value();
  }
  const auto real = ParseReal(text);
  if (real) AppendLe(*real, bytes);
  return real.has_value();
}

// A cell of AppendArray(); it may come from a plan that anyone wrote.
bool SetArray(std::string_view cell, ColumnField& field) {
  ByteCursor cursor(AsBytes(cell));
  std::uint8_t head = 0;
  if (!cursor.Read(head) || head >= 2 * kMaxSides) return false;
  field.dtype = head < kMaxSides ? "<i8" : "<f8";
  field.shape.resize(head % kMaxSides + 1U);
  std::uint64_t bytes = 8;
  for (std::uint64_t& side : field.shape) {
    if (!cursor.Read(side) || __builtin_mul_overflow(bytes, side, &bytes)) {
      return false;
    }
  }
  field.bytes = cell.substr(cell.size() - cursor.remaining());
  return bytes == field.bytes.size();
}

bool SetField(std::string_view text, ColumnType type, ColumnField& field) {
  switch (type) {
    case ColumnType::kArray:
      return SetArray(text, field);
    case ColumnType::kNone:
      return false;
    case ColumnType::kTextFile:
    case ColumnType::kBytesFile:
      if (!IsFieldFile(text)) return false;
      [[fallthrough]];
    case ColumnType::kText:
    case ColumnType::kBytes:
      field.dtype = "|S";
      field.bytes = std::string(text);
      return true;
    case ColumnType::kBool: {
      const auto value = ParseBool(text);
      field.dtype = "|b1";
      field.bytes = std::string(1, value.value_or(false) ? '\1' : '\0');
      return value.has_value();
    }
    case ColumnType::kInt64:
    case ColumnType::kFloat64:
      field.dtype = type == ColumnType::kInt64 ? "<i8" : "<f8";
      return AppendNumber(text, type, field.bytes);
    case ColumnType::kInt64List:
    case ColumnType::kFloat64List:
      break;
  }
  std::vector<std::string> texts;
  std::vector<TableCell> elements;
  if (!ReadJsonElements(text, texts, elements)) return false;
  field.dtype = type == ColumnType::kInt64List ? "<i8" : "<f8";
  field.shape = {elements.size()};
  return std::ranges::all_of(elements, [&](const TableCell& element) {
    return AppendNumber(element.text, type, field.bytes);
  });
}

}  // namespace

void ColumnTypes::Add(const std::vector<TableCell>& cells) {
  for (const TableCell& cell : cells) {
    if (cell.column >= types_.size()) types_.resize(cell.column + 1);
    ColumnType& type = types_[cell.column];
    type = Joined(type, TypeOf(cell));
  }
}

Status ColumnTypes::Finish(const std::vector<std::string>& names,
                           std::vector<TableColumn>& columns) const {
  std::vector<std::string_view> fields;
  const bool any = std::ranges::any_of(
      types_, [](ColumnType type) { return type != ColumnType::kNone; });
  columns.clear();
  for (std::size_t i = 0; any && i < types_.size(); ++i) {
    columns.push_back({names[i], types_[i]});
    if (types_[i] == ColumnType::kNone) continue;
    if (names[i].empty()) {
      return Status(Code::kUnsupported,
                    "column " + std::to_string(i + 1) +
                        " has values and no name; give it one or leave it out");
    }
    fields.push_back(names[i]);
  }
  std::ranges::sort(fields);
  const auto twice = std::ranges::adjacent_find(fields);
  if (twice != fields.end()) {
    return Status(Code::kUnsupported,
                  "two columns have the name \"" + EscapeBytes(*twice) + "\"");
  }
  return Status();
}

void AppendCells(const std::vector<TableCell>& cells, std::string& bytes) {
  for (const TableCell& cell : cells) {
    if (cell.kind == CellKind::kMissing ||
        (cell.kind == CellKind::kPlain && cell.text.empty())) {
      continue;
    }
    AppendLe(static_cast<std::uint32_t>(cell.column), bytes);
    AppendLe(static_cast<std::uint32_t>(cell.text.size()), bytes);
    bytes += cell.text;
  }
}

void AppendArray(std::uint32_t column, std::string_view dtype,
                 std::span<const std::uint64_t> shape, std::string_view bytes,
                 std::string& cells) {
  std::string cell(1, static_cast<char>((dtype == "<i8" ? 0 : kMaxSides) +
                                        shape.size() - 1));
  for (const std::uint64_t side : shape) AppendLe(side, cell);
  cell += bytes;
  AppendCells({{.kind = CellKind::kText, .text = cell, .column = column}},
              cells);
}

std::optional<std::vector<ColumnField>> ColumnFieldsOf(
    std::string_view bytes, std::span<const TableColumn> columns) {
  std::vector<ColumnField> fields;
  ByteCursor cursor(AsBytes(bytes));
  while (!cursor.done()) {
    std::uint32_t column = 0;
    std::string_view text;
    if (!ReadCell(cursor, column, text) || column >= columns.size()) {
      return std::nullopt;
    }
    ColumnField field{.name = columns[column].name,
                      .type = columns[column].type,
                      .dtype = {},
                      .shape = {},
                      .bytes = {}};
    if (!SetField(text, columns[column].type, field)) return std::nullopt;
    fields.push_back(std::move(field));
  }
  std::ranges::sort(fields, {}, &ColumnField::name);
  if (std::ranges::adjacent_find(fields, {}, &ColumnField::name) !=
      fields.end()) {
    return std::nullopt;
  }
  return fields;
}

std::optional<std::string_view> TextOf(std::string_view bytes,
                                       std::size_t column) {
  ByteCursor cursor(AsBytes(bytes));
  std::uint32_t at = 0;
  std::string_view text;
  while (!cursor.done() && ReadCell(cursor, at, text)) {
    if (at == column) return text;
  }
  return std::nullopt;
}

}  // namespace shardine
