// The plain contents of a tar archive that is compressed as a whole, which can
// be read in its order alone: decompressed into memory, once.
#ifndef SHARDINE_ARCHIVE_PLAIN_TAR_H_
#define SHARDINE_ARCHIVE_PLAIN_TAR_H_

#include <cstdint>
#include <memory>

#include "base/decompressor.h"
#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// Bytes that such an archive may hold.
inline constexpr std::uint64_t kMostPlainTar = std::uint64_t{2} << 30;

// A thread-safe file in memory with the path of `file`. kUnsupported for more
// than `most` bytes, which are never held; kCorrupt with path and byte of the
// compressed file; kCancelled.
Result<std::unique_ptr<RandomAccessFile>> DecompressTar(
    const RandomAccessFile& file, Compression compression,
    std::uint64_t most = kMostPlainTar);

}  // namespace shardine

#endif  // SHARDINE_ARCHIVE_PLAIN_TAR_H_
