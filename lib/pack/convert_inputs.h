// The inputs of convert, merge and relabel: datasets, or shards in none.
#ifndef SHARDINE_PACK_CONVERT_INPUTS_H_
#define SHARDINE_PACK_CONVERT_INPUTS_H_

#include <memory>
#include <string>
#include <vector>

#include "dataset/dataset_samples.h"
#include "shardine/convert.h"
#include "shardine/job.h"
#include "shardine/status.h"

namespace shardine {

struct OpenedInputs {
  std::unique_ptr<DatasetSamples> samples;
  std::vector<std::string> sources;   // as given, each for the manifest
  std::vector<std::string> warnings;  // of scans, for the result
  std::vector<Reject> lost;           // by scans
};

// All in the storage of the first. One that is a shard in no dataset is scanned
// into memory, as `on_bad` says. REQUIRES: there is one.
Result<OpenedInputs> OpenInputs(const std::vector<std::string>& inputs,
                                OnBad on_bad, const Job& job);

// The input or the files of a conversion. kInvalidArgument: a file belongs to a
// dataset, or names of classes are given for a dataset.
Result<OpenedInputs> OpenInput(const ConvertOptions& options, const Job& job);

}  // namespace shardine

#endif  // SHARDINE_PACK_CONVERT_INPUTS_H_
