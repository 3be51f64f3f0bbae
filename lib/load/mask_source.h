// MaskSource: masks as a sample has them: arrays, or encoded images.
#ifndef SHARDINE_LOAD_MASK_SOURCE_H_
#define SHARDINE_LOAD_MASK_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/geometry.h"
#include "image/png_samples.h"
#include "pixels/element_moves.h"
#include "pixels/pixels.h"
#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

struct MaskType {
  std::string dtype;
  std::optional<std::uint64_t> channels;  // none: height x width alone
  PixelSize size;

  std::size_t element() const;  // bytes of a pixel
};

// kUnsupported: it is no mask, with its type; kCorrupt: an encoded one whose
// header cannot be read. Both name the field.
Result<MaskType> MaskTypeOf(const FieldView& field);

// Keeps its memory. Thread-compatible.
class MaskSource {
 public:
  // The pixels of a mask; of a PNG only rows before `row_end` are decoded.
  // kUnsupported: another type than `type`, or another size. They and failures
  // of a decoder name the field. The view is valid until the next call, as long
  // as the field's bytes are.
  Result<ElementView> Open(const FieldView& field, const MaskType& type,
                           std::uint32_t row_end);

 private:
  PngSamples png_;
  PixelBuffer jpeg_;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_MASK_SOURCE_H_
