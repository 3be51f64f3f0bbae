#include "shardine/contents.h"

#include <algorithm>

#include "shardine/escape.h"
#include "shardine/sample.h"

namespace shardine {
namespace {

constexpr std::size_t kShownFields = 8;

std::string Of(std::uint64_t count, std::uint64_t samples) {
  return std::to_string(count) + " of " + std::to_string(samples);
}

}  // namespace

bool DatasetContents::lacks() const {
  return labelled != samples ||
         std::ranges::any_of(fields, [this](const auto& field) {
           return field.second != samples;
         });
}

std::string ToString(const DatasetContents& contents) {
  const std::uint64_t samples = contents.samples;
  std::string fields;
  std::uint64_t images = 0;
  std::size_t others = 0;
  for (const auto& [name, count] : contents.fields) {
    if (name == kImageField) {
      images = count;
    } else if (++others <= kShownFields) {
      fields += (others == 1 ? "; fields \"" : ", \"") + EscapeBytes(name) +
                "\" (" + Of(count, samples) + ")";
    }
  }
  if (others > kShownFields) {
    fields += " and " + std::to_string(others - kShownFields) + " more";
  }
  return Of(contents.labelled, samples) + " samples have a label, " +
         Of(images, samples) + " an image" + fields;
}

}  // namespace shardine
