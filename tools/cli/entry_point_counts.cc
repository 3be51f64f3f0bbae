#include "cli/entry_point_counts.h"

#include "cli/number_text.h"

namespace shardine {

std::string EntryPointText(const EntryPointCounts& counts) {
  if (counts == EntryPointCounts()) return {};
  std::string text = "entry points of " + FormatCount(counts.images, "image");
  if (counts.damaged > 0) {
    text += ", " + FormatCount(counts.damaged, "damaged image") + " without";
  }
  return text;
}

Json EntryPointJson(const EntryPointCounts& counts) {
  return {{"images", counts.images}, {"damaged", counts.damaged}};
}

}  // namespace shardine
