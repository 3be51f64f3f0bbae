// Services that speak S3 as storage: "s3://bucket/key" and "gs://bucket/key",
// read by ranges, listed page by page. Which service, and as whom:
// remote/s3_settings.h.
#ifndef SHARDINE_IO_S3_STORAGE_H_
#define SHARDINE_IO_S3_STORAGE_H_

#include "io/readable_storage.h"
#include "shardine/environment.h"

namespace shardine {

// Thread-safe; never destroyed. A folder is what keys go on from with a `/`;
// times and identities of files are unknown (0). List() gives what is right
// below a folder; kUnsupported: a key below it is no name of a file ("." or
// "..", or nothing between two `/`).
// Each has the variables that it was made with: those of this thread's scope
// (shardine/environment.h).
ReadableStorage& S3Storage();
ReadableStorage& S3Storage(const Environment& environment);

}  // namespace shardine

#endif  // SHARDINE_IO_S3_STORAGE_H_
