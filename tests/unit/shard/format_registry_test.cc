#include "shard/format_registry.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "io/memory_storage.h"

namespace shardine::format_registry_test {
namespace {

constexpr Layout kPlain[] = {{.name = "plain", .limits = {}}};
constexpr Layout kTwo[] = {{.name = "first", .limits = {}},
                           {.name = "second", .limits = {}}};

bool StartsWithA(ByteView head) { return AsText(head).starts_with("A"); }
bool StartsWithAb(ByteView head) { return AsText(head).starts_with("Ab"); }
bool Always(ByteView) { return true; }

Format Make(std::string_view name, std::string_view suffix,
            std::span<const Layout> layouts, bool (*probe)(ByteView)) {
  return {.name = name,
          .suffix = suffix,
          .layouts = layouts,
          .probe = probe,
          .open_scanner = nullptr,
          .create_writer = nullptr};
}

const Format kA = Make("a", ".a", kPlain, StartsWithA);
const Format kAb = Make("ab", ".ab", kTwo, StartsWithAb);
const Format* const kBoth[] = {&kA, &kAb};
const FormatRegistry kRegistry(kBoth);

Result<const Format*> Detect(const FormatRegistry& registry,
                             const std::string& name,
                             const std::string& contents) {
  MemoryStorage storage;
  storage.Put(name, contents);
  const auto file = storage.Open(name);
  REQUIRE(file.ok());
  return registry.Detect(**file);
}

const Format* MustDetect(const std::string& name, const std::string& contents) {
  const auto format = Detect(kRegistry, name, contents);
  REQUIRE(format.ok());
  return *format;
}

TEST_CASE("FormatRegistry finds formats by name and by suffix",
          "[shard][format]") {
  CHECK(kRegistry.FindByName("a") == &kA);
  CHECK(kRegistry.FindByName("ab") == &kAb);
  CHECK(kRegistry.FindByName("") == nullptr);
  CHECK(kRegistry.FindByName("A") == nullptr);
  CHECK(kRegistry.FindBySuffix("dir.ab/x.a") == &kA);
  CHECK(kRegistry.FindBySuffix("x.ab") == &kAb);
  CHECK(kRegistry.FindBySuffix("x.ab.sdx") == nullptr);
  CHECK(kRegistry.FindBySuffix("x.ab-00000-of-00008") == &kAb);
  CHECK(kRegistry.FindBySuffix("x.a-7-of-8") == &kA);
  for (const char* name :
       {"x-00000-of-00008", "x.ab-00000-of-", "x.ab-of-00008", "x.ab00-of-08",
        "x.ab-00000-in-00008", "-0-of-1", "00000", "x.ab-0-of-1.sdx"}) {
    INFO(name);
    CHECK(kRegistry.FindBySuffix(name) == nullptr);
  }
}

TEST_CASE("FormatRegistry detects by content whatever the name says",
          "[shard][format]") {
  CHECK(MustDetect("x.jpg", "A1") == &kA);
  CHECK(MustDetect("x.ab", "A1") == &kA);
}

TEST_CASE("FormatRegistry lets the suffix decide between two that fit",
          "[shard][format]") {
  CHECK(MustDetect("x.a", "Ab") == &kA);
  CHECK(MustDetect("x.ab", "Ab") == &kAb);
  CHECK(MustDetect("x", "Ab") == &kA);
}

TEST_CASE("FormatRegistry goes by suffix where the content is no help",
          "[shard][format]") {
  CHECK(MustDetect("x.ab", "damaged") == &kAb);
  const Status empty = Detect(kRegistry, "x.a", "").status();
  CHECK(empty.code() == Code::kUnsupported);
  CHECK_THAT(empty.message(), Catch::StartsWith("is empty: a file of a has"));
  const Format any = Make("any", ".any", kPlain, Always);
  const Format* const only[] = {&any};
  CHECK(Detect(FormatRegistry(only), "x.any", "").ok());
}

TEST_CASE("FormatRegistry calls archives that no format reads by their names",
          "[shard][format]") {
  const std::pair<std::string, const char*> kinds[] = {
      {"BZh91AY&SY", "bzip2"},
      {std::string("\xfd"
                   "7zXZ\0\0",
                   7),
       "xz"},
      {"\x04\x22\x4d\x18x", "lz4"},
      {"PK\x03\x04x", "a zip archive,"},
      {"PK\x05\x06x", "a zip archive without files"}};
  for (const auto& [head, kind] : kinds) {
    for (const char* name : {"x.a", "x.tar.bz2"}) {
      const Status status = Detect(kRegistry, name, head).status();
      CHECK(status.code() == Code::kUnsupported);
      CHECK(status.where().path == name);
      CHECK_THAT(status.message(), Catch::StartsWith("is ") &&
                                       Catch::Contains(kind) &&
                                       Catch::Contains("first"));
    }
  }
  // A file that a format takes for its own is its own.
  CHECK(MustDetect("x", "A1PK\x03\x04") == &kA);
}

TEST_CASE("FormatRegistry refuses what neither content nor suffix explains",
          "[shard][format]") {
  const Status status = Detect(kRegistry, "x.jpg", "photo").status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.ToString() ==
        "x.jpg: not a file of a known format (a/plain, ab/first, ab/second)");

  // An empty file is not taken for a shard just because none contradicts.
  const Format any = Make("any", ".any", kPlain, Always);
  const Format* const only[] = {&any};
  CHECK(Detect(FormatRegistry(only), "x.jpg", "").status().code() ==
        Code::kUnsupported);
}

TEST_CASE("ParseFormat takes a format alone or with a layout",
          "[shard][format]") {
  CHECK(ParseFormat(kRegistry, "ab")->Name() == "ab/first");
  CHECK(ParseFormat(kRegistry, "ab/first")->Name() == "ab/first");
  CHECK(ParseFormat(kRegistry, "ab/second")->Name() == "ab/second");
  CHECK(ParseFormat(kRegistry, "a")->format == &kA);
}

TEST_CASE("ParseFormat lists what exists when asked for something else",
          "[shard][format]") {
  for (const char* text : {"", "b", "a/", "/plain", "a/first", "ab/first/x"}) {
    const Status status = ParseFormat(kRegistry, text).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK_THAT(status.message(),
               Catch::StartsWith("format \"" + std::string(text) +
                                 "\" is none of a/plain, ab/first, "
                                 "ab/second"));
  }
}

TEST_CASE("RoundToLabelType gives the nearest value of each type",
          "[shard][label]") {
  const auto real = [](double value) { return Label::FromReal(value); };
  struct Case {
    Label label;
    LabelType type;
    Label rounded;
  };
  const std::int64_t min = std::numeric_limits<std::int64_t>::min();
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  const Case cases[] = {
      {Label(7), LabelType::kInt32, Label(7)},
      {Label(max), LabelType::kInt32, Label(2147483647)},
      {Label(min), LabelType::kInt32, Label(-2147483648LL)},
      {real(2.5), LabelType::kInt32, Label(2)},
      {real(-3.5), LabelType::kInt32, Label(-4)},
      {real(1e300), LabelType::kInt32, Label(2147483647)},
      {real(-INFINITY), LabelType::kInt32, Label(-2147483648LL)},
      {Label(max), LabelType::kInt64, Label(max)},
      {Label(min), LabelType::kInt64, Label(min)},
      {real(9.3e18), LabelType::kInt64, Label(max)},
      {real(-9.3e18), LabelType::kInt64, Label(min)},
      {real(0.75), LabelType::kInt64, Label(1)},
      {Label(16777217), LabelType::kFloat32, Label(16777216)},
      {Label(max), LabelType::kFloat32, real(0x1p63)},
      {Label((1LL << 60) + (1LL << 36) + 1), LabelType::kFloat32,
       Label((1LL << 60) + (1LL << 37))},
      {real(0.5), LabelType::kFloat32, real(0.5)},
      {real(0.1), LabelType::kFloat32, real(static_cast<double>(0.1F))},
      {real(1e300), LabelType::kFloat32, real(INFINITY)},
      {Label(9007199254740993), LabelType::kFloat64, Label(9007199254740992)},
      {real(0.1), LabelType::kFloat64, real(0.1)},
  };
  for (const Case& c : cases) {
    INFO(c.label.ToString());
    CHECK(RoundToLabelType(c.label, c.type).ToString() == c.rounded.ToString());
    CHECK(RoundToLabelType(c.rounded, c.type) == c.rounded);
  }
}

}  // namespace
}  // namespace shardine::format_registry_test
