// One line of a list: the fields that im2rec.cc and im2rec.py read from it.
// They agree on lists that im2rec.py --list writes and on little else.
#ifndef SHARDINE_IM2REC_LIST_ENTRY_H_
#define SHARDINE_IM2REC_LIST_ENTRY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/status.h"

namespace shardine {

// A line in terms of the record it becomes.
struct ImageListEntry {
  std::uint64_t id = 0;
  float label = 0;            // in the header
  std::vector<float> packed;  // after the header; their number is its flag
  std::string path;           // as the line has it, not yet below a root
  std::size_t dropped = 0;    // labels of the line that the record lacks
  // The first whole number among the stored labels that float32 rounds, as
  // "16777217 becomes 16777216".
  std::string rounded = {};
};

// im2rec.cc: id, label and label_width - 1 more labels, all followed by white
// space; the rest of the line, less white space before it and white space and
// control characters after it, is the path. With pack_label all labels are
// packed and the first stays in the header, too.
// REQUIRES: label_width >= 1.
Result<ImageListEntry> ParseCppLine(std::string_view line,
                                    std::size_t label_width, bool pack_label);

// im2rec.py: fields between tabs, stripped; the last is the path. With
// pack_label several labels are packed and the header has 0, otherwise the
// first label is in the header and the others are dropped.
Result<ImageListEntry> ParsePythonLine(std::string_view line, bool pack_label);

// Failures of both (code kCorrupt) name the field and its fault: an id is a
// decimal number below 2^64, a label a decimal number within the range of
// float32, or an infinity; not a NaN.

}  // namespace shardine

#endif  // SHARDINE_IM2REC_LIST_ENTRY_H_
