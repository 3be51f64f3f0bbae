// LoaderOptions::follow: whether it can be done, and the fields that batches
// then have.
#ifndef SHARDINE_LOAD_FOLLOW_CHECK_H_
#define SHARDINE_LOAD_FOLLOW_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/sample_source.h"
#include "load/batch_layout.h"
#include "shardine/loader_options.h"
#include "shardine/status.h"

namespace shardine {

// Null: no such name follows.
const FollowedField* FollowedOf(const FollowOptions& follow,
                                const std::string& name);

// kInvalidArgument names the field and why.
Status CheckFollow(const LoaderOptions& options);

// The specs of a batch's fields: those of `plain`, each that follows once for
// each view and as it is delivered. Reads the sample at `position` where a mask
// may be encoded. kInvalidArgument: a field of that type and shape cannot
// follow so, or options do not fit it. REQUIRES: CheckFollow is ok.
Result<std::vector<FieldSpec>> FollowedSpecs(const SampleSource& source,
                                             std::uint64_t position,
                                             const LoaderOptions& options,
                                             std::vector<FieldSpec> plain);

}  // namespace shardine

#endif  // SHARDINE_LOAD_FOLLOW_CHECK_H_
