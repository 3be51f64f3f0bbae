// PNGs and TIFFs of 16 bits a channel. Decoding, which follows Pillow
// (png_unpack.h), makes all levels of gray above 255 white, and takes the high
// bytes of other channels. Nobody should find that out from a model that
// learned nothing.
#ifndef SHARDINE_IMAGE_DEEP_IMAGE_H_
#define SHARDINE_IMAGE_DEEP_IMAGE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "image/image_facts.h"

namespace shardine {

enum class DeepImage : std::uint8_t {
  kNone,
  kGray,   // without alpha: clipped
  kOther,  // color, or alpha: rounded down to 8 bits
  kTiff,   // likewise, of a TIFF, gray as well
};

DeepImage DeepImageOf(const ImageFacts& facts);

// A sentence where only the number is known.
std::string DeepImagesText(std::uint64_t count);

// Thread-compatible.
class DeepImageCount {
 public:
  // In the order in which the first is to be named. An empty key is not.
  void Add(DeepImage image, std::string_view key);
  void Add(const DeepImageCount& more);

  // A sentence of each kind there is, with the count and the first key.
  std::vector<std::string> Warnings() const;

 private:
  struct Kind {
    std::uint64_t count = 0;
    std::string first = {};
  };

  Kind gray_;
  Kind other_;
  Kind tiff_;
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_DEEP_IMAGE_H_
