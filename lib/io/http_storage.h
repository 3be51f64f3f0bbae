// Web servers as storage: "http://host/path" and "https://host/path" are read
// by ranges. HTTP has no listing: it reads a file whose address is known, or a
// dataset, whose manifest lists its files.
#ifndef SHARDINE_IO_HTTP_STORAGE_H_
#define SHARDINE_IO_HTTP_STORAGE_H_

#include "io/readable_storage.h"

namespace shardine {

// Thread-safe; never destroyed. Stat() takes an address for a folder where the
// server redirects it to one, or where a dataset's manifest lies below it;
// times and identities of files are unknown (0). List() is kUnsupported.
ReadableStorage& HttpStorage();

}  // namespace shardine

#endif  // SHARDINE_IO_HTTP_STORAGE_H_
