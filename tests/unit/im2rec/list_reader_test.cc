#include "im2rec/list_reader.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "io/memory_storage.h"

namespace shardine::list_reader_test {
namespace {

constexpr const char* kPath = "/in/a.lst";

std::unique_ptr<RandomAccessFile> OpenList(MemoryStorage& storage,
                                           std::string contents) {
  storage.Put(kPath, std::move(contents));
  Result<std::unique_ptr<RandomAccessFile>> file = storage.Open(kPath);
  REQUIRE(file.ok());
  return *std::move(file);
}

std::vector<std::string> LinesOf(const RandomAccessFile& file,
                                 ByteRange range) {
  std::vector<std::string> lines;
  ImageListReader reader(file, range);
  for (;;) {
    const auto line = reader.Next();
    REQUIRE(line.ok());
    if (!*line) return lines;
    lines.emplace_back((*line)->text);
  }
}

std::vector<std::string> AllLines(const std::string& contents) {
  MemoryStorage storage;
  const auto file = OpenList(storage, contents);
  return LinesOf(*file, {0, file->size()});
}

using Lines = std::vector<std::string>;

TEST_CASE("ImageListReader ends lines at \\n, \\r and \\r\\n", "[im2rec]") {
  CHECK(AllLines("a\nb\rc\r\nd") == Lines{"a", "b", "c", "d"});
  CHECK(AllLines("a\n") == Lines{"a"});
  CHECK(AllLines("").empty());
}

TEST_CASE("ImageListReader passes over lines of white space", "[im2rec]") {
  CHECK(AllLines("\n\n a\n \t\n\r\r\nb\n  ") == Lines{" a", "b"});
}

TEST_CASE("ImageListReader gives the offset of each line", "[im2rec]") {
  MemoryStorage storage;
  const auto file = OpenList(storage, "ab\r\n\ncd\nef");
  ImageListReader reader(*file, {0, file->size()});
  CHECK((*reader.Next())->offset == 0);
  CHECK((*reader.Next())->offset == 5);
  CHECK((*reader.Next())->offset == 8);
}

TEST_CASE("ImageListReader joins lines that lie across its blocks",
          "[im2rec]") {
  Lines lines;
  std::string contents;
  for (std::size_t i = 0; i < 60; ++i) {
    lines.push_back(std::to_string(i) + std::string(20011, 'x'));
    contents += lines.back() + "\n";
  }
  CHECK((AllLines(contents) == lines));
}

TEST_CASE("ImageListReader refuses a line of more than 1 MiB and says where",
          "[im2rec]") {
  MemoryStorage storage;
  std::string contents = "a\n" + std::string(ImageListReader::kMaxLine, 'x');
  SECTION("just long enough") {
    const auto file = OpenList(storage, contents);
    CHECK(LinesOf(*file, {0, file->size()}).size() == 2);
  }
  SECTION("too long") {
    const auto file = OpenList(storage, contents + "x");
    ImageListReader reader(*file, {0, file->size()});
    REQUIRE(reader.Next().ok());
    const Status status = reader.Next().status();
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == kPath);
    CHECK(status.where().offset == 2);
  }
}

TEST_CASE("ImageListReader reports a list that became shorter", "[im2rec]") {
  MemoryStorage storage;
  const auto file = OpenList(storage, "abc\n");
  ImageListReader reader(*file, {0, 100});
  CHECK(reader.Next().status().code() == Code::kCorrupt);
}

// dmlc's rule, written down once more: a cut that is not at the start of the
// file moves past the first line end at or behind it, and past all line ends
// that follow.
std::size_t Cut(const std::string& text, std::size_t nsplit,
                std::size_t index) {
  const std::size_t step = (text.size() + nsplit - 1) / nsplit;
  std::size_t at = std::min(step * index, text.size());
  if (at == 0) return 0;
  while (at < text.size() && text[at] != '\n' && text[at] != '\r') ++at;
  while (at < text.size() && (text[at] == '\n' || text[at] == '\r')) ++at;
  return at;
}

TEST_CASE("ListPart cuts where dmlc cuts, for each number of parts",
          "[im2rec]") {
  const std::string text = GENERATE(
      as<std::string>(), "", "a", "a\n", "\n\na\n", "1 a\n2 b\n3 c\n",
      "1 a\r\n2 bb\r\n\r\n3 ccc\r\n4", "one long first line\n2\n3\n4\n5\n6\n");
  MemoryStorage storage;
  const auto file = OpenList(storage, text);
  for (std::size_t nsplit = 1; nsplit <= text.size() + 3; ++nsplit) {
    for (std::size_t part = 0; part < nsplit; ++part) {
      INFO(nsplit << " parts, part " << part << " of " << text);
      const Result<ByteRange> range = ListPart(*file, part, nsplit);
      REQUIRE(range.ok());
      CHECK(range->begin == Cut(text, nsplit, part));
      CHECK(range->end == Cut(text, nsplit, part + 1));
    }
  }
}

TEST_CASE("ListPart puts every line into exactly one part", "[im2rec]") {
  std::string text;
  Lines lines;
  for (int i = 0; i < 50; ++i) {
    lines.push_back(std::to_string(i) +
                    std::string(static_cast<std::size_t>(i * 7 % 23), 'p'));
    text += lines.back() + (i % 3 == 0 ? "\r\n" : "\n");
  }
  MemoryStorage storage;
  const auto file = OpenList(storage, text);
  for (const std::uint64_t nsplit : {1U, 2U, 3U, 7U, 50U, 1000U}) {
    Lines joined;
    for (std::uint64_t part = 0; part < nsplit; ++part) {
      for (std::string& line : LinesOf(*file, *ListPart(*file, part, nsplit))) {
        joined.push_back(std::move(line));
      }
    }
    INFO(nsplit);
    CHECK(joined == lines);
  }
}

TEST_CASE("LineCounter counts from 1 and \\r\\n once, in any order",
          "[im2rec]") {
  MemoryStorage storage;
  const auto file = OpenList(storage, "a\r\n\nb\rc\n");
  LineCounter counter(*file);
  CHECK(*counter.NumberAt(0) == 1);
  CHECK(*counter.NumberAt(4) == 3);
  CHECK(*counter.NumberAt(6) == 4);
  CHECK(*counter.NumberAt(4) == 3);
  CHECK(*counter.NumberAt(0) == 1);
}

TEST_CASE("LookThrough counts the lines that ImageListReader gives",
          "[im2rec]") {
  // The second is longer than a block, and its line end lies in the next one.
  const std::string text = GENERATE(
      std::string(), std::string("a\r\n\nb\rc\n"),
      std::string((1 << 18) - 1, 'x') + "\r\n \t\v\f\n\ny", std::string(" \n"));
  MemoryStorage storage;
  const auto file = OpenList(storage, text);
  const ByteRange all{0, file->size()};
  ImageListReader reader(*file, all);
  std::uint64_t lines = 0;
  for (auto line = reader.Next(); line.ok() && *line; line = reader.Next()) {
    ++lines;
  }
  const Result<ListContents> contents = LookThrough(*file, all);
  REQUIRE(contents.ok());
  CHECK(contents->lines == lines);
  CHECK(contents->digest == Xxh3_128(AsBytes(text)));
}

}  // namespace
}  // namespace shardine::list_reader_test
