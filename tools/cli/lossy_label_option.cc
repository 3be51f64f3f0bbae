#include "cli/lossy_label_option.h"

namespace shardine {

void DeclareLossyLabels(Options& options, bool& value) {
  options.Flag("lossy-labels", value,
               "records may hold changed labels, where the format has no "
               "exact ones: integers for fractions, clipped ones, the first "
               "of several (default: refused)");
}

}  // namespace shardine
