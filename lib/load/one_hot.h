// Labels as shares of all classes, by the formula of OneHot in
// shardine/mixing.h.
#ifndef SHARDINE_LOAD_ONE_HOT_H_
#define SHARDINE_LOAD_ONE_HOT_H_

#include <span>

#include "shardine/label.h"
#include "shardine/mixing.h"
#include "shardine/status.h"

namespace shardine {

// kInvalidArgument: smoothing that cannot be, or without classes.
Status CheckOneHot(const OneHot& one_hot);

// kUnsupported: the label is not the number of one of the classes.
Status CheckClass(const OneHot& one_hot, const Label& label);

// A row of `classes` values for each label. `mix`: of each sample, with
// partners; or none. REQUIRES: CheckClass() is ok for each.
void WriteOneHot(const OneHot& one_hot, std::span<const Label> labels,
                 std::span<const MixFactor> mix, std::span<float> rows);

}  // namespace shardine

#endif  // SHARDINE_LOAD_ONE_HOT_H_
