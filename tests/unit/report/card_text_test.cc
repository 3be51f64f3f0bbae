#include "report/card_text.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "report/hub_names.h"

namespace shardine::card_text_test {
namespace {

TEST_CASE("YamlText is one line that any reader of YAML takes",
          "[card][hostile]") {
  CHECK(YamlText("tabby cat") == "\"tabby cat\"");
  CHECK(YamlText("yes: \"no\" # \\") == "\"yes: \\\"no\\\" # \\\\\"");
  CHECK(YamlText("a\n---\nb\t") == "\"a\\u000a---\\u000ab\\u0009\"");
  CHECK(YamlText("\u202Egpj\u2028") == "\"\\u202egpj\\u2028\"");
  CHECK(YamlText("\x7F\u0085\uFEFF\uFFFF") ==
        "\"\\u007f\\u0085\\ufeff\\uffff\"");
  CHECK(YamlText("caf\u00E9 \U0001F408") == "\"caf\u00E9 \U0001F408\"");
  CHECK(YamlText("\xFF\\") == "\"\\\\xFF\\\\x5C\"");
}

TEST_CASE("MarkdownText leaves no mark that Markdown or HTML reads",
          "[card][hostile]") {
  CHECK(MarkdownText("plain name 7, caf\u00E9") == "plain name 7, caf\u00E9");
  for (const char mark : std::string("<>&|*_`[](){}!#\\~\"'-+:@$")) {
    const std::string text = MarkdownText(std::string(1, mark));
    const std::string plain = "&#" + std::to_string(static_cast<int>(mark));
    // A backslash is shown as \x5C, whose backslash is such a mark.
    CHECK(text.starts_with(plain + ";"));
  }
  CHECK(MarkdownText("a\nb").find('\n') == std::string::npos);
  CHECK(MarkdownText(std::string(1 << 16, 'a')).size() < 300);
}

TEST_CASE("MarkdownFence holds any text", "[card][hostile]") {
  CHECK(MarkdownFence("x\n") == "```\nx\n```\n");
  CHECK(MarkdownFence("a ```` b") == "`````\na ```` b\n`````\n");
  CHECK(MarkdownFence("\x1b[31m").find('\x1b') == std::string::npos);
}

TEST_CASE("ChecksumLine escapes names as sha256sum does", "[card][hostile]") {
  CHECK(ChecksumLine("ab", "a b.tar") == "ab  a b.tar\n");
  CHECK(ChecksumLine("ab", "a\\b\nc") == "\\ab  a\\\\b\\nc\n");
}

TEST_CASE("GlobOf fits one name", "[card]") {
  CHECK(GlobOf("train-[0]*?.tar") == "train-[[]0][*][?].tar");
}

ManifestSplit SplitOf(std::string name, std::vector<std::string> files) {
  ManifestSplit split;
  split.name = std::move(name);
  for (std::string& file : files) {
    split.shards.emplace_back().file.path = std::move(file);
  }
  return split;
}

TEST_CASE("ShardPatterns fit the shards of their split alone", "[card]") {
  using List = std::vector<std::string>;
  const auto split = SplitOf("train", {"train-0.tar", "train-1.tar"});
  CHECK(ShardPatterns(split, {"val-0.tar", "x.json"}) == List{"train-*.tar"});
  CHECK(ShardPatterns(split, {"train-a-0.tar"}) ==
        List{"train-0.tar", "train-1.tar"});
  CHECK(ShardPatterns(SplitOf("x", {"a.tar", "b.tar"}), {}) ==
        List{"a.tar", "b.tar"});
  CHECK(ShardPatterns(SplitOf("x", {"aa.tar", "aaa.tar"}), {}) ==
        List{"aa*.tar"});
}

TEST_CASE("HubSplitNames are words, and no two are the same", "[card]") {
  CHECK(HubSplitNames({SplitOf("a-b", {}), SplitOf("a_b", {}), SplitOf("", {}),
                       SplitOf("train", {})}) ==
        std::vector<std::string>{"a_b", "a_b_2", "split", "train"});
}

TEST_CASE("HubClassNames name each label from 0 on, once", "[card]") {
  using List = std::vector<std::string>;
  CHECK(HubClassNames({{"a", 0}, {"a", 1}, {"c", 3}}) ==
        List{"a", "a (1)", "unused (2)", "c"});
  CHECK(HubClassNames({{"a", -1}}).empty());
  CHECK(HubClassNames({{"a", 0}, {"b", 1'000'000'000'000}}).empty());
  CHECK(HubClassNames({{"\xFF", 0}}) == List{"\\xFF"});
}

TEST_CASE("SizeCategory names the range of a number of samples", "[card]") {
  CHECK(SizeCategory(0) == "n<1K");
  CHECK(SizeCategory(1000) == "1K<n<10K");
  CHECK(SizeCategory(1'281'167) == "1M<n<10M");
}

}  // namespace
}  // namespace shardine::card_text_test
