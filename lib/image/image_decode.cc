#include "image/image_decode.h"

#include "base/status_macros.h"
#include "image/image_decoder.h"
#include "pixels/buffer_sink.h"

namespace shardine {

Result<std::vector<DecodeWarning>> DecodeImage(
    ByteView image, const ImageDecodeOptions& options, RowSink& sink) {
  ImageDecoder decoder;
  SHARDINE_RETURN_IF_ERROR(decoder.Open(image, options));
  return decoder.Decode(sink);
}

Result<std::vector<DecodeWarning>> DecodeImage(
    ByteView image, const ImageDecodeOptions& options, PixelBuffer& pixels) {
  BufferSink sink(pixels);
  return DecodeImage(image, options, sink);
}

}  // namespace shardine
