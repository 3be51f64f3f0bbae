#include "shard/payload.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "io/memory_storage.h"
#include "support/fault_storage.h"

namespace shardine::payload_test {
namespace {

std::unique_ptr<RandomAccessFile> OpenFile(Storage& storage,
                                           const std::string& path) {
  auto file = storage.Open(path);
  REQUIRE(file.ok());
  return *std::move(file);
}

// An entry over these extents of `contents`, its CRC right.
IndexEntry EntryOver(const std::string& contents,
                     const std::vector<std::vector<Extent>>& fields) {
  IndexEntry entry;
  std::string joined;
  for (const auto& extents : fields) {
    entry.fields.push_back(
        {std::string(1, static_cast<char>('a' + entry.fields.size())),
         "|S",
         {},
         extents});
    for (const Extent& extent : extents) {
      joined += contents.substr(extent.offset, extent.length);
    }
  }
  entry.payload_crc = Crc32c(AsBytes(joined));
  return entry;
}

TEST_CASE("ReadPayload joins extents however they lie", "[payload]") {
  std::string contents;
  for (int i = 0; i < 30'000; ++i) contents += static_cast<char>(i * i >> 4);
  MemoryStorage storage;
  storage.Put("s", contents);
  const auto file = OpenFile(storage, "s");
  const std::vector<std::vector<std::vector<Extent>>> layouts = {
      {},
      {{}},
      {{{0, 0}}},
      {{{0, 30'000}}},
      {{{0, 10}, {14, 10}, {28, 1}}},              // small gaps
      {{{0, 10}, {10, 10}, {20, 10}}},             // none
      {{{100, 10}, {50, 10}, {0, 10}}},            // backwards
      {{{0, 10}, {5, 10}}},                        // overlapping
      {{{0, 10}, {20'000, 10}, {20'012, 9'988}}},  // far apart
      {{{0, 5}, {7, 0}, {9, 5}}, {{20, 3}}, {}, {{2, 1}}},
  };
  ByteBuffer payload;
  for (const auto& layout : layouts) {
    const IndexEntry entry = EntryOver(contents, layout);
    REQUIRE(ReadPayload(*file, entry, payload).ok());
    const std::vector<FieldView> fields = FieldsOf(entry, payload.view());
    REQUIRE(fields.size() == layout.size());
    for (std::size_t i = 0; i < layout.size(); ++i) {
      std::string expected;
      for (const Extent& extent : layout[i]) {
        expected += contents.substr(extent.offset, extent.length);
      }
      CHECK(AsText(fields[i].bytes) == expected);
      CHECK(fields[i].name == entry.fields[i].name);
      CHECK(fields[i].dtype == "|S");
    }
  }
}

TEST_CASE("ReadPayload reads the pieces of an escaped record at once",
          "[payload]") {
  const std::string contents(1000, 'x');
  MemoryStorage memory;
  memory.Put("s", contents);
  FaultStorage storage(memory, {.call = ~std::uint64_t{0}});
  const auto file = OpenFile(storage, "s");
  std::vector<Extent> extents;
  for (std::uint64_t i = 0; i < 50; ++i) extents.push_back({i * 20, 12});
  ByteBuffer payload;
  REQUIRE(ReadPayload(*file, EntryOver(contents, {extents}), payload).ok());
  CHECK(storage.calls(Operation::kRead) == 1);
}

// An index of 8 MB must not make a shard of 8 KB a gigabyte.
TEST_CASE("ReadPayload takes memory in proportion to the payload",
          "[payload][hostile]") {
  const std::string contents(8192, 'x');
  MemoryStorage storage;
  storage.Put("s", contents);
  const auto file = OpenFile(storage, "s");
  const std::uint64_t length = GENERATE(0u, 1u);
  std::vector<Extent> extents;
  for (int i = 0; i < 4096; ++i) {
    extents.push_back({0, length});
    extents.push_back({4096, length});
  }
  std::size_t asked = 0;
  ByteBuffer room;
  const auto read = ReadPayload(*file, EntryOver(contents, {extents}),
                                [&](std::size_t bytes) {
                                  asked = bytes;
                                  room.Resize(bytes);
                                  return room.span();
                                });
  REQUIRE(read.ok());
  CHECK(read->size() == 8192 * length);
  CHECK(asked <= read->size() + (64u << 10));
}

TEST_CASE("ReadPayload notices damage and says where",
          "[payload][corruption]") {
  const std::string contents = "--0123456789--";
  const IndexEntry entry = EntryOver(contents, {{{2, 10}}});
  for (std::size_t bit = 0; bit < 80; ++bit) {
    std::string bad = contents;
    bad[2 + bit / 8] = static_cast<char>(bad[2 + bit / 8] ^ (1 << bit % 8));
    MemoryStorage storage;
    storage.Put("s", bad);
    ByteBuffer payload;
    const Status status = ReadPayload(*OpenFile(storage, "s"), entry, payload);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == "s");
    CHECK(status.where().offset == 2u);
  }
}

TEST_CASE("ReadPayload refuses extents that the file cannot hold",
          "[payload][hostile]") {
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  MemoryStorage storage;
  storage.Put("s", "0123456789");
  const auto file = OpenFile(storage, "s");
  const std::vector<std::vector<Extent>> cases = {
      {{0, 11}},         {{10, 1}},        {{11, 0}},
      {{kHuge - 1, 2}},  {{2, kHuge}},     {{0, kHuge}},
      {{0, 10}, {0, 1}}, {{0, 6}, {3, 6}}, {{5, 1}, {kHuge - 2, 10}}};
  for (const auto& extents : cases) {
    IndexEntry entry;
    entry.fields = {{"image", "|S", {}, extents}};
    ByteBuffer payload;
    const Status status = ReadPayload(*file, entry, payload);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == "s");
    CHECK(payload.capacity() <= 20);
  }
}

TEST_CASE("ReadPayload says that bytes which are nowhere must be converted",
          "[payload]") {
  MemoryStorage storage;
  storage.Put("s", "0123456789");
  const auto file = OpenFile(storage, "s");
  IndexEntry entry;
  entry.fields = {{"a", "|S", {}, {{2, 3}}},
                  {"b", "|S", {}, {{kNowhere, 100}}}};
  CHECK_FALSE(HasExtents(entry));
  CHECK(PayloadBytes(entry) == 103);
  ByteBuffer payload;
  const Status status = ReadPayload(*file, entry, payload);
  CHECK(status.code() == Code::kUnsupported);
  CHECK_THAT(status.message(), Catch::Contains("convert the dataset first"));
}

TEST_CASE("ReadPayload reads and checks a field alone where each has a CRC",
          "[payload][corruption]") {
  const std::string contents = "--0123456789--";
  IndexEntry entry = EntryOver(contents, {{{2, 3}}, {{5, 2}, {9, 1}}});
  entry.fields.push_back({"c", "<i8", {2}, {{kNowhere, 16}}});
  entry.fields[0].crc = Crc32c(AsBytes("012"));
  entry.fields[1].crc = Crc32c(AsBytes("347"));
  entry.fields[2].crc = 1;
  CHECK_FALSE(HasExtents(entry));
  KeepFields([](const IndexField& field) { return field.name == "b"; }, entry);
  REQUIRE(entry.fields.size() == 1);
  CHECK(HasExtents(entry));
  const auto read = [&](const std::string& file, std::string& bytes) {
    MemoryStorage storage;
    storage.Put("s", file);
    ByteBuffer payload;
    const Status status = ReadPayload(*OpenFile(storage, "s"), entry, payload);
    bytes = AsText(payload.view());
    return status.code();
  };
  std::string bytes;
  CHECK(read(contents, bytes) == Code::kOk);
  CHECK(bytes == "347");
  for (std::size_t at = 0; at < contents.size(); ++at) {
    CAPTURE(at);
    std::string bad = contents;
    bad[at] ^= 1;
    const bool inside = at == 5 || at == 6 || at == 9;
    CHECK(read(bad, bytes) == (inside ? Code::kCorrupt : Code::kOk));
  }
}

TEST_CASE("KeepFields leaves fields together that have one CRC", "[payload]") {
  const auto is_b = [](const IndexField& field) { return field.name == "b"; };
  IndexEntry entry = EntryOver("0123456789", {{{0, 3}}, {{5, 2}}});
  KeepFields(is_b, entry);
  CHECK(entry.fields.size() == 2);
  entry.fields[1].extents[0].offset = kNowhere;
  CHECK_THAT(NotInShard(entry).message(),
             Catch::Contains("index it anew: this index is of version 1"));
  // A dropped field needs no CRC.
  KeepFields([](const IndexField&) { return false; }, entry);
  CHECK(entry.fields.empty());
}

TEST_CASE("AppendPayload leaves the buffer as it was on failure", "[payload]") {
  MemoryStorage storage;
  storage.Put("s", "0123456789");
  const auto file = OpenFile(storage, "s");
  ByteBuffer buffer;
  buffer.Append(AsBytes("before"));
  IndexEntry entry = EntryOver("0123456789", {{{2, 3}}, {{7, 2}}});
  REQUIRE(AppendPayload(*file, entry, buffer).ok());
  CHECK(AsText(buffer.view()) == "before23478");
  entry.payload_crc ^= 1;
  CHECK(AppendPayload(*file, entry, buffer).code() == Code::kCorrupt);
  CHECK(AsText(buffer.view()) == "before23478");
}

TEST_CASE("FieldsOf keeps shapes and types", "[payload]") {
  IndexEntry entry;
  entry.fields = {{"boxes", "<f4", {1, 2}, {{0, 8}}},
                  {"image", "|S", {}, {{8, 2}}}};
  const std::string payload = "12345678ab";
  const auto fields = FieldsOf(entry, AsBytes(payload));
  REQUIRE(fields.size() == 2);
  CHECK(fields[0].dtype == "<f4");
  CHECK(std::vector<std::uint64_t>(fields[0].shape.begin(),
                                   fields[0].shape.end()) ==
        std::vector<std::uint64_t>{1, 2});
  CHECK(AsText(fields[0].bytes) == "12345678");
  CHECK(AsText(fields[1].bytes) == "ab");
}

}  // namespace
}  // namespace shardine::payload_test
