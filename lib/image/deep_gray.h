// Gray PNGs of 16 bits: by Pillow's rule, which decoding follows here
// (png_unpack.h), all of their levels above 255 become white. Nobody should
// find that out from a model that learned nothing.
#ifndef SHARDINE_IMAGE_DEEP_GRAY_H_
#define SHARDINE_IMAGE_DEEP_GRAY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "image/image_facts.h"

namespace shardine {

// With alpha they are not clipped.
bool IsDeepGray(const ImageFacts& facts);

// Thread-compatible.
class DeepGrayCount {
 public:
  // An image that IsDeepGray(), in the order in which the first is to be named.
  void Add(std::string_view key);

  // One sentence with the count and the first key, or none.
  std::vector<std::string> Warnings() const;

 private:
  std::uint64_t count_ = 0;
  std::string first_;
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_DEEP_GRAY_H_
