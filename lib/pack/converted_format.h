// The format of a conversion: the one that was asked for, else the format of
// the inputs.
#ifndef SHARDINE_PACK_CONVERTED_FORMAT_H_
#define SHARDINE_PACK_CONVERTED_FORMAT_H_

#include <string>

#include "dataset/dataset_samples.h"
#include "shard/format_registry.h"
#include "shardine/status.h"

namespace shardine {

// `asked` with layout and parameters, else the format of the first input. For
// foreign shards of the same format a parameter that `asked` does not name is
// LayoutParameter::of_foreign.
Result<FormatAndLayout> ConvertedFormat(const std::string& asked,
                                        const DatasetSamples& samples,
                                        const FormatRegistry& formats);

// The same with the defaults of such parameters.
FormatAndLayout WithoutForeign(const std::string& asked,
                               FormatAndLayout format);

}  // namespace shardine

#endif  // SHARDINE_PACK_CONVERTED_FORMAT_H_
