// lmdb/fields: a pickled dict of bytes and NumPy arrays under the sample's key.
// FORMAT.md, "fields".
#ifndef SHARDINE_FORMATS_LMDB_FIELDS_CODEC_H_
#define SHARDINE_FORMATS_LMDB_FIELDS_CODEC_H_

#include <memory>

#include "lmdb/value_codec.h"

namespace shardine {

inline constexpr std::string_view kLabelsItem = "__labels__";
inline constexpr std::uint64_t kMaxFieldsLabels = std::uint64_t{1} << 24;
// The payload of a sample's fields together is smaller by the bytes of their
// names, shapes and labels.
inline constexpr std::uint64_t kMaxFieldsPayload = kMaxLmdbValue - (1 << 28);

// `takes_labels`: numbers under "label" are the labels; else they are a field.
std::unique_ptr<ValueCodec> MakeFieldsCodec(std::uint64_t max_memory,
                                            bool takes_labels = true);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_FIELDS_CODEC_H_
