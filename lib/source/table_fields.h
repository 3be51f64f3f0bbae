// Fields of samples from the other columns of a table: each column has one
// type, which all of its values allow.
#ifndef SHARDINE_SOURCE_TABLE_FIELDS_H_
#define SHARDINE_SOURCE_TABLE_FIELDS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/status.h"
#include "source/table_rows.h"

namespace shardine {

enum class ColumnType : std::uint8_t {
  kNone,   // no value
  kInt64,  // a field "<i8"
  kFloat64,
  kBool,
  kText,       // in UTF-8
  kBytes,      // text that is not
  kInt64List,  // a field "<i8" of one side
  kFloat64List,
  // The cell names a file (source/field_file.h), whose bytes are the field.
  kTextFile,
  kBytesFile,
  kArray,  // the cell has its type and sides (AppendArray)
};
inline constexpr ColumnType kLastColumnType = ColumnType::kArray;

inline bool IsOfFiles(ColumnType type) {
  return type == ColumnType::kTextFile || type == ColumnType::kBytesFile;
}

struct TableColumn {
  std::string name;
  ColumnType type = ColumnType::kNone;
};

// Which types the values of columns allow. Thread-compatible.
class ColumnTypes {
 public:
  void Add(const std::vector<TableCell>& cells);
  // All columns, also those that are no fields (kNone). kUnsupported: two
  // fields of one name, or one that is the image's.
  Status Finish(const std::vector<std::string>& names,
                std::vector<TableColumn>& columns) const;

 private:
  std::vector<ColumnType> types_;
};

// Appends the input of ColumnFieldsOf() and TextOf(): the cells that have a
// value.
void AppendCells(const std::vector<TableCell>& cells, std::string& bytes);

// Appends the cell of a column of arrays. `dtype`: "<i8" or "<f8".
// REQUIRES: at most 3 sides, of as many elements as `bytes` has.
void AppendArray(std::uint32_t column, std::string_view dtype,
                 std::span<const std::uint64_t> shape, std::string_view bytes,
                 std::string& cells);

struct ColumnField {
  std::string_view name;
  ColumnType type = ColumnType::kNone;
  std::string_view dtype;            // "<i8", "<f8", "|b1" or "|S"
  std::vector<std::uint64_t> shape;  // one side for lists, up to 3 of arrays
  std::string bytes;                 // of files the cell
};

// By ascending name. nullopt: AppendCells() did not write `bytes`, or they have
// values that their column's type has not.
std::optional<std::vector<ColumnField>> ColumnFieldsOf(
    std::string_view bytes, std::span<const TableColumn> columns);

// The text of the cell of a column; nullopt: there is none.
std::optional<std::string_view> TextOf(std::string_view bytes,
                                       std::size_t column);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_TABLE_FIELDS_H_
