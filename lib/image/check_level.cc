#include "image/check_level.h"

namespace shardine {

ImageCheck ToImageCheck(ImageCheckLevel level) {
  switch (level) {
    case ImageCheckLevel::kNone:
      return ImageCheck::kNone;
    case ImageCheckLevel::kHeader:
      return ImageCheck::kHeader;
    case ImageCheckLevel::kDecode:
      return ImageCheck::kDecode;
  }
  return ImageCheck::kHeader;
}

}  // namespace shardine
