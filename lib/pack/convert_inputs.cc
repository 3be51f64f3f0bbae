#include "pack/convert_inputs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/status_macros.h"
#include "dataset/dataset_path.h"
#include "io/storage_for.h"
#include "pack/scan_shards.h"
#include "pipeline/parallel_for.h"
#include "source/server_threads.h"

namespace shardine {
namespace {

OpenedInputs NoInputs(ReadableStorage& storage, const Job& job) {
  OpenedInputs opened;
  opened.samples = std::make_unique<DatasetSamples>(storage, job.formats);
  return opened;
}

Status AddScanned(const IndexOptions& options, const std::string& split,
                  OnBad on_bad, const Job& job, OpenedInputs& opened) {
  SHARDINE_ASSIGN_OR_RETURN(auto scanned,
                            ScanShards(options, split, on_bad, job));
  std::ranges::copy(scanned->lost, std::back_inserter(opened.lost));
  // A warning about several inputs is said once.
  for (std::string& warning : scanned->warnings) {
    if (std::ranges::find(opened.warnings, warning) != opened.warnings.end()) {
      continue;
    }
    opened.warnings.push_back(std::move(warning));
  }
  return opened.samples->Add(std::move(scanned), options.files.front());
}

// The records of a dataset's shard may hold less than its sidecar does: ids,
// keys and labels would be lost without a word.
Status CheckInNoDataset(const std::vector<std::string>& files, const Job& job) {
  const auto check = [&](std::size_t i) -> Status {
    const std::string& file = files[i];
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                              StorageFor(job, file));
    SHARDINE_ASSIGN_OR_RETURN(const DatasetPath given,
                              FindDatasetPath(*storage, file, job.formats));
    const bool is_there = storage->Stat(file).ok();
    if (is_there && !given.is_bare_shard) {
      return Status(Code::kInvalidArgument,
                    "is a dataset; several are merged, and one is given alone")
          .At({.path = file});
    }
    return Status();
  };
  return ParallelFor(files.size(), ServerThreads(files[0], 1, kServerBlocks),
                     check);
}

}  // namespace

Result<OpenedInputs> OpenInputs(const std::vector<std::string>& inputs,
                                OnBad on_bad, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                            StorageForAll(job, inputs));
  OpenedInputs opened = NoInputs(*storage, job);
  opened.sources = inputs;
  for (const std::string& input : inputs) {
    SHARDINE_ASSIGN_OR_RETURN(const DatasetPath given,
                              FindDatasetPath(*storage, input, job.formats));
    if (given.is_bare_shard) {
      IndexOptions index;
      index.files = {input};
      SHARDINE_RETURN_IF_ERROR(AddScanned(index, "", on_bad, job, opened));
    } else {
      SHARDINE_RETURN_IF_ERROR(opened.samples->Add(input));
    }
  }
  return opened;
}

Result<OpenedInputs> OpenInput(const ConvertOptions& options, const Job& job) {
  IndexOptions index;
  index.files = options.files;
  index.splits = options.file_splits;
  index.class_names = options.class_names;
  index.roles = options.roles;
  // A field that is left out need not be readable.
  if (!options.roles.empty()) index.roles.fields = options.fields;
  const bool one = options.files.empty();
  if (one) index.files = {options.input};
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                            StorageForAll(job, index.files));
  OpenedInputs opened = NoInputs(*storage, job);
  if (one) {
    SHARDINE_ASSIGN_OR_RETURN(
        const DatasetPath given,
        FindDatasetPath(*storage, options.input, job.formats));
    if (!given.is_bare_shard && !options.class_names.empty()) {
      return Status(Code::kInvalidArgument,
                    "is a dataset, which has its classes: names are given for "
                    "shard files")
          .At({.path = options.input});
    }
    if (!given.is_bare_shard &&
        (!options.roles.empty() || options.roles.one_hot)) {
      return Status(Code::kInvalidArgument,
                    "is a dataset, whose index says which fields are image, "
                    "label and key")
          .At({.path = options.input});
    }
    if (!given.is_bare_shard) {
      opened.sources = index.files;
      SHARDINE_RETURN_IF_ERROR(opened.samples->Add(options.input));
      return opened;
    }
  } else {
    SHARDINE_RETURN_IF_ERROR(CheckInNoDataset(index.files, job));
  }
  // A scan reads one split of a file that names several: the one that is asked
  // for, if it is one.
  const std::string split = options.splits.size() == 1 ? options.splits[0] : "";
  SHARDINE_RETURN_IF_ERROR(
      AddScanned(index, split, options.on_bad, job, opened));
  for (std::size_t i = 0; i < index.files.size(); ++i) {
    opened.sources.push_back(index.splits.empty()
                                 ? index.files[i]
                                 : index.splits[i] + "=" + index.files[i]);
  }
  return opened;
}

}  // namespace shardine
