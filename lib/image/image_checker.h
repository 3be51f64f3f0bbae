// ImageChecker: CheckImage for one image after another, which also finds the
// entry points of those that it can give some to.
#ifndef SHARDINE_IMAGE_IMAGE_CHECKER_H_
#define SHARDINE_IMAGE_IMAGE_CHECKER_H_

#include <memory>
#include <string>

#include "base/bytes.h"
#include "image/check_image.h"

namespace shardine {

struct CheckedImage {
  ImageVerdict verdict;  // as CheckImage's
  // In the compact form; empty if there are none: not asked for, another kind
  // of image, or a damaged one.
  std::string entry_points;
  // It was to have entry points, and its scan turned out to be damaged. Both
  // are the same at any level.
  bool damaged = false;
};

// Thread-compatible.
class ImageChecker {
 public:
  struct Options {
    ImageCheck level = ImageCheck::kHeader;
    bool find_entry_points = false;
    DecodeLimits limits = {};
  };

  explicit ImageChecker(const Options& options);
  ~ImageChecker();
  ImageChecker(ImageChecker&&) noexcept;
  ImageChecker& operator=(ImageChecker&&) noexcept;

  // The verdict never depends on whether entry points are looked for. At
  // kDecode the pass that finds them is the check, for the JPEGs that can have
  // some.
  CheckedImage Check(ByteView image);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_IMAGE_CHECKER_H_
