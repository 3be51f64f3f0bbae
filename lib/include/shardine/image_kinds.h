// The kinds of images that a command takes for good ones, by their names.
#ifndef SHARDINE_IMAGE_KINDS_H_
#define SHARDINE_IMAGE_KINDS_H_

#include <string>
#include <string_view>
#include <vector>

#include "shardine/status.h"

namespace shardine {

// Names in the order of AllImageKinds(), each once.
using ImageKindNames = std::vector<std::string>;

// All that are decoded: jpeg, png, webp, gif, bmp, tiff.
ImageKindNames AllImageKinds();
// The kinds of a dataset without a record: jpeg, png.
ImageKindNames FirstImageKinds();

// "jpeg,png", in any order: NamesText(). kInvalidArgument quotes another name.
Result<ImageKindNames> ParseImageKinds(std::string_view text);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_KINDS_H_
