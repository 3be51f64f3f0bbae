// Databases in which each part of a sample is an entry of its own, under a key
// with the sample's number: "img-{n}" and "cls-{n}". Read only. FORMAT.md,
// "Patterns of keys".
#ifndef SHARDINE_FORMATS_LMDB_PATTERN_CODEC_H_
#define SHARDINE_FORMATS_LMDB_PATTERN_CODEC_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lmdb/value_codec.h"
#include "shardine/field_roles.h"

namespace shardine {

// The number, as the key has it, where "img-{n}" stands for the key; nullopt:
// it does not.
std::optional<std::string_view> NumberInKey(std::string_view pattern,
                                            std::string_view key);
// "img-{n}" of "img-0012": the last digits of the key are its number.
std::string PatternOfKey(std::string_view key);

bool IsKeyPattern(std::string_view name);

// Each entry whose key has the form of roles.image is a sample; the other roles
// and fields name further entries of its number. REQUIRES: roles.image is a
// pattern.
std::unique_ptr<ValueCodec> MakePatternCodec(const FieldRoles& roles);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_PATTERN_CODEC_H_
