// States of a loader (LoaderState): made of a place, and checked before one is
// resumed. A state comes out of a checkpoint file, which anybody may have
// edited.
#ifndef SHARDINE_LOAD_STATE_CHECK_H_
#define SHARDINE_LOAD_STATE_CHECK_H_

#include "load/bucket_plan.h"
#include "load/load_plan.h"
#include "load/step_walk.h"
#include "shardine/loader.h"
#include "shardine/status.h"

namespace shardine {

LoaderState StateAt(const LoadPlan& plan, const StreamPosition& place);

// kInvalidArgument: as of Loader::SetState.
Status CheckState(const LoadPlan& plan, const LoaderState& state);

// The samples that each bucket has handed out. REQUIRES: CheckState is ok, of
// these buckets' plan.
BucketPlan::Counts CountsIn(const LoaderState& state,
                            const BucketPlan& buckets);

}  // namespace shardine

#endif  // SHARDINE_LOAD_STATE_CHECK_H_
