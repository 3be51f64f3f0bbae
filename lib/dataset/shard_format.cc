#include "dataset/shard_format.h"

#include "base/status_macros.h"

namespace shardine {

Result<FormatAndLayout> FormatOfShard(const FormatRegistry& formats,
                                      ReadableStorage& storage,
                                      const RandomAccessFile& file,
                                      std::span<const std::string> fellows,
                                      const ReadRoles& roles) {
  auto own = formats.DetectLayout(file, roles);
  if (own.ok() || file.size() > 0) return own;
  if (formats.FindBySuffix(file.path()) != nullptr) return own;
  for (const std::string& path : fellows) {
    SHARDINE_ASSIGN_OR_RETURN(const auto fellow, storage.Open(path));
    if (fellow->size() == 0) continue;
    auto found = formats.DetectLayout(*fellow, roles);
    // A failure of another file is reported where that file is read.
    const bool can_be_empty = found.ok() && found->format->probe({});
    return can_be_empty ? std::move(found) : std::move(own);
  }
  return own;
}

}  // namespace shardine
