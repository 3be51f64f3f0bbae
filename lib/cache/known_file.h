// A file of a server as a manifest says that it is.
#ifndef SHARDINE_CACHE_KNOWN_FILE_H_
#define SHARDINE_CACHE_KNOWN_FILE_H_

#include <cstdint>
#include <string>

#include "shardine/digest.h"

namespace shardine {

struct KnownFile {
  std::string path;
  std::uint64_t bytes = 0;
  Digest128 digest;  // XXH3-128
  // ReadableStorage::AddressOf() the path; empty: the path is the address.
  std::string address = {};
};

}  // namespace shardine

#endif  // SHARDINE_CACHE_KNOWN_FILE_H_
