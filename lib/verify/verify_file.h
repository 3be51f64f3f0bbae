// Verification of a bare shard file, of any format and from any program: there
// is no index to compare with, so its framing, its native index if that lies
// beside it, and on request its images are all that can be checked.
#ifndef SHARDINE_VERIFY_VERIFY_FILE_H_
#define SHARDINE_VERIFY_VERIFY_FILE_H_

#include "image/check_image.h"
#include "io/readable_storage.h"
#include "shard/format_registry.h"
#include "shardine/job.h"
#include "shardine/verify.h"

namespace shardine {

Result<VerifyResult> VerifyFile(ReadableStorage& storage,
                                const VerifyOptions& options, const Job& job);

// The finding about an image that is not good: "no-end-marker: ...".
Status BadImage(const ImageVerdict& verdict);

}  // namespace shardine

#endif  // SHARDINE_VERIFY_VERIFY_FILE_H_
