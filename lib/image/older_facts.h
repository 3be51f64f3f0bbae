// The facts of an image in a sidecar of a program that decoded fewer kinds.
#ifndef SHARDINE_IMAGE_OLDER_FACTS_H_
#define SHARDINE_IMAGE_OLDER_FACTS_H_

#include "image/image_facts.h"

namespace shardine {

// Whether an older program could have found `then` where the probe finds `now`:
// the kind alone, with AVIF as HEIC and JPEG XL as unknown. JPEG and PNG have
// been parsed ever since.
inline bool IsOlderProbe(const ImageFacts& then, const ImageFacts& now) {
  if (now.kind == ImageKind::kJpeg || now.kind == ImageKind::kPng) return false;
  const bool same_kind =
      then.kind == now.kind ||
      (then.kind == ImageKind::kHeic && now.kind == ImageKind::kAvif) ||
      (then.kind == ImageKind::kUnknown && now.kind == ImageKind::kJpegXl);
  return same_kind && then == ImageFacts{.kind = then.kind};
}

}  // namespace shardine

#endif  // SHARDINE_IMAGE_OLDER_FACTS_H_
