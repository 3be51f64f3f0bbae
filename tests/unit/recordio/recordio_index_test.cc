#include "recordio/recordio_index.h"

#include <catch2/catch.hpp>

#include "io/memory_storage.h"
#include "unit/recordio/record_bytes.h"

namespace shardine::recordio_index_test {
namespace {

constexpr std::uint64_t kBeyond4GiB = (std::uint64_t{1} << 32) + 12;

std::string Write(const std::vector<IdxEntry>& entries) {
  MemoryStorage storage;
  auto file = storage.Create("x.idx");
  REQUIRE(file.ok());
  IdxWriter writer(*std::move(file));
  for (const IdxEntry& entry : entries) REQUIRE(writer.Append(entry).ok());
  REQUIRE(writer.Finish().ok());
  return *storage.Get("x.idx");
}

Result<std::vector<IdxEntry>> Read(const std::string& text) {
  MemoryStorage storage;
  storage.Put("x.idx", text);
  auto file = storage.Open("x.idx");
  REQUIRE(file.ok());
  return ReadIdx(**file);
}

std::vector<IdxEntry> MustRead(const std::string& text) {
  auto entries = Read(text);
  INFO(entries.status().ToString());
  REQUIRE(entries.ok());
  return *std::move(entries);
}

Status Check(const std::string& text, const std::vector<std::uint64_t>& offsets,
             const std::vector<std::uint64_t>& ids) {
  MemoryStorage storage;
  storage.Put("x.idx", text);
  return CheckIdx(storage, "x.idx", offsets, ids);
}

TEST_CASE("IdxWriter writes what im2rec.py writes", "[recordio][idx]") {
  CHECK(Write({}).empty());
  CHECK(Write({{5, 0}, {0, 120}, {~0ULL, kBeyond4GiB}}) ==
        "5\t0\n0\t120\n18446744073709551615\t4294967308\n");
}

TEST_CASE("ReadIdx returns what IdxWriter wrote", "[recordio][idx]") {
  Draws draws(5);
  std::vector<IdxEntry> entries;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const std::uint64_t high = draws.Below(0xffffffff);
    // Lines of every length across the reader's window.
    entries.push_back({(high << 32 | i) >> draws.Below(64),
                       (high << 31 | i) >> draws.Below(63)});
  }
  CHECK((MustRead(Write(entries)) == entries));
}

TEST_CASE("ReadIdx accepts CRLF and a last line without newline",
          "[recordio][idx]") {
  const std::vector<IdxEntry> expected = {{3, 0}, {1, 40}};
  CHECK(MustRead("3\t0\n1\t40\n") == expected);
  CHECK(MustRead("3\t0\r\n1\t40\r\n") == expected);
  CHECK(MustRead("3\t0\n1\t40") == expected);
  CHECK(MustRead("").empty());
}

TEST_CASE("ReadIdx reads the longest line there can be", "[recordio][idx]") {
  const std::string line = "18446744073709551615\t18446744073709551614\r\n";
  std::string text;
  std::vector<IdxEntry> expected;
  for (int i = 0; i < 5000; ++i) {
    text += line;
    expected.push_back({~0ULL, ~0ULL - 1});
  }
  CHECK((MustRead(text) == expected));
}

TEST_CASE("ReadIdx rejects a damaged line with its number and byte",
          "[recordio][idx][corruption]") {
  for (const char* line :
       {"", "7", "7\t", "\t7", "7 8", "7\t8\t", "7\t8\t9", "a\t8", "7\t8x",
        "-7\t8", "+7\t8", "7\t-8", "0x7\t8", " 7\t8", "7\t8 ", "7.0\t8",
        "18446744073709551616\t8", "7\t18446744073709551616"}) {
    INFO(line);
    const Status status =
        Read("1\t0\n2\t16\n" + std::string(line) + "\n3\t32\n").status();
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == "x.idx");
    CHECK(status.where().record == 2U);
    CHECK(status.where().offset == 9U);
    CHECK_THAT(status.message(), Catch::Contains("key, tab, offset"));
  }
}

TEST_CASE("ReadIdx rejects a line that never ends without reading on",
          "[recordio][idx][corruption]") {
  const Status status = Read("1\t0\n" + std::string(100'000, '1')).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().offset == 4U);
  CHECK_THAT(status.message(), Catch::Contains("too long"));
}

TEST_CASE("ReadIdx says what an offset of 2^64 - 1 means",
          "[recordio][idx][corruption]") {
  const Status status = Read("1\t0\n2\t18446744073709551615\n").status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().record == 1U);
  CHECK_THAT(status.message(), Catch::Contains("overflowed"));
}

TEST_CASE("CheckIdx accepts the index of these records", "[recordio][idx]") {
  CHECK(Check("", {}, {}).ok());
  CHECK(Check("9\t0\n4\t4294967308\n", {0, kBeyond4GiB}, {9, 4}).ok());
}

TEST_CASE("CheckIdx names the first line that differs",
          "[recordio][idx][corruption]") {
  struct Case {
    const char* text;
    std::uint64_t record;
    std::uint64_t byte;
    const char* message;
  };
  const Case cases[] = {
      {"9\t0\n4\t44\n6\t80\n", 1, 4,
       "line 2: offset 44, but the record begins at 40"},
      {"9\t0\n5\t40\n6\t80\n", 1, 4, "line 2: key 5, but the record has id 4"},
      {"4\t40\n9\t0\n6\t80\n", 0, 0,
       "line 1: offset 40, but the record begins at 0"},
      {"9\t0\n4\t40\n", 2, 9,
       "line 3: the index ends, but the shard has 3 records"},
      {"9\t0\n4\t40\n6\t80\n6\t80\n", 3, 14,
       "line 4: the index goes on, but the shard has no more records"},
  };
  for (const Case& c : cases) {
    const Status status = Check(c.text, {0, 40, 80}, {9, 4, 6});
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.message() == c.message);
    CHECK(status.where().path == "x.idx");
    CHECK(status.where().record == c.record);
    CHECK(status.where().offset == c.byte);
  }
}

TEST_CASE("CheckIdx finds every flipped bit and every cut",
          "[recordio][idx][corruption]") {
  const std::string text = "9\t0\n4\t40\n12345\t80\n";
  const std::vector<std::uint64_t> offsets = {0, 40, 80};
  const std::vector<std::uint64_t> ids = {9, 4, 12345};
  REQUIRE(Check(text, offsets, ids).ok());
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      INFO("byte " << i << ", bit " << bit);
      CHECK(Check(damaged, offsets, ids).code() == Code::kCorrupt);
    }
    // The newline at the very end does not belong to the text of a line.
    if (i + 1 < text.size()) {
      CHECK(Check(text.substr(0, i), offsets, ids).code() == Code::kCorrupt);
    }
  }
}

TEST_CASE("CheckIdx reports an index that is not there", "[recordio][idx]") {
  MemoryStorage storage;
  CHECK(CheckIdx(storage, "x.idx", {}, {}).code() == Code::kNotFound);
}

TEST_CASE("IdxOf numbers records from 0, whatever is in them and however cut",
          "[recordio][idx]") {
  Draws draws(7);
  MemoryStorage storage;
  auto file = storage.Create("x.rec");
  REQUIRE(file.ok());
  RecordIoFileWriter writer(*std::move(file));
  std::string expected;
  for (int number = 0; number < 20; ++number) {
    expected +=
        std::to_string(number) + "\t" + std::to_string(writer.bytes()) + "\n";
    const std::string bytes = MagicRichBytes(draws, draws.Below(100));
    REQUIRE(writer.Append({}, AsBytes(bytes)).ok());
  }
  REQUIRE(writer.Finish().ok());
  const auto rec = storage.Open("x.rec");
  CHECK(*IdxOf(**rec) == expected);
  storage.Put("cut.rec", storage.Get("x.rec")->substr(0, 1001));
  const auto cut = storage.Open("cut.rec");
  CHECK(IdxOf(**cut).status().code() == Code::kCorrupt);
}

}  // namespace
}  // namespace shardine::recordio_index_test
