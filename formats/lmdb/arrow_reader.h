// A strict reader of pyarrow.serialize's output, up to pyarrow 10; later
// versions have no such function. folder2lmdb and tensorpack wrote values by
// it. FORMAT.md, "Arrow".
#ifndef SHARDINE_FORMATS_LMDB_ARROW_READER_H_
#define SHARDINE_FORMATS_LMDB_ARROW_READER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "lmdb/arrow_batch.h"
#include "lmdb/pickle_value.h"
#include "lmdb/value_tree.h"
#include "shardine/status.h"

namespace shardine {

// Could `value` be of pyarrow.serialize? No Datum and no pickle is.
bool IsArrow(ByteView value);

// Thread-compatible.
class ArrowReader : private ValueTree {
 public:
  // `max_memory`: the bytes that may be held at a time.
  explicit ArrowReader(std::uint64_t max_memory)
      : ValueTree("value of pyarrow", max_memory) {}

  // The object of `input`, as PickleReader::Read. Bytes and arrays lie in the
  // body in one piece each, so they are not copied. kUnsupported for sets,
  // dates, buffers, sparse tensors and objects with a serialiser of their own.
  Result<PickleValue> Read(ByteView input, std::uint64_t offset);
  using ValueTree::budget;

 private:
  Status ReadStream();
  Status InFile(const Status& status) const;
  // The values [begin, end) of a union.
  Result<std::vector<NodeId>> ReadItems(const ArrowColumn& column,
                                        std::uint64_t begin, std::uint64_t end,
                                        int depth);
  Result<NodeId> ReadItem(const ArrowColumn& column, std::uint64_t i,
                          int depth);
  Result<NodeId> ReadValue(const ArrowColumn& column, std::uint64_t i,
                           int depth);
  Result<NodeId> ReadList(const ArrowColumn& column, std::uint64_t i,
                          int depth);
  Result<NodeId> ReadDict(const ArrowColumn& items, std::uint64_t begin,
                          std::uint64_t end, int depth);
  Result<NodeId> ReadBinary(const ArrowColumn& column, std::uint64_t i);
  Result<NodeId> ReadArray(const ArrowColumn& column, std::uint64_t i);
  Result<std::pair<std::uint64_t, std::uint64_t>> Between(
      const ArrowColumn& column, std::uint64_t i) const;

  std::vector<ArrowColumn> columns_;
  std::vector<ArrowTensor> tensors_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_ARROW_READER_H_
