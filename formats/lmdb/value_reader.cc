#include "lmdb/value_reader.h"

#include <string_view>

#include "lmdb/pickle_opcodes.h"

namespace shardine {
namespace {

// Protocols 2 and later say so. Earlier protocols begin with the opcode of a
// number, a container or a name, which end with STOP; a msgpack value that
// begins so is one byte, and a Datum has its label first only if it has no
// data.
bool IsPickle(ByteView value) {
  if (value.size() < 2) return false;
  if (value[0] == std::byte{kOpProto}) {
    return std::to_integer<unsigned>(value[1]) <= 5;
  }
  constexpr std::string_view kFirst = "(]}IKMJLc";
  return value.back() == std::byte{kOpStop} &&
         kFirst.find(AsText(value)[0]) != kFirst.npos;
}

}  // namespace

Serialiser SerialiserOf(ByteView value) {
  if (IsPickle(value)) return Serialiser::kPickle;
  if (IsArrow(value)) return Serialiser::kArrow;
  return IsMsgpack(value) ? Serialiser::kMsgpack : Serialiser::kNone;
}

bool IsSurely(ByteView value) {
  return IsArrow(value) || (IsPickle(value) && value[0] == std::byte{kOpProto});
}

Status ByGuess(ByteView value, const Status& status) {
  if (status.code() != Code::kCorrupt || IsSurely(value)) return status;
  return Status(Code::kUnsupported,
                "the value is no image and of no serialiser that is known; "
                "read as one it is damaged: " +
                    status.message())
      .At(status.where());
}

Result<PickleValue> ValueReader::Read(ByteView input, std::uint64_t offset) {
  switch (SerialiserOf(input)) {
    case Serialiser::kArrow:
      budget_ = &arrow_.budget();
      return arrow_.Read(input, offset);
    case Serialiser::kMsgpack:
      budget_ = &msgpack_.budget();
      return msgpack_.Read(input, offset);
    case Serialiser::kPickle:
    case Serialiser::kNone:
      break;
  }
  budget_ = &pickle_.budget();
  return pickle_.Read(input, offset);
}

}  // namespace shardine
