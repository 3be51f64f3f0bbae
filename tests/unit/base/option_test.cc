#include "shardine/option.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "shardine/image_words.h"

namespace shardine::option_test {
namespace {

// Each text that `value` gives is one that it takes.
void CheckText(const OptionValue& value, const std::string& given,
               const std::string& text) {
  CAPTURE(given);
  REQUIRE(value.set(given).ok());
  CHECK(value.get() == text);
  if (text.empty()) return;
  REQUIRE(value.set(text).ok());
  CHECK(value.get() == text);
}

void CheckRefused(const OptionValue& value, const std::string& given,
                  const std::string& message) {
  const std::string before = value.get();
  const Status status = value.set(given);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message() == message);
  CHECK(value.get() == before);
}

TEST_CASE("the text of an option's value is one that sets it", "[option]") {
  bool shuffle = true;
  const OptionValue no_shuffle = FlagValue(shuffle, false);
  CHECK(no_shuffle.get().empty());
  CheckText(no_shuffle, "yes", "yes");
  CHECK_FALSE(shuffle);
  CheckText(no_shuffle, "", "");
  CHECK(shuffle);

  std::uint64_t shards = 0;
  CHECK(NumberValue(shards, {.low = 1}).get().empty());
  CheckText(NumberValue(shards, {.low = 1}), "12", "12");
  CheckText(NumberValue(shards), "0", "0");
  std::optional<std::uint64_t> seed;
  CHECK(NumberValue(seed).get().empty());
  CheckText(NumberValue(seed), "0", "0");
  std::int64_t offset = 0;
  CheckText(IntegerValue(offset), "-7", "-7");

  std::uint64_t size = 0;
  CHECK(ShardSizeValue(size).get().empty());
  for (const char* text : {"64K", "256M", "1G", "9B", "65537"}) {
    CheckText(ShardSizeValue(size), text, text);
  }
  CheckText(ShardSizeValue(size), "1024K", "1M");
  CheckText(ShardSizeValue(size), "1024B", "1K");

  std::vector<std::string> names;
  CheckText(NamesValue(names), "a,b\\x2Cc,d\\x0A", "a,b\\x2Cc,d\\x0A");
  CHECK(names == std::vector<std::string>{"a", "b,c", "d\n"});

  Filter filter = Filter::kBilinear;
  CheckText(WordValue(filter), "lanczos", "lanczos");
  std::optional<PassOrder> order;
  CHECK(WordValue(order).get().empty());
  CheckText(WordValue(order), "pillow12", "pillow12");
}

TEST_CASE("a wrong text of an option is quoted and changes nothing",
          "[option]") {
  std::uint64_t number = 5;
  const OptionValue percent = NumberValue(number, {1, 100});
  for (const char* text : {"0", "101", "-1", "1.5", "", " 7", "7 ", "0x7"}) {
    CheckRefused(
        percent, text,
        "\"" + std::string(text) + "\" is not a whole number from 1 to 100");
  }
  CheckRefused(NumberValue(number), "18446744073709551616",
               "\"18446744073709551616\" is not a whole number");
  CheckRefused(ShardSizeValue(number), "256",
               "\"256\" has no unit: 256M is in mebibytes, 256B in bytes");
  CheckRefused(ByteSizeValue(number), "99999999999T",
               "\"99999999999T\" is not a size like 4096, 64K, 256M or 1G");
  std::string path = "a";
  CheckRefused(PathValue(path), "", "\"\" is empty");
  std::vector<std::string> names = {"a"};
  CheckRefused(NamesValue(names), "a,a", "\"a,a\" has a name twice");
  CheckRefused(NamesValue(names), "a,,b", "\"a,,b\" has an empty name");
  CheckRefused(NamesValue(names), "\\q",
               "\"\\x5Cq\" has a \\ that is not \\xHH");
  Filter filter = Filter::kBox;
  CheckRefused(
      WordValue(filter), "lanczoss",
      "\"lanczoss\" is not one of nearest|box|bilinear|hamming|bicubic|"
      "lanczos (did you mean lanczos?)");
}

TEST_CASE("an option without effect is found with its rule", "[option]") {
  bool flag = false;
  const auto option = [&](const char* name, std::vector<OptionRule> rules) {
    return Option{.group = "G",
                  .name = name,
                  .value = FlagValue(flag),
                  .help = "",
                  .rules = std::move(rules)};
  };
  const OptionList options = {
      option("first", {}), option("second", {{.holds = true, .option = "to"},
                                             {.kind = OptionRule::Kind::kBeside,
                                              .holds = false,
                                              .option = "preset"}})};
  CHECK_FALSE(FindUseless(options, {}));
  CHECK_FALSE(FindUseless(options, {"first"}));
  const auto useless = FindUseless(options, {"first", "second"});
  REQUIRE(useless);
  CHECK(useless->option->name == "second");
  CHECK(useless->rule->option == "preset");
}

TEST_CASE("a record has what decides bytes and is not the default",
          "[option]") {
  std::uint64_t seed = 0;
  std::uint64_t limit = 0;
  bool shuffle = true;
  unsigned threads = 3;
  const auto describe = [&] {
    return OptionList{{.group = "G",
                       .name = "seed",
                       .value = NumberValue(seed),
                       .help = "",
                       .is_always_recorded = true},
                      {.group = "G",
                       .name = "limit",
                       .value = NumberValue(limit, {.low = 1}),
                       .help = ""},
                      {.group = "G",
                       .name = "no-shuffle",
                       .value = FlagValue(shuffle, false),
                       .help = ""},
                      JobsOption(threads)};
  };
  // The lists are bound to values: a default has its own.
  std::uint64_t none = 0;
  bool plain = true;
  const OptionList defaults = {{.group = "G",
                                .name = "limit",
                                .value = NumberValue(none, {.low = 1}),
                                .help = ""},
                               {.group = "G",
                                .name = "no-shuffle",
                                .value = FlagValue(plain, false),
                                .help = ""}};
  using Record = std::map<std::string, std::string>;
  CHECK(RecordedOptions(describe(), defaults) == Record{{"seed", "0"}});
  limit = 4;
  shuffle = false;
  CHECK(RecordedOptions(describe(), defaults) ==
        Record{{"limit", "4"}, {"no-shuffle", ""}, {"seed", "0"}});
}

}  // namespace
}  // namespace shardine::option_test
