// lmdb/folder2lmdb: a pickled (bytes, label) under the sample's position.
// FORMAT.md, "folder2lmdb".
#ifndef SHARDINE_FORMATS_LMDB_FOLDER2LMDB_CODEC_H_
#define SHARDINE_FORMATS_LMDB_FOLDER2LMDB_CODEC_H_

#include <memory>

#include "lmdb/value_codec.h"

namespace shardine {

// What a value takes besides the payload, at most.
inline constexpr std::uint64_t kFolder2LmdbOverhead = 64;

// `padded`: keys of eight digits, else as few as it takes.
std::unique_ptr<ValueCodec> MakeFolder2LmdbCodec(bool padded,
                                                 std::uint64_t max_memory);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_FOLDER2LMDB_CODEC_H_
