// KeptPromises: promises of datasets about their splits (dataset/
// split_promises.h), as they hold for a dataset that is made of them.
#ifndef SHARDINE_PACK_KEPT_PROMISES_H_
#define SHARDINE_PACK_KEPT_PROMISES_H_

#include <string>
#include <vector>

#include "dataset/dataset_samples.h"
#include "dataset/split_promises.h"
#include "pack/convert_plan.h"
#include "source/source_set.h"

namespace shardine {

struct KeptPromises {
  SplitPromises kept;
  SplitPromises dropped;
  std::vector<std::string> warnings;  // a sentence for each that is dropped
};

// `source`: the samples of the output, in their splits. A promise is dropped if
// the command cuts splits, one of the inputs lacks it, or it does not hold.
// Groups of keys are compared; groups of fields and copies of images are kept
// for the samples of one dataset alone.
KeptPromises PromisesFor(const DatasetSamples& inputs, const ConvertSpec& spec,
                         const SourceSet& source);

}  // namespace shardine

#endif  // SHARDINE_PACK_KEPT_PROMISES_H_
