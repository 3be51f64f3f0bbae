#include "source/name_file.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/status_macros.h"
#include "shardine/escape.h"

namespace shardine {

Status ForEachName(ReadableStorage& storage, const std::string& path,
                   const std::function<Status(std::string name,
                                              const LineError& error)>& take) {
  SHARDINE_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessFile> file,
                            storage.Open(path));
  LineReader lines(*file);
  while (true) {
    SHARDINE_ASSIGN_OR_RETURN(const std::optional<Line> line, lines.Next());
    if (!line) return Status();
    if (line->text.empty()) continue;
    std::optional<std::string> name = UnescapeBytes(line->text);
    if (!name) {
      return lines.Error(*line,
                         "a backslash that does not begin \\xHH "
                         "(write a backslash as \\x5C)");
    }
    SHARDINE_RETURN_IF_ERROR(take(*std::move(name), LineError(lines, *line)));
  }
}

bool IsHeaderWord(std::string_view line) {
  constexpr std::string_view kWords[] = {
      "category", "class",  "class_id", "class_name", "classes", "classname",
      "id",       "label",  "label_id", "labels",     "name",    "names",
      "species",  "synset", "target",   "targets",    "wnid"};
  return std::ranges::binary_search(kWords, LowerAscii(line));
}

NameAndValue CutValue(std::string_view line) {
  std::size_t cut = line.rfind('\t');
  if (cut == std::string_view::npos) cut = line.rfind(' ');
  if (cut == std::string_view::npos) return {line, {}};
  NameAndValue parts{line.substr(0, cut), line.substr(cut + 1)};
  const std::size_t last = parts.name.find_last_not_of(" \t");
  parts.name =
      parts.name.substr(0, last == std::string_view::npos ? 0 : last + 1);
  return parts;
}

}  // namespace shardine
