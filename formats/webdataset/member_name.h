// The parts of a member's name: its sample and its role in it. Rules:
// FORMAT.md, "Names".
#ifndef SHARDINE_FORMATS_WEBDATASET_MEMBER_NAME_H_
#define SHARDINE_FORMATS_WEBDATASET_MEMBER_NAME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardine {

struct MemberName {
  std::string_view prefix;     // the same for all members of a sample
  std::string_view extension;  // without its dot, as it is written
};

// As base_plus_ext of the webdataset package: cut at the first dot after the
// last slash. nullopt for names that the package ignores: no dot, or nothing in
// front of it, or a name like "__meta__".
std::optional<MemberName> SplitMemberName(std::string_view name);

// The number that a prefix is: digits alone, "./" in front or not.
std::optional<std::uint64_t> IdOfPrefix(std::string_view prefix);

// At least eight digits: "00000007".
std::string PrefixOfId(std::uint64_t id);

// The prefix that the files of a sample of this key get under keys=original:
// the key up to the first dot after its last slash. nullopt for any other: for
// the package nothing or a "__meta__" name, or for programs that unpack
// archives a path out of their folder.
std::optional<std::string_view> PrefixOfKey(std::string_view key);

// Can the name of a field be an extension as it is? Not empty, without `/`, NUL
// and the letters that the package lower-cases; `%` marks escaped names.
bool IsPlainExtension(std::string_view name);

// A field's name as a part of an extension: a to z, 0 to 9, `_` and `-` as they
// are, other bytes as %hh; "%" alone for the empty name. Survives the
// lower-casing and the split at dots of the webdataset package.
std::string EscapeFieldName(std::string_view name);
// The inverse; nullopt for text that EscapeFieldName does not return.
std::optional<std::string> UnescapeFieldName(std::string_view text);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_WEBDATASET_MEMBER_NAME_H_
