#include "lmdb/arrow_batch.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/status_macros.h"

namespace shardine {
namespace {

// Schemas of samples have a dozen fields. These two bound a hostile one.
constexpr int kMaxColumnDepth = 32;
constexpr std::size_t kMaxColumns = 4096;
// Version 4 of the metadata, which is numbered 3, gave unions a validity.
constexpr std::int16_t kVersion4 = 3;
constexpr std::int16_t kVersion5 = 4;

// Numbers of Arrow's types in a schema.
constexpr std::uint8_t kNullType = 1;
constexpr std::uint8_t kIntType = 2;
constexpr std::uint8_t kRealType = 3;
constexpr std::uint8_t kBinaryType = 4;
constexpr std::uint8_t kTextType = 5;
constexpr std::uint8_t kBoolType = 6;
constexpr std::uint8_t kListType = 12;
constexpr std::uint8_t kStructType = 13;
constexpr std::uint8_t kUnionType = 14;

// The types that pyarrow.serialize uses; nullopt for others.
std::optional<ArrowType> TypeOf(FlatBuffer& schema, FlatBuffer::Table field) {
  const FlatBuffer::Table type = schema.Child(field, 3);
  switch (schema.Number<std::uint8_t>(field, 2)) {
    case kNullType:
      return ArrowType::kNull;
    case kIntType: {
      const auto bits = schema.Number<std::int32_t>(type, 0);
      if (schema.Number<std::uint8_t>(type, 1) == 0) return std::nullopt;
      if (bits == 32) return ArrowType::kInt32;
      if (bits == 64) return ArrowType::kInt64;
      return std::nullopt;
    }
    case kRealType: {
      constexpr ArrowType kPrecisions[] = {ArrowType::kHalf, ArrowType::kSingle,
                                           ArrowType::kDouble};
      const auto precision = schema.Number<std::int16_t>(type, 0);
      if (precision < 0 || precision > 2) return std::nullopt;
      return kPrecisions[precision];
    }
    case kBinaryType:
      return ArrowType::kBinary;
    case kTextType:
      return ArrowType::kText;
    case kBoolType:
      return ArrowType::kBool;
    case kListType:
      return ArrowType::kList;
    case kStructType:
      return ArrowType::kStruct;
    case kUnionType:
      // Our writer makes no sparse union, 0.
      if (schema.Number<std::int16_t>(type, 0) != 1) return std::nullopt;
      return ArrowType::kUnion;
    default:
      return std::nullopt;
  }
}

std::uint64_t ItemBytes(ArrowType type) {
  switch (type) {
    case ArrowType::kHalf:
      return 2;
    case ArrowType::kInt32:
    case ArrowType::kSingle:
      return 4;
    default:
      return 8;
  }
}

// The dtype of a tensor, of fixed order.
std::optional<NumpyDtype> DtypeOf(FlatBuffer& metadata,
                                  FlatBuffer::Table tensor) {
  const FlatBuffer::Table type = metadata.Child(tensor, 1);
  switch (metadata.Number<std::uint8_t>(tensor, 0)) {
    case kIntType: {
      const auto bits = metadata.Number<std::int32_t>(type, 0);
      const bool is_signed = metadata.Number<std::uint8_t>(type, 1) != 0;
      if (bits <= 0 || bits > 64 || bits % 8 != 0) return std::nullopt;
      return ParseDtypeCode((is_signed ? "i" : "u") + std::to_string(bits / 8));
    }
    case kRealType: {
      const auto precision = metadata.Number<std::int16_t>(type, 0);
      if (precision < 0 || precision > 2) return std::nullopt;
      return ParseDtypeCode("f" + std::to_string(2 << precision));
    }
    default:
      return std::nullopt;
  }
}

// Do `strides` go through an array of that shape without a gap? `reversed`: the
// first dimension fastest.
bool Strides(std::span<const std::int64_t> strides,
             std::span<const std::uint64_t> shape, std::uint64_t item,
             bool reversed) {
  auto step = static_cast<std::int64_t>(item);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t d = reversed ? i : shape.size() - 1 - i;
    if (shape[d] > 1 && strides[d] != step) return false;
    if (__builtin_mul_overflow(step, static_cast<std::int64_t>(shape[d]),
                               &step)) {
      return false;
    }
  }
  return true;
}

}  // namespace

// A message: since 0.15 ff ff ff ff; the size of its metadata, 0 at the end of
// the stream; metadata; body.
Result<ArrowMessage> ArrowStream::Next() {
  message_at_ = std::min(at_, input_.size());
  ByteCursor cursor(input_.subspan(message_at_));
  std::uint32_t size = 0;
  if (!cursor.Read(size) ||
      (size == kArrowContinuation && !cursor.Read(size))) {
    return Corrupt("an Arrow stream ends early");
  }
  at_ += cursor.position();
  ArrowMessage message;
  if (size == 0) return message;
  if (!cursor.ReadBytes(size, metadata_)) {
    return Corrupt("an Arrow message reaches beyond its value");
  }
  at_ += size;
  FlatBuffer metadata(metadata_);
  const FlatBuffer::Table root = metadata.Root();
  message.version = metadata.Number<std::int16_t>(root, 0);
  message.header_type = metadata.Number<std::uint8_t>(root, 1);
  message.header = metadata.Child(root, 2);
  message.body_size =
      static_cast<std::uint64_t>(metadata.Number<std::int64_t>(root, 3));
  message.body_at = at_;
  if (!metadata.ok() || message.header == 0 ||
      message.body_size > cursor.remaining()) {
    return Corrupt("an Arrow message that is damaged");
  }
  if (message.version != kVersion4 && message.version != kVersion5) {
    return Unsupported("Arrow metadata of version " +
                       std::to_string(message.version + 1));
  }
  at_ += static_cast<std::size_t>(message.body_size);
  return message;
}

Result<std::vector<ArrowColumn>> ArrowStream::ReadBatch() {
  columns_.clear();
  SHARDINE_ASSIGN_OR_RETURN(const ArrowMessage schema, Next());
  if (schema.header_type != kArrowSchema) {
    return Corrupt("an Arrow stream that does not begin with a schema");
  }
  FlatBuffer metadata(metadata_);
  if (metadata.Number<std::int16_t>(schema.header, 0) != 0) {
    return Unsupported("a big-endian Arrow stream");
  }
  const auto fields = metadata.Items(schema.header, 1, sizeof(std::uint32_t));
  if (fields.count != 1) {
    return Unsupported("an Arrow stream of other than one column");
  }
  SHARDINE_RETURN_IF_ERROR(ReadField(metadata, metadata.Item(fields, 0), 0));
  if (!metadata.ok()) return Corrupt("an Arrow schema that is damaged");
  SHARDINE_ASSIGN_OR_RETURN(const ArrowMessage batch, Next());
  if (batch.header_type != kArrowRecordBatch) {
    return Corrupt("an Arrow schema without a batch after it");
  }
  FlatBuffer record(metadata_);
  if (record.Child(batch.header, 3) != 0) {
    return Unsupported("a compressed Arrow batch");
  }
  Layout layout{.metadata = &record,
                .nodes = record.Items(batch.header, 1, 16),
                .buffers = record.Items(batch.header, 2, 16),
                .message = &batch};
  SHARDINE_RETURN_IF_ERROR(FillTree(0, layout));
  if (!record.ok()) return Corrupt("an Arrow batch that is damaged");
  SHARDINE_ASSIGN_OR_RETURN(const ArrowMessage end, Next());
  if (end.header_type != 0) return Unsupported("several batches of Arrow");
  return std::move(columns_);
}

// Adds the column of a field and those of its children.
Status ArrowStream::ReadField(FlatBuffer& schema, FlatBuffer::Table field,
                              int depth) {
  const auto type = TypeOf(schema, field);
  if (!schema.ok()) return Corrupt("an Arrow schema that is damaged");
  if (!type || schema.Child(field, 4) != 0) {
    return Unsupported(
        "a column of a type that pyarrow.serialize does not use");
  }
  if (depth > kMaxColumnDepth || columns_.size() == kMaxColumns) {
    return Unsupported("an Arrow schema of more than " +
                       std::to_string(kMaxColumns) + " columns or 32 levels");
  }
  const std::size_t mine = columns_.size();
  columns_.emplace_back();
  columns_[mine].name = schema.Text(field, 0).substr(0, 80);
  columns_[mine].type = *type;
  const auto children = schema.Items(field, 5, sizeof(std::uint32_t));
  for (std::size_t i = 0; i < children.count; ++i) {
    columns_[mine].children.push_back(columns_.size());
    SHARDINE_RETURN_IF_ERROR(
        ReadField(schema, schema.Item(children, i), depth + 1));
  }
  if (*type == ArrowType::kUnion) {
    const auto ids = schema.Items(schema.Child(field, 3), 1, 4);
    columns_[mine].child_of_type.resize(256);
    for (std::size_t i = 0; i < children.count; ++i) {
      // Without a list, a child's number is its id. An item says it in eight
      // bits.
      const std::int32_t id = i < ids.count
                                  ? schema.Load<std::int32_t>(ids.at + 4 * i)
                                  : static_cast<std::int32_t>(i);
      if (id < std::numeric_limits<std::int8_t>::min() ||
          id > std::numeric_limits<std::int8_t>::max()) {
        continue;
      }
      std::uint16_t& child =
          columns_[mine].child_of_type[static_cast<std::uint8_t>(id)];
      if (child == 0) child = static_cast<std::uint16_t>(i + 1);
    }
  }
  const bool fits = *type != ArrowType::kList || children.count == 1;
  return fits && schema.ok() ? Status()
                             : Corrupt("an Arrow schema that is damaged");
}

Status ArrowStream::FillTree(std::size_t column, Layout& layout) {
  SHARDINE_RETURN_IF_ERROR(Fill(columns_[column], layout));
  for (const std::size_t child : columns_[column].children) {
    SHARDINE_RETURN_IF_ERROR(FillTree(child, layout));
  }
  return {};
}

Status ArrowStream::Fill(ArrowColumn& column, Layout& layout) {
  if (layout.next_node == layout.nodes.count) {
    return Corrupt("an Arrow batch with fewer arrays than its schema");
  }
  const std::size_t node = layout.nodes.at + 16 * layout.next_node++;
  column.length = layout.metadata->Load<std::uint64_t>(node);
  const auto nulls = layout.metadata->Load<std::uint64_t>(node + 8);
  if (column.type == ArrowType::kNull) return {};
  // Each value takes at least one bit, except nulls.
  if (column.length > 8 * layout.message->body_size) {
    return Corrupt("an Arrow array longer than its message");
  }
  const bool is_union = column.type == ArrowType::kUnion;
  if (!is_union && nulls != 0) return Unsupported("an Arrow array with nulls");
  if (!is_union || layout.message->version == kVersion4) {
    const std::uint64_t bits = nulls == 0 ? 0 : (column.length + 7) / 8;
    SHARDINE_ASSIGN_OR_RETURN(column.validity, NextBuffer(layout, bits));
    if (nulls == 0) column.validity = {};
  }
  return FillBuffers(column, layout);
}

Status ArrowStream::FillBuffers(ArrowColumn& column, Layout& layout) {
  const bool is_union = column.type == ArrowType::kUnion;
  const bool binary =
      column.type == ArrowType::kBinary || column.type == ArrowType::kText;
  if (is_union) {
    SHARDINE_ASSIGN_OR_RETURN(column.types, NextBuffer(layout, column.length));
  }
  if (is_union || binary || column.type == ArrowType::kList) {
    const std::uint64_t more = is_union || column.length == 0 ? 0 : 1;
    SHARDINE_ASSIGN_OR_RETURN(column.offsets,
                              NextBuffer(layout, 4 * (column.length + more)));
  } else if (column.type != ArrowType::kStruct) {
    const std::uint64_t bits = column.type == ArrowType::kBool
                                   ? column.length
                                   : 8 * ItemBytes(column.type) * column.length;
    SHARDINE_ASSIGN_OR_RETURN(column.data, NextBuffer(layout, (bits + 7) / 8));
  }
  if (!binary) return {};
  SHARDINE_ASSIGN_OR_RETURN(column.data, NextBuffer(layout, 0));
  column.data_at = static_cast<std::size_t>(column.data.data() - input_.data());
  return {};
}

Result<ByteView> ArrowStream::NextBuffer(Layout& layout, std::uint64_t least) {
  if (layout.next_buffer == layout.buffers.count) {
    return Corrupt("an Arrow batch with fewer buffers than its schema");
  }
  const std::size_t buffer = layout.buffers.at + 16 * layout.next_buffer++;
  const auto at = layout.metadata->Load<std::uint64_t>(buffer);
  const auto size = layout.metadata->Load<std::uint64_t>(buffer + 8);
  const std::uint64_t body = layout.message->body_size;
  if (at > body || size > body - at || size < least) {
    return Corrupt("an Arrow buffer that does not fit its message or array");
  }
  return input_.subspan(static_cast<std::size_t>(layout.message->body_at + at),
                        static_cast<std::size_t>(size));
}

Result<ArrowTensor> ArrowStream::ReadTensor() {
  SHARDINE_ASSIGN_OR_RETURN(const ArrowMessage message, Next());
  if (message.header_type != kArrowTensor) {
    return Unsupported("an Arrow tensor that is not dense");
  }
  FlatBuffer metadata(metadata_);
  const auto dtype = DtypeOf(metadata, message.header);
  if (!dtype) return Unsupported("an Arrow tensor that is not of numbers");
  ArrowTensor tensor{.dtype = *dtype};
  const auto sides = metadata.Items(message.header, 2, 4);
  const auto steps = metadata.Items(message.header, 3, 8);
  if (sides.count > kMaxRank ||
      (steps.count != 0 && steps.count != sides.count)) {
    return Corrupt("an Arrow tensor of no shape");
  }
  std::vector<std::int64_t> strides;
  for (std::size_t i = 0; i < sides.count; ++i) {
    tensor.shape.push_back(
        metadata.Number<std::uint64_t>(metadata.Item(sides, i), 0));
    if (steps.count == 0) continue;
    strides.push_back(metadata.Load<std::int64_t>(steps.at + 8 * i));
  }
  const std::size_t data = metadata.Struct(message.header, 4);
  const auto at = metadata.Load<std::uint64_t>(data);
  tensor.size = metadata.Load<std::uint64_t>(data + 8);
  if (!metadata.ok() || data == 0 || at > message.body_size ||
      tensor.size > message.body_size - at) {
    return Corrupt("an Arrow tensor that is damaged");
  }
  tensor.at = message.body_at + at;
  const bool rows = strides.empty() ||
                    Strides(strides, tensor.shape, dtype->item_size, false);
  tensor.fortran =
      !rows && Strides(strides, tensor.shape, dtype->item_size, true);
  if (rows || tensor.fortran) return tensor;
  return Unsupported("an Arrow tensor with gaps between its numbers");
}

Status ArrowStream::Corrupt(std::string message) const {
  return Status(Code::kCorrupt, std::move(message)).At({.offset = message_at_});
}

Status ArrowStream::Unsupported(std::string message) const {
  return Status(Code::kUnsupported, std::move(message))
      .At({.offset = message_at_});
}

}  // namespace shardine
