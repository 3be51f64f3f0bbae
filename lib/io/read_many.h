// Several reads at a time, of one file or of many: where each takes a while, as
// from a server, all of them together take about as long as the slowest.
#ifndef SHARDINE_IO_READ_MANY_H_
#define SHARDINE_IO_READ_MANY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// One of the reads.
struct Piece {
  const RandomAccessFile* file = nullptr;
  std::uint64_t offset = 0;
  std::span<std::byte> out;  // filled to its end
  Status status = {};        // after ReadMany(): as ReadExactly's
  // The file's own state for it between StartReads() and EndReads().
  std::shared_ptr<void> held = {};
};

// Begins all reads, then waits for all. Neighbours in the list that read one
// file are begun together. REQUIRES: files and memory stay where they are.
void ReadMany(std::span<Piece> pieces);

// ReadAt() of files whose reads are StartReads(): one piece.
Result<std::size_t> ReadOnePiece(const RandomAccessFile& file,
                                 std::uint64_t offset,
                                 std::span<std::byte> out);

}  // namespace shardine

#endif  // SHARDINE_IO_READ_MANY_H_
