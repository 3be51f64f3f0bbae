// Writes samples as Examples in a TFRecord file, and DALI's index beside it.
// Byte layout: FORMAT.md.
#ifndef SHARDINE_FORMATS_TFRECORD_TFRECORD_WRITER_H_
#define SHARDINE_FORMATS_TFRECORD_TFRECORD_WRITER_H_

#include <cstdint>
#include <memory>

#include "shard/format.h"

namespace shardine {

// Protobuf could not parse a longer Example.
inline constexpr std::uint64_t kMaxExample = (std::uint64_t{1} << 31) - 1;
// The part of it left for a payload, whatever else the sample has.
inline constexpr std::uint64_t kMaxTfRecordPayload =
    kMaxExample - (std::uint64_t{1} << 20);

// kUnsupported for labels that are more than the layout holds or do not fit in
// int64 with the offset, for a field of a name that is not UTF-8 or that a
// feature of the layout has, for an array whose shape does not give its bytes,
// and for a sample of 2 GiB or more. Labels are rounded to int64.
Result<std::unique_ptr<ShardWriter>> CreateTfRecordWriter(
    Storage& storage, const ShardPaths& paths, const LayoutChoice& layout);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_TFRECORD_TFRECORD_WRITER_H_
