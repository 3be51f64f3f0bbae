#include "source/line_reader.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "io/memory_storage.h"
#include "support/fault_storage.h"

namespace shardine::line_reader_test {
namespace {

struct Seen {
  std::string text;
  std::uint64_t number;
  std::uint64_t offset;

  bool operator==(const Seen&) const = default;
};

std::unique_ptr<RandomAccessFile> FileOf(MemoryStorage& storage,
                                         std::string contents) {
  storage.Put("f", std::move(contents));
  auto file = storage.Open("f");
  REQUIRE(file.ok());
  return *std::move(file);
}

std::vector<Seen> LinesOf(std::string contents) {
  MemoryStorage storage;
  const auto file = FileOf(storage, std::move(contents));
  LineReader reader(*file);
  std::vector<Seen> lines;
  while (true) {
    const auto line = reader.Next();
    REQUIRE(line.ok());
    if (!line->has_value()) return lines;
    lines.push_back(
        {std::string((*line)->text), (*line)->number, (*line)->offset});
  }
}

TEST_CASE("A byte order mark is no part of the first line", "[line_reader]") {
  CHECK(LinesOf("\xef\xbb\xbf"
                "ant\nbee\n") ==
        std::vector<Seen>{{"ant", 1, 0}, {"bee", 2, 7}});
  CHECK(LinesOf("ant\n\xef\xbb\xbf"
                "bee\n") == std::vector<Seen>{{"ant", 1, 0},
                                              {"\xef\xbb\xbf"
                                               "bee",
                                               2, 4}});
  CHECK(LinesOf("\xef\xbb\xbf") == std::vector<Seen>{{"", 1, 0}});
}

TEST_CASE("LineReader gives lines with their number and first byte",
          "[line_reader]") {
  CHECK(LinesOf("").empty());
  CHECK(LinesOf("\n") == std::vector<Seen>{{"", 1, 0}});
  CHECK(LinesOf("a\n\nbc\n") ==
        std::vector<Seen>{{"a", 1, 0}, {"", 2, 2}, {"bc", 3, 3}});
  CHECK(LinesOf("a\nlast") == std::vector<Seen>{{"a", 1, 0}, {"last", 2, 2}});
}

TEST_CASE("LineReader takes one carriage return off the end of a line",
          "[line_reader]") {
  CHECK(LinesOf("a\r\nb\r\r\nc\r") ==
        std::vector<Seen>{{"a", 1, 0}, {"b\r", 2, 3}, {"c", 3, 7}});
  CHECK(LinesOf("a\rb\n") == std::vector<Seen>{{"a\rb", 1, 0}});
}

TEST_CASE("LineReader joins lines that lie across its windows",
          "[line_reader]") {
  std::string contents;
  std::vector<Seen> expected;
  for (std::size_t i = 0; i < 60; ++i) {
    const std::string text(i * 997, static_cast<char>('a' + i % 26));
    expected.push_back({text, i + 1, contents.size()});
    contents += text + "\n";
  }
  REQUIRE(contents.size() > 4 * (256u << 10));
  CHECK(LinesOf(contents) == expected);
}

TEST_CASE("LineReader takes the longest line and refuses a longer one",
          "[line_reader]") {
  const std::string longest(LineReader::kMaxLine, 'x');
  CHECK(LinesOf("a\n" + longest + "\nb\n").size() == 3);
  CHECK(LinesOf(longest).size() == 1);
  for (const char* end : {"", "\n", "more and more"}) {
    MemoryStorage storage;
    const auto file = FileOf(storage, "a\n" + longest + "x" + end);
    LineReader reader(*file);
    REQUIRE(reader.Next().ok());
    const Status status = reader.Next().status();
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.ToString() == "f: byte 2: line 2: longer than 1048576 bytes");
  }
}

TEST_CASE("LineReader passes a read error on", "[line_reader]") {
  MemoryStorage memory;
  memory.Put("f", "a\nb\n");
  FaultStorage storage(memory, {.operation = Operation::kRead});
  const auto file = storage.Open("f");
  REQUIRE(file.ok());
  LineReader reader(**file);
  const Status status = reader.Next().status();
  CHECK(status.code() == Code::kIo);
  CHECK(status.where().path == "f");
}

}  // namespace
}  // namespace shardine::line_reader_test
