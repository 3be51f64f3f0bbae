// lmdb/folder2lmdb: a serialised (bytes, label) under the sample's position,
// lmdb/tensorpack: a list [uint8 array, label], and lmdb/pytorch-lmdb: lists of
// one. FORMAT.md, by these names.
#ifndef SHARDINE_FORMATS_LMDB_FOLDER2LMDB_CODEC_H_
#define SHARDINE_FORMATS_LMDB_FOLDER2LMDB_CODEC_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "lmdb/value_codec.h"
#include "lmdb/value_serializer.h"

namespace shardine {

// The classes written beside the samples, under `__classes__`.
enum class PairClasses : std::uint8_t {
  kNone,
  kTexts,          // a list of texts
  kBytesAndCount,  // a list of byte strings, and `__num_classes__`
};

struct PairOptions {
  const ValueSerializer& serializer;
  bool padded = true;           // keys of eight digits, else as few as it takes
  bool has_length = true;       // `__len__` beside `__keys__`
  bool array_is_image = false;  // every array of bytes is an encoded image
  PairClasses classes = PairClasses::kNone;
  std::string_view layout = "folder2lmdb";  // for messages
};
std::unique_ptr<ValueCodec> MakeFolder2LmdbCodec(const PairOptions& options,
                                                 std::uint64_t max_memory);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_FOLDER2LMDB_CODEC_H_
