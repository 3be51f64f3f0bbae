// Source images as a plan knows them: the file must be unchanged since the plan
// was made.
#ifndef SHARDINE_SOURCE_READ_SOURCE_H_
#define SHARDINE_SOURCE_READ_SOURCE_H_

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "io/readable_storage.h"
#include "shardine/image_check.h"
#include "shardine/status.h"
#include "source/source_set.h"

namespace shardine {

// Bytes that a source file has at most, whatever a format could hold: a sparse
// file of a terabyte is a bad image, not the end of all memory.
inline constexpr std::uint64_t kMaxSourceFile = std::uint64_t{1} << 30;

// kUnsupported, with path and size, if a file of `size` bytes is more than a
// source file has, or more than `max_payload`, which a record of the format
// holds. Nothing is read for it.
Status CheckSourceSize(const std::string& path, std::uint64_t size,
                       std::uint64_t max_payload = kMaxSourceFile);

// Appends the file's bytes to `bytes`. kChanged if it is gone or, after the
// read, is not as `facts` say; after a failure the appended bytes are
// undefined.
Status ReadSource(ReadableStorage& storage, const std::string& path,
                  const SourceFacts& facts, ByteBuffer& bytes);

// The meaning of a failure to read a file of a plan: kChanged where it is gone
// or another.
Status SinceThePlan(const Status& status, const std::string& path);

// kChanged if the file is gone, or has another size or time than `facts` say.
// Inode numbers are not compared, since network file systems make new ones up,
// nor is the time of the inode, since a hard link to a file changes that.
Status CheckUnchanged(ReadableStorage& storage, const std::string& path,
                      const SourceFacts& facts);

// True for failures of ReadSource() that are about this one file; all others
// (no more file descriptors, no memory) are about the machine and never make
// an image bad.
bool IsUnreadable(const Status& status);

// kCorrupt with the first file that the scan of the sources found to be no
// readable one, under OnBad::kFail.
Status CheckBadSources(const SourceSet& source, OnBad on_bad);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_READ_SOURCE_H_
