// When an image is bad, and what to do with it.
#ifndef SHARDINE_IMAGE_CHECK_H_
#define SHARDINE_IMAGE_CHECK_H_

#include <cstdint>

namespace shardine {

// What to do with an image that fails its check. The numbers are kept on disk,
// in the notes of a pack's shards and the records of resized trees: never
// renumber.
enum class OnBad : std::uint8_t {
  kFail = 0,        // stop; nothing of the unfinished shard is published
  kSkip = 1,        // leave it out
  kQuarantine = 2,  // leave it out, copy it to OUT/quarantine/<split>/<key>
  kKeep = 3,        // pack it as it is
};

// The check that makes an image bad. A later one finds all that those before it
// find. The numbers are kept on disk, in the notes of a pack's shards: never
// renumber.
enum class ImageCheckLevel : std::uint8_t {
  kNone = 0,    // nothing
  kHeader = 1,  // kind, header, end marker
  kDecode = 2,  // also any error or warning while decoding
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_CHECK_H_
