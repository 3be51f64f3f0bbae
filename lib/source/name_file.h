// The small text files that speak of keys, file names and classes: one a line,
// in the notation of text output (shardine/escape.h), perhaps with a value
// after the last blank or tab. Empty lines are passed over.
#ifndef SHARDINE_SOURCE_NAME_FILE_H_
#define SHARDINE_SOURCE_NAME_FILE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "io/readable_storage.h"
#include "shardine/status.h"
#include "source/line_reader.h"

namespace shardine {

// The place of a line, and a function that makes an error there.
class LineError {
 public:
  // Both must outlive it.
  LineError(const LineReader& lines, const Line& line)
      : lines_(lines), line_(line) {}

  Status operator()(std::string_view message) const {
    return lines_.Error(line_, message);
  }
  std::uint64_t number() const { return line_.number; }  // from 1

 private:
  const LineReader& lines_;
  const Line& line_;
};

// Calls `take` with the unescaped text of each line. kCorrupt for a malformed
// escape.
Status ForEachName(ReadableStorage& storage, const std::string& path,
                   const std::function<Status(std::string name,
                                              const LineError& error)>& take);

struct NameAndValue {
  std::string_view name;
  std::string_view value;  // empty if the line has none
};

// "n01 cat\t7" -> {"n01 cat", "7"}: cut at the last tab, at the last blank if
// there is no tab; runs of blanks count as one.
NameAndValue CutValue(std::string_view line);

// What tables call their columns of names and labels, in any case: "class",
// "Label", "wnid". Such a line is more likely a header than a name.
bool IsHeaderWord(std::string_view line);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_NAME_FILE_H_
