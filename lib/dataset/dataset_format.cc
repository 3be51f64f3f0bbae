#include "dataset/dataset_format.h"

namespace shardine {

Result<FormatAndLayout> FormatOf(const DatasetReader& dataset,
                                 const FormatRegistry& formats) {
  auto format = ParseFormat(formats, dataset.manifest().format);
  if (format.ok()) {
    // A label that is a text is the name of a class.
    if (format->roles.text_label != TextLabel::kClass) return format;
    for (const ClassInfo& info : dataset.manifest().classes) {
      format->roles.classes.emplace(info.name, info.label);
    }
    return format;
  }
  return Status(Code::kUnsupported, format.status().message())
      .At({.path = JoinPath(dataset.directory(), kManifestName)});
}

}  // namespace shardine
