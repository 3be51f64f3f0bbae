#include "dataset/dataset_format.h"

namespace shardine {

Result<FormatAndLayout> FormatOf(const DatasetReader& dataset,
                                 const FormatRegistry& formats) {
  auto format = ParseFormat(formats, dataset.manifest().format);
  if (format.ok()) return format;
  return Status(Code::kUnsupported, format.status().message())
      .At({.path = JoinPath(dataset.directory(), kManifestName)});
}

}  // namespace shardine
