#include "im2rec/marked_file.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "io/local_storage.h"
#include "io/memory_storage.h"
#include "support/temp_directory.h"

namespace shardine::marked_file_test {
namespace {

FileMark MarkOf(std::string_view text) {
  return {text.size(), Xxh3_128(AsBytes(text))};
}

std::string Contents(Storage& storage, const std::string& path) {
  return *ReadFile(storage, path, 1 << 20);
}

// A file of "one two" that went on after "one ", which the mark is of.
void CheckGoesOn(Storage& storage, const std::string& path) {
  FileMark mark;
  {
    const auto file = MarkedFile::Create(storage, path);
    REQUIRE(file.ok());
    CHECK((*file)->mark() == FileMark());
    REQUIRE((*file)->Append(AsBytes("one ")).ok());
    mark = (*file)->mark();
    CHECK(mark == MarkOf("one "));
    REQUIRE((*file)->Append(AsBytes("lost in the crash")).ok());
  }
  const auto again = MarkedFile::TakeUp(storage, path, mark);
  REQUIRE(again.ok());
  CHECK((*again)->mark() == mark);
  REQUIRE((*again)->Append(AsBytes("two")).ok());
  CHECK((*again)->mark() == MarkOf("one two"));
  REQUIRE((*again)->Sync().ok());
  REQUIRE((*again)->Close().ok());
  CHECK(Contents(storage, path) == "one two");
}

TEST_CASE("MarkedFile goes on after a mark, without what followed it",
          "[im2rec]") {
  const TempDirectory folder;
  CheckGoesOn(LocalStorage(), folder / "a");
  MemoryStorage memory;
  CheckGoesOn(memory, "/a");
}

TEST_CASE("MarkedFile takes up nothing that does not begin as marked",
          "[im2rec]") {
  MemoryStorage storage;
  storage.Put("/a", "onX and more");
  CHECK(MarkedFile::TakeUp(storage, "/a", MarkOf("one")).status().code() ==
        Code::kChanged);
  CHECK(MarkedFile::TakeUp(storage, "/a", MarkOf("onX and more, gone"))
            .status()
            .code() == Code::kChanged);
  CHECK(MarkedFile::TakeUp(storage, "/none", MarkOf("")).status().code() ==
        Code::kNotFound);
  CHECK(Contents(storage, "/a") == "onX and more");
}

TEST_CASE("CountHolding counts the marks before the first that fails",
          "[im2rec]") {
  MemoryStorage storage;
  const std::vector<FileMark> marks = {MarkOf(""), MarkOf("ab"), MarkOf("ab"),
                                       MarkOf("abcd"), MarkOf("abcdef")};
  const auto count = [&](const std::string& text) {
    storage.Put("/a", text);
    return *CountHolding(storage, "/a", marks);
  };
  CHECK(count("abcdef and more") == 5);
  CHECK(count("abcdef") == 5);
  CHECK(count("abcde") == 4);
  CHECK(count("abcX") == 3);
  CHECK(count("aX") == 1);
  CHECK(count("") == 1);
  CHECK(*CountHolding(storage, "/none", marks) == 1);
  // A file that became shorter again is no mark of a file that only grows.
  storage.Put("/a", "abcd");
  const std::vector<FileMark> falling = {MarkOf("abcd"), MarkOf("ab")};
  CHECK(*CountHolding(storage, "/a", falling) == 1);
}

}  // namespace
}  // namespace shardine::marked_file_test
