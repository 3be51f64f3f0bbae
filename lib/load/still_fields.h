// Fields that lie over the image pixel by pixel, such as masks, and that no
// transform moves with it.
#ifndef SHARDINE_LOAD_STILL_FIELDS_H_
#define SHARDINE_LOAD_STILL_FIELDS_H_

#include <cstdint>
#include <vector>

#include "dataset/sample_source.h"
#include "load/batch_layout.h"
#include "shardine/loader.h"
#include "shardine/status.h"

namespace shardine {

// Looks at the sample at `position`, whose entry is `entry`; reads it if one of
// the fields is bytes, which may be an encoded image. kInvalidArgument: a field
// has the image's height and width. A sample that cannot be read is passed
// over.
Status RefuseStillFields(const SampleSource& source, std::uint64_t position,
                         const IndexEntry& entry, const LoaderOptions& options,
                         const std::vector<FieldSpec>& fields);

}  // namespace shardine

#endif  // SHARDINE_LOAD_STILL_FIELDS_H_
