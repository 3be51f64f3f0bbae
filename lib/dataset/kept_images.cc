#include "dataset/kept_images.h"

#include <utility>

#include "shardine/pack_words.h"

namespace shardine {

Result<KeptImages> KeptImages::Read(const DatasetReader& dataset) {
  KeptImages kept;
  auto rejects = ReadRejects(dataset.storage(),
                             JoinPath(dataset.directory(), kRejectedName));
  if (rejects.status().code() == Code::kNotFound) return kept;
  if (!rejects.ok()) return std::move(rejects).status();
  for (Reject& reject : *rejects) {
    if (reject.action != WordOf(OnBad::kKeep)) {
      kept.left_out_.push_back(std::move(reject));
      continue;
    }
    std::pair name(reject.split, reject.key);
    kept.rejects_.emplace(std::move(name), std::move(reject));
  }
  return kept;
}

}  // namespace shardine
