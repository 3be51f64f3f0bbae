#include "image/image_checker.h"

namespace shardine {

struct ImageChecker::State {
  Options options;
};

ImageChecker::ImageChecker(const Options& options)
    : state_(std::make_unique<State>(State{options})) {}
ImageChecker::~ImageChecker() = default;
ImageChecker::ImageChecker(ImageChecker&&) noexcept = default;
ImageChecker& ImageChecker::operator=(ImageChecker&&) noexcept = default;

CheckedImage ImageChecker::Check(ByteView image) {
  CheckedImage checked;
  checked.verdict =
      CheckImage(image, state_->options.level, state_->options.limits);
  return checked;
}

}  // namespace shardine
