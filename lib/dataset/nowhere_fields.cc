#include "dataset/nowhere_fields.h"

#include "shard/payload.h"
#include "shardine/escape.h"

namespace shardine {

void NowhereFields::Add(const IndexEntry& entry) {
  for (const IndexField& field : entry.fields) {
    if (HasExtents(field)) continue;
    const auto known = samples_.find(field.name);
    if (known != samples_.end()) {
      ++known->second;
    } else if (samples_.size() < kMostNames) {
      samples_.emplace(field.name, 1);
    } else {
      more_ = true;
    }
  }
}

std::string NowhereFields::Warning(const std::string& path) const {
  std::string text = EscapeBytes(path) +
                     ": compressed, or numbers in another form, so that they "
                     "can be converted, not streamed: ";
  const char* separator = "";
  for (const auto& [name, samples] : samples_) {
    text += separator;
    text += "field \"" + EscapeBytes(name) + "\" of " +
            std::to_string(samples) + (samples == 1 ? " sample" : " samples");
    separator = ", ";
  }
  return text + (more_ ? " and more" : "");
}

}  // namespace shardine
