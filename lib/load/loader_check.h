// Whether a loader's options can be had together, before anything is read.
#ifndef SHARDINE_LOAD_LOADER_CHECK_H_
#define SHARDINE_LOAD_LOADER_CHECK_H_

#include <vector>

#include "shardine/label.h"
#include "shardine/loader.h"
#include "shardine/status.h"

namespace shardine {

// kInvalidArgument names the option.
Status CheckLoaderOptions(const LoaderOptions& options);

// Checks the first sample's labels against the options: weighted pairs and
// shares of classes need one label.
Status CheckFirstLabels(const LoaderOptions& options,
                        const std::vector<Label>& first);

}  // namespace shardine

#endif  // SHARDINE_LOAD_LOADER_CHECK_H_
