#include "shardine/describe.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "shardine/convert.h"
#include "shardine/index.h"
#include "shardine/pack.h"
#include "shardine/reindex.h"
#include "shardine/resize.h"
#include "shardine/scan.h"

namespace shardine::describe_test {
namespace {

// A text that is not the default's.
std::string OtherText(const OptionValue& value) {
  const std::string now = value.get();
  switch (value.kind) {
    case OptionKind::kFlag:
      return now.empty() ? "yes" : "";
    case OptionKind::kWord:
      return value.words.front() == now ? value.words.back()
                                        : value.words.front();
    case OptionKind::kNumber:
    case OptionKind::kInteger:
      return "3";
    case OptionKind::kByteSize:
      return "128M";
    case OptionKind::kSizes:
      return value.set("sz/24").ok() ? "sz/32" : "32";
    case OptionKind::kShares:
    case OptionKind::kSplits:
      return "a=0.5,b=0.5";
    case OptionKind::kFiles:
      return value.set("a=.txt").ok() ? "a=.xml" : "a=b/{stem}.txt";
    default:
      for (const char* text : {"name", "coco:a.json"}) {
        if (value.set(text).ok()) return text;
      }
      return "png";
  }
}

// Each option sets its own value and no other's.
template <typename Asked>
void CheckOptions() {
  Asked asked;
  const OptionList options = DescribeOptions(asked);
  std::set<std::string> names;
  for (const Option& option : options) {
    CAPTURE(option.name);
    CHECK(names.insert(option.name).second);
    CHECK_FALSE(option.help.empty());
    CHECK_FALSE(option.group.empty());
    Asked changed;
    const OptionList bound = DescribeOptions(changed);
    const std::string text = OtherText(FindOption(bound, option.name)->value);
    REQUIRE(FindOption(bound, option.name)->value.set(text).ok());
    for (const Option& other : bound) {
      const bool is_set =
          other.value.get() != FindOption(options, other.name)->value.get();
      CHECK(is_set == (other.name == option.name));
    }
    for (const OptionRule& rule : option.rules) {
      CHECK(FindOption(options, rule.option) != nullptr);
    }
  }
}

TEST_CASE("each option sets its own value and no other", "[describe]") {
  CheckOptions<SourceOptions>();
  CheckOptions<PackOptions>();
  CheckOptions<ResizeRequest>();
  CheckOptions<ConvertOptions>();
  CheckOptions<MergeOptions>();
  CheckOptions<RelabelOptions>();
  CheckOptions<IndexOptions>();
  CheckOptions<ReindexOptions>();
  CheckOptions<ScanOptions>();
}

// The record sets the same options again.
template <typename Asked>
void CheckRecord(Asked asked) {
  const auto record = RecordedOptions(asked);
  Asked again;
  for (const auto& [name, text] : record) {
    CAPTURE(name, text);
    const OptionList options = DescribeOptions(again);
    const Option* const option = FindOption(options, name);
    REQUIRE(option != nullptr);
    const bool is_flag = option->value.kind == OptionKind::kFlag;
    REQUIRE(option->value.set(is_flag ? "yes" : text).ok());
  }
  CHECK(RecordedOptions(again) == record);
}

TEST_CASE("a recorded command sets the same options again", "[describe]") {
  PackOptions pack;
  pack.format = "tfrecord/imagenet:label_offset=0";
  pack.source.unlabelled = true;
  pack.source.split_shares = {{"train", 0.1}, {"val", 0.9}};
  pack.seed = 7;
  pack.shuffle = false;
  pack.shard_bytes = 1000;
  CheckRecord(pack);
  pack.shards = 3;
  pack.variants = {.original = false, .short_sides = {24, 32}, .image = {}};
  pack.variants.image.order = PassOrder::kPillow12;
  pack.variants.image.upscale = false;
  CheckRecord(pack);
  pack.variants.image.encoding = Encoding::kPng;
  CheckRecord(pack);

  ConvertOptions convert;
  convert.format = "lmdb/datum";
  convert.fields = {"a,b", "c"};
  convert.reshuffle = 0;
  convert.pixels = PixelOrder::kBgr;
  CheckRecord(convert);
  convert.fields->clear();
  convert.hold_out = 2;
  convert.seed = 3;
  CheckRecord(convert);
}

TEST_CASE("an option of one encoding needs it", "[describe]") {
  PackOptions pack;
  CHECK(FindUseless(DescribeOptions(pack), {"quality"})->rule->option ==
        "variants");
  pack.variants.short_sides = {24};
  CHECK_FALSE(FindUseless(DescribeOptions(pack), {"quality"}));
  CHECK(FindUseless(DescribeOptions(pack), {"png-level"})->rule->value ==
        "png");
  pack.variants.image.encoding = Encoding::kPng;
  CHECK(FindUseless(DescribeOptions(pack), {"quality"})->rule->value == "jpeg");
}

TEST_CASE("a quality is one of images that are encoded again, too",
          "[describe]") {
  PackOptions pack;
  pack.recode.recode = Encoding::kPng;
  CHECK(FindUseless(DescribeOptions(pack), {"quality"}).has_value());
  CHECK_FALSE(FindUseless(DescribeOptions(pack), {"recode", "to-8-bits"}));
  pack.recode.recode = Encoding::kJpeg;
  CHECK_FALSE(FindUseless(DescribeOptions(pack), {"quality"}));
  CHECK(RecordedOptions(pack).at("quality") == "90");
  pack.variants.original = false;
  CHECK(FindUseless(DescribeOptions(pack), {"recode"}).has_value());

  ConvertOptions convert;
  CHECK(FindUseless(DescribeOptions(convert), {"image-layout"}).has_value());
  CHECK_FALSE(RecordedOptions(convert).contains("quality"));
  convert.encode = Encoding::kJpeg;
  convert.image_layout = ArrayLayout::kBgrPlanes;
  CHECK_FALSE(
      FindUseless(DescribeOptions(convert), {"quality", "image-layout"}));
  CheckRecord(convert);
}

}  // namespace
}  // namespace shardine::describe_test
