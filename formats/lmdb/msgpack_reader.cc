#include "lmdb/msgpack_reader.h"

#include <bit>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "base/shown_name.h"
#include "base/status_macros.h"

namespace shardine {
namespace {

// Layouts nest a few levels; the reader is called once for each.
constexpr int kMaxMsgpackDepth = 32;

// Numbers of msgpack are big-endian.
template <typename T>
T Swapped(T value) {
  const auto bits = static_cast<std::make_unsigned_t<T>>(value);
  if constexpr (sizeof(T) == 2) return static_cast<T>(__builtin_bswap16(bits));
  if constexpr (sizeof(T) == 4) return static_cast<T>(__builtin_bswap32(bits));
  if constexpr (sizeof(T) == 8) return static_cast<T>(__builtin_bswap64(bits));
  return value;
}

}  // namespace

// 0x80, an empty map, holds nothing and begins a pickle, too; the other codes
// are tags that no Datum has.
bool IsMsgpack(ByteView value) {
  if (value.empty()) return false;
  const auto first = std::to_integer<unsigned>(value[0]);
  if (first < 0x80 || first >= 0xe0) return value.size() == 1;
  return (first > 0x80 && first <= 0x9f) || first == 0xc0 ||
         (first >= 0xca && first <= 0xd3) || first >= 0xdc;
}

Result<PickleValue> MsgpackReader::Read(ByteView input, std::uint64_t offset) {
  Begin(input, offset);
  Forget(stack_);
  cursor_ = ByteCursor(input);
  SHARDINE_ASSIGN_OR_RETURN(const NodeId object, ReadObject(0));
  at_ = cursor_.position();
  if (!cursor_.done()) return Corrupt("bytes after the end of a msgpack value");
  return PickleValue(*this, object);
}

Result<MsgpackReader::NodeId> MsgpackReader::ReadObject(int depth) {
  at_ = cursor_.position();
  if (depth > kMaxMsgpackDepth) {
    return Unsupported("msgpack nested deeper than 32 levels");
  }
  std::uint8_t code = 0;
  if (!cursor_.Read(code)) return Cut();
  if (code < 0x80) return AddInt(code);
  if (code < 0x90) return ReadItems(PickleKind::kDict, code & 0xfU, depth);
  if (code < 0xa0) return ReadItems(PickleKind::kList, code & 0xfU, depth);
  if (code < 0xc0) return ReadBytes(PickleKind::kText, code & 0x1fU);
  if (code >= 0xe0) return AddInt(static_cast<std::int8_t>(code));
  if (code == 0xc0) return Add({});
  if (code == 0xc2 || code == 0xc3) {
    return Add({.kind = PickleKind::kBool, .first = code - 0xc2U});
  }
  return code >= 0xca && code <= 0xd3 ? ReadNumber(code)
                                      : ReadSized(code, depth);
}

template <typename T>
Result<MsgpackReader::NodeId> MsgpackReader::ReadInteger() {
  T value = 0;
  if (!cursor_.Read(value)) return Cut();
  value = Swapped(value);
  if (std::cmp_greater(value, std::numeric_limits<std::int64_t>::max())) {
    return Unsupported("an integer outside 64 bits with a sign");
  }
  return AddInt(static_cast<std::int64_t>(value));
}

Result<MsgpackReader::NodeId> MsgpackReader::ReadNumber(std::uint8_t code) {
  std::uint32_t single = 0;
  std::uint64_t real = 0;
  switch (code) {
    case 0xca:
      if (!cursor_.Read(single)) return Cut();
      return AddFloat(std::bit_cast<float>(Swapped(single)));
    case 0xcb:
      if (!cursor_.Read(real)) return Cut();
      return AddFloat(std::bit_cast<double>(Swapped(real)));
    case 0xcc:
      return ReadInteger<std::uint8_t>();
    case 0xcd:
      return ReadInteger<std::uint16_t>();
    case 0xce:
      return ReadInteger<std::uint32_t>();
    case 0xcf:
      return ReadInteger<std::uint64_t>();
    case 0xd0:
      return ReadInteger<std::int8_t>();
    case 0xd1:
      return ReadInteger<std::int16_t>();
    case 0xd2:
      return ReadInteger<std::int32_t>();
    default:
      return ReadInteger<std::int64_t>();
  }
}

template <typename T>
Result<std::uint64_t> MsgpackReader::ReadSize() {
  T size = 0;
  if (!cursor_.Read(size)) return Cut();
  return std::uint64_t{Swapped(size)};
}

Result<MsgpackReader::NodeId> MsgpackReader::ReadSized(std::uint8_t code,
                                                       int depth) {
  Result<std::uint64_t> size = std::uint64_t{0};
  switch (code) {
    case 0xc4:
    case 0xd9:
      size = ReadSize<std::uint8_t>();
      break;
    case 0xc5:
    case 0xda:
    case 0xdc:
    case 0xde:
      size = ReadSize<std::uint16_t>();
      break;
    case 0xc6:
    case 0xdb:
    case 0xdd:
    case 0xdf:
      size = ReadSize<std::uint32_t>();
      break;
    default:
      return Unsupported("an extension type of msgpack");
  }
  SHARDINE_RETURN_IF_ERROR(size.status());
  if (code <= 0xc6) return ReadBytes(PickleKind::kBytes, *size);
  if (code <= 0xdb) return ReadBytes(PickleKind::kText, *size);
  return ReadItems(code <= 0xdd ? PickleKind::kList : PickleKind::kDict, *size,
                   depth);
}

Result<MsgpackReader::NodeId> MsgpackReader::ReadBytes(PickleKind kind,
                                                       std::uint64_t size) {
  const std::size_t at = cursor_.position();
  auto bytes = AddBytes(kind, at, size);
  if (bytes.ok() && !cursor_.Skip(size)) return Cut();
  return bytes;
}

Result<MsgpackReader::NodeId> MsgpackReader::ReadItems(PickleKind kind,
                                                       std::uint64_t items,
                                                       int depth) {
  const bool dict = kind == PickleKind::kDict;
  const std::uint64_t count = dict ? 2 * items : items;
  // Each takes a byte at least.
  if (count > cursor_.remaining()) return Cut();
  const std::size_t begin = stack_.size();
  for (std::uint64_t i = 0; i < count; ++i) {
    SHARDINE_ASSIGN_OR_RETURN(const NodeId item, ReadObject(depth + 1));
    SHARDINE_RETURN_IF_ERROR(Charge(2 * sizeof(NodeId)));
    stack_.push_back(item);
  }
  auto made = AddItems(kind, std::span(stack_).subspan(begin));
  stack_.resize(begin);
  return made.ok() && dict ? MakeNumpy(*made) : made;
}

// msgpack-numpy: {"nd": True, "type": "<f8", "kind": "", "shape": [2],
// "data": ...}, and a number with "nd" False and no shape.
Result<MsgpackReader::NodeId> MsgpackReader::MakeNumpy(NodeId map) {
  const Node* nd = Find(node(map), "nd");
  const Node* type = Find(node(map), "type");
  const Node* data = Find(node(map), "data");
  if (nd == nullptr || type == nullptr || data == nullptr ||
      nd->kind != PickleKind::kBool) {
    return map;
  }
  const std::string name(IsText(*type) ? TextOf(*type).substr(0, kMaxShownName)
                                       : "");
  const auto dtype = ParseDtypeName(name);
  if (!dtype || !IsText(*data)) {
    return Unsupported("msgpack-numpy's array of dtype " + ShowName(name) +
                       "; arrays of plain numbers and text are read");
  }
  const PickleBytes bytes = BytesOf(*data);
  if (nd->first == 0) return AddScalar(*dtype, bytes.bytes);
  const Node* shape = Find(node(map), "shape");
  if (shape == nullptr) return Corrupt("msgpack-numpy's array without a shape");
  if (shape->kind != PickleKind::kList) {
    return Corrupt("a shape that is no list");
  }
  SHARDINE_ASSIGN_OR_RETURN(std::vector<std::uint64_t> dimensions,
                            ShapeOf(*shape));
  return AddArray(*dtype, std::move(dimensions), bytes, false);
}

const ValueTree::Node* MsgpackReader::Find(const Node& map,
                                           std::string_view key) const {
  // Other maps may have any number of items.
  constexpr std::uint64_t kMostItems = 8;
  const std::size_t size = SizeOf(map);
  if (size > 2 * kMostItems) return nullptr;
  // Python keeps the last of equal keys.
  for (std::size_t i = size; i >= 2; i -= 2) {
    const Node& name = Part(map, i - 2);
    if (IsText(name) && TextOf(name) == key) return &Part(map, i - 1);
  }
  return nullptr;
}

Status MsgpackReader::Cut() const {
  return Corrupt("a msgpack value ends early");
}

}  // namespace shardine
