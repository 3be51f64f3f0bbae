// A file that says which label which class has.
#ifndef SHARDINE_SOURCE_CLASS_LABEL_FILE_H_
#define SHARDINE_SOURCE_CLASS_LABEL_FILE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "io/readable_storage.h"
#include "shardine/status.h"
#include "source/class_map.h"

namespace shardine {

inline constexpr std::uint64_t kMaxClassFile = std::uint64_t{64} << 20;

// Whether the text begins as JSON, and is no list of lines.
bool IsLikeJson(std::string_view text);

// A label map (source/class_numbers.h), whose lines may be names alone, by
// ascending label; or JSON: {"0": "tench"}, {"0": ["n01440764", "tench"]} or
// {"n01440764": {"id": 0, "name": "tench"}} with a text for people, {"tench":
// 0} or ["tench"]. By ascending label, counts zero. kCorrupt for anything else,
// a name or label that comes twice, no class at all.
Result<ClassMap> ReadClassLabels(ReadableStorage& storage,
                                 const std::string& path);

// The numbers of the lines that name classes, from 1; none for JSON. REQUIRES:
// ReadClassLabels() has read the file.
Result<std::map<std::string, std::uint64_t>> LinesOfClassLabels(
    ReadableStorage& storage, const std::string& path);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_CLASS_LABEL_FILE_H_
