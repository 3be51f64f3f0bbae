#include "lmdb/value_tree.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/status_macros.h"

namespace shardine {
namespace {

// One large value must not keep its memory until the end of the scan.
constexpr std::uint64_t kMaxKept = std::uint64_t{1} << 20;

}  // namespace

void ValueTree::Begin(ByteView input, std::uint64_t offset) {
  release_ = budget_.held() > kMaxKept;
  budget_.Begin(input.size());
  input_ = input;
  offset_ = offset;
  at_ = 0;
  Forget(nodes_);
  Forget(tuple_parts_);
  Forget(lists_);
  Forget(arrays_);
  Forget(owned_);
}

Result<ValueTree::NodeId> ValueTree::Add(const Node& node) {
  SHARDINE_RETURN_IF_ERROR(Charge(2 * sizeof(Node)));
  // A value has no more nodes than bytes, and one of LMDB is below 4 GiB, so
  // the ids fit 32 bits.
  nodes_.push_back(node);
  return static_cast<NodeId>(nodes_.size() - 1);
}

Result<ValueTree::NodeId> ValueTree::AddInt(std::int64_t value) {
  return Add(
      {.kind = PickleKind::kInt, .first = static_cast<std::uint64_t>(value)});
}

Result<ValueTree::NodeId> ValueTree::AddFloat(double value) {
  return Add({.kind = PickleKind::kFloat,
              .first = std::bit_cast<std::uint64_t>(value)});
}

Result<ValueTree::NodeId> ValueTree::AddBytes(PickleKind kind, std::uint64_t at,
                                              std::uint64_t size) {
  if (at > input_.size() || size > input_.size() - at) {
    return Corrupt(std::to_string(size) + " bytes reach beyond the " +
                   std::string(what_));
  }
  return Add({.kind = kind, .first = at, .count = size});
}

Result<ValueTree::NodeId> ValueTree::AddOwned(PickleKind kind,
                                              ByteBuffer bytes) {
  const std::uint64_t size = bytes.size();
  owned_.push_back(std::move(bytes));
  return Add(
      {.kind = kind, .owned = true, .first = owned_.size() - 1, .count = size});
}

Result<ValueTree::NodeId> ValueTree::AddEmptyList(PickleKind kind) {
  SHARDINE_RETURN_IF_ERROR(Charge(2 * sizeof(decltype(lists_)::value_type)));
  lists_.emplace_back();
  return Add({.kind = kind, .first = lists_.size() - 1});
}

Result<ValueTree::NodeId> ValueTree::AddItems(PickleKind kind,
                                              std::span<const NodeId> items) {
  SHARDINE_RETURN_IF_ERROR(Charge(items.size() * kIdCharge));
  if (kind == PickleKind::kTuple) {
    const std::size_t begin = tuple_parts_.size();
    tuple_parts_.insert(tuple_parts_.end(), items.begin(), items.end());
    return Add({.kind = kind, .first = begin, .count = items.size()});
  }
  SHARDINE_ASSIGN_OR_RETURN(const NodeId list, AddEmptyList(kind));
  lists_.back().assign(items.begin(), items.end());
  return list;
}

Result<ValueTree::NodeId> ValueTree::AddArray(const NumpyDtype& dtype,
                                              std::vector<std::uint64_t> shape,
                                              const PickleBytes& data,
                                              bool fortran) {
  const auto bytes = ArrayBytes(dtype, shape);
  if (bytes != data.bytes.size()) {
    return Corrupt("a NumPy array whose shape and " +
                   std::to_string(data.bytes.size()) + " bytes do not agree");
  }
  SHARDINE_ASSIGN_OR_RETURN(const PickleBytes converted,
                            Convert(dtype, shape, data, fortran));
  SHARDINE_RETURN_IF_ERROR(Charge(2 * sizeof(PickleArray) + 8 * shape.size()));
  arrays_.push_back({dtype.Name(), std::move(shape), converted});
  return Add({.kind = PickleKind::kArray, .first = arrays_.size() - 1});
}

Result<ValueTree::NodeId> ValueTree::AddScalar(const NumpyDtype& dtype,
                                               ByteView item) {
  if (item.size() != dtype.item_size) {
    return Corrupt("a NumPy number of " + std::to_string(item.size()) +
                   " bytes whose dtype has " + std::to_string(dtype.item_size));
  }
  if (dtype.kind == 'b') {
    return Add({.kind = PickleKind::kBool, .first = item[0] != std::byte{0}});
  }
  const auto number = NumberOf(dtype, item);
  if (!number) {
    return Unsupported("a NumPy scalar of dtype \"" + dtype.Code() +
                       "\" that is no integer of 64 bits and no real number");
  }
  if (number->is_integer()) return AddInt(number->integer());
  return AddFloat(number->real());
}

// The data in C order and little-endian: as they are, or in owned_.
Result<PickleBytes> ValueTree::Convert(const NumpyDtype& dtype,
                                       const std::vector<std::uint64_t>& shape,
                                       PickleBytes data, bool fortran) {
  const auto is_long = [](std::uint64_t dimension) { return dimension > 1; };
  const bool reorder = fortran && std::ranges::count_if(shape, is_long) > 1;
  // With one long dimension, both orders are the same bytes.
  if ((!reorder && dtype.order != '>') || data.bytes.empty()) return data;
  SHARDINE_RETURN_IF_ERROR(ChargeCopy(data.bytes.size()));
  ByteBuffer converted;
  if (reorder) {
    converted.Resize(data.bytes.size());
    FortranToC(dtype, shape, data.bytes, converted.span());
  } else {
    converted.Append(data.bytes);
  }
  if (dtype.order == '>') SwapBytes(dtype, converted.span());
  owned_.push_back(std::move(converted));
  return PickleBytes{owned_.back().view(), std::nullopt};
}

std::size_t ValueTree::SizeOf(const Node& container) const {
  if (container.kind == PickleKind::kTuple) {
    return static_cast<std::size_t>(container.count);
  }
  return lists_[static_cast<std::size_t>(container.first)].size();
}

Result<std::vector<std::uint64_t>> ValueTree::ShapeOf(const Node& sides) const {
  const std::size_t size = SizeOf(sides);
  if (size > kMaxRank) {
    return Corrupt("a NumPy array of more than 64 dimensions");
  }
  std::vector<std::uint64_t> shape;
  for (std::size_t i = 0; i < size; ++i) {
    const Node& side = Part(sides, i);
    if (side.kind != PickleKind::kInt ||
        static_cast<std::int64_t>(side.first) < 0) {
      return Corrupt("a NumPy array with a dimension that is no size");
    }
    shape.push_back(side.first);
  }
  return shape;
}

ValueTree::NodeId ValueTree::PartOf(const Node& container,
                                    std::size_t i) const {
  if (container.kind == PickleKind::kTuple) {
    return tuple_parts_[static_cast<std::size_t>(container.first) + i];
  }
  return lists_[static_cast<std::size_t>(container.first)][i];
}

PickleBytes ValueTree::BytesOf(const Node& bytes) const {
  const auto first = static_cast<std::size_t>(bytes.first);
  if (bytes.owned) return {owned_[first].view(), std::nullopt};
  return {input_.subspan(first, static_cast<std::size_t>(bytes.count)),
          offset_ + bytes.first};
}

std::string_view ValueTree::TextOf(const Node& text) const {
  return AsText(BytesOf(text).bytes);
}

bool ValueTree::IsText(const Node& some) {
  return some.kind == PickleKind::kText || some.kind == PickleKind::kBytes;
}

Status ValueTree::Charge(std::uint64_t bytes) {
  if (budget_.Hold(bytes)) return {};
  return Unsupported("a " + std::string(what_) + " that takes more than " +
                     std::to_string(budget_.most_held()) + " bytes of memory");
}

Status ValueTree::ChargeCopy(std::uint64_t bytes) {
  SHARDINE_RETURN_IF_ERROR(Charge(2 * sizeof(ByteBuffer)));
  if (bytes > budget_.most_held() - budget_.held()) return Charge(bytes);
  if (budget_.Copy(bytes)) return {};
  return Unsupported("a " + std::string(what_) +
                     " whose parts are shared; write a copy of each");
}

Status ValueTree::Corrupt(std::string message) const {
  return Status(Code::kCorrupt, std::move(message))
      .At({.offset = offset_ + at_});
}

Status ValueTree::Unsupported(std::string message) const {
  return Status(Code::kUnsupported, std::move(message))
      .At({.offset = offset_ + at_});
}

}  // namespace shardine
