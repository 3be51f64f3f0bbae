#include "pack/key_prefix.h"

#include <algorithm>
#include <array>
#include <utility>

#include "io/storage.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

// "DIR/imagenet/" -> "imagenet".
std::string LastPart(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return FileNameOf(std::string(path));
}

// "DIR/00000.tar.gz" -> "00000".
std::string Stem(std::string_view shard) {
  const std::string file = FileNameOf(std::string(shard));
  return file.substr(0, file.find('.', 1));
}

}  // namespace

Result<KeyPrefix> KeyPrefix::Parse(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, Place>, 4> kPlaces = {
      {{"{name}", Place::kName},
       {"{n}", Place::kNumber},
       {"{shard}", Place::kShard},
       {"{id}", Place::kId}}};
  KeyPrefix prefix;
  for (std::string_view rest = text; !rest.empty();) {
    const auto* const place = std::ranges::find_if(
        kPlaces,
        [&](const auto& each) { return rest.starts_with(each.first); });
    if (place != kPlaces.end()) {
      prefix.pieces_.push_back({place->second, {}});
      rest.remove_prefix(place->first.size());
      continue;
    }
    if (rest.front() == '{') {
      return Status(Code::kInvalidArgument,
                    "the prefix \"" + EscapeBytes(text) +
                        "\" has a { that is none of {name}, {n}, {shard} and "
                        "{id}");
    }
    const std::size_t end = std::min(rest.find('{'), rest.size());
    prefix.pieces_.push_back({Place::kText, std::string(rest.substr(0, end))});
    rest.remove_prefix(end);
  }
  return prefix;
}

std::string KeyPrefix::Of(const KeyOrigin& origin, std::string_view key) const {
  std::string text;
  for (const Piece& piece : pieces_) {
    switch (piece.place) {
      case Place::kText:
        text += piece.text;
        break;
      case Place::kName:
        text += LastPart(origin.input);
        break;
      case Place::kNumber:
        text += std::to_string(origin.number);
        break;
      case Place::kShard:
        text += origin.shard.empty() ? "-" : Stem(origin.shard);
        break;
      case Place::kId:
        text += origin.id ? std::to_string(*origin.id) : "-";
        break;
    }
  }
  text += key;
  return text;
}

bool KeyPrefix::Has(Place place) const {
  return std::ranges::find(pieces_, place, &Piece::place) != pieces_.end();
}

}  // namespace shardine
