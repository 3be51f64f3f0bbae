// lmdb/stylegan2 and lmdb/ocr: image files with nothing around them under their
// numbers, how many there are beside them, and in the latter a text of each.
// FORMAT.md, by these names.
#ifndef SHARDINE_FORMATS_LMDB_NUMBERED_IMAGES_CODEC_H_
#define SHARDINE_FORMATS_LMDB_NUMBERED_IMAGES_CODEC_H_

#include <memory>
#include <string_view>

#include "lmdb/value_codec.h"

namespace shardine {

// "256-00000" and so on, and `length`.
std::unique_ptr<ValueCodec> MakeStyleGan2Codec(std::string_view resolution);
// "image-000000001" with "label-000000001", and `num-samples`.
std::unique_ptr<ValueCodec> MakeOcrCodec();

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_NUMBERED_IMAGES_CODEC_H_
