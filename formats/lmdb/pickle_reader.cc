#include "lmdb/pickle_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "lmdb/pickle_opcodes.h"

namespace shardine {
namespace {

constexpr std::uint8_t kNewestProtocol = 5;
// MARKs are not charged as memory, and this bound stands for that. The layouts
// nest a few levels.
constexpr std::size_t kMaxMarks = 64;

}  // namespace

Result<PickleValue> PickleReader::Read(ByteView input, std::uint64_t offset) {
  Begin(input, offset);
  Forget(stack_);
  Forget(marks_);
  Forget(memo_);
  Forget(dtypes_);
  cursor_ = ByteCursor(input);
  SHARDINE_RETURN_IF_ERROR(Run());
  return PickleValue(*this, stack_.back());
}

Status PickleReader::Run() {
  for (;;) {
    at_ = cursor_.position();
    std::uint8_t opcode = 0;
    if (!cursor_.Read(opcode)) return Cut();
    if (opcode != kOpStop) {
      SHARDINE_RETURN_IF_ERROR(Execute(opcode));
      continue;
    }
    if (stack_.size() != 1 || !marks_.empty()) {
      return Corrupt("a pickle that ends with other than one object");
    }
    if (!cursor_.done()) return Corrupt("bytes after the end of a pickle");
    return {};
  }
}

Status PickleReader::Execute(std::uint8_t opcode) {
  switch (opcode) {
    case kOpProto: {
      std::uint8_t version = 0;
      if (!cursor_.Read(version)) return Cut();
      if (version <= kNewestProtocol) return {};
      return Unsupported("pickle protocol " + std::to_string(version));
    }
    // Frames help readers of a stream. All of the pickle is in memory here, so
    // its objects need not fit the frames.
    case kOpFrame: {
      std::uint64_t size = 0;
      if (!cursor_.Read(size)) return Cut();
      if (size <= cursor_.remaining()) return {};
      return Corrupt("a frame that reaches beyond the pickle");
    }
    case kOpNone:
      return PushNode({});
    case kOpNewTrue:
    case kOpNewFalse:
      return PushNode(
          {.kind = PickleKind::kBool, .first = opcode == kOpNewTrue ? 1U : 0U});
    case kOpMark:
      if (marks_.size() == kMaxMarks) {
        return Unsupported("a pickle nested deeper than 64 levels");
      }
      marks_.push_back(stack_.size());
      return {};
    default:
      return ExecuteNumber(opcode);
  }
}

Status PickleReader::ExecuteNumber(std::uint8_t opcode) {
  switch (opcode) {
    case kOpBinInt: {
      std::int32_t value = 0;
      return cursor_.Read(value) ? PushInt(value) : Cut();
    }
    case kOpBinInt1: {
      std::uint8_t value = 0;
      return cursor_.Read(value) ? PushInt(value) : Cut();
    }
    case kOpBinInt2: {
      std::uint16_t value = 0;
      return cursor_.Read(value) ? PushInt(value) : Cut();
    }
    case kOpLong1: {
      std::uint8_t size = 0;
      return cursor_.Read(size) ? PushLong(size) : Cut();
    }
    case kOpBinFloat: {
      std::uint64_t bits = 0;
      if (!cursor_.Read(bits)) return Cut();
      return PushFloat(std::bit_cast<double>(__builtin_bswap64(bits)));
    }
    default:
      return ExecuteBytes(opcode);
  }
}

Status PickleReader::ExecuteBytes(std::uint8_t opcode) {
  // Python 2's strings are bytes.
  const bool text = opcode == kOpBinUnicode || opcode == kOpShortBinUnicode ||
                    opcode == kOpBinUnicode8;
  const PickleKind kind = text ? PickleKind::kText : PickleKind::kBytes;
  switch (opcode) {
    case kOpShortBinBytes:
    case kOpShortBinString:
    case kOpShortBinUnicode: {
      std::uint8_t size = 0;
      return cursor_.Read(size) ? PushBytes(kind, size) : Cut();
    }
    case kOpBinBytes:
    case kOpBinString:
    case kOpBinUnicode: {
      std::uint32_t size = 0;
      return cursor_.Read(size) ? PushBytes(kind, size) : Cut();
    }
    case kOpBinBytes8:
    case kOpByteArray8:
    case kOpBinUnicode8: {
      std::uint64_t size = 0;
      return cursor_.Read(size) ? PushBytes(kind, size) : Cut();
    }
    default:
      return ExecuteContainer(opcode);
  }
}

Status PickleReader::ExecuteContainer(std::uint8_t opcode) {
  switch (opcode) {
    case kOpEmptyTuple:
      return PushTuple(0);
    case kOpTuple1:
    case kOpTuple2:
    case kOpTuple3:
      return PushTuple(opcode - kOpTuple1 + 1U);
    case kOpTuple: {
      SHARDINE_ASSIGN_OR_RETURN(const std::size_t mark, PopMark());
      return PushTuple(stack_.size() - mark);
    }
    case kOpEmptyList:
    case kOpEmptyDict:
      return Push(AddEmptyList(opcode == kOpEmptyList ? PickleKind::kList
                                                      : PickleKind::kDict));
    case kOpAppend:
      SHARDINE_RETURN_IF_ERROR(Need(2));
      return Extend(PickleKind::kList, stack_.size() - 1);
    case kOpSetItem:
      SHARDINE_RETURN_IF_ERROR(Need(3));
      return Extend(PickleKind::kDict, stack_.size() - 2);
    case kOpAppends:
    case kOpSetItems: {
      SHARDINE_ASSIGN_OR_RETURN(const std::size_t mark, PopMark());
      return Extend(
          opcode == kOpAppends ? PickleKind::kList : PickleKind::kDict, mark);
    }
    default:
      return ExecuteObject(opcode);
  }
}

Status PickleReader::ExecuteObject(std::uint8_t opcode) {
  switch (opcode) {
    case kOpGlobal:
      return ReadGlobalLines();
    case kOpStackGlobal: {
      SHARDINE_RETURN_IF_ERROR(Need(2));
      const Node name = node(Pop());
      const Node module = node(Pop());
      if (!IsText(name) || !IsText(module)) {
        return Corrupt("STACK_GLOBAL of what are no names");
      }
      return PushGlobal(TextOf(module), TextOf(name));
    }
    case kOpReduce:
      return Reduce();
    case kOpBuild:
      return Build();
    default:
      return ExecuteMemo(opcode);
  }
}

Status PickleReader::ExecuteMemo(std::uint8_t opcode) {
  switch (opcode) {
    case kOpMemoize:
      return Memoize(memo_.size());
    case kOpBinPut:
    case kOpBinGet: {
      std::uint8_t index = 0;
      if (!cursor_.Read(index)) return Cut();
      return opcode == kOpBinPut ? Memoize(index) : Recall(index);
    }
    case kOpLongBinPut:
    case kOpLongBinGet: {
      std::uint32_t index = 0;
      if (!cursor_.Read(index)) return Cut();
      return opcode == kOpLongBinPut ? Memoize(index) : Recall(index);
    }
    default:
      return ExecuteText(opcode);
  }
}

Status PickleReader::PushInt(std::int64_t value) { return Push(AddInt(value)); }

Status PickleReader::PushFloat(double value) { return Push(AddFloat(value)); }

// A long is two's complement of any length.
Status PickleReader::PushLong(std::uint64_t size) {
  ByteView bytes;
  if (!cursor_.ReadBytes(size, bytes)) return Cut();
  if (size > sizeof(std::int64_t)) {
    return Unsupported("an integer outside 64 bits");
  }
  const bool negative =
      size > 0 && (bytes.back() & std::byte{0x80}) != std::byte{0};
  std::int64_t value = negative ? -1 : 0;
  if (size > 0) std::memcpy(&value, bytes.data(), bytes.size());
  return PushInt(value);
}

Status PickleReader::PushBytes(PickleKind kind, std::uint64_t size) {
  const std::size_t at = cursor_.position();
  SHARDINE_RETURN_IF_ERROR(Push(AddBytes(kind, at, size)));
  return cursor_.Skip(size) ? Status() : Cut();
}

Status PickleReader::PushTuple(std::size_t count) {
  SHARDINE_RETURN_IF_ERROR(Need(count));
  const std::size_t begin = stack_.size() - count;
  const auto tuple =
      AddItems(PickleKind::kTuple, std::span(stack_).subspan(begin));
  stack_.resize(begin);
  return Push(tuple);
}

// An opcode makes one node at most, as ValueTree asks for.
Status PickleReader::PushNode(const Node& node) { return Push(Add(node)); }

Status PickleReader::Push(Result<NodeId> id) {
  return id.ok() ? PushId(*id) : std::move(id).status();
}

Status PickleReader::PushId(NodeId id) {
  SHARDINE_RETURN_IF_ERROR(Charge(kIdCharge));
  stack_.push_back(id);
  return {};
}

Status PickleReader::Memoize(std::uint64_t index) {
  SHARDINE_RETURN_IF_ERROR(Need(1));
  // Python 2 counts from 1. A number further ahead would let five bytes of the
  // file ask for gigabytes of memo.
  if (index > memo_.size() + 1) {
    return Unsupported("memo numbers that are not given in order");
  }
  SHARDINE_RETURN_IF_ERROR(Charge(2 * kIdCharge));
  if (index >= memo_.size()) {
    memo_.resize(static_cast<std::size_t>(index) + 1, stack_.back());
  }
  memo_[static_cast<std::size_t>(index)] = stack_.back();
  return {};
}

Status PickleReader::Recall(std::uint64_t index) {
  if (index >= memo_.size()) return Corrupt("a memo number that was not given");
  return PushId(memo_[static_cast<std::size_t>(index)]);
}

// Appends the items on the stack from `first_item` on to the list or dict
// before it.
Status PickleReader::Extend(PickleKind kind, std::size_t first_item) {
  if (first_item == 0) return Corrupt("items without a list");
  const Node& target = node(stack_[first_item - 1]);
  const std::size_t count = stack_.size() - first_item;
  if (target.kind != kind || (kind == PickleKind::kDict && count % 2 != 0)) {
    return Corrupt("items for what is no " + std::string(PickleKindName(kind)));
  }
  SHARDINE_RETURN_IF_ERROR(Charge(count * kIdCharge));
  auto& list = lists_[static_cast<std::size_t>(target.first)];
  list.insert(list.end(),
              stack_.begin() + static_cast<std::ptrdiff_t>(first_item),
              stack_.end());
  stack_.resize(first_item);
  return {};
}

Result<std::size_t> PickleReader::PopMark() {
  if (marks_.empty()) return Corrupt("no MARK for this opcode");
  const std::size_t mark = marks_.back();
  marks_.pop_back();
  return mark;
}

// An opcode takes `count` objects, all above the last MARK.
Status PickleReader::Need(std::size_t count) {
  const std::size_t below = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() - below >= count) return {};
  return Corrupt("a pickle's stack does not hold what its opcode takes");
}

PickleReader::NodeId PickleReader::Pop() {
  const NodeId id = stack_.back();
  stack_.pop_back();
  return id;
}

Status PickleReader::Cut() const { return Corrupt("a pickle ends early"); }

}  // namespace shardine
