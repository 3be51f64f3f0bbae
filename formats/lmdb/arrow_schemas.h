// The schemas of the six Python objects that are written as pyarrow.serialize
// does. An object is an Arrow record batch of one column, "list", a dense union
// of the types that occur in it, and pyarrow makes the same schema for all
// objects of one shape: flatbuffers of arrow/format/Schema.fbs, as pyarrow
// 10.0.1 lays them out.
#ifndef SHARDINE_FORMATS_LMDB_ARROW_SCHEMAS_H_
#define SHARDINE_FORMATS_LMDB_ARROW_SCHEMAS_H_

#include <array>
#include <cstdint>

#include "base/bytes.h"

namespace shardine {

enum class ArrowShape : std::uint8_t {
  kPairOfBytesAndInt,
  kPairOfBytesAndNone,
  kInt,
  kListOfBytes,
  kListOfTexts,
  kEmptyList,
};

// Without the two words in front of it, ff ff ff ff and its size.
ByteView ArrowSchema(ArrowShape shape);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_ARROW_SCHEMAS_H_
