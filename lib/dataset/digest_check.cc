#include "dataset/digest_check.h"

#include "base/status_macros.h"
#include "shardine/escape.h"

namespace shardine {

Status DigestCheck::Begin(const ManifestSplit& split) {
  if (split_ == &split) return Status();
  SHARDINE_RETURN_IF_ERROR(End());
  split_ = &split;
  digests_.emplace(split.name);
  return Status();
}

Status DigestCheck::End() const {
  if (split_ == nullptr ||
      digests_->Match(*split_, dataset_.manifest().has_bindings())) {
    return Status();
  }
  return Status(Code::kCorrupt,
                "split " + EscapeBytes(split_->name) +
                    ": the sidecars do not add up to the digests of the "
                    "manifest")
      .At({.path = JoinPath(dataset_.directory(), kManifestName)});
}

}  // namespace shardine
