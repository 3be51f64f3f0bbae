// The content digest of a sample: two samples are the same if it is equal, in
// any format. Definition: shard/FORMAT.md, "Digests".
#ifndef SHARDINE_SHARD_CONTENT_DIGEST_H_
#define SHARDINE_SHARD_CONTENT_DIGEST_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "base/checksum.h"
#include "shardine/digest.h"
#include "shardine/sample.h"

namespace shardine {

// XXH3-128 over labels and fields. Id and key are no content.
// REQUIRES: fields by ascending name.
Digest128 ContentDigest(std::span<const Label> labels,
                        std::span<const FieldView> fields);

// One summand of a names_digest: XXH3-128 over (u64 id, string split,
// string key).
Digest128 NameDigest(std::uint64_t id, std::string_view split,
                     std::string_view key);

// One summand of a binding_digest, which sample has which content: XXH3-128
// over (u64 id, string split, string key, the content digest's 16 bytes, low
// half first).
Digest128 BindingDigest(std::uint64_t id, std::string_view split,
                        std::string_view key, const Digest128& content);

}  // namespace shardine

#endif  // SHARDINE_SHARD_CONTENT_DIGEST_H_
