// The names of ILSVRC2012's validation images, which lists of it count.
#ifndef SHARDINE_SOURCE_IMAGENET_NAME_H_
#define SHARDINE_SOURCE_IMAGENET_NAME_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace shardine {

// The 1 in ILSVRC2012_val_00000001.JPEG, a file name; nullopt for others.
std::optional<std::uint64_t> ImageNetNumber(std::string_view name);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_IMAGENET_NAME_H_
