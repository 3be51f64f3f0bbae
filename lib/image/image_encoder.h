// ImageEncoder: from an encoded image, or from pixels, to a JPEG or PNG of the
// same size.
#ifndef SHARDINE_IMAGE_IMAGE_ENCODER_H_
#define SHARDINE_IMAGE_IMAGE_ENCODER_H_

#include <cstdint>

#include "base/bytes.h"
#include "image/check_image.h"
#include "image/image_decoder.h"
#include "image/image_facts.h"
#include "image/png_samples.h"
#include "pixels/pixels.h"
#include "shardine/image.h"
#include "shardine/status.h"

namespace shardine {

struct EncodedImage {
  ByteBuffer bytes;
  ImageFacts facts;
};

// Keeps memory between images. Thread-compatible.
class ImageEncoder {
 public:
  struct Options {
    Encoding encoding = Encoding::kPng;
    std::uint32_t quality = 90;  // of JPEG, 1 to 100
    bool to_8_bits = false;      // as RecodeOptions::to_8_bits
    DecodeLimits limits = {};
  };

  explicit ImageEncoder(const Options& options) : options_(options) {}

  // Whether images with these facts are encoded again: those that are decoded
  // and neither JPEG nor PNG, and with to_8_bits PNGs of 16 bits.
  bool Takes(const ImageFacts& facts) const;

  // Whether the encoding holds the bits of an image. kUnsupported: a JPEG would
  // lose them.
  Status CheckBits(std::uint8_t bits) const;

  // `facts` are those of the image. The verdict has its decode, or "too-large"
  // where the encoding cannot hold its sides, or a PNG of it would be beyond
  // the limits of decoders; `made` is the image if it is good, undefined
  // otherwise. REQUIRES: Takes(facts), CheckBits(facts.bits).
  ImageVerdict Encode(ByteView image, const ImageFacts& facts,
                      EncodedImage& made);

  // The same for pixels of 8 or 16 bits a channel, as PngEncodeOptions::bits
  // has them, gray or RGB. kUnsupported: as "too-large" above.
  // REQUIRES: CheckBits(bits).
  Status EncodePixels(const PixelView& pixels, std::uint8_t bits,
                      EncodedImage& made);

 private:
  Status DecodeDeep(ByteView image, const ImageFacts& facts);
  Status Write(const PixelView& pixels, std::uint8_t bits, ByteView icc,
               std::uint8_t orientation, EncodedImage& made);

  Options options_;
  ImageDecoder decoder_;
  PngSamples samples_;
  PixelBuffer pixels_;
  PixelBuffer scaled_;  // of 8 bits
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_IMAGE_ENCODER_H_
