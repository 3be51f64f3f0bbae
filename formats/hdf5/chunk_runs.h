// Where a row of a chunked array lies: pieces of the chunks that it runs
// through.
#ifndef SHARDINE_FORMATS_HDF5_CHUNK_RUNS_H_
#define SHARDINE_FORMATS_HDF5_CHUNK_RUNS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "hdf5/sandbox/sandbox_protocol.h"
#include "shard/extent.h"

namespace shardine {

// Chunks side by side along the axes after the first. REQUIRES: DecodeDataset
// let the dataset pass as kChunked.
std::uint64_t ChunksPerRow(const Hdf5Dataset& dataset);

// Is a row in few enough pieces to name them all (256)?
bool CanFindRuns(const Hdf5Dataset& dataset);

// Replaces `runs` by the pieces of row `row` of a band of chunks, joined in
// order its bytes in C order. `places`: the ChunksPerRow chunks of the band, in
// C order. None if one of them is not there or too short.
// REQUIRES: CanFindRuns(dataset), row < dataset.chunk[0].
void FindRuns(const Hdf5Dataset& dataset, std::uint64_t row,
              std::span<const Extent> places, std::vector<Extent>& runs);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_CHUNK_RUNS_H_
