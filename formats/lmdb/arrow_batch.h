// The part of Arrow's stream format that pyarrow.serialize writes: one record
// batch of nested dense unions, and tensors.
// https://arrow.apache.org/docs/format/Columnar.html; FORMAT.md, "Arrow".
#ifndef SHARDINE_FORMATS_LMDB_ARROW_BATCH_H_
#define SHARDINE_FORMATS_LMDB_ARROW_BATCH_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "lmdb/flat_buffer.h"
#include "lmdb/numpy_dtype.h"
#include "shardine/status.h"

namespace shardine {

// Stands before the size of a message, from format version 5 on.
constexpr std::uint32_t kArrowContinuation = 0xffffffff;

enum class ArrowType : std::uint8_t {
  kNull,
  kBool,
  kInt32,
  kInt64,
  kHalf,
  kSingle,
  kDouble,
  kBinary,
  kText,
  kList,
  kStruct,
  kUnion,  // dense
};

// One array of a batch. Its buffers lie in the input, and are as large as its
// length needs.
struct ArrowColumn {
  std::string name;
  ArrowType type = ArrowType::kNull;
  std::uint64_t length = 0;
  ByteView validity;  // one bit each; empty: all are valid
  ByteView types;     // of a union, i8 each
  ByteView offsets;   // i32 each; one more than values in lists and binaries
  ByteView data;
  std::size_t data_at = 0;            // in the input
  std::vector<std::size_t> children;  // columns
  // A union's child plus 1 by the number of its type; 0 means no child.
  std::vector<std::uint16_t> child_of_type;
};

struct ArrowTensor {
  NumpyDtype dtype = {};
  std::vector<std::uint64_t> shape = {};
  bool fortran = false;
  std::uint64_t at = 0;  // in the input
  std::uint64_t size = 0;
};

struct ArrowMessage {
  std::uint8_t header_type = 0;
  std::int16_t version = 0;
  FlatBuffer::Table header = 0;
  std::uint64_t body_at = 0;  // in the input
  std::uint64_t body_size = 0;
};
inline constexpr std::uint8_t kArrowSchema = 1;
inline constexpr std::uint8_t kArrowRecordBatch = 3;
inline constexpr std::uint8_t kArrowTensor = 4;

// Reads messages from `at` on, each with the place where it ends. Errors are
// kCorrupt and kUnsupported with an offset in the input. Thread-compatible.
class ArrowStream {
 public:
  ArrowStream(ByteView input, std::size_t at) : input_(input), at_(at) {}

  // The columns of a stream of a schema and one batch; the first is the only
  // one of the batch, the others are its children.
  Result<std::vector<ArrowColumn>> ReadBatch();
  Result<ArrowTensor> ReadTensor();
  // To the next multiple of 64.
  void Align() { at_ = (at_ + 63) / 64 * 64; }

 private:
  struct Layout {
    FlatBuffer* metadata = nullptr;
    FlatBuffer::Vector nodes;
    FlatBuffer::Vector buffers;
    std::size_t next_node = 0;
    std::size_t next_buffer = 0;
    const ArrowMessage* message = nullptr;
  };

  // Sets metadata_ to the message's; header_type 0 at the end of the stream.
  Result<ArrowMessage> Next();
  Status ReadField(FlatBuffer& schema, FlatBuffer::Table field, int depth);
  Status Fill(ArrowColumn& column, Layout& layout);
  Status FillBuffers(ArrowColumn& column, Layout& layout);
  Status FillTree(std::size_t column, Layout& layout);
  Result<ByteView> NextBuffer(Layout& layout, std::uint64_t least);
  Status Corrupt(std::string message) const;
  Status Unsupported(std::string message) const;

  ByteView input_;
  std::size_t at_;
  std::size_t message_at_ = 0;
  ByteView metadata_;
  std::vector<ArrowColumn> columns_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_ARROW_BATCH_H_
