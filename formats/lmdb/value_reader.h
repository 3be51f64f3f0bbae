// ValueReader: reads a value by the serialiser that wrote it, which its first
// bytes tell.
#ifndef SHARDINE_FORMATS_LMDB_VALUE_READER_H_
#define SHARDINE_FORMATS_LMDB_VALUE_READER_H_

#include <cstdint>

#include "base/bytes.h"
#include "lmdb/arrow_reader.h"
#include "lmdb/msgpack_reader.h"
#include "lmdb/pickle_reader.h"
#include "lmdb/pickle_value.h"
#include "shardine/status.h"

namespace shardine {

enum class Serialiser : std::uint8_t { kPickle, kArrow, kMsgpack, kNone };

// No Datum of Caffe and no encoded image is taken for one of them.
Serialiser SerialiserOf(ByteView value);
// Is it told by more than a byte that texts and numbers may begin with?
bool IsSurely(ByteView value);
// Why a value cannot be read that was taken for a serialiser's: no damage where
// it may be anything else.
Status ByGuess(ByteView value, const Status& status);

// Thread-compatible.
class ValueReader {
 public:
  // `max_memory`: the bytes that may be held at a time.
  explicit ValueReader(std::uint64_t max_memory)
      : pickle_(max_memory), arrow_(max_memory), msgpack_(max_memory) {}
  ValueReader(const ValueReader&) = delete;
  ValueReader& operator=(const ValueReader&) = delete;

  // As PickleReader::Read. Input of no serialiser is refused with a pickle's
  // errors.
  Result<PickleValue> Read(ByteView input, std::uint64_t offset);

  // The budget of the value read last also pays for the fields made of it.
  RecordBudget& budget() { return *budget_; }

 private:
  PickleReader pickle_;
  ArrowReader arrow_;
  MsgpackReader msgpack_;
  RecordBudget* budget_ = &pickle_.budget();
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_VALUE_READER_H_
