// https://github.com/msgpack/msgpack/blob/master/spec.md, and msgpack-numpy
// 0.4.8 for the array: a map of five items.
#include <bit>
#include <string>

#include "base/bytes.h"
#include "base/made_once.h"
#include "lmdb/value_codec.h"
#include "lmdb/value_serializer.h"

namespace shardine {
namespace {

// The numbers of msgpack are big-endian.
template <typename T>
void AppendBig(std::uint8_t tag, T value, std::string& to) {
  to += static_cast<char>(tag);
  for (int shift = 8 * (int{sizeof(T)} - 1); shift >= 0; shift -= 8) {
    to += static_cast<char>(static_cast<std::uint64_t>(value) >> shift & 0xff);
  }
}

void AppendUnsigned(std::uint64_t value, std::string& to) {
  if (value < 128) {
    to += static_cast<char>(value);
  } else if (value < 1ull << 8) {
    AppendBig(0xcc, static_cast<std::uint8_t>(value), to);
  } else if (value < 1ull << 16) {
    AppendBig(0xcd, static_cast<std::uint16_t>(value), to);
  } else if (value < 1ull << 32) {
    AppendBig(0xce, static_cast<std::uint32_t>(value), to);
  } else {
    AppendBig(0xcf, value, to);
  }
}

void AppendInt(std::int64_t value, std::string& to) {
  if (value >= 0) {
    AppendUnsigned(static_cast<std::uint64_t>(value), to);
  } else if (value >= -32) {
    to += static_cast<char>(value);
  } else if (value == static_cast<std::int8_t>(value)) {
    AppendBig(0xd0, static_cast<std::int8_t>(value), to);
  } else if (value == static_cast<std::int16_t>(value)) {
    AppendBig(0xd1, static_cast<std::int16_t>(value), to);
  } else if (value == static_cast<std::int32_t>(value)) {
    AppendBig(0xd2, static_cast<std::int32_t>(value), to);
  } else {
    AppendBig(0xd3, value, to);
  }
}

void AppendArrayHead(std::uint64_t items, std::string& to) {
  if (items < 16) {
    to += static_cast<char>(0x90 | items);
  } else if (items < 1ull << 16) {
    AppendBig(0xdc, static_cast<std::uint16_t>(items), to);
  } else {
    AppendBig(0xdd, static_cast<std::uint32_t>(items), to);
  }
}

void AppendBytesHead(std::uint64_t size, std::string& to) {
  if (size < 1ull << 8) {
    AppendBig(0xc4, static_cast<std::uint8_t>(size), to);
  } else if (size < 1ull << 16) {
    AppendBig(0xc5, static_cast<std::uint16_t>(size), to);
  } else {
    AppendBig(0xc6, static_cast<std::uint32_t>(size), to);
  }
}

void AppendTextHead(std::uint64_t size, std::string& to) {
  if (size < 32) {
    to += static_cast<char>(0xa0 | size);
  } else if (size < 1ull << 8) {
    AppendBig(0xd9, static_cast<std::uint8_t>(size), to);
  } else if (size < 1ull << 16) {
    AppendBig(0xda, static_cast<std::uint16_t>(size), to);
  } else {
    AppendBig(0xdb, static_cast<std::uint32_t>(size), to);
  }
}

void AppendBytes(std::string_view bytes, std::string& to) {
  AppendBytesHead(bytes.size(), to);
  to += bytes;
}

// How many keys there are stands before them, so they are held until all have
// come.
class MsgpackKeyList : public KeyListWriter {
 public:
  using AppendHead = void (*)(std::uint64_t size, std::string& to);
  explicit MsgpackKeyList(AppendHead append_head) : append_head_(append_head) {}

  void Add(std::string_view key) override {
    append_head_(key.size(), keys_);
    keys_ += key;
    ++count_;
  }
  std::uint64_t bytes() const override { return keys_.size(); }
  const SplicedBytes& Finish() override {
    std::string head;
    AppendArrayHead(count_, head);
    value_.Append(AsBytes(head));
    value_.Splice(AsBytes(keys_));
    return value_;
  }

 private:
  const AppendHead append_head_;
  std::string keys_;
  std::uint64_t count_ = 0;
  SplicedBytes value_;
};

class MsgpackOfArrays : public ValueSerializer {
 public:
  std::uint64_t max_bytes() const override { return kMaxArrayPayload; }

  void WritePair(ByteView image, std::optional<std::int64_t> label,
                 SplicedBytes& to) const override {
    constexpr char kMapOfFive = '\x85';
    constexpr char kTrue = '\xc3';
    constexpr char kTextOfThree = '\xa3';
    constexpr char kNone = '\xc0';
    to.Clear();
    std::string head;
    AppendArrayHead(2, head);
    head += kMapOfFive;
    AppendBytes("nd", head);
    head += kTrue;
    AppendBytes("type", head);
    head += kTextOfThree;
    head += "|u1";
    AppendBytes("kind", head);
    AppendBytes("", head);
    AppendBytes("shape", head);
    AppendArrayHead(1, head);
    AppendUnsigned(image.size(), head);
    AppendBytes("data", head);
    AppendBytesHead(image.size(), head);
    to.Append(AsBytes(head));
    to.Splice(image);
    std::string tail;
    if (label) {
      AppendInt(*label, tail);
    } else {
      tail += kNone;
    }
    to.Append(AsBytes(tail));
  }

  std::unique_ptr<KeyListWriter> NewKeyList() const override {
    return std::make_unique<MsgpackKeyList>(AppendBytesHead);
  }
  std::unique_ptr<KeyListWriter> NewTextList() const override {
    return std::make_unique<MsgpackKeyList>(AppendTextHead);
  }

  void WriteLength(std::uint64_t samples, SplicedBytes& to) const override {
    to.Clear();
    std::string length;
    AppendUnsigned(samples, length);
    to.Append(AsBytes(length));
  }
};

}  // namespace

const ValueSerializer& MsgpackSerializer() {
  static constinit MadeOnce<MsgpackOfArrays> serializer;
  return serializer.Get();
}

}  // namespace shardine
