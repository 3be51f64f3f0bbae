// TransformFunction: an operation on pixels that a program brings along, for
// programs that embed the loader. Python has Loader's callback, for whole
// batches.
#ifndef SHARDINE_TRANSFORM_FUNCTION_H_
#define SHARDINE_TRANSFORM_FUNCTION_H_

#include <cstdint>
#include <functional>
#include <span>

#include "shardine/status.h"

namespace shardine {

// An image as it is changed where it lies.
struct ChangedImage {
  // height x width x 3: red, green, blue; rows without padding.
  std::span<std::uint8_t> pixels;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  // The seed of random numbers: the first two words of draw 1
  // (shardine/pixel_operations.h), so a function of the loader's seed, the
  // sample's id, the epoch, the view and the operation's place.
  std::uint64_t seed = 0;
};

// Called in the loader's threads, by several at a time, between the operations
// that it stands among; may not throw. Batches stay the same for any number of
// threads if its result depends on the image and its seed alone. A failure of
// kCorrupt or kUnsupported makes the sample a bad one (LoaderOptions::on_bad);
// any other ends the iteration, as if on_bad were kFail.
struct TransformFunction {
  std::function<Status(const ChangedImage& image)> function;
  double probability = 1;
};

}  // namespace shardine

#endif  // SHARDINE_TRANSFORM_FUNCTION_H_
