// The style of im2rec.py: PREFIX ROOT [--list] [options]
#ifndef SHARDINE_IM2REC_PYTHON_STYLE_H_
#define SHARDINE_IM2REC_PYTHON_STYLE_H_

#include <string>
#include <vector>

#include "im2rec/console.h"
#include "im2rec/python_arguments.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

// With --list: walks the root, writes the lists, prints "FOLDER LABEL" for
// each label of a recursive walk. A walk that finds nothing is kFailed.
// Otherwise: packs each list that FindLists finds, in order of their names, to
// a .rec and .idx beside it; stops at the first that fails.
// kRejected if lines of a list were left out, else kDone.
Result<ExitCode> RunPythonStyle(Storage& storage,
                                const PythonArguments& arguments,
                                const Console& console);

// The files whose path begins with `prefix` and ends with ".lst", in the
// prefix's folder, or in the prefix itself if it is a folder. Sorted.
Result<std::vector<std::string>> FindLists(ReadableStorage& storage,
                                           const std::string& prefix);

}  // namespace shardine

#endif  // SHARDINE_IM2REC_PYTHON_STYLE_H_
