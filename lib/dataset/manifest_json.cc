#include "dataset/manifest_json.h"

#include <simdjson.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <span>

#include "dataset/manifest_members.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

using Element = simdjson::dom::element;  // megabytes in milliseconds

// The library reads a variable at its first use: here before main() begins, or
// while the program loads this library.
[[maybe_unused]] const bool kIsChosen =
    !simdjson::get_active_implementation()->name().empty();

bool Has(Element json, std::string_view name) {
  return json[name].error() == simdjson::SUCCESS;
}

std::string Missing(std::string_view name) {
  return "has no member \"" + std::string(name) + "\"";
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
  // An object with exactly these members. REQUIRES: names sorted.
  bool IsObject(Element json, std::span<const std::string_view> names);
  bool Text(Element json, std::string& value);
  bool Hex(Element json, Digest128& value);
  template <typename T>
  bool Number(Element json, T& value);

  bool Value(Element json, std::string& value) { return Text(json, value); }
  bool Value(Element json, Digest128& value) { return Hex(json, value); }
  bool Value(Element json, std::uint64_t& value) { return Number(json, value); }
  bool Value(Element json, std::uint32_t& value) { return Number(json, value); }
  bool Value(Element json, std::int64_t& value);
  bool Value(Element json, ManifestVariant& value);
  template <typename T>
  bool Value(Element json, std::map<std::string, T>& value);
  template <typename T>
  bool Value(Element json, std::vector<T>& list);
  // An object: a type that has a list of members.
  template <typename T>
  bool Value(Element json, T& value) {
    return Object(json, value);
  }
  template <typename T>
  bool Object(Element json, T& value);

  // The walks over an object's members: the names that it must have, and their
  // values.
  class Names;
  class Members;

  // The member of an object that has it.
  template <typename T>
  bool Member(Element object, const char* name, T& value);
  // One that must be equal to the value that the others give.
  template <typename T>
  bool Derived(Element object, const char* name, const T& expected);

  std::uint64_t schema_ = 0;
  std::string path_;  // "splits[0].shards[3].bytes"
  std::string what_;
  Code code_ = Code::kCorrupt;
};

// One walk (WalkMembers) names the members of each object for writer and
// reader. Here it gathers the names, so that an object is compared with them
// before any value is read.
class Reader::Names {
 public:
  Names(std::uint64_t schema, Element json) : schema_(schema), json_(json) {}

  template <typename T>
  bool Member(const char* name, const T& /*value*/) {
    return Elsewhere(name);
  }
  template <typename T>
  bool Derived(const char* name, const T& /*value*/) {
    return Elsewhere(name);
  }
  bool Elsewhere(std::string_view name) {
    names_.push_back(name);
    return true;
  }
  bool has(const char* name, bool /*is_some*/) const {
    return Has(json_, name);
  }
  std::uint64_t schema() const { return schema_; }

  std::span<const std::string_view> Sorted() {
    std::ranges::sort(names_);
    return names_;
  }

 private:
  std::uint64_t schema_;
  Element json_;
  std::vector<std::string_view> names_;
};

class Reader::Members {
 public:
  Members(Reader& reader, Element json) : reader_(reader), json_(json) {}

  template <typename T>
  bool Member(const char* name, T& value) {
    return reader_.Member(json_, name, value);
  }
  template <typename T>
  bool Derived(const char* name, const T& expected) {
    return reader_.Derived(json_, name, expected);
  }
  static bool Elsewhere(std::string_view /*name*/) { return true; }
  bool has(const char* name, bool /*is_some*/) const {
    return Has(json_, name);
  }
  std::uint64_t schema() const { return reader_.schema_; }

 private:
  Reader& reader_;
  Element json_;
};

template <typename T>
bool Reader::Object(Element json, T& value) {
  Names names(schema_, json);
  WalkMembers(names, value);
  Members members(*this, json);
  return IsObject(json, names.Sorted()) && WalkMembers(members, value);
}

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
  // A sum covers the whole manifest: the message names the sum, not the place
  // where the walk was.
  path_ = name;
  return Fail("is not what the rest adds up to");
}

template <typename T>
bool Reader::Value(Element json, std::vector<T>& list) {
  simdjson::dom::array array;
  if (json.get(array) != simdjson::SUCCESS) return Fail("is not a list");
  const std::size_t length = path_.size();
  // Room for the parsed elements, not for a number that the text states.
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
      return Fail(Missing(name));
    }
  }
  for (const auto& member : object) {
    if (!std::ranges::binary_search(names, member.key)) {
      return Fail("has an unknown member \"" + EscapeBytes(member.key) + "\"");
    }
  }
  // JSON leaves open which of two members of one name counts. Two readers of
  // one manifest must not see two datasets.
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

bool Reader::Value(Element json, ManifestVariant& value) {
  if (!Object(json, value)) return false;
  return value.short_side == 0 || !value.images.empty() ||
         Fail("does not say how the images were made");
}

template <typename T>
bool Reader::Value(Element json, std::map<std::string, T>& value) {
  simdjson::dom::object object;
  if (json.get(object) != simdjson::SUCCESS) return Fail("is not an object");
  const std::size_t length = path_.size();
  for (const auto& member : object) {
    path_ += '.' + EscapeBytes(member.key);
    const std::optional<std::string> name = UnescapeBytes(member.key);
    if (!name) return Fail("has a backslash that starts no \\xHH");
    // Escapes are undone first: two spellings of one name are one name.
    const auto [entry, is_new] = value.try_emplace(*name);
    if (!is_new) return Fail("occurs twice");
    if (!Value(member.value, entry->second)) return false;
    path_.resize(length);
  }
  return true;
}

// Before anything else: a newer schema may have other members.
bool Reader::ReadSchema(Element json) {
  if (!Has(json, kManifestSchemaMember)) {
    return Fail(Missing(kManifestSchemaMember));
  }
  if (!Member(json, kManifestSchemaMember, schema_)) return false;
  if (schema_ >= 1 && schema_ <= kManifestSchema) return true;
  if (schema_ == 0) return Fail("schema 0 is none there ever was");
  return Fail("schema " + std::to_string(schema_) +
                  " is newer than this program, which reads up to " +
                  std::to_string(kManifestSchema),
              Code::kUnsupported);
}

bool Reader::Read(Element json, Manifest& manifest) {
  return ReadSchema(json) && Object(json, manifest);
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
