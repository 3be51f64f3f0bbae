// ImageCheckLevel, as users choose it, is ImageCheck, as lib/image carries it
// out.
#ifndef SHARDINE_IMAGE_CHECK_LEVEL_H_
#define SHARDINE_IMAGE_CHECK_LEVEL_H_

#include "image/check_image.h"
#include "shardine/image_check.h"

namespace shardine {

ImageCheck ToImageCheck(ImageCheckLevel level);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_CHECK_LEVEL_H_
