// Finds the objects of global heap collections ("GCOL"), in which HDF5 keeps
// rows of variable length. Byte layout: FORMAT.md, "Global heap".
#ifndef SHARDINE_FORMATS_HDF5_GLOBAL_HEAP_H_
#define SHARDINE_FORMATS_HDF5_GLOBAL_HEAP_H_

#include <cstdint>
#include <list>
#include <unordered_map>

#include "hdf5/sandbox/sandbox_protocol.h"
#include "io/file_window.h"
#include "shard/extent.h"
#include "shard/record_budget.h"

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
// the objects of the collections are that were used last.
//
// Thread-compatible. The budget must outlive the heap.
class GlobalHeap {
 public:
  // Objects whose places are remembered, beyond the last collection's; each
  // takes about 64 bytes. A collection by itself counts as some.
  static constexpr std::size_t kMaxKept = std::size_t{1} << 19;
  static constexpr std::size_t kCollectionWeight = 4;
  // The steps of the budget that a header takes: forgotten collections are
  // passed again, a few times at most.
  static constexpr std::uint64_t kHeaderSteps = 64;

  // `budget` is the file's, which the table's columns share.
  GlobalHeap(const Hdf5Widths& widths, std::uint64_t file_size,
             RecordBudget& budget)
      : widths_(widths), file_size_(file_size), budget_(budget) {}

  // The `bytes` of that object; an empty extent for a reference to nothing.
  // kCorrupt with the offset of the fault, also for another size. kUnsupported
  // where the budget ends.
  Result<Extent> Find(FileWindow& window, const HeapReference& reference,
                      std::uint64_t bytes);

 private:
  struct Collection {
    std::uint64_t offset = 0;
    std::uint64_t end = 0;
    std::uint64_t next = 0;  // header not yet read
    std::unordered_map<std::uint32_t, Extent> objects;
  };
  using Collections = std::list<Collection>;  // the last used comes first

  Result<Collection*> Open(FileWindow& window, std::uint64_t address);
  // Reads one more header; false at the end of the collection.
  Result<bool> ReadObject(FileWindow& window, Collection& collection);
  void Forget();

  const Hdf5Widths widths_;
  const std::uint64_t file_size_;
  RecordBudget& budget_;
  Collections collections_;
  std::unordered_map<std::uint64_t, Collections::iterator> by_offset_;
  std::size_t kept_ = 0;  // weight
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_GLOBAL_HEAP_H_
