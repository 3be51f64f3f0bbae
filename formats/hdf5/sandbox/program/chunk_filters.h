// The filters of a chunk, undone here and not by libhdf5: the library takes
// their output for a whole chunk without checking its size, so after a short
// chunk it reads the memory behind it. Its own filters cannot be replaced.
#ifndef SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_CHUNK_FILTERS_H_
#define SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_CHUNK_FILTERS_H_

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "shardine/status.h"

namespace shardine {

struct ChunkFilter {
  H5Z_filter_t number = 0;
  std::size_t element = 0;  // shuffle's; 0: its parameters are damaged
};

// In the order in which they were applied; nullopt if the library fails.
std::optional<std::vector<ChunkFilter>> FiltersOf(hid_t creation);

// Shuffle, fletcher32, deflate, LZF.
bool IsReadFilter(H5Z_filter_t number);

// The first that no chunk can be expanded with where it was not left out: one
// that is not known here, or a compressor after another.
std::optional<H5Z_filter_t> FirstUnreadFilter(
    std::span<const ChunkFilter> filters);

// Whether those that `mask` does not leave out (bit i: filter i) can all be
// undone.
bool CanExpand(std::span<const ChunkFilter> filters, std::uint32_t mask);

// Replaces the chunk as in the file by the `bytes` that were packed. kCorrupt
// if their number differs; then the contents of `chunk` are undefined.
// REQUIRES: CanExpand(filters, mask).
Status ExpandChunk(std::span<const ChunkFilter> filters, std::uint32_t mask,
                   std::size_t bytes, ByteBuffer& chunk);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_CHUNK_FILTERS_H_
