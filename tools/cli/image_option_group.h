// The options that say how images at other sizes are made: the same for every
// verb that makes some.
#ifndef SHARDINE_CLI_IMAGE_OPTION_GROUP_H_
#define SHARDINE_CLI_IMAGE_OPTION_GROUP_H_

#include <cstdint>
#include <string>

#include "cli/options.h"
#include "shardine/image.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible. Must outlive the Options it is declared in.
class ImageOptionGroup {
 public:
  // --filter, --quality, ..., into the group that was begun last.
  void Declare(Options& options);

  // What was asked for, once `options` are parsed. kInvalidArgument: an option
  // of one encoding beside another encoding.
  Result<ImageOptions> Make(const Options& options) const;
  // The first of these options that was given, with its dashes; empty: none.
  std::string FirstGiven(const Options& options) const;

 private:
  ImageOptions image_;
  bool no_upscale_ = false;
  std::uint64_t quality_ = image_.quality;
  std::uint64_t png_level_ = image_.png_level;
};

}  // namespace shardine

#endif  // SHARDINE_CLI_IMAGE_OPTION_GROUP_H_
