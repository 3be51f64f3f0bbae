#include "dataset/ignored.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "io/memory_storage.h"

namespace shardine::ignored_test {
namespace {

SourceSet Source() {
  SourceSet source;
  source.splits = {"train", "val"};
  source.roots = {"t", "v"};
  source.ignored = {{"a/x.gif", "not-an-image-suffix"},
                    {"a/\xFF", "hidden", 1},
                    {"b/y.txt", "not-an-image-suffix", 1},
                    {"b/z", "label-unmatched", 1, "l\xFF.txt", 12}};
  return source;
}

std::string LinesOf(const SourceSet& source) {
  std::string lines;
  CHECK(ForIgnoredLines(source, [&](std::string_view piece) {
          lines += piece;
          return Status();
        }).ok());
  return lines;
}

TEST_CASE("ForIgnoredLines writes key, reason and split of each", "[ignored]") {
  CHECK(LinesOf(Source()) ==
        "{\"key\":\"a/x.gif\",\"reason\":\"not-an-image-suffix\",\"split\":"
        "\"train\"}\n"
        "{\"key\":\"a/\\\\xFF\",\"reason\":\"hidden\",\"split\":\"val\"}\n"
        "{\"key\":\"b/y.txt\",\"reason\":\"not-an-image-suffix\",\"split\":"
        "\"val\"}\n"
        "{\"key\":\"b/z\",\"line\":12,\"list\":\"l\\\\xFF.txt\",\"reason\":"
        "\"label-unmatched\",\"split\":\"val\"}\n");
  CHECK(CountIgnored(Source()) ==
        std::vector<ManifestIgnored>{
            {"hidden", 1}, {"label-unmatched", 1}, {"not-an-image-suffix", 2}});
}

TEST_CASE("ForIgnoredLines hands many lines over in pieces", "[ignored]") {
  SourceSet source = Source();
  source.ignored.resize(10'000, {"a/x.gif", "not-an-image-suffix"});
  std::size_t largest = 0;
  std::size_t pieces = 0;
  CHECK(ForIgnoredLines(source, [&](std::string_view piece) {
          largest = std::max(largest, piece.size());
          ++pieces;
          return Status();
        }).ok());
  CHECK(pieces > 5);
  CHECK(largest < 128 << 10);
}

TEST_CASE("ForIgnoredKeys reads what was written, and no other lines",
          "[ignored]") {
  MemoryStorage storage;
  storage.Put("ignored.jsonl", LinesOf(Source()));
  std::vector<std::string> keys;
  const auto visit = [&](const std::string& key) { keys.push_back(key); };
  CHECK(ForIgnoredKeys(storage, "ignored.jsonl", visit).ok());
  CHECK(keys ==
        std::vector<std::string>{"a/x.gif", "a/\xFF", "b/y.txt", "b/z"});
  CHECK(ForIgnoredKeys(storage, "nowhere", visit).ok());
  for (const std::string text : {"{}\n", "[1]\n", "x\n", "{\"key\":1}\n"}) {
    storage.Put("other", text);
    CHECK(ForIgnoredKeys(storage, "other", visit).code() == Code::kCorrupt);
  }
}

}  // namespace
}  // namespace shardine::ignored_test
