// The filters of a chunk, undone here and not by libhdf5: the library takes
// what comes out of them for a whole chunk without asking how many bytes it is,
// so that a chunk of too few lets it read what lies behind them in memory. Its
// own filters cannot be replaced.
#ifndef SHARDINE_FORMATS_HDF5_SCAN_CHUNK_FILTERS_H_
#define SHARDINE_FORMATS_HDF5_SCAN_CHUNK_FILTERS_H_

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
  std::size_t element = 1;  // shuffle's
};

// In the order in which they were applied. nullopt if there are others than
// shuffle, fletcher32, and one of deflate and LZF.
std::optional<std::vector<ChunkFilter>> KnownFilters(hid_t creation);

// Replaces what `chunk` holds, as it is in the file, by the `bytes` that were
// packed; bit i of `mask`: filter i was left out. kCorrupt if they are not
// exactly so many; then `chunk` holds anything.
Status ExpandChunk(std::span<const ChunkFilter> filters, std::uint32_t mask,
                   std::size_t bytes, ByteBuffer& chunk);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_SCAN_CHUNK_FILTERS_H_
