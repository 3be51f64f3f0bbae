// OddImages: images that CleanVision's definitions call odd.
#ifndef SHARDINE_SOURCE_ODD_IMAGES_H_
#define SHARDINE_SOURCE_ODD_IMAGES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/geometry.h"
#include "image/image_look.h"
#include "shardine/audit.h"
#include "shardine/progress.h"
#include "shardine/status.h"
#include "source/compared_images.h"

namespace shardine {

struct OddPosition {
  std::uint64_t position = 0;
  std::vector<AuditFinding> findings;  // ascending
};

// Decodes each image, small. Takes 16 bytes for each. The result is the same
// for any number of threads: ascending positions. `unread`: images that do not
// decode.
Result<std::vector<OddPosition>> FindOddImages(
    const ComparedImages& images, unsigned threads, UnreadImages& unread,
    const ProgressFunction& progress);

// The findings about one image: all but odd_size.
std::vector<AuditFinding> OddFindingsOf(const ImageLook& look);

// Where sizes of images, sqrt(width * height), are odd: beyond three times the
// distance of their quartiles from the nearer quartile.
class OddSizes {
 public:
  // Empty sizes are left out.
  explicit OddSizes(std::span<const PixelSize> sizes);

  bool IsOdd(PixelSize size) const;

 private:
  double least_ = 0;
  double most_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_ODD_IMAGES_H_
