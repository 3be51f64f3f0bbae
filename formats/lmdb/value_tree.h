// ValueTree: the Python objects that one value of LMDB holds, in any
// serialisation. PickleReader, MsgpackReader and ArrowReader build it from
// untrusted bytes; PickleValue shows it.
#ifndef SHARDINE_FORMATS_LMDB_VALUE_TREE_H_
#define SHARDINE_FORMATS_LMDB_VALUE_TREE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "lmdb/numpy_dtype.h"
#include "lmdb/pickle_value.h"
#include "shard/record_budget.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible.
class ValueTree {
 public:
  ValueTree(const ValueTree&) = delete;
  ValueTree& operator=(const ValueTree&) = delete;

  // The budget of the value read last also pays for the fields made of it.
  RecordBudget& budget() { return budget_; }

 protected:
  friend class PickleValue;
  using NodeId = std::uint32_t;
  // The memory of a vector's entry while the vector grows, bytes.
  static constexpr std::uint64_t kIdCharge = 2 * sizeof(NodeId);

  struct Node {
    PickleKind kind = PickleKind::kNone;
    bool owned = false;       // bytes: in owned_, not in the input
    std::uint64_t first = 0;  // a number's bits; or where its parts begin
    std::uint64_t count = 0;
  };

  // `what`: "pickle", for messages. `max_memory`: the bytes that may be held at
  // a time.
  ValueTree(std::string_view what, std::uint64_t max_memory)
      : what_(what), budget_(max_memory) {}
  ~ValueTree() = default;

  // Forgets the objects built before. `input` lies at `offset` in its file and
  // must outlive the objects.
  void Begin(ByteView input, std::uint64_t offset);

  Result<NodeId> Add(const Node& node);
  Result<NodeId> AddInt(std::int64_t value);
  Result<NodeId> AddFloat(double value);
  // Bytes or text of the input. kCorrupt beyond its end.
  Result<NodeId> AddBytes(PickleKind kind, std::uint64_t at,
                          std::uint64_t size);
  // REQUIRES: ChargeCopy() granted their sources.
  Result<NodeId> AddOwned(PickleKind kind, ByteBuffer bytes);
  // A tuple; a list; a dict, of keys and values in turn.
  Result<NodeId> AddItems(PickleKind kind, std::span<const NodeId> items);
  Result<NodeId> AddEmptyList(PickleKind kind);
  // In C order and little-endian: as it is, or as a copy. kCorrupt if shape and
  // bytes do not agree.
  Result<NodeId> AddArray(const NumpyDtype& dtype,
                          std::vector<std::uint64_t> shape,
                          const PickleBytes& data, bool fortran);
  // The one number that `item` is, as NumPy's scalars are bytes.
  Result<NodeId> AddScalar(const NumpyDtype& dtype, ByteView item);

  const Node& node(NodeId id) const { return nodes_[id]; }
  // Counts the items of a tuple or list, the keys and values of a dict.
  std::size_t SizeOf(const Node& container) const;
  // The i-th part of a tuple, list or dict.
  NodeId PartOf(const Node& container, std::size_t i) const;
  const Node& Part(const Node& container, std::size_t i) const {
    return node(PartOf(container, i));
  }
  // The sides that a tuple or list of integers says. kCorrupt for others.
  Result<std::vector<std::uint64_t>> ShapeOf(const Node& sides) const;
  PickleBytes BytesOf(const Node& bytes) const;
  std::string_view TextOf(const Node& text) const;
  static bool IsText(const Node& some);

  Status Charge(std::uint64_t bytes);
  // For that many bytes of the value in another form.
  Status ChargeCopy(std::uint64_t bytes);
  // With the byte at_.
  Status Corrupt(std::string message) const;
  Status Unsupported(std::string message) const;

  const std::string_view what_;
  RecordBudget budget_;
  ByteView input_;
  std::uint64_t offset_ = 0;  // of input_ in the file
  std::size_t at_ = 0;        // in input_, of the next byte
  std::vector<Node> nodes_;
  std::vector<NodeId> tuple_parts_;
  std::vector<std::vector<NodeId>> lists_;  // of lists and dicts
  std::vector<PickleArray> arrays_;
  std::vector<ByteBuffer> owned_;

  // Empties a vector, whose memory is kept for the next value unless the last
  // one took much.
  template <typename T>
  void Forget(std::vector<T>& vector) {
    vector.clear();
    if (release_) vector.shrink_to_fit();
  }

 private:
  Result<PickleBytes> Convert(const NumpyDtype& dtype,
                              const std::vector<std::uint64_t>& shape,
                              PickleBytes data, bool fortran);

  bool release_ = false;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_VALUE_TREE_H_
