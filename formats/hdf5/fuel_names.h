// The names of datasets in hdf5/fuel. What each holds: FORMAT.md.
#ifndef SHARDINE_FORMATS_HDF5_FUEL_NAMES_H_
#define SHARDINE_FORMATS_HDF5_FUEL_NAMES_H_

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace shardine {

inline constexpr std::string_view kFuelImages = "encoded_images";
inline constexpr std::string_view kFuelTargets = "targets";
inline constexpr std::string_view kFuelKeys = "filenames";
// What follows the name of the dataset that they go with.
inline constexpr std::string_view kFuelShapeSuffix = ".shape";
inline constexpr std::string_view kFuelPresentSuffix = ".present";
inline constexpr std::string_view kFuelBytesSuffix = ".bytes";

// What stands in an int64 target for a sample without a label.
inline constexpr std::int64_t kNoTarget =
    std::numeric_limits<std::int64_t>::min();

// A dataset's name has no `/`: that of a field has "%2F" instead, and "%25" for
// `%`. FieldNameOf leaves other uses of `%`, which are foreign, as they are.
std::string DatasetNameOf(std::string_view field);
std::string FieldNameOf(std::string_view dataset);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_FUEL_NAMES_H_
