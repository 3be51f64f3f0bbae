// The storage that a path lies in. The table of schemes in storage_for.cc is
// the one place that knows it: no code above lib/io does.
#ifndef SHARDINE_IO_STORAGE_FOR_H_
#define SHARDINE_IO_STORAGE_FOR_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/storage.h"
#include "shardine/job.h"
#include "shardine/status.h"

namespace shardine {

struct StorageScheme {
  std::string_view name;  // as SchemeOf() gives it (io/path_scheme.h)
  ReadableStorage& (*reading)();
  Storage* (*writing)();  // null: paths of this scheme are only read
};
// All that there are. Their storages are made when they are first asked for.
std::span<const StorageScheme> StorageSchemes();

// The storage that reads `path`, never null and never destroyed. kUnsupported,
// naming the path: no scheme of the table is its own; kInvalidArgument: one is,
// and has lost a slash (s3:/bucket).
Result<ReadableStorage*> StorageFor(
    const std::string& path,
    std::span<const StorageScheme> schemes = StorageSchemes());
// The same for files to be made or changed at `path`. kUnsupported as well
// where its scheme is only read.
Result<Storage*> OutputStorageFor(
    const std::string& path,
    std::span<const StorageScheme> schemes = StorageSchemes());

// One that reads all of these, wherever each lies. REQUIRES: there is one.
Result<ReadableStorage*> StorageForAll(const std::vector<std::string>& paths);

// The same for a path of a verb: where the job has a storage, that one.
Result<ReadableStorage*> StorageFor(const Job& job, const std::string& path);
Result<Storage*> OutputStorageFor(const Job& job, const std::string& path);
Result<ReadableStorage*> StorageForAll(const Job& job,
                                       const std::vector<std::string>& paths);

}  // namespace shardine

#endif  // SHARDINE_IO_STORAGE_FOR_H_
