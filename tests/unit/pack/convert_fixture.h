// Convert() of the dataset "in" as tests call it.
#ifndef SHARDINE_TESTS_UNIT_PACK_CONVERT_FIXTURE_H_
#define SHARDINE_TESTS_UNIT_PACK_CONVERT_FIXTURE_H_

#include <string>

#include "io/storage.h"
#include "shardine/convert.h"

namespace shardine {

inline ConvertOptions Into(const std::string& output) {
  ConvertOptions options;
  options.input = "in";
  options.output = output;
  options.threads = 2;
  return options;
}

inline ConvertOptions Into(const std::string& output,
                           const std::string& format) {
  ConvertOptions options = Into(output);
  options.format = format;
  return options;
}

inline Result<PackResult> Run(Storage& storage, const ConvertOptions& options) {
  return Convert(options, {.storage = &storage});
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_PACK_CONVERT_FIXTURE_H_
