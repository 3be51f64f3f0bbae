// Names of annotation files after the stems of images.
#ifndef SHARDINE_EXTRACT_STEM_NAMES_H_
#define SHARDINE_EXTRACT_STEM_NAMES_H_

#include <string>
#include <unordered_set>

#include "shardine/status.h"

namespace shardine {

// Thread-compatible.
class StemNames {
 public:
  // The name without its suffix, below a folder. kAlreadyExists: an image
  // before had it, and both would have one file of annotations.
  Result<std::string> Add(const std::string& folder, const std::string& name);

 private:
  std::unordered_set<std::string> stems_;
};

}  // namespace shardine

#endif  // SHARDINE_EXTRACT_STEM_NAMES_H_
