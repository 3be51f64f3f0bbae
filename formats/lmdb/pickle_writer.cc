#include "lmdb/pickle_writer.h"

#include <bit>
#include <string>

#include "base/check.h"
#include "lmdb/numpy_dtype.h"

namespace shardine {
namespace {

constexpr std::uint8_t kProtocol = 4;
// The two bounds are CPython's, as is where frames end: other bounds would make
// valid pickles with other bytes.
constexpr std::uint64_t kFrameTarget = std::uint64_t{64} << 10;
constexpr std::uint64_t kFrameMin = 4;
// A frame begins with its opcode and a u64.
constexpr std::size_t kFrameHeader = 9;
// Copying less costs less than a splice.
constexpr std::size_t kSpliceBytes = 1024;

std::string Raw(std::uint8_t opcode) {
  return std::string(1, static_cast<char>(opcode));
}

template <Scalar T>
std::string Raw(std::uint8_t opcode, T argument) {
  std::string raw = Raw(opcode);
  AppendLe(argument, raw);
  return raw;
}

// LONG1 has two's complement in as few bytes as hold it.
std::string RawLong(std::int64_t value) {
  std::size_t size = sizeof(value);
  const auto fits = [&](std::size_t bytes) {
    const std::int64_t limit = std::int64_t{1} << (8 * bytes - 1);
    return value >= -limit && value < limit;
  };
  // CPython drops each leading byte that repeats the sign.
  while (size > 1 && fits(size - 1)) --size;
  std::string raw = Raw(kOpLong1, static_cast<std::uint8_t>(size));
  AppendLe(value, raw);
  raw.resize(2 + size);
  return raw;
}

}  // namespace

PickleWriter::PickleWriter(SplicedBytes& to) : to_(to) {
  to_.Append(AsBytes(Raw(kOpProto, kProtocol)));
}

void PickleWriter::Bytes(ByteView bytes) {
  SHARDINE_CHECK(bytes.size() < (std::uint64_t{1} << 32));
  Boundary();
  const std::string header =
      bytes.size() < 256
          ? Raw(kOpShortBinBytes, static_cast<std::uint8_t>(bytes.size()))
          : Raw(kOpBinBytes, static_cast<std::uint32_t>(bytes.size()));
  if (bytes.size() >= kFrameTarget) {
    CloseFrame();
    to_.Append(AsBytes(header));
    to_.Splice(bytes);
    return;
  }
  Write(AsBytes(header));
  if (bytes.size() < kSpliceBytes) {
    to_.Append(bytes);
  } else {
    to_.Splice(bytes);
  }
}

void PickleWriter::Text(std::string_view text) {
  Boundary();
  Write(AsBytes(
      text.size() < 256
          ? Raw(kOpShortBinUnicode, static_cast<std::uint8_t>(text.size()))
          : Raw(kOpBinUnicode, static_cast<std::uint32_t>(text.size()))));
  Write(AsBytes(text));
}

void PickleWriter::Int(std::int64_t value) {
  Boundary();
  if (value >= 0 && value < 1 << 8) {
    Write(AsBytes(Raw(kOpBinInt1, static_cast<std::uint8_t>(value))));
  } else if (value >= 0 && value < 1 << 16) {
    Write(AsBytes(Raw(kOpBinInt2, static_cast<std::uint16_t>(value))));
  } else if (value == static_cast<std::int32_t>(value)) {
    Write(AsBytes(Raw(kOpBinInt, static_cast<std::int32_t>(value))));
  } else {
    Write(AsBytes(RawLong(value)));
  }
}

// BINFLOAT is the one number of a pickle that is big-endian.
void PickleWriter::Float(double value) {
  Boundary();
  Write(AsBytes(Raw(kOpBinFloat,
                    __builtin_bswap64(std::bit_cast<std::uint64_t>(value)))));
}

void PickleWriter::None() {
  Boundary();
  Op(kOpNone);
}

void PickleWriter::Number(const Label& label) {
  if (label.is_integer()) {
    Int(label.integer());
  } else {
    Float(label.real());
  }
}

// The calls are those of ndarray.__reduce__: an empty array of type b, then its
// state, of version 1. All versions of NumPy load the name "numpy.core".
void PickleWriter::Array(const FieldView& array) {
  Global("numpy.core.multiarray", "_reconstruct");
  Global("numpy", "ndarray");
  Int(0);
  Op(kOpTuple1);
  Bytes(AsBytes("b"));
  Op(kOpTuple3);
  Op(kOpReduce);
  Op(kOpMark);
  Int(1);
  Op(kOpMark);
  for (const std::uint64_t dimension : array.shape) {
    Int(static_cast<std::int64_t>(dimension));
  }
  Op(kOpTuple);
  Dtype(array.dtype);
  Op(kOpNewFalse);
  Bytes(array.bytes);
  Op(kOpTuple);
  Op(kOpBuild);
}

// dtype(code, False, True) with the state that NumPy gives it: version, byte
// order, no parts, and item size and alignment where the code does not say
// them.
void PickleWriter::Dtype(std::string_view name) {
  const auto dtype = ParseDtypeName(name);
  SHARDINE_CHECK(dtype && dtype->order != '>');
  const bool is_text = dtype->kind == 'S' || dtype->kind == 'U';
  Global("numpy", "dtype");
  Text(dtype->Code());
  Op(kOpNewFalse);
  Op(kOpNewTrue);
  Op(kOpTuple3);
  Op(kOpReduce);
  Op(kOpMark);
  Int(3);
  Text(std::string_view(&dtype->order, 1));
  for (int i = 0; i < 3; ++i) None();
  Int(is_text ? std::int64_t{dtype->item_size} : -1);
  Int(is_text ? std::int64_t{dtype->swap_size()} : -1);
  // NumPy's flags of a U: its items need no initialisation, but a fixed order.
  Int(dtype->kind == 'U' ? 8 : 0);
  Op(kOpTuple);
  Op(kOpBuild);
}

void PickleWriter::Global(std::string_view module, std::string_view name) {
  Text(module);
  Text(name);
  Op(kOpStackGlobal);
}

void PickleWriter::Op(std::uint8_t opcode) { Write(AsBytes(Raw(opcode))); }

void PickleWriter::Finish() {
  Op(kOpStop);
  CloseFrame();
}

void PickleWriter::Boundary() {
  if (frame_ && FrameBytes() >= kFrameTarget) CloseFrame();
}

void PickleWriter::Write(ByteView bytes) {
  if (!frame_) {
    frame_ = to_.size();
    // The size of a frame is known when it ends, so its header is filled in
    // then.
    constexpr std::byte kRoom[kFrameHeader] = {};
    to_.Append(kRoom);
  }
  to_.Append(bytes);
}

std::uint64_t PickleWriter::FrameBytes() const {
  return to_.size() - *frame_ - kFrameHeader;
}

void PickleWriter::CloseFrame() {
  if (!frame_) return;
  if (const std::uint64_t bytes = FrameBytes(); bytes >= kFrameMin) {
    to_.Overwrite(*frame_, AsBytes(Raw(kOpFrame, bytes)));
  } else {
    to_.Erase(*frame_, kFrameHeader);
  }
  frame_.reset();
}

}  // namespace shardine
