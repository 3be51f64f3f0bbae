// A strict reader of Python's pickles, protocols 0 to 5. It builds data only:
// an opcode that would import, call or build anything but a NumPy array is
// refused by name. https://docs.python.org/3/library/pickletools.html
#ifndef SHARDINE_FORMATS_LMDB_PICKLE_READER_H_
#define SHARDINE_FORMATS_LMDB_PICKLE_READER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "lmdb/numpy_dtype.h"
#include "lmdb/pickle_value.h"
#include "lmdb/value_tree.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible.
class PickleReader : private ValueTree {
 public:
  // `max_memory`: the bytes that may be held at a time.
  explicit PickleReader(std::uint64_t max_memory)
      : ValueTree("pickle", max_memory) {}

  // The object of a pickle that is all of `input`, which lies at `offset` in
  // its file and must outlive the value. Bytes are not copied but where they
  // must be converted (Fortran order, big-endian items, Python 3's bytes in
  // protocol 2, or protocol 0). kCorrupt and kUnsupported with the byte in the
  // file.
  Result<PickleValue> Read(ByteView input, std::uint64_t offset);
  using ValueTree::budget;

 private:
  Status Run();
  Status Execute(std::uint8_t opcode);
  Status ExecuteNumber(std::uint8_t opcode);
  Status ExecuteBytes(std::uint8_t opcode);
  Status ExecuteContainer(std::uint8_t opcode);
  Status ExecuteObject(std::uint8_t opcode);
  Status ExecuteMemo(std::uint8_t opcode);
  // Protocol 0: arguments are lines of text.
  Status ExecuteText(std::uint8_t opcode);

  Status PushInt(std::int64_t value);
  Status PushFloat(double value);
  Status PushLong(std::uint64_t size);
  Status PushBytes(PickleKind kind, std::uint64_t size);
  Status PushOwned(PickleKind kind, ByteBuffer bytes);
  Status PushTuple(std::size_t count);
  Status PushNode(const Node& node);
  Status Push(Result<NodeId> id);
  Status PushId(NodeId id);
  Status Memoize(std::uint64_t index);
  Status Recall(std::uint64_t index);
  Status Extend(PickleKind kind, std::size_t first_item);
  Result<std::size_t> PopMark();
  Status Need(std::size_t count);
  NodeId Pop();

  Status PushGlobal(std::string_view module, std::string_view name);
  Status ReadGlobalLines();
  Status ReadLine(std::string_view& line);
  Status PushTextInt(std::string_view line);
  Status PushTextFloat(std::string_view line);
  Status PushString(std::string_view line);
  Status PushUnicode(std::string_view line);
  Status PushList(PickleKind kind);
  Status Reduce();
  Status Build();
  Status ReduceDtype(const Node& arguments);
  Status ReduceFromBuffer(const Node& arguments);
  Status ReduceEncode(const Node& arguments);
  Status ReduceScalar(const Node& arguments);
  Status BuildDtype(const Node& dtype, const Node& state);
  Status BuildArray(NodeId shell, const Node& state);
  Status MakeArray(const Node& dtype, const Node& shape, const Node& data,
                   bool fortran);

  Status Cut() const;

  ByteCursor cursor_{ByteView()};
  std::vector<NodeId> stack_;
  std::vector<std::size_t> marks_;  // sizes of stack_
  std::vector<NodeId> memo_;
  std::vector<NumpyDtype> dtypes_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_PICKLE_READER_H_
