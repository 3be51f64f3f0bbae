// A strict reader of msgpack, as tensorpack and old folder2lmdb wrote values,
// with the arrays and numbers of the package msgpack-numpy.
// https://github.com/msgpack/msgpack/blob/master/spec.md
#ifndef SHARDINE_FORMATS_LMDB_MSGPACK_READER_H_
#define SHARDINE_FORMATS_LMDB_MSGPACK_READER_H_

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "lmdb/pickle_value.h"
#include "lmdb/value_tree.h"
#include "shardine/status.h"

namespace shardine {

// Could `value` be an array, a map or a number of msgpack? No Datum is.
bool IsMsgpack(ByteView value);

// Thread-compatible.
class MsgpackReader : private ValueTree {
 public:
  // `max_memory`: the bytes that may be held at a time.
  explicit MsgpackReader(std::uint64_t max_memory)
      : ValueTree("msgpack value", max_memory) {}

  // The object that is all of `input`, as PickleReader::Read. An array is a
  // list. kUnsupported for extension types and for arrays of objects.
  Result<PickleValue> Read(ByteView input, std::uint64_t offset);
  using ValueTree::budget;

 private:
  Result<NodeId> ReadObject(int depth);
  Result<NodeId> ReadNumber(std::uint8_t code);
  Result<NodeId> ReadSized(std::uint8_t code, int depth);
  template <typename T>
  Result<NodeId> ReadInteger();
  template <typename T>
  Result<std::uint64_t> ReadSize();
  Result<NodeId> ReadBytes(PickleKind kind, std::uint64_t size);
  Result<NodeId> ReadItems(PickleKind kind, std::uint64_t items, int depth);
  // The array or number that msgpack-numpy wrote as this map, or the map.
  Result<NodeId> MakeNumpy(NodeId map);
  const Node* Find(const Node& map, std::string_view key) const;
  Status Cut() const;

  ByteCursor cursor_{ByteView()};
  std::vector<NodeId> stack_;  // items of the containers that are open
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_MSGPACK_READER_H_
