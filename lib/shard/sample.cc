#include "shardine/sample.h"

namespace shardine {

std::span<const std::byte> SampleView::image() const {
  for (const FieldView& field : fields) {
    if (field.name == kImageField) return field.bytes;
  }
  return {};
}

}  // namespace shardine
