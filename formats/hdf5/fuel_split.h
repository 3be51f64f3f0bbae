// The root attribute `split` of Fuel's H5PYDataset: which rows of which dataset
// belong to which split.
#ifndef SHARDINE_FORMATS_HDF5_FUEL_SPLIT_H_
#define SHARDINE_FORMATS_HDF5_FUEL_SPLIT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "hdf5/hdf5_output.h"

namespace shardine {

// All rows of a file, as one split.
struct FuelSplit {
  std::string name;  // not empty, without a NUL
  std::uint64_t rows = 0;
};

// Gives all rows of the datasets `sources` to the split. Names that would make
// the attribute too large for an object header are left out, except the names
// that `always` has, too. Under Hdf5Lock.
Status WriteSplit(Hdf5Output& output, std::vector<std::string> sources,
                  const std::vector<std::string>& always,
                  const FuelSplit& split);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_FUEL_SPLIT_H_
