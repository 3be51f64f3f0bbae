// ImagePass: reads compared images in pieces, by several threads.
#ifndef SHARDINE_SOURCE_IMAGE_PASS_H_
#define SHARDINE_SOURCE_IMAGE_PASS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "image/undecoded_kind.h"
#include "pipeline/parallel_for.h"
#include "pixels/pixels.h"
#include "shard/image_array.h"
#include "shardine/progress.h"
#include "shardine/sample.h"
#include "shardine/status.h"
#include "source/compared_images.h"

namespace shardine {

// Calls of_file(bytes) or of_pixels(pixels) with an image, a file or an array
// of one or three channels. kCorrupt: of_file failed; kUnsupported: of a kind
// that is not decoded.
template <typename OfFile, typename OfPixels>
Status LookAtImage(const FieldView& image, const OfFile& of_file,
                   const OfPixels& of_pixels) {
  if (image.dtype == kBytesDtype && image.shape.empty()) {
    const Status made = of_file(image.bytes);
    if (made.ok() || IsOfUndecodedKind(image.bytes, made)) return made;
    return Status(Code::kCorrupt, made.message());
  }
  const auto array = ImageArrayOf(image.dtype, image.shape);
  if (!array || array->channels == 4) return NotAnImage(image);
  of_pixels(PixelView{reinterpret_cast<const std::uint8_t*>(image.bytes.data()),
                      array->size, array->channels,
                      std::size_t{array->size.width} * array->channels});
  return Status();
}

class ImagePass {
 public:
  // All must outlive it.
  ImagePass(const ComparedImages& images, unsigned threads,
            UnreadImages& unread, const ProgressFunction& progress)
      : images_(images),
        threads_(threads),
        unread_(unread),
        progress_(progress) {}

  // Calls look(i, image) for each position that can be read; make_look() makes
  // one for each piece. An image that `look` fails of is added to the unread
  // ones. kCancelled: stopped.
  template <typename MakeLook>
  Status ForEach(std::span<const std::uint64_t> positions, ImageUse use,
                 const MakeLook& make_look) {
    const std::stop_token& stop = CurrentStop();
    const std::size_t pieces = (positions.size() + kPiece - 1) / kPiece;
    std::uint64_t done = 0;
    std::mutex mutex;
    return ParallelFor(pieces, threads_, [&](std::size_t piece) -> Status {
      const StopScope scope(stop);
      if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
      const std::size_t begin = piece * kPiece;
      const std::size_t count = std::min(kPiece, positions.size() - begin);
      auto look = make_look();
      SHARDINE_RETURN_IF_ERROR(images_.Read(
          positions.subspan(begin, count), use,
          [&](std::size_t i, const FieldView& image) {
            return look(begin + i, image);
          },
          [&](std::size_t i, const Status& why) {
            unread_.Add(positions[begin + i], why);
          }));
      const std::lock_guard lock(mutex);
      done += count;
      if (progress_) {
        progress_({.samples = done, .samples_total = positions.size()});
      }
      return Status();
    });
  }

 private:
  static constexpr std::size_t kPiece = 16;  // images read together

  const ComparedImages& images_;
  const unsigned threads_;
  UnreadImages& unread_;
  const ProgressFunction& progress_;
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_IMAGE_PASS_H_
