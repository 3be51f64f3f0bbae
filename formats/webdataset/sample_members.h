// Which files a sample of ours is made of: the name of each part, and back.
// Rules: FORMAT.md, "Our samples".
#ifndef SHARDINE_FORMATS_WEBDATASET_SAMPLE_MEMBERS_H_
#define SHARDINE_FORMATS_WEBDATASET_SAMPLE_MEMBERS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "shard/format.h"
#include "shardine/status.h"

namespace shardine {

// Extensions of the .json of ours: the second where a field has the first.
inline constexpr std::string_view kJson = "json";
inline constexpr std::string_view kOwnJson = "shardine.json";

// The end of an array's file.
inline constexpr std::string_view kNpy = ".npy";

// The extension of the label's file.
inline constexpr std::string_view kClass = "cls";
// The number in one, read as Python's int() reads it: with blanks around it and
// a sign.
std::optional<std::int64_t> ParseClass(std::string_view text);

// The prefixes of one shard's samples. Readers make one sample of neighbours of
// a prefix, and tar one file of all of a name.
class MemberPrefixes {
 public:
  explicit MemberPrefixes(bool by_key) : by_key_(by_key) {}

  // kUnsupported: another sample has the prefix.
  Status Add(const std::string& prefix);

 private:
  const bool by_key_;  // else by ascending ids, and neighbours alone may clash
  std::string last_;
  std::unordered_set<std::string> all_;
};

// kUnsupported naming the first key that cannot name files in one shard.
Status CheckMemberKeys(const LayoutChoice& layout,
                       std::span<const std::string_view> keys);

// How one sample names its files.
struct SampleMembers {
  std::string prefix;
  // The extension of the image as bytes, as written ("JPEG"); empty without
  // one.
  std::string image;
  bool cls = false;       // the label has a file
  std::string_view json;  // kJson or kOwnJson
};

// `by_key`: the prefix, and the extension of the image if it is one, come from
// the key; else the prefix is the id. kUnsupported for a key that cannot name
// files.
Result<SampleMembers> MembersOf(const SampleView& sample, bool by_key);

// The extension of a field's file. One of bytes keeps its name where that is an
// extension that means nothing else: "txt", "seg.png".
std::string ExtensionOf(const FieldView& field, const SampleMembers& members);

// The contents of a file of our sample, other than its image, .cls and .json.
struct MemberField {
  std::string name;
  bool array = false;  // in an .npy
};
// nullopt for an extension (lower case) that ExtensionOf() never returns, now
// or in earlier versions.
std::optional<MemberField> FieldOfExtension(std::string_view extension);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_WEBDATASET_SAMPLE_MEMBERS_H_
