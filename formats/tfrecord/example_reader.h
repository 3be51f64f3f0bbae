// Finds the features of a serialised tf.train.Example, and where their values
// lie, without copying any. Accepts the input of protobuf's own parser: any
// order, packed and unpacked lists, messages in several pieces, unknown fields;
// but no groups, which are refused. Messages: example.proto.
#ifndef SHARDINE_FORMATS_TFRECORD_EXAMPLE_READER_H_
#define SHARDINE_FORMATS_TFRECORD_EXAMPLE_READER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "shardine/status.h"
#include "tfrecord/wire_reader.h"

namespace shardine {

enum class FeatureKind : std::uint8_t { kNone, kBytes, kFloat, kInt64 };

struct Feature {
  std::string_view name;  // any bytes
  FeatureKind kind = FeatureKind::kNone;
  std::uint64_t values = 0;
  // kBytes has one chunk per value, kFloat and kInt64 any number of chunks:
  // joined, the values in order, as little-endian floats or as varints.
  std::uint32_t first_chunk = 0;
  std::uint32_t chunk_count = 0;
};

// Thread-compatible.
class ExampleReader {
 public:
  // The memory that one record may need, whatever its size.
  static constexpr std::size_t kMaxFeatures = 16'384;
  static constexpr std::size_t kMaxChunks = std::size_t{1} << 19;

  // Replaces the features found before; views into `record`. kCorrupt if this
  // is no Example, kUnsupported for a SequenceExample, a group, or more
  // features or chunks than we take; the offset is the fault's in the record.
  Status Parse(ByteView record);

  // Sorted by name; the last of several of one name, as in protobuf.
  std::span<const Feature> features() const { return features_; }
  // nullptr if there is none.
  const Feature* Find(std::string_view name) const;

  std::span<const ByteView> chunks(const Feature& feature) const {
    return std::span(chunks_).subspan(feature.first_chunk, feature.chunk_count);
  }

 private:
  Status ParseFeatures(ByteView message);
  Status ParseEntry(ByteView message);
  Status ParseFeature(ByteView message, Feature& feature);
  Status ParseList(ByteView message, Feature& feature);
  Status AddChunk(const WireField& value, Feature& feature);
  void SortFeatures();
  Status FaultOf(const WireReader& reader) const;
  Status Fault(Code code, std::string_view what, const std::byte* at) const;

  ByteView record_;
  std::vector<Feature> features_;
  std::vector<ByteView> chunks_;
};

// The one value of a bytes feature; nullopt if `feature` is nullptr, of
// another kind, or has not just one.
std::optional<std::string_view> SingleBytes(const ExampleReader& example,
                                            const Feature* feature);
// The same of an int64 feature.
std::optional<std::int64_t> SingleInt64(const ExampleReader& example,
                                        const Feature* feature);

// Goes through the values of an int64 feature in order.
class Int64Values {
 public:
  Int64Values(const ExampleReader& example, const Feature& feature)
      : chunks_(example.chunks(feature)) {}

  // False after the last one.
  bool Next(std::int64_t& value);

 private:
  std::span<const ByteView> chunks_;
  ByteView chunk_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_TFRECORD_EXAMPLE_READER_H_
