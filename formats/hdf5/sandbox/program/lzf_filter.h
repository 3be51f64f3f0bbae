// The LZF filter (number 32000) that h5py brings with it and libhdf5 lacks;
// reading only.
#ifndef SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_LZF_FILTER_H_
#define SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_LZF_FILTER_H_

#include <hdf5.h>

#include <cstddef>
#include <optional>
#include <span>

namespace shardine {

inline constexpr H5Z_filter_t kLzfFilter = 32000;

// Expands LZF data into `out`; the number of bytes, nullopt if it is damaged or
// does not fit. The format: a control byte c < 32 is followed by c + 1 bytes as
// they are; else its upper three bits are a length (7: more in the next byte),
// and its lower five with the byte after it a distance back.
std::optional<std::size_t> ExpandLzf(std::span<const unsigned char> in,
                                     std::span<unsigned char> out);

// False if the library does not take it.
bool RegisterLzfFilter();

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_LZF_FILTER_H_
