// Ignored files: files of a source that became no sample, on purpose or since
// they matched nothing. All are listed in OUT/ignored.jsonl, which the manifest
// names as it does rejected.jsonl.
#ifndef SHARDINE_DATASET_IGNORED_H_
#define SHARDINE_DATASET_IGNORED_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/manifest.h"
#include "io/readable_storage.h"
#include "shardine/rejects.h"
#include "shardine/status.h"
#include "source/source_set.h"

namespace shardine {

inline constexpr char kIgnoredName[] = "ignored.jsonl";

// One JSON object and a newline, members in order of their names: the key (of a
// file, a folder, a class, or a line of a list), of such a line its number and
// the list's name, the reason, and the split that the source's folder was given
// as. No path: the same tree and lists elsewhere give the same line.
std::string IgnoredLine(const SourceSet& source, const SourceProblem& problem);

// Calls `take` with the lines of all, in the source's order, in pieces of some
// KiB; stops where it fails.
Status ForIgnoredLines(const SourceSet& source,
                       const std::function<Status(std::string_view)>& take);

// Counts by reason.
std::vector<ManifestIgnored> CountIgnored(const SourceSet& source);
// The same as results have them.
std::vector<RejectedCount> IgnoredCounts(const std::vector<ManifestIgnored>&);

// Calls `visit` with the key of each line of a dataset's list, read piece by
// piece; no call where there is none. kCorrupt: it is no such list.
Status ForIgnoredKeys(ReadableStorage& storage, const std::string& path,
                      const std::function<void(const std::string&)>& visit);

}  // namespace shardine

#endif  // SHARDINE_DATASET_IGNORED_H_
