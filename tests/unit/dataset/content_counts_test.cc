// Fields that samples have and lack: counted in any order, said in one line.
#include "dataset/content_counts.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/manifest_fixture.h"

namespace shardine::content_counts_test {
namespace {

IndexEntry EntryOf(const std::vector<std::string>& fields, bool labelled) {
  IndexEntry entry;
  if (labelled) entry.labels = {Label(1)};
  for (const std::string& name : fields) {
    entry.fields.push_back({name, "|S", {}, {}});
  }
  return entry;
}

ContentCounts Counted(const std::vector<IndexEntry>& entries) {
  ContentCounts counts;
  for (const IndexEntry& entry : entries) counts.Add(entry);
  return counts;
}

using Lacking = std::map<std::string, std::uint64_t>;

TEST_CASE("A split lacks the image, and fields that another split has (B9)",
          "[contents]") {
  const std::vector<ContentCounts> counts = {
      Counted({EntryOf({"image"}, true), EntryOf({"caption", "image"}, true),
               EntryOf({"caption"}, false)}),
      Counted({EntryOf({"image"}, true)})};
  std::vector<ManifestSplit> splits(2);
  splits[0].samples = 3;
  splits[1].samples = 1;
  StoreCounts(counts, splits);
  CHECK(splits[0].lacking == Lacking{{"caption", 1}, {"image", 1}});
  CHECK(splits[1].lacking == Lacking{{"caption", 1}});
  CHECK(splits[0].unlabelled == 1);
  CHECK(splits[1].unlabelled == 0);
  const DatasetContents contents = ContentsOf(counts, 4);
  CHECK(contents.lacks());
  CHECK(ToString(contents) ==
        "3 of 4 samples have a label, 3 of 4 an image; fields \"caption\" "
        "(2 of 4)");
}

TEST_CASE("Samples that have all there is lack nothing", "[contents]") {
  const std::vector<ContentCounts> counts = {
      Counted({EntryOf({"image", "text"}, true)})};
  std::vector<ManifestSplit> splits(1);
  splits[0].samples = 1;
  StoreCounts(counts, splits);
  CHECK(splits[0].lacking.empty());
  CHECK_FALSE(ContentsOf(counts, 1).lacks());
  // No sample at all lacks nothing.
  CHECK_FALSE(ContentsOf(std::vector<ContentCounts>(1), 0).lacks());
  // Where none has an image, all lack it.
  const std::vector<ContentCounts> none = {Counted({EntryOf({}, true)})};
  StoreCounts(none, splits);
  CHECK(splits[0].lacking == Lacking{{"image", 1}});
}

TEST_CASE("Counts of fields are the same in any order and grouping",
          "[contents]") {
  std::vector<std::string> names;
  for (int i = 0; i < 250; ++i) names.push_back("f" + std::to_string(i % 170));
  FieldCounts forward(kMostCountedFields);
  FieldCounts backward(kMostCountedFields);
  FieldCounts halves(kMostCountedFields);
  FieldCounts second(kMostCountedFields);
  for (const std::string& name : names) forward.Add(name);
  for (std::size_t i = names.size(); i > 0; --i) backward.Add(names[i - 1]);
  for (std::size_t i = 0; i < names.size(); ++i) {
    (i % 2 == 0 ? halves : second).Add(names[i]);
  }
  halves.Add(second);
  CHECK(forward == backward);
  CHECK(forward == halves);
  CHECK(forward.counts().size() == kMostCountedFields);
  CHECK(forward.counts().begin()->first == "f0");
  CHECK(forward.counts().begin()->second == 2);
  std::uint64_t sum = forward.others();
  for (const auto& [name, count] : forward.counts()) sum += count;
  CHECK(sum == names.size());
}

TEST_CASE("A manifest keeps what samples lack, and no more than there are",
          "[contents][manifest]") {
  Manifest manifest = MakeManifest();
  ManifestSplit& split = manifest.splits.front();
  const std::string before = SerializeManifest(manifest);
  CHECK(before.find("lacking") == before.npos);
  CHECK(before.find("deep") == before.npos);
  split.lacking = {{"image", 1}, {"a\\b", split.samples}};
  split.deep = 1;
  const auto read = ParseManifest(SerializeManifest(manifest));
  REQUIRE(read.status().ToString() == "OK");
  CHECK(read->splits == manifest.splits);
  const DatasetContents contents = ContentsOf(*read);
  CHECK(contents.deep == 1);
  CHECK(contents.fields.at("image") == manifest.samples() - 1);
  split.lacking["image"] = split.samples + 1;
  CHECK_FALSE(ParseManifest(SerializeManifest(manifest)).ok());
  split.lacking.clear();
  split.deep = split.samples + 1;
  CHECK_FALSE(ParseManifest(SerializeManifest(manifest)).ok());
}

TEST_CASE("A line names eight fields and counts the others", "[contents]") {
  DatasetContents contents{.samples = 2, .labelled = 2};
  contents.fields["image"] = 2;
  for (int i = 0; i < 10; ++i) contents.fields["f" + std::to_string(i)] = 1;
  const std::string text = ToString(contents);
  CHECK(text.find("\"f7\" (1 of 2) and 2 more") != text.npos);
  CHECK(text.find("f8") == text.npos);
}

}  // namespace
}  // namespace shardine::content_counts_test
