// A file of a server, read from its beginning to its end and compared with its
// facts in a manifest.
#ifndef SHARDINE_CACHE_WHOLE_FILE_H_
#define SHARDINE_CACHE_WHOLE_FILE_H_

#include <cstdint>
#include <functional>

#include "base/bytes.h"
#include "cache/known_file.h"
#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// Memory that a fetch takes at most, beside the memory of `take`.
inline constexpr std::uint64_t kFetchBytes = std::uint64_t{16} << 20;

// Calls `take` with the bytes, in order: all at once where they are few, else
// some megabytes at a time. kCorrupt, after the last of them: they are others
// than the manifest says; before the first: there are more or fewer.
Status FetchWhole(ReadableStorage& storage, const KnownFile& file,
                  const std::function<Status(ByteView)>& take);

}  // namespace shardine

#endif  // SHARDINE_CACHE_WHOLE_FILE_H_
