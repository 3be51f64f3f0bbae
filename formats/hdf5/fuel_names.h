// The names of datasets in hdf5/fuel. FORMAT.md describes their contents.
#ifndef SHARDINE_FORMATS_HDF5_FUEL_NAMES_H_
#define SHARDINE_FORMATS_HDF5_FUEL_NAMES_H_

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace shardine {

inline constexpr std::string_view kFuelImages = "encoded_images";
inline constexpr std::string_view kFuelTargets = "targets";
// The names under which a file's images and labels are looked for, the first
// that it has counting. encoded_images is in each file of hdf5/fuel unless
// another name was asked for, whatever its fields are called.
inline constexpr std::array<std::string_view, 6> kImageNames = {
    kFuelImages, "image_bytes", "imgs", "images", "image", "data"};
inline constexpr std::array<std::string_view, 4> kLabelNames = {
    kFuelTargets, "labels", "label", "target"};
// The parameters of layouts that write under another of those names.
inline constexpr std::string_view kImagesParameter = "images";
inline constexpr std::string_view kLabelsParameter = "labels";

inline constexpr std::string_view kFuelKeys = "filenames";
// The suffixes after the name of the dataset that they belong to.
inline constexpr std::string_view kFuelShapeSuffix = ".shape";
inline constexpr std::string_view kFuelPresentSuffix = ".present";
inline constexpr std::string_view kFuelBytesSuffix = ".bytes";

// The int64 target of a sample without a label.
inline constexpr std::int64_t kNoTarget =
    std::numeric_limits<std::int64_t>::min();

// A dataset's name has no `/`: a field's name has "%2F" instead, and "%25" for
// a `%` before "2F" or "25". FieldNameOf leaves other uses of `%` as they are;
// older versions wrote each `%` as "%25".
std::string DatasetNameOf(std::string_view field);
std::string FieldNameOf(std::string_view dataset);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_FUEL_NAMES_H_
