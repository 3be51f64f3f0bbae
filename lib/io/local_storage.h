// The file system of this machine. Callers with a path ask StorageFor()
// (io/storage_for.h), which alone decides that a path is of this machine.
#ifndef SHARDINE_IO_LOCAL_STORAGE_H_
#define SHARDINE_IO_LOCAL_STORAGE_H_

#include "io/storage.h"

namespace shardine {

// Never destroyed. Paths that have a scheme are kUnsupported in every call:
// taken for a name, "s3://bucket/x" would become a folder "s3:".
Storage& LocalStorage();

}  // namespace shardine

#endif  // SHARDINE_IO_LOCAL_STORAGE_H_
