#include "dataset/class_map.h"

#include "base/checksum.h"

namespace shardine {

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
