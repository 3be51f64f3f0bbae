// Rows of a chunked dataset, from chunks that are expanded here
// (chunk_filters.h says why).
#ifndef SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_CHUNK_READER_H_
#define SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_CHUNK_READER_H_

#include <hdf5.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hdf5/sandbox/program/chunk_filters.h"
#include "hdf5/sandbox/program/parent.h"
#include "hdf5/sandbox/program/remote_driver.h"

namespace shardine {

class ChunkReader {
 public:
  // Null if the library has to read the dataset: it is not chunked. `element`:
  // bytes of one in the file. Both others must outlive the reader. Throws
  // SandboxFailure.
  static std::unique_ptr<ChunkReader> Make(Parent& parent, hid_t dataset,
                                           const Hdf5Dataset& info,
                                           std::uint64_t element);

  // Fills `rows` with `count` of them, little-endian. The library reads rows
  // that were never written, as `type`. Throws SandboxFailure.
  void Read(std::uint64_t first, std::uint64_t count, hid_t type,
            std::span<std::byte> rows);

 private:
  // From `start` to before `end`, along each axis.
  struct Box {
    std::vector<hsize_t> start;
    std::vector<hsize_t> end;
  };

  ChunkReader(Parent& parent, hid_t dataset) : parent_(parent), id_(dataset) {}
  void ReadChunk(const Box& wanted, hid_t type, std::span<std::byte> rows);
  // Where a chunk lies, and which of its filters were left out.
  std::optional<ReadTrap::Place> Find(const std::vector<hsize_t>& start,
                                      std::uint32_t& mask) const;
  // Null where there is no chunk, or it is too large and lies there as it is.
  const ByteBuffer* Expand(const std::vector<hsize_t>& start);
  bool IsUnfiltered(const std::vector<hsize_t>& start) const;
  void ReadByLibrary(const Box& box, const Box& wanted, hid_t type,
                     std::span<std::byte> rows);
  void Copy(const ByteBuffer& chunk, const Box& box, const Box& wanted,
            std::span<std::byte> rows) const;

  Parent& parent_;
  hid_t id_;
  std::vector<hsize_t> dims_;
  std::vector<hsize_t> chunk_;
  std::size_t element_ = 0;
  std::size_t chunk_bytes_ = 0;
  bool swaps_ = false;       // elements are big-endian
  bool packs_edges_ = true;  // chunks that reach over the dataset's edge
  std::vector<ChunkFilter> filters_;
  // The row of chunks that was read last.
  std::map<std::vector<hsize_t>, ByteBuffer> held_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_SANDBOX_PROGRAM_CHUNK_READER_H_
