// Writes samples as hdf5/fuel. FORMAT.md describes the file.
#ifndef SHARDINE_FORMATS_HDF5_FUEL_WRITER_H_
#define SHARDINE_FORMATS_HDF5_FUEL_WRITER_H_

#include <cstdint>
#include <memory>

#include "shard/format.h"

namespace shardine {

// A row's length is a u32 in the file.
inline constexpr std::uint64_t kFuelMaxPayload = 0xffffffff;

// kUnsupported for a sample with several labels, an image that is no plain
// bytes, a field whose type, name or shape FORMAT.md excludes, or that had
// another type in an earlier sample.
Result<std::unique_ptr<ShardWriter>> CreateFuelWriter(
    Storage& storage, const ShardPaths& paths, const LayoutChoice& layout);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_FUEL_WRITER_H_
