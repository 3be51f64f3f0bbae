// lmdb/images: an image file with nothing around it, under its key. FORMAT.md,
// "images".
#ifndef SHARDINE_FORMATS_LMDB_IMAGES_CODEC_H_
#define SHARDINE_FORMATS_LMDB_IMAGES_CODEC_H_

#include <memory>

#include "lmdb/value_codec.h"

namespace shardine {

// `numbered`: the key has the sample's position in front, as those of a Datum.
// Else it is the sample's own, and keys must come in ascending order: there is
// no list that could say another.
std::unique_ptr<ValueCodec> MakeImagesCodec(bool numbered);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_IMAGES_CODEC_H_
