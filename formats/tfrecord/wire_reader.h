// Protocol buffers' wire format, field by field, over untrusted bytes.
// Encoding: protobuf.dev, "Encoding".
#ifndef SHARDINE_FORMATS_TFRECORD_WIRE_READER_H_
#define SHARDINE_FORMATS_TFRECORD_WIRE_READER_H_

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "shardine/status.h"

namespace shardine {

enum class WireType : std::uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,  // with a length
  kFixed32 = 5,
};

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  // The contents: a varint's bytes, or the bytes that a kBytes length counts.
  ByteView value;
};

// Thread-compatible. The message must outlive the reader.
class WireReader {
 public:
  explicit WireReader(ByteView message) : rest_(message) {}

  // False at the end of the message, or at the first fault.
  bool Next(WireField& field);

  // Empty: none so far.
  std::string_view fault() const { return fault_; }
  Code fault_code() const { return fault_code_; }
  // Where the field begins that has the fault.
  const std::byte* place() const { return rest_.data(); }

 private:
  bool Fail(std::string_view fault, Code code = Code::kCorrupt);

  ByteView rest_;
  std::string_view fault_;
  Code fault_code_ = Code::kOk;
};

// Takes a varint off the front of `bytes`. False, with `bytes` as they were,
// if it does not end inside them or within ten bytes. The bits of a tenth byte
// beyond bit 63 are dropped, as protobuf does.
inline bool TakeVarint(ByteView& bytes, std::uint64_t& value) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto byte = std::to_integer<std::uint64_t>(bytes[i]);
    sum |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      value = sum;
      bytes = bytes.subspan(i + 1);
      return true;
    }
  }
  return false;
}

}  // namespace shardine

#endif  // SHARDINE_FORMATS_TFRECORD_WIRE_READER_H_
