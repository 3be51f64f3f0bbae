// Serialises one tf.train.Example after the other: small features by protobuf,
// payloads as views that are never copied.
#ifndef SHARDINE_FORMATS_TFRECORD_EXAMPLE_WRITER_H_
#define SHARDINE_FORMATS_TFRECORD_EXAMPLE_WRITER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace shardine {

// Deterministic: the small features by ascending name, then the payloads in
// the order they came. A name may be given once. Thread-compatible.
class ExampleWriter {
 public:
  ExampleWriter();
  ~ExampleWriter();

  // Begins the next Example.
  void Clear();

  void AddBytes(std::string_view name, std::string_view value);
  // A list of any number of values.
  void AddTexts(std::string_view name,
                std::span<const std::string_view> values);
  void AddInt64(std::string_view name, std::int64_t value);
  void AddInt64s(std::string_view name, std::span<const std::int64_t> values);

  // Map entries of their own, whose payload stays where it is.
  void AddBytesPayload(std::string_view name, ByteView payload);
  // One list of these. REQUIRES: at least one.
  void AddBytesPayloads(std::string_view name,
                        std::span<const ByteView> payloads);
  // Little-endian float32s. REQUIRES: a multiple of four bytes.
  void AddFloatPayload(std::string_view name, ByteView payload);

  // The pieces that, joined, are the Example. Valid until the next call of any
  // function, as long as the payloads are.
  std::span<const ByteView> Serialize();

 private:
  struct Small;
  struct Payload {
    std::size_t header_begin = 0;  // in headers_
    std::size_t header_end = 0;
    ByteView bytes;
  };

  void AddPayload(std::string_view name, unsigned kind, bool whole,
                  ByteView payload);
  void AppendHeads(std::string_view name, unsigned kind, std::uint64_t list);

  std::unique_ptr<Small> small_;
  std::string head_;
  std::string headers_;
  std::vector<Payload> payloads_;
  std::vector<ByteView> pieces_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_TFRECORD_EXAMPLE_WRITER_H_
