// The root attribute `split` of Fuel's H5PYDataset, as it is in a file.
#ifndef SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_SPLIT_ATTRIBUTE_H_
#define SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_SPLIT_ATTRIBUTE_H_

#include <hdf5.h>

#include <optional>
#include <vector>

#include "hdf5/sandbox/sandbox_protocol.h"

namespace shardine {

// Its rows; none if there is no such attribute, or one of something else than
// structures with Fuel's members. nullopt if the library fails, if a member is
// of another type than Fuel's, or if it is larger than kHdf5MostSplits.
std::optional<std::vector<Hdf5Split>> ReadSplitAttribute(hid_t file);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_SPLIT_ATTRIBUTE_H_
