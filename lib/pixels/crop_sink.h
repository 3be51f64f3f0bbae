// CropSink: hands on the part of an image's rows that a region has.
#ifndef SHARDINE_PIXELS_CROP_SINK_H_
#define SHARDINE_PIXELS_CROP_SINK_H_

#include <cstddef>
#include <cstdint>

#include "base/geometry.h"
#include "pixels/row_sink.h"

namespace shardine {

class CropSink final : public RowSink {
 public:
  // `sink` must outlive it.
  CropSink(const Region& region, RowSink& sink)
      : region_(region), sink_(sink) {}

  // CheckRegion's failures, beside the sink's.
  Status Begin(PixelSize size, std::uint8_t channels) override;
  void TakeRows(const std::uint8_t* rows, std::size_t stride,
                std::uint32_t count) override;

 private:
  const Region region_;
  RowSink& sink_;
  std::uint8_t channels_ = 0;
  std::uint32_t next_row_ = 0;
};

// kInvalidArgument unless it has pixels, and only such as the image has.
Status CheckRegion(const Region& region, PixelSize size);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_CROP_SINK_H_
