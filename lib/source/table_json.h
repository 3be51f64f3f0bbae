// Rows of JSON tables: the entries of an array, or a line each.
#ifndef SHARDINE_SOURCE_TABLE_JSON_H_
#define SHARDINE_SOURCE_TABLE_JSON_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/status.h"
#include "source/table_rows.h"

namespace shardine {

// A row is an object, whose members are columns, or a text, which is the column
// `path`. Thread-compatible.
class JsonRows {
 public:
  using Take = std::function<Status(const TableRow&)>;

  // Both must outlive it. New columns are added at the end.
  JsonRows(std::vector<std::string>& columns, const Take& take);
  ~JsonRows();

  // An array of rows. kCorrupt with the byte for text that is not JSON, with
  // the number of the entry (record) for an entry that is no row; or the
  // failure of `take`.
  Status TakeArray(std::string_view text);
  // One row, on this line, with the same failures, which name no entry.
  Status TakeLine(std::string_view text, std::uint64_t line,
                  std::uint64_t offset);

 private:
  class Handler;
  std::unique_ptr<Handler> handler_;
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_TABLE_JSON_H_
