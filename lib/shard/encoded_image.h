// The encoded image among the fields of a sample, in whatever form they are at
// hand: FieldView, ScannedField, IndexField.
#ifndef SHARDINE_SHARD_ENCODED_IMAGE_H_
#define SHARDINE_SHARD_ENCODED_IMAGE_H_

#include <iterator>

#include "shardine/sample.h"

namespace shardine {

// Plain bytes of that name: an array of pixels is no encoded image.
template <typename Field>
bool IsEncodedImage(const Field& field) {
  return field.name == kImageField && field.dtype == kBytesDtype &&
         field.shape.empty();
}

// A pointer to it in `fields`; nullptr if there is none.
template <typename Fields>
auto FindEncodedImage(const Fields& fields) -> decltype(std::data(fields)) {
  for (const auto& field : fields) {
    if (IsEncodedImage(field)) return &field;
  }
  return nullptr;
}

}  // namespace shardine

#endif  // SHARDINE_SHARD_ENCODED_IMAGE_H_
