// lmdb/datum: Caffe's Datum under "%08d_path". FORMAT.md, "datum".
#ifndef SHARDINE_FORMATS_LMDB_DATUM_CODEC_H_
#define SHARDINE_FORMATS_LMDB_DATUM_CODEC_H_

#include <memory>

#include "lmdb/value_codec.h"

namespace shardine {

// Protocol buffers are smaller than 2 GiB; the rest of a Datum takes less than
// this.
inline constexpr std::uint64_t kDatumOverhead = 64;
inline constexpr std::uint64_t kMaxDatumPayload =
    (std::uint64_t{1} << 31) - 1 - kDatumOverhead;

std::unique_ptr<ValueCodec> MakeDatumCodec();

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_DATUM_CODEC_H_
