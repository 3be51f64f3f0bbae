#include "lmdb/arrow_reader.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/status_macros.h"

namespace shardine {
namespace {

// The value begins with four counts: tensors, sparse tensors, arrays, buffers.
// Before pyarrow 0.16 there were no sparse tensors, and 4 bytes of padding.
constexpr std::size_t kHeader = 16;
constexpr int kMaxStructDepth = 32;

std::int32_t CountAt(ByteView value, std::size_t i) {
  return LoadLe<std::int32_t>(&value[4 * i]);
}

std::int32_t OffsetAt(const ArrowColumn& column, std::uint64_t i) {
  return LoadLe<std::int32_t>(&column.offsets[static_cast<std::size_t>(4 * i)]);
}

template <Scalar T>
T DataAt(const ArrowColumn& column, std::uint64_t i) {
  return LoadLe<T>(&column.data[static_cast<std::size_t>(sizeof(T) * i)]);
}

bool BitAt(ByteView bits, std::uint64_t i) {
  const auto byte =
      std::to_integer<unsigned>(bits[static_cast<std::size_t>(i / 8)]);
  return (byte >> (i % 8) & 1U) != 0;
}

// The names of a union's children distinguish arrays, sets and tuples from
// others of their type: words at first, then numbers.
bool IsNamed(const ArrowColumn& column, std::string_view word,
             std::string_view number) {
  return column.name == word || column.name == number;
}

}  // namespace

// A Datum's first byte is no zero. Before 0.15 a message began with its size.
bool IsArrow(ByteView value) {
  if (value.size() < 64) return false;
  for (std::size_t i = 0; i < 4; ++i) {
    if (CountAt(value, i) < 0 || CountAt(value, i) > 0xffff) return false;
  }
  const auto first = LoadLe<std::uint32_t>(&value[kHeader]);
  const auto size =
      first == kArrowContinuation ? LoadLe<std::uint32_t>(&value[20]) : first;
  return CountAt(value, 0) == 0 && size % 4 == 0 && size >= 16 &&
         size <= value.size() - kHeader;
}

Result<PickleValue> ArrowReader::Read(ByteView input, std::uint64_t offset) {
  Begin(input, offset);
  Forget(columns_);
  Forget(tensors_);
  if (!IsArrow(input)) return Corrupt("a value that pyarrow did not write");
  SHARDINE_RETURN_IF_ERROR(ReadStream());
  // The object stands in the batch as the only item of a list.
  const ArrowColumn& root = columns_[0];
  if (root.type != ArrowType::kUnion || root.length != 1) {
    return Unsupported("an Arrow batch that pyarrow.serialize did not write");
  }
  SHARDINE_ASSIGN_OR_RETURN(const NodeId object, ReadItem(root, 0, 0));
  return PickleValue(*this, object);
}

// ArrowStream knows offsets in the value, and the user wants those in the file.
Status ArrowReader::InFile(const Status& status) const {
  return Status(status.code(), status.message())
      .At({.offset = offset_ + status.where().offset.value_or(0)});
}

Status ArrowReader::ReadStream() {
  ArrowStream stream(input_, kHeader);
  auto columns = stream.ReadBatch();
  if (!columns.ok()) return InFile(columns.status());
  columns_ = *std::move(columns);
  const std::int32_t arrays =
      CountAt(input_, 2) > 0 ? CountAt(input_, 2) : CountAt(input_, 1);
  for (std::int32_t i = 0; i < arrays; ++i) {
    stream.Align();
    auto tensor = stream.ReadTensor();
    if (!tensor.ok()) return InFile(tensor.status());
    SHARDINE_RETURN_IF_ERROR(
        Charge(2 * sizeof(ArrowTensor) + 8 * tensor->shape.size()));
    tensors_.push_back(*std::move(tensor));
  }
  return {};
}

Result<std::vector<ArrowReader::NodeId>> ArrowReader::ReadItems(
    const ArrowColumn& column, std::uint64_t begin, std::uint64_t end,
    int depth) {
  if (column.type != ArrowType::kUnion || begin > end || end > column.length) {
    return Corrupt("an Arrow list that reaches beyond its items");
  }
  if (depth > kMaxStructDepth) {
    return Unsupported("an Arrow value nested deeper than 32 levels");
  }
  SHARDINE_RETURN_IF_ERROR(Charge((end - begin) * 2 * sizeof(NodeId)));
  std::vector<NodeId> items;
  for (std::uint64_t i = begin; i < end; ++i) {
    SHARDINE_ASSIGN_OR_RETURN(const NodeId item, ReadItem(column, i, depth));
    items.push_back(item);
  }
  return items;
}

// Item `i` of a dense union: the type says which child has it, the offset where
// in it. REQUIRES: i < column.length.
Result<ArrowReader::NodeId> ArrowReader::ReadItem(const ArrowColumn& column,
                                                  std::uint64_t i, int depth) {
  // Lists may overlap, so that few bytes could ask for any number of objects;
  // pyarrow writes five bytes and more for each.
  if (nodes_.size() >= input_.size()) {
    return Corrupt("an Arrow value with more objects than bytes");
  }
  if (!column.validity.empty() && !BitAt(column.validity, i)) return Add({});
  const auto id =
      std::to_integer<std::uint8_t>(column.types[static_cast<std::size_t>(i)]);
  const std::uint16_t found = column.child_of_type[id];
  if (found == 0) return Corrupt("an Arrow union with an item of no type");
  const std::size_t child = column.children[found - 1U];
  const std::int32_t offset = OffsetAt(column, i);
  if (offset < 0 ||
      static_cast<std::uint64_t>(offset) >= columns_[child].length) {
    return Corrupt("an Arrow union with an item beyond those of its type");
  }
  return ReadValue(columns_[child], static_cast<std::uint64_t>(offset), depth);
}

Result<ArrowReader::NodeId> ArrowReader::ReadValue(const ArrowColumn& column,
                                                   std::uint64_t i, int depth) {
  switch (column.type) {
    case ArrowType::kNull:
      return Add({});
    case ArrowType::kBool:
      return Add({.kind = PickleKind::kBool, .first = BitAt(column.data, i)});
    case ArrowType::kInt32:
      return ReadArray(column, i);
    case ArrowType::kInt64:
      return AddInt(DataAt<std::int64_t>(column, i));
    case ArrowType::kHalf:
      return AddScalar(*ParseDtypeCode("f2"),
                       column.data.subspan(static_cast<std::size_t>(2 * i), 2));
    case ArrowType::kSingle:
      return AddFloat(DataAt<float>(column, i));
    case ArrowType::kDouble:
      return AddFloat(DataAt<double>(column, i));
    case ArrowType::kBinary:
    case ArrowType::kText:
      return ReadBinary(column, i);
    case ArrowType::kList:
      return ReadList(column, i, depth);
    case ArrowType::kStruct:
      // Before 0.15 a list stood in a struct of one, which had its name.
      if (column.children.size() == 1) {
        const ArrowColumn& list = columns_[column.children[0]];
        if (list.type == ArrowType::kList && i < list.length) {
          return ReadList(list, i, depth);
        }
      }
      break;
    case ArrowType::kUnion:
      break;
  }
  return Unsupported("an Arrow value that pyarrow.serialize did not write");
}

// The i-th pair of neighbours in a column's offsets.
Result<std::pair<std::uint64_t, std::uint64_t>> ArrowReader::Between(
    const ArrowColumn& column, std::uint64_t i) const {
  const std::int32_t begin = OffsetAt(column, i);
  const std::int32_t end = OffsetAt(column, i + 1);
  if (begin < 0 || end < begin) {
    return Corrupt("an Arrow array with offsets that do not ascend");
  }
  return std::pair(static_cast<std::uint64_t>(begin),
                   static_cast<std::uint64_t>(end));
}

Result<ArrowReader::NodeId> ArrowReader::ReadBinary(const ArrowColumn& column,
                                                    std::uint64_t i) {
  SHARDINE_ASSIGN_OR_RETURN(const auto range, Between(column, i));
  if (range.second > column.data.size()) {
    return Corrupt("bytes that reach beyond their Arrow buffer");
  }
  return AddBytes(
      column.type == ArrowType::kText ? PickleKind::kText : PickleKind::kBytes,
      column.data_at + range.first, range.second - range.first);
}

Result<ArrowReader::NodeId> ArrowReader::ReadList(const ArrowColumn& column,
                                                  std::uint64_t i, int depth) {
  SHARDINE_ASSIGN_OR_RETURN(const auto range, Between(column, i));
  const ArrowColumn& items = columns_[column.children[0]];
  if (items.type == ArrowType::kStruct) {
    return ReadDict(items, range.first, range.second, depth);
  }
  if (IsNamed(column, "set", "13")) return Unsupported("a set");
  SHARDINE_ASSIGN_OR_RETURN(
      const auto ids, ReadItems(items, range.first, range.second, depth + 1));
  return AddItems(
      IsNamed(column, "tuple", "12") ? PickleKind::kTuple : PickleKind::kList,
      ids);
}

Result<ArrowReader::NodeId> ArrowReader::ReadDict(const ArrowColumn& items,
                                                  std::uint64_t begin,
                                                  std::uint64_t end,
                                                  int depth) {
  if (items.children.size() != 2) {
    return Unsupported("an Arrow struct that is no dict of pyarrow.serialize");
  }
  SHARDINE_ASSIGN_OR_RETURN(
      const auto keys,
      ReadItems(columns_[items.children[0]], begin, end, depth + 1));
  SHARDINE_ASSIGN_OR_RETURN(
      const auto values,
      ReadItems(columns_[items.children[1]], begin, end, depth + 1));
  std::vector<NodeId> pairs;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    // pyarrow calls the function that was registered under that name.
    if (IsText(node(keys[i])) && TextOf(node(keys[i])) == "_pytype_") {
      return Unsupported("an object with a serialiser of its own");
    }
    pairs.push_back(keys[i]);
    pairs.push_back(values[i]);
  }
  return AddItems(PickleKind::kDict, pairs);
}

Result<ArrowReader::NodeId> ArrowReader::ReadArray(const ArrowColumn& column,
                                                   std::uint64_t i) {
  if (!IsNamed(column, "ndarray", "15")) {
    return Unsupported("a buffer or tensor of Arrow");
  }
  const auto number = DataAt<std::int32_t>(column, i);
  if (number < 0 || static_cast<std::size_t>(number) >= tensors_.size()) {
    return Corrupt("an Arrow value that asks for an array that it has not");
  }
  const ArrowTensor& tensor = tensors_[static_cast<std::size_t>(number)];
  const PickleBytes data{
      .bytes = input_.subspan(static_cast<std::size_t>(tensor.at),
                              static_cast<std::size_t>(tensor.size)),
      .offset = offset_ + tensor.at};
  return AddArray(tensor.dtype, tensor.shape, data, tensor.fortran);
}

}  // namespace shardine
