#include "base/foreign_kind.h"

#include <utility>

namespace shardine {

std::string_view ForeignKind(ByteView head) {
  using namespace std::string_view_literals;
  static constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
      {"BZh"sv, "bzip2"},
      {"\xfd"
       "7zXZ\0"sv,
       "xz"},
      {"\x04\x22\x4d\x18"sv, "lz4"},
      {"PK\x03\x04"sv, "a zip archive"},
      {"PK\x05\x06"sv, "a zip archive without files"},
      {"7z\xbc\xaf\x27\x1c"sv, "a 7z archive"},
      {"Rar!"sv, "a RAR archive"},
      {"PAR1"sv, "Parquet"},
      {"ARROW1"sv, "Arrow"},
      {"SQLite format 3"sv, "SQLite"}};
  for (const auto& [magic, kind] : kKinds) {
    if (AsText(head).starts_with(magic)) return kind;
  }
  return {};
}

}  // namespace shardine
