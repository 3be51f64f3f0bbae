// Whether an operation's parameters lie in the ranges of
// shardine/pixel_operations.h.
#ifndef SHARDINE_LOAD_OPERATION_CHECK_H_
#define SHARDINE_LOAD_OPERATION_CHECK_H_

#include "shardine/status.h"
#include "shardine/transform.h"

namespace shardine {

// kInvalidArgument: names the first that is not, as it is named there.
Status CheckOperation(const PixelOperation& operation);

}  // namespace shardine

#endif  // SHARDINE_LOAD_OPERATION_CHECK_H_
