#include "tfrecord/feature_names.h"

#include "shard/dtype.h"

namespace shardine {

bool DescribesArray(std::string_view dtype,
                    std::span<const std::uint64_t> shape, std::uint64_t bytes) {
  if (DtypeBytes(dtype).value_or(0) == 0 || shape.size() > kMaxRank) {
    return false;
  }
  return ArrayBytes(dtype, shape) == bytes;
}

}  // namespace shardine
