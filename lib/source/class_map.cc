#include "source/class_map.h"

#include <algorithm>

#include "base/checksum.h"

namespace shardine {

const ClassInfo* FindClass(const ClassMap& classes,
                           std::span<const Label> labels) {
  if (labels.size() != 1 || !labels[0].is_integer()) return nullptr;
  const auto found = std::ranges::lower_bound(
      classes, labels[0].integer(), std::ranges::less(), &ClassInfo::label);
  const bool is_there =
      found != classes.end() && found->label == labels[0].integer();
  return is_there ? &*found : nullptr;
}

Digest128 ClassMapDigest(const ClassMap& classes) {
  Xxh3Stream stream;
  for (const ClassInfo& info : classes) {
    stream.UpdateLe(static_cast<std::uint32_t>(info.name.size()));
    stream.Update(AsBytes(info.name));
    stream.UpdateLe(info.label);
  }
  return stream.Digest();
}

}  // namespace shardine
