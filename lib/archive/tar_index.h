// The directory of a plain tar archive, which stores none itself: one pass
// over the headers, past the contents.
#ifndef SHARDINE_ARCHIVE_TAR_INDEX_H_
#define SHARDINE_ARCHIVE_TAR_INDEX_H_

#include <functional>
#include <string_view>

#include "archive/archive_index.h"
#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// Whether archives are packed for files of this name.
using IsWanted = std::function<bool(std::string_view name)>;

// Links are resolved; the last member of a name holds. In an archive of tars
// without a wanted file beside them (a tar of class tars) each is a folder of
// its own name without ".tar", and the files in it lie at their places in the
// outer archive. kCorrupt with path, byte and often the member: damage, or no
// end marker; kUnsupported: sparse files, devices, and links to no file of the
// archive; kInvalidArgument: paths that lead out of it; kCancelled.
Result<ArchiveIndex> IndexTar(const RandomAccessFile& file,
                              const IsWanted& is_wanted);

}  // namespace shardine

#endif  // SHARDINE_ARCHIVE_TAR_INDEX_H_
