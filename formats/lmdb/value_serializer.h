// ValueSerializer: how a Python program's serialiser writes the values of the
// layouts: a sample's image and label, the list of the keys, their number. Byte
// for byte as that program does. FORMAT.md, "Layouts".
#ifndef SHARDINE_FORMATS_LMDB_VALUE_SERIALIZER_H_
#define SHARDINE_FORMATS_LMDB_VALUE_SERIALIZER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "lmdb/spliced_bytes.h"

namespace shardine {

// A list of byte strings, the value of `__keys__`, or of texts, grown item by
// item. Thread-compatible.
class KeyListWriter {
 public:
  virtual ~KeyListWriter() = default;

  // REQUIRES: up to 1,000 bytes, less than 2 GiB in all; texts are UTF-8.
  virtual void Add(std::string_view key) = 0;
  // The size of Finish()'s result, give or take 4 KiB.
  virtual std::uint64_t bytes() const = 0;
  // Valid as long as the list. No calls after it.
  virtual const SplicedBytes& Finish() = 0;
};

// Thread-safe: it holds nothing.
class ValueSerializer {
 public:
  virtual ~ValueSerializer() = default;

  // The largest image and the largest list of keys, bytes.
  virtual std::uint64_t max_bytes() const = 0;
  // Replaces `to`, which views `image`. No label is None. REQUIRES: at most
  // max_bytes() bytes.
  virtual void WritePair(ByteView image, std::optional<std::int64_t> label,
                         SplicedBytes& to) const = 0;
  virtual std::unique_ptr<KeyListWriter> NewKeyList() const = 0;
  virtual std::unique_ptr<KeyListWriter> NewTextList() const = 0;
  // Replaces `to`.
  virtual void WriteLength(std::uint64_t samples, SplicedBytes& to) const = 0;
};

// pickle.dumps(..., protocol=4) of a tuple of bytes and int.
const ValueSerializer& PickleSerializer();
// pickle.dumps of ([bytes], array([label])): the batch of one sample that
// PyTorch's DataLoader makes of the same. Loads equal, but byte for byte.
const ValueSerializer& PickledBatchSerializer();
// pyarrow.serialize(...).to_buffer(), of pyarrow 0.15 to 10, of the same.
const ValueSerializer& ArrowSerializer();
// tensorpack's form of a list [uint8 array, int]: pickles, or with
// TENSORPACK_SERIALIZE=msgpack msgpack-numpy's values.
const ValueSerializer& PickledArraySerializer();
const ValueSerializer& MsgpackSerializer();

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_VALUE_SERIALIZER_H_
