#include "tfrecord/wire_reader.h"

#include <limits>

namespace shardine {

namespace {

// Takes a tag or a length: protobuf reads no more than five bytes of either,
// and of the fifth only the bits that fit in 32.
bool TakeWord(ByteView& bytes, std::uint64_t& value) {
  ByteView rest = bytes;
  if (!TakeVarint(rest, value) || bytes.size() - rest.size() > 5) return false;
  value &= std::numeric_limits<std::uint32_t>::max();
  bytes = rest;
  return true;
}

}  // namespace

bool WireReader::Next(WireField& field) {
  if (rest_.empty() || !fault_.empty()) return false;
  ByteView rest = rest_;
  std::uint64_t tag = 0;
  if (!TakeWord(rest, tag) || tag >> 3 == 0) {
    return Fail("no field begins here");
  }
  std::uint64_t length = 0;
  switch (tag & 7) {
    case 0: {
      const ByteView from = rest;
      if (!TakeVarint(rest, length)) return Fail("a number that does not end");
      length = from.size() - rest.size();
      rest = from;
      break;
    }
    case 1:
      length = 8;
      break;
    case 2:
      if (!TakeWord(rest, length)) return Fail("a length that does not end");
      break;
    case 3:
    case 4:
      return Fail("a group, which no Example has", Code::kUnsupported);
    case 5:
      length = 4;
      break;
    default:
      return Fail("no field begins here");
  }
  if (length > rest.size()) return Fail("a field longer than what holds it");
  field.number = static_cast<std::uint32_t>(tag >> 3);
  field.type = static_cast<WireType>(tag & 7);
  field.value = rest.first(static_cast<std::size_t>(length));
  rest_ = rest.subspan(static_cast<std::size_t>(length));
  return true;
}

bool WireReader::Fail(std::string_view fault, Code code) {
  fault_ = fault;
  fault_code_ = code;
  return false;
}

}  // namespace shardine
