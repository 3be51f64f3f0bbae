// One line that says how far the work has come, as wide as there is room.
#ifndef SHARDINE_CLI_PROGRESS_LINE_H_
#define SHARDINE_CLI_PROGRESS_LINE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "shardine/progress.h"

namespace shardine {

// `done` is the work of `seconds`.
struct ProgressState {
  std::string doing;
  Progress now;
  Progress done;
  double seconds = 0;
  bool has_percent = false;
};

// The share of the bytes, else of the samples; none without a total.
std::optional<std::uint64_t> PercentDone(const Progress& now);

// "packing: 1200/10000 samples (12 %), 1700 img/s, 190.2 MB/s, ETA 0:06, 2
// rejected". The percentage and the ETA need a total, the last part a rejected
// sample. In fewer `columns` the rates go first, then the rest down to
// "1200/10000".
std::string FormatProgress(const ProgressState& state, std::size_t columns);

// `text` if it fits, else its beginning and "...". A character outside ASCII
// counts as two columns, the most that it takes.
std::string FitColumns(const std::string& text, std::size_t columns);

}  // namespace shardine

#endif  // SHARDINE_CLI_PROGRESS_LINE_H_
