// A JSON index of files: one array whose entries are paths, or objects
//   {"path": "n01/a.jpg", "label": 3}      one label
//   {"path": "n01/a.jpg", "labels": [3, 0.5], "id": 17}
// with label(s) and id optional, nothing else. Paths are text, so a name that
// is not UTF-8 needs a .lst.
#ifndef SHARDINE_SOURCE_JSON_LIST_H_
#define SHARDINE_SOURCE_JSON_LIST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/label.h"
#include "shardine/status.h"

namespace shardine {

// The file is read whole and the entries are kept: about 150 bytes each.
inline constexpr std::uint64_t kMaxJsonList = std::uint64_t{1} << 30;  // bytes

struct JsonEntry {
  std::string path;
  std::optional<std::vector<Label>> labels;  // nullopt: not given
  std::optional<std::uint64_t> id;
};

// In the order of the text. kCorrupt with the byte for what is not JSON, with
// the number of the entry (record) for what is no such index.
Result<std::vector<JsonEntry>> ParseJsonList(std::string_view text);

// kUnsupported beyond kMaxJsonList.
Result<std::vector<JsonEntry>> ReadJsonList(ReadableStorage& storage,
                                            const std::string& path);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_JSON_LIST_H_
