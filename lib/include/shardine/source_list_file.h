// A source written down as .lst files: one sample a line, id, labels and path
// separated by tabs. The work of `shardine list`.
#ifndef SHARDINE_SOURCE_LIST_FILE_H_
#define SHARDINE_SOURCE_LIST_FILE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/rejects.h"
#include "shardine/source.h"
#include "shardine/status.h"

namespace shardine {

struct SourceListOptions {
  SourceOptions source;
  std::string output;  // file; empty: the text goes to `sink`
  // One file per split: "a/b.lst" becomes "a/b_train.lst", "a/b_val.lst".
  bool per_split = false;
  std::function<Status(std::string_view)> sink;
};

struct SourceListFile {
  std::string path;   // empty for the sink
  std::string split;  // empty if it holds all of them
  std::uint64_t samples = 0;
};

struct SourceListResult {
  std::vector<SourceListFile> files;
  std::uint64_t samples = 0;
  std::uint64_t classes = 0;
  std::vector<RejectedCount> ignored;  // not samples, by reason
  std::vector<RejectedCount> bad;      // samples that cannot be read
  std::vector<std::string> warnings;
  std::vector<std::string> remarks;  // as Job::say is told
};

// Writes the samples in id order. A file appears when it is complete and
// replaces one of that name. kUnsupported names a path that a line cannot hold
// (tab, line end); kInvalidArgument: options, or `per_split` without a file.
Result<SourceListResult> WriteSourceList(const SourceListOptions& options);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_LIST_FILE_H_
