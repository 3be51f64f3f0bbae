// Files in several storages, each path in the storage of its scheme: a dataset
// on this machine and one on a server, which are read together.
#ifndef SHARDINE_IO_SCHEME_STORAGE_H_
#define SHARDINE_IO_SCHEME_STORAGE_H_

#include "io/readable_storage.h"

namespace shardine {

// Thread-safe, never destroyed. Same errors as the path's own storage;
// kUnsupported, naming the path: no storage has its scheme. One file at a time:
// it has no ManyFiles.
ReadableStorage& SchemeStorage();

}  // namespace shardine

#endif  // SHARDINE_IO_SCHEME_STORAGE_H_
