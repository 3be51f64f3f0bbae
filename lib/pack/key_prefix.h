// KeyPrefix: the text in front of keys, so that keys of several inputs, or
// equal keys of one input, are told apart: "{n}/", "{shard}/", "{id}-".
#ifndef SHARDINE_PACK_KEY_PREFIX_H_
#define SHARDINE_PACK_KEY_PREFIX_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/status.h"

namespace shardine {

// Where a sample comes from.
struct KeyOrigin {
  std::string_view input;  // its path
  std::size_t number = 0;  // of the input
  // Both are unknown of a sample that its input lost: "-" stands for them.
  std::string_view shard = {};  // its file's name
  std::optional<std::uint64_t> id = {};
};

// Immutable, so thread-safe.
class KeyPrefix {
 public:
  KeyPrefix() = default;  // nothing

  // kInvalidArgument: a `{` that does not begin {name}, {n}, {shard} or {id}.
  // Checked here, since in the keys it would be noticed after hours.
  static Result<KeyPrefix> Parse(std::string_view text);

  // `key` with its sample's prefix in front.
  std::string Of(const KeyOrigin& origin, std::string_view key) const;

  bool has_number() const { return Has(Place::kNumber); }
  bool has_id() const { return Has(Place::kId); }

 private:
  enum class Place : std::uint8_t { kText, kName, kNumber, kShard, kId };
  struct Piece {
    Place place = Place::kText;
    std::string text;
  };

  bool Has(Place place) const;

  std::vector<Piece> pieces_;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_KEY_PREFIX_H_
