// Keys that begin with the sample's position: "00000012_n01/a.jpg". LMDB sorts
// by key, so a database keeps its samples in their order.
#ifndef SHARDINE_FORMATS_LMDB_NUMBERED_KEY_H_
#define SHARDINE_FORMATS_LMDB_NUMBERED_KEY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "shardine/status.h"

namespace shardine {

// Eight digits and "_".
inline constexpr std::size_t kNumberedKeyPrefix = 9;

// kUnsupported beyond eight digits: a ninth would break the order.
Status CheckPosition(std::uint64_t position);
// REQUIRES: CheckPosition() of it is OK.
std::string NumberedKey(std::uint64_t position, std::string_view key);
// The key in it; one of another form stays as it is.
std::string_view WithoutNumber(std::string_view key);

// Sets of images of texts have "image-000000001" and "label-000000001".
inline constexpr std::string_view kImagePrefix = "image-";
inline constexpr std::string_view kTextPrefix = "label-";
inline constexpr std::string_view kTextField = "label";
// Lists of words that may be in the image: "lexicon-000000001".
inline constexpr std::string_view kLexiconPrefix = "lexicon-";
inline constexpr std::string_view kLexiconField = "lexicon";
// The prefixes of images' keys: TextZoom has each in two sizes.
inline constexpr std::string_view kImagePrefixes[] = {kImagePrefix, "image_hr-",
                                                      "image_lr-"};
// Is the key `prefix` and digits?
bool IsNumbered(std::string_view key, std::string_view prefix);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_NUMBERED_KEY_H_
