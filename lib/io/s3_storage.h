// Services that speak S3 as storage: "s3://bucket/key" and "gs://bucket/key",
// read by ranges, listed page by page. remote/s3_settings.h finds the service
// and the identity.
#ifndef SHARDINE_IO_S3_STORAGE_H_
#define SHARDINE_IO_S3_STORAGE_H_

#include "io/readable_storage.h"
#include "shardine/environment.h"

namespace shardine {

// Thread-safe; never destroyed. A folder is a prefix from which keys go on with
// a `/`; times and identities of files are unknown (0). List() gives the names
// right below a folder; kUnsupported: a key below it is no name of a file ("."
// or "..", or nothing between two `/`). Each storage keeps the variables it was
// made with: the first the ones of this thread's scope
// (shardine/environment.h).
ReadableStorage& S3Storage();
ReadableStorage& S3Storage(const Environment& environment);

}  // namespace shardine

#endif  // SHARDINE_IO_S3_STORAGE_H_
