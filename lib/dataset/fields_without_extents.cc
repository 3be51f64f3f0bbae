#include "dataset/fields_without_extents.h"

#include "shard/payload.h"
#include "shardine/escape.h"

namespace shardine {

void FieldsWithoutExtents::Add(const IndexEntry& entry) {
  for (const IndexField& field : entry.fields) {
    if (!HasExtents(field)) samples_.Add(field.name);
  }
}

std::string FieldsWithoutExtents::Warning(const std::string& path) const {
  std::string text = EscapeBytes(path) +
                     ": compressed, never written, or numbers in another "
                     "form, so that they can be converted, not streamed: ";
  const char* separator = "";
  for (const auto& [name, samples] : samples_.counts()) {
    text += separator;
    text += "field \"" + EscapeBytes(name) + "\" of " +
            std::to_string(samples) + (samples == 1 ? " sample" : " samples");
    separator = ", ";
  }
  return text + (samples_.others() > 0 ? " and more" : "");
}

}  // namespace shardine
