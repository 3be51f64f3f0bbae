// Which samples of a dataset were packed though their images are bad.
#ifndef SHARDINE_PACK_KEPT_IMAGES_H_
#define SHARDINE_PACK_KEPT_IMAGES_H_

#include <set>
#include <string>
#include <utility>

#include "dataset/dataset.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

// As rejected.jsonl beside the manifest lists them with the action "keep".
// Immutable, so any number of threads may ask.
class KeptImages {
 public:
  KeptImages() = default;  // none

  // None if there is no such file.
  static Result<KeptImages> Read(Storage& storage,
                                 const DatasetReader& dataset);

  bool Has(const std::string& split, const std::string& key) const {
    return samples_.contains({split, key});
  }

 private:
  std::set<std::pair<std::string, std::string>> samples_;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_KEPT_IMAGES_H_
