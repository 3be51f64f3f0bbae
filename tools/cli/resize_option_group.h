// The options of a resize: the same for who resizes and for who plans that.
#ifndef SHARDINE_CLI_RESIZE_OPTION_GROUP_H_
#define SHARDINE_CLI_RESIZE_OPTION_GROUP_H_

#include <string>
#include <vector>

#include "cli/image_option_group.h"
#include "cli/options.h"
#include "shardine/resize.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible. Must outlive the Options it is declared in.
class ResizeOptionGroup {
 public:
  // In this order, each into the group of options that was begun last; the
  // first begins its own.
  void DeclareSource(Options& options);
  // `needed` says when one has to be given.
  void DeclareSizes(Options& options, const std::string& needed);
  void DeclareImages(Options& options);
  void DeclareShards(Options& options);

  // What was asked for, once `options` are parsed; `operands` are SOURCE... and
  // OUT. kInvalidArgument: options that exclude each other, or an operand that
  // is none. Whether there are sizes is left to the caller.
  Status Take(const std::vector<std::string>& operands, const Options& options);
  ResizeShardsOptions& resize() { return resize_; }
  const std::string& output() const { return resize_.output; }
  // Whether sources were given as NAME=DIR.
  bool named() const { return named_; }
  // The first option given of those about images; empty: none.
  std::string FirstOfImages(const Options& options) const {
    return image_.FirstGiven(options);
  }

 private:
  ResizeShardsOptions resize_;
  ImageOptionGroup image_;
  bool named_ = false;
  bool no_shuffle_ = false;
};

// "scanning photos ...", as the user wrote it.
std::string ResizeScanText(const std::vector<std::string>& operands);

}  // namespace shardine

#endif  // SHARDINE_CLI_RESIZE_OPTION_GROUP_H_
