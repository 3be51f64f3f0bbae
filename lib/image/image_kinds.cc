#include "shardine/image_kinds.h"

#include <algorithm>

#include "shardine/did_you_mean.h"
#include "shardine/escape.h"
#include "shardine/option.h"

namespace shardine {

ImageKindNames AllImageKinds() {
  return {"jpeg", "png", "webp", "gif", "bmp", "tiff"};
}

ImageKindNames FirstImageKinds() { return {"jpeg", "png"}; }

Result<ImageKindNames> ParseImageKinds(std::string_view text) {
  const ImageKindNames all = AllImageKinds();
  ImageKindNames given;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name(text.substr(begin, end - begin));
    if (std::ranges::find(all, name) == all.end()) {
      return Status(Code::kInvalidArgument,
                    "\"" + EscapeBytes(name) + "\" is not one of " +
                        NamesText(all) + DidYouMean(name, all));
    }
    given.push_back(name);
    begin = end + 1;
  }
  ImageKindNames kinds;
  for (const std::string& name : all) {
    if (std::ranges::find(given, name) != given.end()) kinds.push_back(name);
  }
  return kinds;
}

}  // namespace shardine
