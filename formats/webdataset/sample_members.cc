#include "webdataset/sample_members.h"

#include <charconv>
#include <utility>

#include "base/ascii.h"
#include "base/shown_name.h"
#include "webdataset/image_extension.h"
#include "webdataset/member_name.h"
#include "webdataset/webdataset_writer.h"

namespace shardine {
namespace {

constexpr std::string_view kBin = ".bin";

// The extension of the image's file in the key, "JPEG"; empty if the key has
// none or it is no image's.
std::string_view ImageExtensionOfKey(std::string_view key,
                                     std::string_view prefix) {
  if (key.size() <= prefix.size()) return {};
  const std::string_view extension = key.substr(prefix.size() + 1);
  return ImageRank(LowerAscii(extension)) == kNoImage ? std::string_view()
                                                      : extension;
}

// Can a field of bytes have its own name as extension, and be known by it?
bool KeepsName(const FieldView& field, const SampleMembers& members) {
  const std::string_view name = field.name;
  if (!IsPlainExtension(name) || name.ends_with(kNpy) || name.ends_with(kBin) ||
      name == kNpy.substr(1) || name == kOwnJson) {
    return false;
  }
  // Readers take a number there for the label.
  if (name == kClass) return !members.cls && !ParseClass(AsText(field.bytes));
  // The first image of a sample is the image: others can only come after it.
  if (ImageRank(name) == kNoImage) return true;
  return !members.image.empty() && LowerAscii(members.image) != name;
}

Status NotAName() {
  return Status(Code::kUnsupported,
                "a key that cannot name files of an archive");
}

}  // namespace

std::optional<std::int64_t> ParseClass(std::string_view text) {
  text = WithoutBlanks(text, " \t\n\v\f\r");
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
    text.remove_prefix(1);
  }
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

Status MemberPrefixes::Add(const std::string& prefix) {
  const bool again = by_key_ ? !all_.insert(prefix).second : prefix == last_;
  if (!by_key_) last_ = prefix;
  if (!again) return Status();
  return Status(Code::kUnsupported,
                "files named " + ShowName(prefix) +
                    " twice, which would make one sample of two");
}

Status CheckMemberKeys(const LayoutChoice& layout,
                       std::span<const std::string_view> keys) {
  if (layout.value(kMemberKeys) != kOriginalKeys) return Status();
  MemberPrefixes prefixes(true);
  for (const std::string_view key : keys) {
    const auto prefix = PrefixOfKey(key);
    Status status = prefix ? prefixes.Add(std::string(*prefix)) : NotAName();
    if (!status.ok()) return std::move(status).At({.key = std::string(key)});
  }
  return Status();
}

Result<SampleMembers> MembersOf(const SampleView& sample, bool by_key) {
  SampleMembers members{.prefix = {}, .image = {}, .cls = false, .json = kJson};
  if (by_key) {
    const auto prefix = PrefixOfKey(sample.key);
    if (!prefix) return NotAName();
    members.prefix = *prefix;
  } else {
    members.prefix = PrefixOfId(sample.id);
  }
  // The package decodes a .cls with int(), so it holds nothing but one integer.
  members.cls = sample.labels.size() == 1 && sample.labels[0].is_integer();
  for (const FieldView& field : sample.fields) {
    if (field.dtype != kBytesDtype) continue;
    if (field.name == kJson) members.json = kOwnJson;
    if (field.name != kImageField) continue;
    if (by_key) members.image = ImageExtensionOfKey(sample.key, members.prefix);
    if (members.image.empty()) members.image = ImageExtensionFor(field.bytes);
  }
  return members;
}

std::string ExtensionOf(const FieldView& field, const SampleMembers& members) {
  const bool array = field.dtype != kBytesDtype;
  if (field.name == kImageField && !array) return members.image;
  if (array && field.name == kNpy.substr(1)) return std::string(field.name);
  if (array && IsPlainExtension(field.name) && !field.name.ends_with(kNpy)) {
    return std::string(field.name) + std::string(kNpy);
  }
  if (!array && KeepsName(field, members)) return std::string(field.name);
  return EscapeFieldName(field.name) + std::string(array ? kNpy : kBin);
}

std::optional<MemberField> FieldOfExtension(std::string_view extension) {
  if (extension == kNpy.substr(1)) {
    return MemberField{.name = std::string(extension), .array = true};
  }
  const bool array = extension.ends_with(kNpy);
  if (!array && !extension.ends_with(kBin)) {
    if (!IsPlainExtension(extension)) return std::nullopt;
    return MemberField{.name = std::string(extension), .array = false};
  }
  // kNpy and kBin have one length.
  const auto stem = extension.substr(0, extension.size() - kNpy.size());
  if (auto name = UnescapeFieldName(stem)) {
    if (!array && *name == kImageField) return std::nullopt;
    return MemberField{.name = *std::move(name), .array = array};
  }
  if (!array || !IsPlainExtension(stem) || stem.ends_with(kNpy)) {
    return std::nullopt;
  }
  return MemberField{.name = std::string(stem), .array = true};
}

}  // namespace shardine
