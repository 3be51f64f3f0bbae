// What a layout holds of keys, labels, fields and bytes, at each limit and one
// beyond it, for every layout there is.
#include "pack/limits_check.h"

#include <catch2/catch.hpp>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "shard/format.h"
#include "shardine/format.h"

namespace shardine::limits_check_test {
namespace {

using Catch::Contains;

// Without parameters: "tfrecord/imagenet".
std::string ShortName(const Format& format, const Layout& layout) {
  std::string name(format.name);
  if (!layout.name.empty()) name += "/" + std::string(layout.name);
  return name;
}

void ForEachLayout(const std::function<void(const FormatAndLayout&)>& check) {
  int layouts = 0;
  for (const Format* format : BuiltinFormats().formats()) {
    for (const Layout& layout : format->layouts) {
      const std::string name = ShortName(*format, layout);
      INFO(name);
      const auto parsed = ParseFormat(BuiltinFormats(), name);
      REQUIRE(parsed.status().ToString() == "OK");
      check(*parsed);
      ++layouts;
    }
  }
  REQUIRE(layouts > 8);
}

IndexField Encoded() {
  return {std::string(kImageField), std::string(kBytesDtype), {}, {}};
}
IndexField Pixels() { return {std::string(kImageField), "|u1", {4, 4, 3}, {}}; }
IndexField Extra() { return {"mask", "|u1", {4}, {}}; }

TEST_CASE("A layout holds keys of its limit and none of a byte more",
          "[pack][limits]") {
  int bounded = 0;
  ForEachLayout([&](const FormatAndLayout& format) {
    const LimitsCheck check(format, BuiltinFormats());
    const Limits& limits = format.limits();
    CHECK(check.CheckKey("k").ok());
    const std::size_t most = limits.max_key;
    if (!limits.keys || most == 0) {
      CHECK(check.CheckKey(std::string(100'000, 'k')).ok());
      return;
    }
    ++bounded;
    CHECK(check.CheckKey(std::string(most, 'k')).ok());
    const std::string longer(most + 1, 'k');
    const Status refused = check.CheckKey(longer);
    CHECK(refused.code() == Code::kUnsupported);
    CHECK(refused.where().key == longer);
    CHECK_THAT(refused.message(),
               Contains("keys of at most " + std::to_string(most) +
                        " bytes, not of " + std::to_string(most + 1)));
  });
  CHECK(bounded >= 2);
}

TEST_CASE("A refused key comes with layouts that do hold it",
          "[pack][limits]") {
  ForEachLayout([](const FormatAndLayout& format) {
    const Limits& limits = format.limits();
    if (!limits.keys || limits.max_key == 0) return;
    const std::string longer(limits.max_key + 1, 'k');
    const std::string message =
        LimitsCheck(format, BuiltinFormats()).CheckKey(longer).message();
    // The advice works: what it names takes the key, and nothing else does.
    std::string advice = message.substr(message.find("; ") + 2);
    REQUIRE(advice.ends_with(" do"));
    advice.replace(advice.size() - 3, 3, ", ");
    advice.insert(0, ", ");
    ForEachLayout([&](const FormatAndLayout& other) {
      const std::string name = ShortName(*other.format, *other.layout);
      const bool named = advice.find(", " + name + ", ") != advice.npos;
      INFO(advice << name);
      CHECK(named ==
            LimitsCheck(other, BuiltinFormats()).CheckKey(longer).ok());
    });
  });
}

TEST_CASE("Only a file that is searched by keys needs one", "[pack][limits]") {
  ForEachLayout([](const FormatAndLayout& format) {
    const Limits& limits = format.limits();
    const Status status = LimitsCheck(format, BuiltinFormats()).CheckKey("");
    CHECK(status.ok() == !(limits.keys && limits.unique_keys));
    if (!status.ok()) CHECK_THAT(status.message(), Contains("needs a key"));
  });
}

TEST_CASE("A layout holds payloads of its limit and none of a byte more",
          "[pack][limits]") {
  ForEachLayout([](const FormatAndLayout& format) {
    const LimitsCheck check(format, BuiltinFormats());
    const std::uint64_t most = format.limits().max_payload;
    CHECK(check.CheckPayload("k", 0).ok());
    CHECK(check.CheckPayload("k", most).ok());
    if (most == std::numeric_limits<std::uint64_t>::max()) return;
    const Status refused = check.CheckPayload("a/b.jpg", most + 1);
    CHECK(refused.code() == Code::kUnsupported);
    CHECK(refused.where().key == "a/b.jpg");
    CHECK_THAT(refused.message(), Contains(std::to_string(most) + " bytes"));
  });
}

TEST_CASE("A layout says which fields it holds, and which layouts do",
          "[pack][limits]") {
  ForEachLayout([](const FormatAndLayout& format) {
    const LimitsCheck check(format, BuiltinFormats());
    const Limits& limits = format.limits();
    const std::vector<IndexField> encoded = {Encoded()};
    const std::vector<IndexField> pixels = {Pixels()};
    const std::vector<IndexField> both = {
        limits.encoded_image ? Encoded() : Pixels(), Extra()};
    CHECK(check.CheckFields("k", encoded).ok() == limits.encoded_image);
    CHECK(check.CheckFields("k", pixels).ok() == limits.array_image);
    const Status extra = check.CheckFields("k", both);
    CHECK(extra.ok() == limits.fields);
    if (!extra.ok()) {
      CHECK(extra.code() == Code::kUnsupported);
      CHECK(extra.where().key == "k");
      CHECK_THAT(extra.message(), Contains("\"mask\"") && Contains(" do"));
    }
    // One of plain bytes may be there all the same.
    if (!limits.text_field.empty()) {
      IndexField text{std::string(limits.text_field), "|S", {}, {}};
      const std::vector<IndexField> worded = {Encoded(), text};
      CHECK(check.CheckFields("k", worded).ok());
      text.dtype = "<f8";
      const std::vector<IndexField> numbers = {Encoded(), text};
      CHECK_THAT(check.CheckFields("k", numbers).message(),
                 Contains("as bytes, not as numbers") && Contains(" do"));
    }
    const Status none = check.CheckFields("k", {});
    CHECK(none.ok() == !limits.needs_image);
    if (!none.ok()) CHECK_THAT(none.message(), Contains("needs an image"));
  });
}

// The first layout of which that is true.
FormatAndLayout LayoutWith(const std::function<bool(const Limits&)>& is) {
  std::optional<FormatAndLayout> found;
  ForEachLayout([&](const FormatAndLayout& format) {
    if (!found && is(format.limits())) found = format;
  });
  REQUIRE(found);
  return *found;
}

TEST_CASE("Labels that a record rounds or cuts are counted once each",
          "[pack][limits]") {
  const FormatAndLayout floats = LayoutWith([](const Limits& limits) {
    return limits.label_type == LabelType::kFloat32;
  });
  LimitsCheck check(floats, BuiltinFormats());
  CHECK(check.LabelLosses().empty());
  const Label exact(std::int64_t{1} << 24);
  const Label rounded((std::int64_t{1} << 24) + 1);
  check.CountLabels({&exact, 1});
  CHECK(check.LabelLosses().empty());
  check.CountLabels({&rounded, 1});
  check.CountLabels({});
  REQUIRE(check.LabelLosses().size() == 1);
  CHECK_THAT(check.LabelLosses()[0], Contains("1 labels are beyond"));

  const FormatAndLayout single =
      LayoutWith([](const Limits& limits) { return limits.max_labels == 1; });
  LimitsCheck one(single, BuiltinFormats());
  const std::vector<Label> two = {Label(1), rounded};
  one.CountLabels({two.data(), 1});
  CHECK(one.LabelLosses().empty());
  // The second is cut away, and not said to be rounded as well.
  one.CountLabels(two);
  one.CountLabels(two);
  REQUIRE(one.LabelLosses().size() == 1);
  CHECK_THAT(one.LabelLosses()[0],
             Contains("2 samples have more labels than the 1"));
}

TEST_CASE("Warnings say all losses and what keeps them", "[pack][limits]") {
  ForEachLayout([](const FormatAndLayout& format) {
    LimitsCheck check(format, BuiltinFormats());
    const Limits& limits = format.limits();
    const std::vector<std::string> names = check.NameLosses();
    CHECK(names.size() == (limits.ids ? 0u : 1u) + (limits.keys ? 0u : 1u));
    if (limits.max_labels < 100) {
      const std::vector<Label> many(101, Label(1));
      check.CountLabels(many);
    }
    const std::vector<std::string> losses = check.Losses();
    CHECK(losses.size() == names.size() + check.LabelLosses().size());
    const std::vector<std::string> warnings = check.LossWarnings();
    REQUIRE(warnings.size() == losses.size());
    for (std::size_t i = 0; i < losses.size(); ++i) {
      CHECK(warnings[i] == losses[i] + "; the sidecar index keeps them");
      CHECK_THAT(losses[i], Contains(format.Name()));
    }
  });
}

TEST_CASE("Keys are compared where a file has them once, split by split",
          "[pack][limits]") {
  ForEachLayout([](const FormatAndLayout& format) {
    const LimitsCheck check(format, BuiltinFormats());
    SourceSet source;
    source.splits = {"train", "val"};
    const Label label(0);
    source.samples.Add("a", 0, {&label, 1}, 0);
    source.samples.Add("a", 1, {&label, 1}, 1);
    source.samples.Add("b", 2, {&label, 1}, 0);
    CHECK(check.CheckUnique(source).ok());
    source.samples.Add("b", 3, {&label, 1}, 0);
    const Status twice = check.CheckUnique(source);
    CHECK(twice.ok() == !format.limits().unique_keys);
    if (!twice.ok()) CHECK(twice.where().key == "b");
  });
}

}  // namespace
}  // namespace shardine::limits_check_test
