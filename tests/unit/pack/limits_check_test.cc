// Keys, labels, fields and bytes that a layout holds, at each limit and one
// beyond it, for every layout there is.
#include "pack/limits_check.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "shard/format.h"
#include "shardine/format.h"

namespace shardine::limits_check_test {
namespace {

using Catch::Contains;

// The name without parameters: "tfrecord/imagenet".
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
    // The advice works: the named layouts take the key, and no others do.
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

// Asked with or without lossy labels.
Status CheckOne(LimitsCheck& check, const std::vector<Label>& labels) {
  return check.CheckLabels("a/b.jpg", labels);
}

struct LabelKind {
  const char* name;
  std::vector<Label> labels;
  // The types of labels whose records would hold another one.
  std::vector<LabelType> changed_by;
  bool rounds = false;  // float32 rounds it, which is said
};

const std::vector<LabelKind>& LabelKinds() {
  using enum LabelType;
  static const std::vector<LabelKind> kinds = {
      {"none", {}, {}},
      {"a class", {Label(7)}, {}},
      {"a negative number", {Label(-1)}, {}},
      {"an exact float", {Label(1 << 24)}, {}},
      {"beyond 2^24", {Label((1 << 24) + 1)}, {kFloat32}},
      {"beyond 2^31", {Label(std::int64_t{1} << 31)}, {kInt32}},
      {"below -2^31",
       {Label(-(std::int64_t{1} << 31) - 1)},
       {kInt32, kFloat32}},
      {"beyond 2^53",
       {Label((std::int64_t{1} << 53) + 1)},
       {kInt32, kFloat32, kFloat64}},
      {"beyond 2^63", {Label::FromReal(1e19)}, {kInt32, kInt64, kFloat32}},
      {"an exact fraction", {Label::FromReal(0.5)}, {kInt32, kInt64}},
      {"a fraction", {Label::FromReal(2.883333)}, {kInt32, kInt64}, true},
      {"a negative fraction", {Label::FromReal(-0.4)}, {kInt32, kInt64}, true},
      {"too large", {Label::FromReal(1e300)}, {kInt32, kInt64, kFloat32}},
      {"too small", {Label::FromReal(1e-300)}, {kInt32, kInt64, kFloat32}},
      {"infinite",
       {Label::FromReal(std::numeric_limits<double>::infinity())},
       {kInt32, kInt64}},
  };
  return kinds;
}

TEST_CASE("A label that a record would change is refused unless asked for, B8",
          "[pack][limits]") {
  for (const LabelKind& kind : LabelKinds()) {
    INFO(kind.name);
    ForEachLayout([&](const FormatAndLayout& format) {
      const Limits& limits = format.limits();
      const bool changes =
          limits.max_labels > 0 &&
          std::ranges::count(kind.changed_by, limits.label_type) > 0;
      LimitsCheck strict(format, BuiltinFormats());
      const Status status = CheckOne(strict, kind.labels);
      REQUIRE(status.ok() != changes);
      const bool rounds = kind.rounds && limits.max_labels > 0 &&
                          limits.label_type == LabelType::kFloat32;
      LimitsCheck lossy(format, BuiltinFormats(), true);
      CHECK(CheckOne(lossy, kind.labels).ok());
      const bool none = limits.max_labels == 0 && !kind.labels.empty();
      CHECK(lossy.LabelLosses().size() == (changes || rounds || none ? 1 : 0));
      if (rounds) {
        REQUIRE(strict.LabelLosses().size() == 1);
        CHECK_THAT(strict.LabelLosses()[0],
                   Contains("1 fractions are rounded in records of ") &&
                       Contains("the first from " + kind.labels[0].ToString() +
                                " to "));
      }
      if (!changes) return;
      CHECK(status.code() == Code::kInvalidArgument);
      CHECK(status.where().key == "a/b.jpg");
      const Label after = RoundToLabelType(kind.labels[0], limits.label_type);
      CHECK_THAT(status.message(),
                 Contains("a record of " + format.Name() +
                          " would hold label " + kind.labels[0].ToString() +
                          " as " + after.ToString() + "; "));
      CHECK_THAT(lossy.LabelLosses()[0],
                 Contains("1 labels are changed in records of") &&
                     Contains(" to " + after.ToString()));
    });
  }
}

TEST_CASE("A refused label comes with layouts that keep it, B8",
          "[pack][limits]") {
  for (const LabelKind& kind : LabelKinds()) {
    ForEachLayout([&](const FormatAndLayout& format) {
      LimitsCheck check(format, BuiltinFormats());
      const std::string message = CheckOne(check, kind.labels).message();
      if (message.empty()) return;
      std::string advice = message.substr(message.find("; ") + 2);
      REQUIRE(advice.ends_with(" keep it"));
      advice = ", " + advice.substr(0, advice.size() - 8) + ", ";
      int named = 0;
      ForEachLayout([&](const FormatAndLayout& other) {
        const std::string name = ShortName(*other.format, *other.layout);
        LimitsCheck kept(other, BuiltinFormats());
        const bool takes =
            CheckOne(kept, kind.labels).ok() && other.limits().max_labels > 0 &&
            (other.limits().encoded_image || !format.limits().encoded_image);
        INFO(advice << name);
        CHECK(takes == (advice.find(", " + name + ", ") != advice.npos));
        named += takes ? 1 : 0;
      });
      CHECK(named >= 2);
    });
  }
}

TEST_CASE("Labels beyond those of a record are refused or counted, B8",
          "[pack][limits]") {
  const std::vector<Label> one_hot = {Label(0), Label(1), Label::FromReal(2.5)};
  int cut = 0;
  ForEachLayout([&](const FormatAndLayout& format) {
    const Limits& limits = format.limits();
    LimitsCheck strict(format, BuiltinFormats());
    LimitsCheck lossy(format, BuiltinFormats(), true);
    CHECK(CheckOne(lossy, one_hot).ok());
    CHECK(CheckOne(lossy, one_hot).ok());
    if (limits.max_labels > 1) return;
    // The third is cut away, and not said to be changed as well.
    REQUIRE(lossy.LabelLosses().size() == 1);
    CHECK_THAT(lossy.LabelLosses()[0],
               Contains("2 samples have more labels than the " +
                        std::to_string(limits.max_labels)));
    const Status status = CheckOne(strict, one_hot);
    REQUIRE(status.ok() == (limits.max_labels == 0));
    if (status.ok()) return;
    ++cut;
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK_THAT(status.message(),
               Contains("would hold label 0 alone, the first of 3; ") &&
                   Contains("lmdb/fields") && Contains("webdataset"));
  });
  CHECK(cut >= 5);
}

TEST_CASE("Warnings say all losses and what keeps them", "[pack][limits]") {
  ForEachLayout([](const FormatAndLayout& format) {
    LimitsCheck check(format, BuiltinFormats(), true);
    const Limits& limits = format.limits();
    const std::vector<std::string> names = check.NameLosses();
    CHECK(names.size() == (limits.ids ? 0u : 1u) + (limits.keys ? 0u : 1u));
    if (limits.max_labels < 100) {
      const std::vector<Label> many(101, Label(1));
      CHECK(CheckOne(check, many).ok());
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
