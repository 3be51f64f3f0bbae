// Encoded images with nothing around them, known by their first bytes.
#ifndef SHARDINE_FORMATS_LMDB_BARE_IMAGE_H_
#define SHARDINE_FORMATS_LMDB_BARE_IMAGE_H_

#include "base/bytes.h"
#include "lmdb/value_codec.h"

namespace shardine {

// Does `value` begin as a JPEG, PNG, GIF, WebP, TIFF or BMP?
bool IsBareImage(ByteView value);

// np.frombuffer(jpeg, numpy.uint8), as tensorpack and others store an image, is
// an array of bytes of one dimension: does the field hold such a one?
bool IsImageInArray(const DecodedField& field);
// Makes it the bytes that it is, and leaves all else.
void TakeImageOutOfArray(DecodedField& field);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_BARE_IMAGE_H_
