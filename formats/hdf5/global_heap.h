// Finds the objects of global heap collections ("GCOL"), in which HDF5 keeps
// rows of variable length. Byte layout: FORMAT.md, "Global heap".
#ifndef SHARDINE_FORMATS_HDF5_GLOBAL_HEAP_H_
#define SHARDINE_FORMATS_HDF5_GLOBAL_HEAP_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hdf5/sandbox/sandbox_protocol.h"
#include "io/file_window.h"
#include "shard/extent.h"

namespace shardine {

// A row of variable length as its dataset refers to it.
struct HeapReference {
  std::uint32_t length = 0;   // elements
  std::uint64_t address = 0;  // of the collection, from the base address
  std::uint32_t index = 0;

  // REQUIRES: ReferenceBytes(widths) bytes.
  static HeapReference Load(ByteView bytes, const Hdf5Widths& widths);
};

// Trusts nothing: every length is compared with the collection, and that with
// the file. Headers are read through the window and only as far as they are
// needed, so that a collection is passed once, front to back. Remembers where
// the objects of the last few collections are.
//
// Thread-compatible. The window must outlive the heap.
class GlobalHeap {
 public:
  GlobalHeap(FileWindow& window, const Hdf5Widths& widths,
             std::uint64_t file_size)
      : window_(window), widths_(widths), file_size_(file_size) {}

  // The `bytes` of that object; an empty extent for a reference to nothing.
  // kCorrupt with the offset of what is wrong, if it has another size too.
  Result<Extent> Find(const HeapReference& reference, std::uint64_t bytes);

 private:
  struct Collection {
    std::uint64_t offset = 0;
    std::uint64_t end = 0;
    std::uint64_t next = 0;  // header not yet read
    std::uint64_t used = 0;  // of clock_
    std::unordered_map<std::uint32_t, Extent> objects;
  };

  Result<Collection*> Open(std::uint64_t address);
  // Reads one more header; false at the end of the collection.
  Result<bool> ReadObject(Collection& collection);

  FileWindow& window_;
  const Hdf5Widths widths_;
  const std::uint64_t file_size_;
  std::vector<Collection> collections_;
  std::uint64_t clock_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_GLOBAL_HEAP_H_
