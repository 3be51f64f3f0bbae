// RecordPlan: the steps of ImageRecordCrop (shardine/image_record_operations.h)
// for one image, from its size and the sample's draws alone. Plans are pinned
// by tests and never change.
#ifndef SHARDINE_LOAD_RECORD_PLAN_H_
#define SHARDINE_LOAD_RECORD_PLAN_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "base/geometry.h"
#include "load/sample_draws.h"
#include "pixels/opencv_filter.h"
#include "pixels/opencv_warp.h"
#include "shardine/image_record_operations.h"
#include "shardine/status.h"

namespace shardine {

struct RecordPlan {
  struct Resizing {
    PixelSize size;
    OpenCvFilter filter;
  };
  struct Warping {
    OpenCvMatrix matrix;
    PixelSize size;
    OpenCvFilter filter;
  };

  Region decoded;                 // of the image; never empty
  std::optional<Resizing> first;  // of the whole image
  std::optional<Warping> warp;
  // Then it has its border. From that image:
  Region part;
  std::vector<Resizing> resizings;  // of the part, one after the other
  Region kept;                      // of their result: as large as the batch's
};

// kInvalidArgument: a parameter outside of its range in the header, named as it
// is there.
Status CheckRecordCrop(const ImageRecordCrop& crop);

// kCorrupt: the image has no pixels. kUnsupported: it, or an image made of it
// on the way, is larger than 2^28 pixels, or warped than kMaxWarpSide; nothing
// is left of it; or it is smaller than crop_size.
// REQUIRES: CheckRecordCrop is ok.
Result<RecordPlan> PlanRecordCrop(const ImageRecordCrop& crop, PixelSize image,
                                  const SampleDraws& draws);

}  // namespace shardine

#endif  // SHARDINE_LOAD_RECORD_PLAN_H_
