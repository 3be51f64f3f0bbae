// Describes a dataset in the terms of the protocol.
#ifndef SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_DESCRIBE_DATASET_H_
#define SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_DESCRIBE_DATASET_H_

#include <hdf5.h>

#include <cstdint>
#include <span>
#include <vector>

#include "hdf5/sandbox/sandbox_protocol.h"

namespace shardine {

// Fills in all but group, name and `stored`; a type or storage that nothing
// could be made of is a kind 'O' with its name. False if the library fails.
bool DescribeDataset(hid_t dataset, Hdf5Dataset& info);

// How many chunks lie along each axis. A dataset without rows has a first one
// all the same, of which nothing is written. REQUIRES: as many axes in both.
std::vector<std::uint64_t> ChunksAlong(std::span<const std::uint64_t> dims,
                                       std::span<const std::uint64_t> chunk);

// Counts none for a dataset with a chosen fill value other than zero: its
// elements have a meaning. False if the library fails.
bool CountUnwritten(hid_t dataset, const Hdf5Dataset& info,
                    Hdf5Unwritten& unwritten);

// Bytes of a row of chunks of a chunked dataset, side by side; 0 for others.
std::uint64_t ChunkRowBytes(hid_t dataset, const Hdf5Dataset& info);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_DESCRIBE_DATASET_H_
