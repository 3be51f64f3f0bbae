#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dataset/manifest_json.h"
#include "dataset/manifest_members.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

using Json = nlohmann::json;

// Fills an object. A changed manifest keeps its schema: facts that an older
// schema lacks could only be made up.
class Writer {
 public:
  explicit Writer(std::uint64_t schema) : schema_(schema) {}

  template <typename T>
  bool Member(const char* name, const T& value) {
    json_[name] = ToJson(value);
    return true;
  }
  template <typename T>
  bool Derived(const char* name, const T& value) {
    return Member(name, value);
  }
  static bool Elsewhere(std::string_view /*name*/) { return true; }
  static bool has(const char* /*name*/, bool is_some) { return is_some; }
  std::uint64_t schema() const { return schema_; }

  Json Take() { return std::move(json_); }

 private:
  static Json ToJson(std::uint64_t value) { return value; }
  static Json ToJson(std::uint32_t value) { return value; }
  static Json ToJson(std::int64_t value) { return value; }
  static Json ToJson(const std::string& text) { return EscapeBytes(text); }
  static Json ToJson(const Digest128& digest) { return digest.ToHex(); }
  template <typename T>
  static Json ToJson(const std::map<std::string, T>& values) {
    Json json = Json::object();
    for (const auto& [name, value] : values) {
      json[EscapeBytes(name)] = ToJson(value);
    }
    return json;
  }
  template <typename T>
  Json ToJson(const std::vector<T>& list) {
    Json array = Json::array();
    for (const T& element : list) array.push_back(ToJson(element));
    return array;
  }
  template <typename T>
  Json ToJson(const T& object) {
    Writer writer(schema_);
    WalkMembers(writer, object);
    return writer.Take();
  }

  std::uint64_t schema_;
  Json json_ = Json::object();
};

}  // namespace

std::string ManifestToJson(const Manifest& manifest) {
  Writer writer(manifest.schema);
  WalkMembers(writer, manifest);
  return writer.Take().dump(1);
}

}  // namespace shardine
