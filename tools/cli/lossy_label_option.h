// --lossy-labels, of the verbs that write records.
#ifndef SHARDINE_CLI_LOSSY_LABEL_OPTION_H_
#define SHARDINE_CLI_LOSSY_LABEL_OPTION_H_

#include "cli/options.h"

namespace shardine {

void DeclareLossyLabels(Options& options, bool& value);

}  // namespace shardine

#endif  // SHARDINE_CLI_LOSSY_LABEL_OPTION_H_
