// The labels that a field of a record spells.
#ifndef SHARDINE_SHARD_FIELD_LABEL_H_
#define SHARDINE_SHARD_FIELD_LABEL_H_

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "shard/format.h"
#include "shardine/label.h"
#include "shardine/status.h"

namespace shardine {

// The most labels that are taken from one field.
inline constexpr std::size_t kMostFieldLabels = std::size_t{1} << 16;

// The number that the whole text spells: "7", "-0.5", "1e3". nullopt also for
// NaN, and for a whole number beyond 64 bits.
std::optional<Label> LabelOfText(std::string_view text);

// Appends the numbers of an array. A single NaN or -2^63 stands for no label.
// kUnsupported: another type, NaN among several, a number beyond int64, or
// more than kMostFieldLabels.
Status AppendFieldLabels(const ScannedField& field, std::vector<Label>& labels);

// Replaces a one-hot row by the place of its 1. kUnsupported: the row has
// another form.
Status TakeOneHot(std::vector<Label>& labels);

}  // namespace shardine

#endif  // SHARDINE_SHARD_FIELD_LABEL_H_
