// The directory of a zip archive: stored and deflated members, zip64.
#ifndef SHARDINE_ARCHIVE_ZIP_INDEX_H_
#define SHARDINE_ARCHIVE_ZIP_INDEX_H_

#include "archive/archive_index.h"
#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// Files whose name begins with "__MACOSX/" are counted in `left_out` alone:
// programs of macOS add them, and take them away again. Strict: each member's
// local header has to agree with the directory, and no two members may share
// bytes. kCorrupt with path, byte and often the member; kUnsupported:
// encryption, several disks, other compression, sizes beyond deflate's;
// kInvalidArgument: paths that lead out of the archive; kCancelled.
struct ZipIndex {
  ArchiveIndex index;
  std::uint64_t left_out = 0;
};
Result<ZipIndex> IndexZip(const RandomAccessFile& file);

}  // namespace shardine

#endif  // SHARDINE_ARCHIVE_ZIP_INDEX_H_
