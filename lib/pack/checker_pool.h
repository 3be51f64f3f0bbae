// CheckerPool: checkers of images (image/image_checker.h) for any number of
// threads.
#ifndef SHARDINE_PACK_CHECKER_POOL_H_
#define SHARDINE_PACK_CHECKER_POOL_H_

#include <mutex>
#include <vector>

#include "base/bytes.h"
#include "image/image_checker.h"

namespace shardine {

// Thread-safe.
class CheckerPool {
 public:
  explicit CheckerPool(const ImageChecker::Options& options)
      : options_(options) {}

  CheckedImage Check(ByteView image) const;

 private:
  const ImageChecker::Options options_;
  mutable std::mutex mutex_;
  mutable std::vector<ImageChecker> free_;  // guarded by mutex_
};

}  // namespace shardine

#endif  // SHARDINE_PACK_CHECKER_POOL_H_
