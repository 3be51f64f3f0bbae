#include "pack/kept_images.h"

#include "pack/rejects.h"

namespace shardine {

Result<KeptImages> KeptImages::Read(Storage& storage,
                                    const DatasetReader& dataset) {
  KeptImages kept;
  auto rejects =
      ReadRejects(storage, JoinPath(dataset.directory(), kRejectedName));
  if (rejects.status().code() == Code::kNotFound) return kept;
  if (!rejects.ok()) return std::move(rejects).status();
  for (Reject& reject : *rejects) {
    if (reject.action != ActionName(OnBad::kKeep)) continue;
    kept.samples_.emplace(std::move(reject.split), std::move(reject.key));
  }
  return kept;
}

}  // namespace shardine
