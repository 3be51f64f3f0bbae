#include "pack/converted_format.h"

#include <cstddef>
#include <utility>

#include "base/status_macros.h"
#include "pack/written_format.h"
#include "shardine/digest.h"

namespace shardine {
namespace {

// Others' shards go to their own format in the way that keeps most of them, but
// for parameters that were asked for.
void PreferForeign(const DatasetSamples& samples, const std::string& asked,
                   FormatAndLayout& format) {
  for (std::size_t i = 0; i < samples.datasets(); ++i) {
    const bool foreign =
        samples.dataset(i).manifest().plan_digest == Digest128();
    if (!foreign || samples.format(i).format != format.format) return;
  }
  for (std::size_t i = 0; i < format.values.size(); ++i) {
    const LayoutParameter& parameter = format.layout->parameters[i];
    if (SetsParameter(asked, parameter.name)) continue;
    if (parameter.of_foreign != kAsFound) {
      if (!parameter.of_foreign.empty()) {
        format.values[i] = parameter.of_foreign;
      }
    } else if (samples.format(0).layout == format.layout) {
      format.values[i] = samples.format(0).values[i];
    }
  }
}

}  // namespace

Result<FormatAndLayout> ConvertedFormat(const std::string& asked,
                                        const DatasetSamples& samples,
                                        const FormatRegistry& formats) {
  FormatAndLayout format = WrittenAs(samples.format(0));
  if (!asked.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(format, ParseFormat(formats, asked));
  }
  PreferForeign(samples, asked, format);
  SHARDINE_RETURN_IF_ERROR(CheckWritten(format));
  return format;
}

FormatAndLayout WithoutForeign(const std::string& asked,
                               FormatAndLayout format) {
  for (std::size_t i = 0; i < format.values.size(); ++i) {
    const LayoutParameter& parameter = format.layout->parameters[i];
    if (SetsParameter(asked, parameter.name)) continue;
    if (parameter.of_foreign.empty() || parameter.of_foreign == kAsFound) {
      continue;
    }
    format.values[i] = parameter.default_value;
  }
  return format;
}

}  // namespace shardine
