// The sizes that images will have when they are decoded, from indexes alone.
#ifndef SHARDINE_LOAD_IMAGE_SIZES_H_
#define SHARDINE_LOAD_IMAGE_SIZES_H_

#include <cstdint>
#include <functional>
#include <stop_token>

#include "dataset/sample_source.h"
#include "load/sample_choice.h"
#include "pixels/pixels.h"
#include "shardine/loader_options.h"
#include "shardine/status.h"

namespace shardine {

// Takes a sample's number in the choice, its entry and the size of its image:
// upright with apply_exif; a side is 0 where the index does not know it.
using TakeSize = std::function<Status(std::uint64_t number,
                                      const IndexEntry& entry, PixelSize size)>;

// Calls `take` for each chosen sample, in order. kUnsupported: indexes know no
// sizes of the encoded images in LoaderOptions::image; `purpose`, such as
// "order: by ratio", begins the message. kCancelled: a stop was asked for.
Status ForEachImageSize(const SampleSource& source, const SampleChoice& choice,
                        const LoaderOptions& options, const char* purpose,
                        const TakeSize& take, const std::stop_token& stop);

}  // namespace shardine

#endif  // SHARDINE_LOAD_IMAGE_SIZES_H_
