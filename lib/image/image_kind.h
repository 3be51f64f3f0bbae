// DetectImageKind: the format of bytes by their content, never by a suffix.
#ifndef SHARDINE_IMAGE_IMAGE_KIND_H_
#define SHARDINE_IMAGE_IMAGE_KIND_H_

#include "base/bytes.h"
#include "image/image_facts.h"

namespace shardine {

// By the first bytes; at most 1 KiB is looked at. A kind is a claim about the
// start only: the rest may still be damaged.
ImageKind DetectImageKind(ByteView bytes);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_IMAGE_KIND_H_
