#include "shardine/resize.h"

namespace shardine {

Result<PackResult> ResizeShards(const ResizeShardsOptions&,
                                const ProgressFunction&, std::stop_token,
                                const FormatRegistry&) {
  return Status(Code::kUnsupported, "resizing to shards is not there yet");
}

}  // namespace shardine
