// ImageDecoder: from the bytes of an image to the pixels of the whole
// image or of a region, as they are or resampled.
#ifndef SHARDINE_IMAGE_IMAGE_DECODER_H_
#define SHARDINE_IMAGE_IMAGE_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "image/image_decode.h"
#include "jpeg/baseline_decoder.h"
#include "pixels/pixels.h"
#include "pixels/row_sink.h"
#include "shardine/image.h"
#include "shardine/status.h"

namespace shardine {

// The image that a region becomes.
struct ResampleTarget {
  PixelSize size;
  Filter filter = Filter::kBilinear;
  PassOrder order = PassOrder::kPillow13;
  bool flip = false;  // mirrored, left to right
  // The part of `size` that is made; empty: all of it.
  Region part = {};
};

// A region of an image, its target, and where that is written: rows `stride`
// bytes apart, as many channels per pixel as the options of the image say.
struct RegionTarget {
  Region region;
  ResampleTarget target;
  std::uint8_t* out = nullptr;
  std::size_t stride = 0;
};

// Photos (jpeg_frame.h says which) are decoded by our own decoder, of a region
// no more than it takes; other JPEGs by libjpeg-turbo from their first row to
// the region's last; PNGs from beginning to end, whatever the region, since
// their checksums come last. The pixels are the same, those of DecodeImage's
// whole image. Our decoder looks at nothing twice: at damage the image is
// decoded again from its beginning by libjpeg-turbo, whose pixels and verdict
// these are then.
//
// Thread-compatible; used for one image after another: memory and tables are
// kept.
class ImageDecoder {
 public:
  using Warnings = std::vector<DecodeWarning>;

  ImageDecoder();
  ~ImageDecoder();
  ImageDecoder(ImageDecoder&&) noexcept;
  ImageDecoder& operator=(ImageDecoder&&) noexcept;

  // Begins an image. `entry_points` are its own in the compact form of
  // jpeg/FORMAT.md, or none; both must stay until the next image. Wrong ones
  // are found when a whole image is decoded, and most when a region is
  // (segment_reader.h): then it is decoded as without. Points forged to agree
  // with each other can give a region wrong pixels: the caller, or
  // ProveEntryPoints, makes sure that they are the image's own.
  // kUnsupported: a kind or form that is not decoded, by name. kCorrupt: a
  // damaged header of an image of library_image.h.
  Status Open(ByteView image, const ImageDecodeOptions& options,
              ByteView entry_points = {});

  // Whether the entry points of Open are the image's own, or there are none;
  // wrong ones are not used any more. Takes about as long as decoding the
  // average random crop. REQUIRES: Open succeeded.
  bool ProveEntryPoints();
  // Whether entry points of this image were found to be wrong so far, or the
  // image itself damaged where it was decoded by them.
  bool refused_entry_points() const;

  // As decoded: turned upright if that is asked for. 0 x 0 if the header cannot
  // be read: decoding will say why. REQUIRES of this and all below: Open
  // succeeded.
  PixelSize size() const;

  // All rows, from the top. Failures and warnings as DecodeImage's. After a
  // failure, or at damage before it begins again, the sink may have had rows.
  Result<Warnings> Decode(RowSink& sink);

  // The rows of a region. Reports damage in the bytes that it reads: part of a
  // JPEG, but all of a PNG. kInvalidArgument: the region is empty or not in the
  // image.
  Result<Warnings> DecodeRegion(const Region& region, RowSink& sink);

  // Each region at another size, as by Pillow's crop(region).resize(size), or a
  // part of that: then no more is decoded than it is made of. Regions that have
  // most of their pixels in common are decoded together, and those of images
  // that are decoded from their beginning all. Errors as above; any `out` may
  // be written by then. REQUIRES: target.part lies in target.size.
  Result<Warnings> Resample(std::span<const RegionTarget> targets);
  Result<Warnings> Resample(const Region& region, const ResampleTarget& target,
                            std::uint8_t* out, std::size_t stride) {
    const RegionTarget one{region, target, out, stride};
    return Resample(std::span(&one, 1));
  }

 private:
  struct State;
  Result<std::vector<Region>> NeededRegions(
      std::span<const RegionTarget> targets) const;

  std::unique_ptr<State> state_;
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_IMAGE_DECODER_H_
