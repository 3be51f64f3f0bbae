// DropKeys: a file of keys whose samples are left out of a dataset that is made
// of others.
#ifndef SHARDINE_PACK_DROP_KEYS_H_
#define SHARDINE_PACK_DROP_KEYS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/job.h"
#include "shardine/status.h"
#include "source/source_set.h"

namespace shardine {

// Thread-compatible.
class DropKeys {
 public:
  // A key a line, or a table of them (source/name_file.h). kInvalidArgument:
  // the file has none.
  static Result<DropKeys> Read(ReadableStorage& storage,
                               const std::string& path);

  // Whether a sample is left out: its key in the input, or the one that it
  // would get, is a line.
  bool Drops(std::string_view input_key, std::string_view key);

  // After all samples: the samples left out ("dropped") and the lines that no
  // sample has ("drop-keys-unmatched") go to source.ignored, their count and
  // that of lines of several samples to source.notes. kInvalidArgument: no
  // sample has any.
  Status End(SourceSet& source);

 private:
  struct Line {
    std::uint64_t number = 0;  // of the first with this key
    std::uint64_t samples = 0;
  };

  explicit DropKeys(std::string path) : path_(std::move(path)) {}

  SourceProblem Problem(std::string_view key, const char* reason,
                        const Line& line) const;

  std::string path_;
  std::map<std::string, Line, std::less<>> lines_;
  std::vector<SourceProblem> dropped_;
};

// nullopt without a path.
Result<std::optional<DropKeys>> ReadDropKeys(const std::string& path,
                                             const Job& job);

}  // namespace shardine

#endif  // SHARDINE_PACK_DROP_KEYS_H_
