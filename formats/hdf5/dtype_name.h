// The types of elements that this format holds: NumPy's names for them, and
// libhdf5's.
#ifndef SHARDINE_FORMATS_HDF5_DTYPE_NAME_H_
#define SHARDINE_FORMATS_HDF5_DTYPE_NAME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hdf5/hdf5_library.h"

namespace shardine {

// Integers, IEEE floats and bool, little-endian.
struct Dtype {
  char kind = 'u';  // 'i', 'u', 'f', or 'b' for bool
  std::uint32_t size = 1;

  std::string Name() const;  // "<f8", "|u1"
  friend bool operator==(const Dtype&, const Dtype&) = default;
};

// nullopt for any other name.
std::optional<Dtype> ParseDtype(std::string_view name);

// The type in a file, little-endian; a bool is h5py's enumeration of FALSE and
// TRUE. REQUIRES: the caller holds Hdf5Lock.
Hdf5Id MakeHdf5Type(const Dtype& dtype);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_DTYPE_NAME_H_
