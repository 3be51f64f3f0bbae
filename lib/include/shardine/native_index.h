// Native indexes: the files that the formats' own tools make beside a file of
// any writer: MXNet's rec2idx.py, DALI's tfrecord2idx and wds2idx.
#ifndef SHARDINE_NATIVE_INDEX_H_
#define SHARDINE_NATIVE_INDEX_H_

#include <cstdint>
#include <string>
#include <vector>

#include "shardine/job.h"
#include "shardine/status.h"

namespace shardine {

struct NativeIndexOptions {
  std::vector<std::string> files;
  bool replace = false;  // an index that is there and says something else
};

struct NativeIndex {
  std::string file;
  std::string path;
  std::uint64_t bytes = 0;
  bool written = false;  // false: it was there, the same
};

// Writes the index of each file, byte for byte as the tool would, to where
// programs look for it; the files are only read. One that is there and the same
// stays. Indexes written before a failure stay.
//
// kUnsupported: a file of a format whose programs have no index, or compressed.
// kAlreadyExists: another index is there. kInvalidArgument: the index is listed
// in the manifest beside it, which has its digest.
Result<std::vector<NativeIndex>> WriteNativeIndexes(
    const NativeIndexOptions& options, const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_NATIVE_INDEX_H_
