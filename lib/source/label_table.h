// LabelTable: the labels of a list file, found by the id or the key of a
// sample: to replace packed labels, or to label shards that have none.
#ifndef SHARDINE_SOURCE_LABEL_TABLE_H_
#define SHARDINE_SOURCE_LABEL_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/label.h"
#include "shardine/status.h"
#include "source/class_map.h"
#include "source/sample_table.h"

namespace shardine {

// About 60 bytes per row with one label, and the keys besides.
// Immutable once read, so thread-safe.
class LabelTable {
 public:
  // The names by which its rows are found.
  enum class By : std::uint8_t {
    kId,    // ids, each of one row; keys are kept, and not looked up
    kBoth,  // keys, whatever "./" or blanks they have around them, or
            // without the suffix of an image, and ids where each is of one
            // row; a key may be of several rows
  };

  // A list of any form that pack takes (source/sample_table.h). By kId, an id
  // twice is kCorrupt with the line, or kInvalidArgument with the entry of a
  // JSON array; so is an entry without labels, or ids in some only. Names as
  // labels must be in `classes`; kInvalidArgument for any other name.
  static Result<LabelTable> Read(ReadableStorage& storage,
                                 const std::string& path, By by,
                                 const ClassMap& classes = {});

  LabelTable(LabelTable&&) = default;
  LabelTable& operator=(LabelTable&&) = default;

  std::size_t size() const { return rows_.size(); }
  // ListTable::Columns().
  const std::string& columns() const { return columns_; }
  // False: the list has none, or one of several rows; then ids count its rows.
  bool has_ids() const { return has_ids_; }

  // The number of the row; nullopt: there is none.
  std::optional<std::size_t> FindId(std::uint64_t id) const;
  // The same; a path with backslashes alone has slashes. kInvalidArgument, with
  // the key, if rows with other labels have it.
  Result<std::optional<std::size_t>> FindKey(std::string_view key) const;

  // REQUIRES: a row below size(). Views of this.
  std::span<const Label> labels(std::size_t row) const {
    return std::span(labels_).subspan(rows_[row].labels, rows_[row].count);
  }
  // REQUIRES: keys are kept.
  std::string_view key(std::size_t row) const {
    const std::uint32_t entry = rows_[row].entry;
    const std::size_t begin = entry > 0 ? key_ends_[entry - 1] : 0;
    return std::string_view(keys_).substr(begin, key_ends_[entry] - begin);
  }
  std::uint64_t id(std::size_t row) const { return rows_[row].id; }
  // Its place in the list, from 0.
  std::uint32_t entry(std::size_t row) const { return rows_[row].entry; }
  // "line 3" of a .lst, "entry 2" of a JSON list, for messages.
  std::string PlaceOf(std::size_t row) const;

  // For callers that have looked up all samples.
  void ForgetKeys();

 private:
  struct Row {
    std::uint64_t id = 0;
    std::size_t labels = 0;  // the first, in labels_
    std::uint32_t count = 0;
    std::uint32_t entry = 0;  // in the order of the list
    std::uint64_t line = 0;   // of a .lst, from 1
  };

  explicit LabelTable(By by) : by_(by) {}
  Status Add(const TableSample& sample);
  Status NameLabels(const ClassMap& classes);
  Status Twice(ReadableStorage& storage, const std::string& path,
               std::uint32_t entry) const;
  // Puts the rows in order, by id. The first entry whose id an earlier one has;
  // nullopt if there is none.
  std::optional<std::uint32_t> Arrange();
  bool SaysTheSame(std::size_t row, std::size_t other) const;
  void FindRows();
  // Where the row of a key is in slots_, or would be.
  std::size_t SlotOf(std::string_view key) const;

  By by_;
  std::string columns_;
  bool has_ids_ = true;
  std::vector<Row> rows_;
  std::vector<Label> labels_;
  std::vector<std::string> names_;  // of labels, which count them
  std::unordered_map<std::string, std::size_t> by_name_;
  std::string keys_;  // back to back, by entry
  std::vector<std::uint64_t> key_ends_;
  // Rows by the hashes of their keys, from 1; 0: none. A table of strings takes
  // several times the memory.
  std::vector<std::uint32_t> slots_;
  std::vector<bool> is_twice_;  // by row: others have its key, and other labels
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_LABEL_TABLE_H_
