// A small tree of real images in memory, for packs that make sizes of them.
#ifndef SHARDINE_TESTS_SUPPORT_VARIANT_FIXTURE_H_
#define SHARDINE_TESTS_SUPPORT_VARIANT_FIXTURE_H_

#include <string>

#include "io/memory_storage.h"
#include "shardine/pack.h"

namespace shardine {

// TREE/<class>/<n>.jpg: three classes of four images, JPEGs of several kinds
// and a PNG, of short sides from 8 to 60 pixels.
void PutImages(MemoryStorage& storage, const std::string& tree);
inline constexpr int kImages = 12;
// Images among them with a short side below these pixels.
inline constexpr int kBelow16 = 2;
inline constexpr int kBelow24 = 4;

// PackOf() with the original and short sides of 16 and 24.
PackOptions VariantsOf(const std::string& tree, const std::string& output);

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_VARIANT_FIXTURE_H_
