#include "lmdb/pattern_codec.h"

#include <vector>

#include "base/shown_name.h"

namespace shardine {
namespace {

constexpr std::string_view kNumber = "{n}";
constexpr std::string_view kDigits = "0123456789";

std::string KeyOf(std::string_view pattern, std::string_view number) {
  const std::size_t at = pattern.find(kNumber);
  return std::string(pattern.substr(0, at))
      .append(number)
      .append(pattern.substr(at + kNumber.size()));
}

class PatternCodec : public ValueCodec {
 public:
  explicit PatternCodec(const FieldRoles& roles) : image_(roles.image) {
    const auto add = [&](const std::string& name) {
      if (IsKeyPattern(name) && name != image_) beside_.push_back(name);
    };
    add(roles.label);
    add(roles.key);
    if (!roles.fields) return;
    for (const std::string& name : *roles.fields) add(name);
  }

  bool keys_ascend() const override { return false; }
  bool lists_left_out() const override { return true; }
  bool may_be_beside(std::string_view key) const override {
    return !NumberInKey(image_, key);
  }
  std::vector<std::string> owners_of(std::string_view key) const override {
    std::vector<std::string> owners;
    for (const std::string& pattern : beside_) {
      const auto number = NumberInKey(pattern, key);
      if (number) owners.push_back(KeyOf(image_, *number));
    }
    return owners;
  }
  bool is_sample(ByteView) override { return false; }

  Status Encode(const SampleView&, std::uint64_t, EncodedSample&) override {
    return Status(Code::kUnsupported, "patterns of keys are only read");
  }

  Status Decode(ByteView key, ByteView value, std::uint64_t offset,
                DecodedSample& to) override {
    to = {};
    const auto number = NumberInKey(image_, AsText(key));
    if (!number) {
      return Status(Code::kUnsupported, "a key " + ShowName(AsText(key)) +
                                            " of another form than " +
                                            ShowName(image_));
    }
    to.key = AsText(key);
    to.fields.push_back({.name = image_, .bytes = value, .offset = offset});
    for (const std::string& pattern : beside_) {
      to.beside.push_back({KeyOf(pattern, *number), pattern});
    }
    return {};
  }

 private:
  const std::string image_;
  std::vector<std::string> beside_;
};

}  // namespace

std::optional<std::string_view> NumberInKey(std::string_view pattern,
                                            std::string_view key) {
  const std::size_t at = pattern.find(kNumber);
  const std::string_view before = pattern.substr(0, at);
  const std::string_view after = pattern.substr(at + kNumber.size());
  if (key.size() <= before.size() + after.size() || !key.starts_with(before) ||
      !key.ends_with(after)) {
    return std::nullopt;
  }
  const std::string_view number =
      key.substr(at, key.size() - before.size() - after.size());
  if (number.find_first_not_of(kDigits) != number.npos) return std::nullopt;
  return number;
}

std::string PatternOfKey(std::string_view key) {
  const std::size_t last = key.find_last_of(kDigits);
  if (last == key.npos) return std::string(key);
  const std::size_t before = key.find_last_not_of(kDigits, last);
  const std::size_t first = before == key.npos ? 0 : before + 1;
  return std::string(key.substr(0, first))
      .append(kNumber)
      .append(key.substr(last + 1));
}

bool IsKeyPattern(std::string_view name) {
  return name.find(kNumber) != name.npos;
}

std::unique_ptr<ValueCodec> MakePatternCodec(const FieldRoles& roles) {
  return std::make_unique<PatternCodec>(roles);
}

}  // namespace shardine
