#include "dataset/manifest_json.h"

#include <simdjson.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <span>

#include "shardine/escape.h"

namespace shardine {
namespace {

using Element = simdjson::dom::element;  // megabytes in milliseconds

bool Has(Element json, std::string_view name) {
  return json[name].error() == simdjson::SUCCESS;
}

// Walks the parsed JSON. The first thing that is wrong stops it; `path_` then
// says where it was: every function leaves it as it was on success only.
class Reader {
 public:
  bool Read(Element json, Manifest& manifest);
  Status failure() const {
    return Status(code_,
                  "manifest: " + (path_.empty() ? "" : path_ + " ") + what_);
  }

 private:
  bool Fail(std::string what, Code code = Code::kCorrupt) {
    what_ = std::move(what);
    code_ = code;
    return false;
  }

  bool ReadSchema(Element json);
  bool ReadMembers(Element json, Manifest& manifest);
  // An object with exactly these members. REQUIRES: names sorted.
  bool IsObject(Element json, std::span<const std::string_view> names);
  bool IsObject(Element json, std::initializer_list<std::string_view> names) {
    return IsObject(json, std::span(names.begin(), names.size()));
  }
  bool Text(Element json, std::string& value);
  bool Hex(Element json, Digest128& value);
  template <typename T>
  bool Number(Element json, T& value);

  bool Value(Element json, std::string& value) { return Text(json, value); }
  bool Value(Element json, Digest128& value) { return Hex(json, value); }
  bool Value(Element json, std::uint64_t& value) { return Number(json, value); }
  bool Value(Element json, std::uint32_t& value) { return Number(json, value); }
  bool Value(Element json, std::int64_t& value);
  bool Value(Element json, ClassInfo& value);
  bool Value(Element json, ManifestFile& value);
  bool Value(Element json, ManifestShard& value);
  bool Value(Element json, ManifestSplit& value);
  bool Value(Element json, ManifestVariant& value);
  bool Value(Element json, EntryPointCounts& value);
  bool Value(Element json, ManifestChild& value);
  bool Value(Element json, ManifestRejected& value);
  bool Value(Element json, Making& value);
  bool Value(Element json, std::map<std::string, std::string>& value);
  template <typename T>
  bool Value(Element json, std::vector<T>& list);

  // The member of an object that has it.
  template <typename T>
  bool Member(Element object, const char* name, T& value);
  // One that must be equal to what the others give.
  template <typename T>
  bool Derived(Element object, const char* name, const T& expected);

  // Of schema 2 and later ones.
  bool has_bindings() const { return schema_ >= 2; }

  std::uint64_t schema_ = 0;
  std::string path_;  // "splits[0].shards[3].bytes"
  std::string what_;
  Code code_ = Code::kCorrupt;
};

template <typename T>
bool Reader::Member(Element object, const char* name, T& value) {
  const std::size_t length = path_.size();
  if (length > 0) path_ += '.';
  path_ += name;
  if (!Value(object[name].value_unsafe(), value)) return false;
  path_.resize(length);
  return true;
}

template <typename T>
bool Reader::Derived(Element object, const char* name, const T& expected) {
  T value{};
  if (!Member(object, name, value)) return false;
  if (value == expected) return true;
  path_ = name;
  return Fail("is not what the rest adds up to");
}

template <typename T>
bool Reader::Value(Element json, std::vector<T>& list) {
  simdjson::dom::array array;
  if (json.get(array) != simdjson::SUCCESS) return Fail("is not a list");
  const std::size_t length = path_.size();
  list.reserve(array.size());
  for (const Element element : array) {
    path_ += '[' + std::to_string(list.size()) + ']';
    if (!Value(element, list.emplace_back())) return false;
    path_.resize(length);
  }
  return true;
}

bool Reader::IsObject(Element json, std::span<const std::string_view> names) {
  simdjson::dom::object object;
  if (json.get(object) != simdjson::SUCCESS) return Fail("is not an object");
  for (const std::string_view name : names) {
    if (!Has(json, name)) {
      return Fail("has no member \"" + std::string(name) + "\"");
    }
  }
  for (const auto& member : object) {
    if (!std::ranges::binary_search(names, member.key)) {
      return Fail("has an unknown member \"" + EscapeBytes(member.key) + "\"");
    }
  }
  return object.size() == names.size() || Fail("has a member twice");
}

bool Reader::Text(Element json, std::string& value) {
  std::string_view text;
  if (json.get(text) != simdjson::SUCCESS) return Fail("is not a text");
  std::optional<std::string> bytes = UnescapeBytes(text);
  if (!bytes) return Fail("has a backslash that starts no \\xHH");
  value = *std::move(bytes);
  return true;
}

bool Reader::Hex(Element json, Digest128& value) {
  std::string_view text;
  const bool is_text = json.get(text) == simdjson::SUCCESS;
  const auto digest = is_text ? Digest128::FromHex(text) : std::nullopt;
  if (!digest) return Fail("is not a digest of 32 lower-case hex digits");
  value = *digest;
  return true;
}

template <typename T>
bool Reader::Number(Element json, T& value) {
  std::uint64_t number = 0;
  if (json.get(number) != simdjson::SUCCESS ||
      number > std::numeric_limits<T>::max()) {
    return Fail("is not a whole number in range");
  }
  value = static_cast<T>(number);
  return true;
}

bool Reader::Value(Element json, std::int64_t& value) {
  if (json.get(value) != simdjson::SUCCESS) {
    return Fail("is not a whole number in range");
  }
  return true;
}

bool Reader::Value(Element json, ClassInfo& value) {
  const bool has_text = Has(json, "text");
  const bool known = has_text
                         ? IsObject(json, {"count", "label", "name", "text"})
                         : IsObject(json, {"count", "label", "name"});
  return known && Member(json, "count", value.count) &&
         Member(json, "label", value.label) &&
         Member(json, "name", value.name) &&
         (!has_text || Member(json, "text", value.text));
}

bool Reader::Value(Element json, ManifestFile& value) {
  return IsObject(json, {"bytes", "digest", "path"}) &&
         Member(json, "bytes", value.bytes) &&
         Member(json, "digest", value.digest) &&
         Member(json, "path", value.path);
}

bool Reader::Value(Element json, ManifestShard& value) {
  const bool part = has_bindings() && Has(json, "plan_digest");
  std::vector<std::string_view> names = {"bytes", "companions", "digest",
                                         "path"};
  if (part) names.push_back("plan_digest");
  names.push_back("samples");
  return IsObject(json, names) && Member(json, "bytes", value.file.bytes) &&
         Member(json, "companions", value.companions) &&
         Member(json, "digest", value.file.digest) &&
         Member(json, "path", value.file.path) &&
         Member(json, "samples", value.samples) &&
         (!part || Member(json, "plan_digest", value.plan_digest));
}

bool Reader::Value(Element json, ManifestSplit& value) {
  const bool unlabelled = has_bindings() && Has(json, "unlabelled");
  std::vector<std::string_view> names = {"content_digest", "name",
                                         "names_digest",   "order_digest",
                                         "samples",        "shards"};
  if (has_bindings()) names.insert(names.begin(), "binding_digest");
  if (unlabelled) names.push_back("unlabelled");
  return IsObject(json, names) &&
         Member(json, "content_digest", value.content_digest) &&
         Member(json, "name", value.name) &&
         Member(json, "names_digest", value.names_digest) &&
         Member(json, "order_digest", value.order_digest) &&
         Member(json, "samples", value.samples) &&
         Member(json, "shards", value.shards) &&
         (!has_bindings() ||
          Member(json, "binding_digest", value.binding_digest)) &&
         (!unlabelled || Member(json, "unlabelled", value.unlabelled));
}

bool Reader::Value(Element json, ManifestVariant& value) {
  const bool is_made = Has(json, "images");
  const bool known =
      is_made
          ? IsObject(json, {"filter", "images", "kept", "name", "parent_digest",
                            "quality", "short_side", "upscaled"})
          : IsObject(json, {"filter", "name", "parent_digest", "quality",
                            "short_side"});
  if (!known || !Member(json, "filter", value.filter) ||
      !Member(json, "name", value.name) ||
      !Member(json, "parent_digest", value.parent_digest) ||
      !Member(json, "quality", value.quality) ||
      !Member(json, "short_side", value.short_side)) {
    return false;
  }
  if (value.short_side > 0 && !is_made) {
    return Fail("does not say how the images were made");
  }
  return !is_made || (Member(json, "images", value.images) &&
                      Member(json, "kept", value.kept) &&
                      Member(json, "upscaled", value.upscaled));
}

bool Reader::Value(Element json, EntryPointCounts& value) {
  return IsObject(json, {"damaged", "images"}) &&
         Member(json, "damaged", value.damaged) &&
         Member(json, "images", value.images);
}

bool Reader::Value(Element json, ManifestChild& value) {
  const bool known =
      has_bindings()
          ? IsObject(json, {"binding_digest", "content_digest", "path"}) &&
                Member(json, "binding_digest", value.binding_digest)
          : IsObject(json, {"content_digest", "path"});
  return known && Member(json, "content_digest", value.content_digest) &&
         Member(json, "path", value.path);
}

bool Reader::Value(Element json, ManifestRejected& value) {
  return IsObject(json, {"action", "count", "reason"}) &&
         Member(json, "action", value.action) &&
         Member(json, "count", value.count) &&
         Member(json, "reason", value.reason);
}

bool Reader::Value(Element json, Making& value) {
  return IsObject(json, {"command", "options", "sources"}) &&
         Member(json, "command", value.command) &&
         Member(json, "options", value.options) &&
         Member(json, "sources", value.sources);
}

bool Reader::Value(Element json, std::map<std::string, std::string>& value) {
  simdjson::dom::object object;
  if (json.get(object) != simdjson::SUCCESS) return Fail("is not an object");
  const std::size_t length = path_.size();
  for (const auto& member : object) {
    path_ += '.' + EscapeBytes(member.key);
    const std::optional<std::string> name = UnescapeBytes(member.key);
    if (!name) return Fail("has a backslash that starts no \\xHH");
    const auto [entry, is_new] = value.try_emplace(*name);
    if (!is_new) return Fail("is there twice");
    if (!Text(member.value, entry->second)) return false;
    path_.resize(length);
  }
  return true;
}

// Before anything else: a newer schema may have other members.
bool Reader::ReadSchema(Element json) {
  if (!Has(json, "schema")) return Fail("has no member \"schema\"");
  if (!Member(json, "schema", schema_)) return false;
  if (schema_ >= 1 && schema_ <= kManifestSchema) return true;
  if (schema_ == 0) return Fail("schema 0 is none there ever was");
  return Fail("schema " + std::to_string(schema_) +
                  " is newer than this program, which reads up to " +
                  std::to_string(kManifestSchema),
              Code::kUnsupported);
}

bool Reader::Read(Element json, Manifest& manifest) {
  if (!ReadSchema(json)) return false;
  std::vector<std::string_view> names = {
      "classes",     "classes_digest", "codec_versions", "content_digest",
      "files",       "format",         "names_digest",   "order_digest",
      "plan_digest", "rejected",       "samples",        "schema",
      "splits",      "tool_version",   "variant",        "variants",
      "xxh3_128"};
  const bool points = Has(json, "entry_points");
  if (points) names.push_back("entry_points");
  if (has_bindings()) names.insert(names.end(), {"binding_digest", "made"});
  std::ranges::sort(names);
  manifest.schema = schema_;
  return IsObject(json, names) && ReadMembers(json, manifest) &&
         (!points || Member(json, "entry_points", manifest.entry_points)) &&
         (!has_bindings() ||
          (Member(json, "made", manifest.made) &&
           Derived(json, "binding_digest", manifest.binding_digest())));
}

bool Reader::ReadMembers(Element json, Manifest& manifest) {
  return Member(json, "classes", manifest.classes) &&
         Member(json, "codec_versions", manifest.codec_versions) &&
         Member(json, "files", manifest.files) &&
         Member(json, "format", manifest.format) &&
         Member(json, "plan_digest", manifest.plan_digest) &&
         Member(json, "rejected", manifest.rejected) &&
         Member(json, "splits", manifest.splits) &&
         Member(json, "tool_version", manifest.tool_version) &&
         Member(json, "variant", manifest.variant) &&
         Member(json, "variants", manifest.variants) &&
         Derived(json, "classes_digest", ClassMapDigest(manifest.classes)) &&
         Derived(json, "content_digest", manifest.content_digest()) &&
         Derived(json, "names_digest", manifest.names_digest()) &&
         Derived(json, "order_digest", manifest.order_digest()) &&
         Derived(json, "samples", manifest.samples());
}

}  // namespace

Result<Manifest> ManifestFromJson(std::string_view text) {
  simdjson::dom::parser parser;
  Element root;
  const auto error = parser.parse(text.data(), text.size()).get(root);
  if (error != simdjson::SUCCESS) {
    return Status(Code::kCorrupt, std::string("manifest: not a JSON text: ") +
                                      simdjson::error_message(error));
  }
  Reader reader;
  Manifest manifest;
  if (!reader.Read(root, manifest)) return reader.failure();
  return manifest;
}

}  // namespace shardine
