// An image left out of a .rec, and the report of such images.
#ifndef SHARDINE_IM2REC_LEFT_OUT_H_
#define SHARDINE_IM2REC_LEFT_OUT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

struct LeftOut {
  // "missing", "not-a-file", "too-large", "link-loop", "unreadable",
  // "malformed-line", or why it does not decode: "truncated", ...
  std::string reason;
  std::string detail;  // for people
};

// The fault of the image at `path` that could not be packed for `failure`;
// nullopt if the machine is at fault, not the image.
std::optional<LeftOut> LeftOutFor(ReadableStorage& storage,
                                  const std::string& path,
                                  const Status& failure);

struct LeftOutLine {
  std::string key;  // the path, as the list has it; any bytes
  std::optional<std::uint64_t> id;
  std::uint64_t line = 0;  // of the list, from 1
};

// One JSON object and a line end: action, detail, id, key, line, reason, as in
// the rejected.jsonl of a dataset.
std::string ReportLine(const LeftOut& left_out, const LeftOutLine& at);

}  // namespace shardine

#endif  // SHARDINE_IM2REC_LEFT_OUT_H_
