#include "pack/written_format.h"

#include <cstddef>

namespace shardine {

FormatAndLayout WrittenAs(FormatAndLayout format) {
  for (std::size_t i = 0; i < format.values.size(); ++i) {
    const LayoutParameter& parameter = format.layout->parameters[i];
    if (parameter.for_reading) format.values[i] = parameter.default_value;
  }
  return format;
}

// Before anything is written: a writer would refuse it when a folder and a
// journal of such a plan are there already.
Status CheckWritten(const FormatAndLayout& format) {
  if (WrittenAs(format).values == format.values) return Status();
  return Status(Code::kInvalidArgument,
                format.Name() +
                    " chooses what is read of a file; shards are written "
                    "without it");
}

}  // namespace shardine
