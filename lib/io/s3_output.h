// Services that speak S3 as storage that is written to, too. A file with a
// temporary name lies on this machine's disk (io/staged_files.h), and is sent
// when it gets its name: objects appear whole or not at all.
#ifndef SHARDINE_IO_S3_OUTPUT_H_
#define SHARDINE_IO_S3_OUTPUT_H_

#include "io/storage.h"

namespace shardine {

// Thread-safe; never destroyed. Reads as S3Storage() (io/s3_storage.h). Folders
// are there when they were made by this process, or hold something. A file of
// any other than a temporary name is sent when it is synced or closed. Sent,
// removed and renamed files are on stable storage at once. Renaming within the
// service copies and removes, which is two steps. FreeBytes(): kUnsupported,
// there is no end. OpenForAppend(): kUnsupported.
Storage& S3Output();

}  // namespace shardine

#endif  // SHARDINE_IO_S3_OUTPUT_H_
