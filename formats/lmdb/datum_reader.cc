#include "lmdb/datum_reader.h"

#include <string>

#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr std::uint32_t kVarint = 0;
constexpr std::uint32_t kFixed64 = 1;
constexpr std::uint32_t kBytes = 2;
constexpr std::uint32_t kFixed32 = 5;

constexpr std::uint32_t kData = 4;
constexpr std::uint32_t kFloatData = 6;
constexpr std::uint32_t kLastField = 7;

// One field of the message.
struct WireField {
  std::uint32_t number = 0;
  std::uint32_t type = 0;
  std::uint64_t value = 0;  // of a varint
  ByteView bytes;           // of the others
  std::size_t bytes_at = 0;
};

// 64 bits take ten bytes of seven. The loop ends there, whatever the file says.
bool ReadVarint(ByteCursor& cursor, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    std::uint8_t byte = 0;
    if (!cursor.Read(byte)) return false;
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool ReadField(ByteCursor& cursor, WireField& field) {
  std::uint64_t tag = 0;
  // A tag is 32 bits of which three are the type. Below 8 the field number is
  // 0, which protobuf does not have.
  if (!ReadVarint(cursor, tag) || tag > 0xffffffff || tag < 8) return false;
  field.number = static_cast<std::uint32_t>(tag >> 3);
  field.type = static_cast<std::uint32_t>(tag & 7);
  std::uint64_t size = 0;
  switch (field.type) {
    case kVarint:
      return ReadVarint(cursor, field.value);
    case kFixed64:
      size = 8;
      break;
    case kFixed32:
      size = 4;
      break;
    case kBytes:
      if (!ReadVarint(cursor, size)) return false;
      break;
    default:
      return false;
  }
  field.bytes_at = cursor.position();
  return cursor.ReadBytes(size, field.bytes);
}

// The form alone is checked. Caffe writes a tag with each float, as proto2 has
// it, and other writers pack them, so both forms are taken.
bool FitsDatum(const WireField& field) {
  if (field.number > kLastField) return true;
  if (field.number == kData) return field.type == kBytes;
  if (field.number != kFloatData) return field.type == kVarint;
  return field.type == kFixed32 ||
         (field.type == kBytes && field.bytes.size() % sizeof(float) == 0);
}

// A field that occurs twice counts as protobuf has it: the last number or data,
// and all floats. A negative int32 is a varint of 64 bits, whose low half is
// the number.
void Store(const WireField& field, DatumView& datum) {
  const auto number = static_cast<std::int32_t>(field.value);
  switch (field.number) {
    case 1:
      datum.channels = number;
      break;
    case 2:
      datum.height = number;
      break;
    case 3:
      datum.width = number;
      break;
    case kData:
      datum.data = field.bytes;
      datum.data_at = field.bytes_at;
      break;
    case 5:
      datum.label = number;
      break;
    case kFloatData:
      // The floats are one stretch of the file only if one packed field has
      // all.
      datum.floats_at.reset();
      if (datum.floats.size() == 0 && field.type == kBytes) {
        datum.floats_at = field.bytes_at;
      }
      datum.floats.Append(field.bytes);
      break;
    case kLastField:
      datum.encoded = field.value != 0;
      break;
    default:
      datum.has_unknown = true;
  }
}

}  // namespace

Status ReadDatum(ByteView message, DatumView& datum) {
  // The floats of the next sample reuse the memory.
  ByteBuffer floats = std::move(datum.floats);
  floats.Resize(0);
  datum = {};
  datum.floats = std::move(floats);
  ByteCursor cursor(message);
  while (!cursor.done()) {
    const std::size_t at = cursor.position();
    WireField field;
    if (!ReadField(cursor, field) || !FitsDatum(field)) {
      return Status(Code::kCorrupt, "no Datum of Caffe").At({.offset = at});
    }
    Store(field, datum);
  }
  return {};
}

}  // namespace shardine
