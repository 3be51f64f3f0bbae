// Sizes and variants as people write them.
#ifndef SHARDINE_VARIANT_TEXT_H_
#define SHARDINE_VARIANT_TEXT_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "shardine/status.h"
#include "shardine/variants.h"

namespace shardine {

// "160,320": pixels, put in ascending order. kInvalidArgument quotes a word
// that is no size or occurs twice.
Result<std::vector<std::uint32_t>> ParseShortSides(std::string_view text);

// "original,sz/160,sz/320", in any order: sets which variants `variants` asks
// for, and leaves how their images are made. Errors as above.
Status ParseVariants(std::string_view text, VariantOptions& variants);

}  // namespace shardine

#endif  // SHARDINE_VARIANT_TEXT_H_
