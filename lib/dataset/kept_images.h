// Which samples of a dataset were packed though their images are bad, and which
// were left out.
#ifndef SHARDINE_DATASET_KEPT_IMAGES_H_
#define SHARDINE_DATASET_KEPT_IMAGES_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dataset/dataset_reader.h"
#include "dataset/rejects.h"
#include "shardine/status.h"

namespace shardine {

// As rejected.jsonl beside the manifest lists them with the action "keep".
// Immutable, so any number of threads may ask.
class KeptImages {
 public:
  KeptImages() = default;  // none

  // None if there is no such file.
  static Result<KeptImages> Read(const DatasetReader& dataset);

  // nullptr if the sample is not one of them. Points into this.
  const Reject* Find(const std::string& split, const std::string& key) const {
    const auto found = rejects_.find({split, key});
    return found == rejects_.end() ? nullptr : &found->second;
  }
  bool Has(const std::string& split, const std::string& key) const {
    return Find(split, key) != nullptr;
  }
  // Rejects with other actions, in the order of the list.
  const std::vector<Reject>& left_out() const { return left_out_; }

 private:
  std::map<std::pair<std::string, std::string>, Reject> rejects_;
  std::vector<Reject> left_out_;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_KEPT_IMAGES_H_
