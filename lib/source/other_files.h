// Files that columns of a table name beside the image's, as Hugging Face's
// tables do: the column "mask_file_name" gives the field "mask".
#ifndef SHARDINE_SOURCE_OTHER_FILES_H_
#define SHARDINE_SOURCE_OTHER_FILES_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/status.h"
#include "source/sample_table.h"
#include "source/source_set.h"

namespace shardine {

// "mask" of "mask_file_name", in any case; nullopt: the column names no file
// beside the image's.
std::optional<std::string_view> FieldOfFileColumn(std::string_view column);

// Whether a column has lists of files: "file_names", "mask_file_names".
bool IsFileListColumn(std::string_view column);

// Thread-compatible. The storage must outlive it.
class OtherFiles {
 public:
  explicit OtherFiles(ReadableStorage& storage) : storage_(storage) {}

  // Appends the cell of the column `column` with the file that `cell` of the
  // row names. The file is `path` from `root`, unless that is absolute. An
  // error of the row, with the column: the file cannot be read; the cell is a
  // list, or no name.
  Status Take(const TableSample& row, const TableCell& cell, std::size_t column,
              const std::string& root, const std::string& path,
              std::string& cells);

  // Completes set.columns, of which all other types are known, and
  // set.text_fields. Columns of files, which are called as in `names`, get the
  // names of their fields. They are text where all files are by their suffixes.
  // kUnsupported: two fields of one name.
  Status Finish(const std::vector<std::string>& names, SourceSet& set) const;

 private:
  ReadableStorage& storage_;
  std::map<std::size_t, bool> is_text_;  // by column
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_OTHER_FILES_H_
