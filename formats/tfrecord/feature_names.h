// The names of features that mean something to a layout, and how an array is
// spread over three features. Both directions read them here. FORMAT.md,
// "Features".
#ifndef SHARDINE_FORMATS_TFRECORD_FEATURE_NAMES_H_
#define SHARDINE_FORMATS_TFRECORD_FEATURE_NAMES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace shardine {

// tfrecord/imagenet.
inline constexpr std::string_view kEncoded = "image/encoded";
inline constexpr std::string_view kHeight = "image/height";
inline constexpr std::string_view kWidth = "image/width";
inline constexpr std::string_view kChannels = "image/channels";
inline constexpr std::string_view kColorspace = "image/colorspace";
inline constexpr std::string_view kImageFormat = "image/format";
inline constexpr std::string_view kFilename = "image/filename";
inline constexpr std::string_view kClassLabel = "image/class/label";
inline constexpr std::string_view kSynset = "image/class/synset";
inline constexpr std::string_view kClassText = "image/class/text";
inline constexpr std::string_view kShardineKey = "shardine/key";
inline constexpr std::string_view kShardineId = "shardine/id";
inline constexpr std::string_view kShardinePrefix = "shardine/";
// Names of features that are fields here, although the layout has a feature of
// that name.
inline constexpr std::string_view kShardineFields = "shardine/fields";
// Before the name of an int64 list: its numbers as they are in memory.
inline constexpr std::string_view kShardineRaw = "shardine/raw/";

inline constexpr std::array kBoxes = {
    std::string_view("image/object/bbox/xmin"),
    std::string_view("image/object/bbox/xmax"),
    std::string_view("image/object/bbox/ymin"),
    std::string_view("image/object/bbox/ymax")};
inline constexpr std::string_view kBoxLabel = "image/object/bbox/label";

// tfrecord/tfds.
inline constexpr std::string_view kTfdsLabel = "label";
inline constexpr std::string_view kTfdsFileName = "file_name";

// The suffixes after the name of an array.
inline constexpr std::string_view kDtypeSuffix = "/dtype";
inline constexpr std::string_view kShapeSuffix = "/shape";

// Behind the name of a list of bytes that has no value: an empty field.
inline constexpr std::string_view kNoItem = "[]";

// Dtypes and ranks that are a list of numbers to TensorFlow, too.
inline constexpr std::string_view kFloatDtype = "<f4";
inline constexpr std::string_view kInt64Dtype = "<i8";

inline constexpr std::size_t kMaxRank = 32;  // NumPy's

// Has an array of that dtype and shape just `bytes` bytes? False for a dtype
// without a size, such as "|S", and above kMaxRank.
bool DescribesArray(std::string_view dtype,
                    std::span<const std::uint64_t> shape, std::uint64_t bytes);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_TFRECORD_FEATURE_NAMES_H_
