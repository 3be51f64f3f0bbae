#include "shard/shard_index.h"

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/checksum.h"
#include "base/compress.h"
#include "support/fault_storage.h"
#include "unit/shard/index_fixture.h"

namespace shardine::shard_index_test {
namespace {

using namespace std::string_literals;

void CheckRoundTrip(const IndexContents& contents) {
  MemoryStorage storage;
  REQUIRE(WriteIndex(storage, contents).ok());
  auto index = ShardIndex::Open(storage, kSidecar);
  REQUIRE(index.ok());
  REQUIRE((*index)->size() == contents.entries.size());
  CHECK((*index)->binding() == TestBinding());
  CHECK((*index)->path() == kSidecar);
  CHECK((*index)->file_bytes() == storage.Get(kSidecar)->size());
  const Result<IndexContents> read = ReadContents(storage);
  REQUIRE(read.ok());
  CHECK(read->entries == contents.entries);
  CHECK(read->keys == contents.keys);
}

TEST_CASE("ShardIndex gives back the photos that were added", "[shard_index]") {
  const auto count = GENERATE(0u, 1u, 50u, 51u, 52u, 255u, 256u, 257u, 1000u);
  CAPTURE(count);
  CheckRoundTrip(MakeContents(count, PhotoEntry));
}

TEST_CASE("ShardIndex gives back labels, fields and extents of any number",
          "[shard_index]") {
  const auto count = GENERATE(1u, 8u, 51u, 52u, 256u, 1000u);
  CAPTURE(count);
  CheckRoundTrip(MakeContents(count, RichEntry));
}

TEST_CASE("ShardIndex gives back the CRC of each field of several",
          "[shard_index]") {
  constexpr std::size_t kVersionAt = 8;
  IndexContents contents = MakeContents(60, RichEntry);
  CHECK(IndexBytes(contents)[kVersionAt] == 1);
  for (IndexEntry& entry : contents.entries) {
    if (entry.fields.size() < 2) continue;
    for (IndexField& field : entry.fields) {
      field.crc = static_cast<std::uint32_t>(entry.id * 77'777'777);
    }
  }
  CheckRoundTrip(contents);
  // Programs that know version 1 alone are told so; photos they can read.
  CHECK(IndexBytes(contents)[kVersionAt] == 2);
  CHECK(IndexBytes(MakeContents(60, PhotoEntry))[kVersionAt] == 1);
}

TEST_CASE("ShardIndexWriter asks for bytes of the shard for each sample",
          "[shard_index]") {
  ShardIndexWriter writer;
  const std::uint64_t free = (std::uint64_t{64} << 20) / 80;
  for (std::uint64_t i = 0; i < free; ++i) writer.Add(PhotoEntry(0), "k");
  CHECK(writer.CheckMemory(0).ok());
  for (std::uint64_t i = 0; i < 10; ++i) writer.Add(PhotoEntry(0), "k");
  const Status status = writer.CheckMemory(40);
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.where().record == writer.size() - 1);
  CHECK_THAT(status.message(), Catch::Contains("a file of 40 bytes"));
  CHECK(writer.CheckMemory(50).ok());
}

TEST_CASE("ShardIndex gives back very many labels and extents",
          "[shard_index]") {
  IndexContents contents = MakeContents(3, PhotoEntry);
  IndexEntry& entry = contents.entries[1];
  entry.fields[0].extents.clear();
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    entry.labels.push_back(i % 2 ? Label(static_cast<std::int64_t>(i))
                                 : Label::FromReal(0.5 + double(i)));
    entry.fields[0].extents.push_back({i * 12, 8});
  }
  CheckRoundTrip(contents);
}

TEST_CASE("ShardIndex gives back keys of any bytes and length",
          "[shard_index]") {
  IndexContents contents = MakeContents(600, PhotoEntry);
  contents.keys[0] = "";
  contents.keys[1] = "\0\n\\\xFF\"\x80 key"s;
  contents.keys[255] = std::string(65'536, 'k');
  contents.keys[256] = "";
  for (std::uint64_t i = 260; i < 300; ++i) {
    for (std::uint64_t j = 0; j < 65'000; ++j) {
      contents.keys[i] += static_cast<char>((i * j * j) >> 5);
    }
  }
  CheckRoundTrip(contents);
}

TEST_CASE("ShardIndex reads single records and any run of them",
          "[shard_index]") {
  const IndexContents contents = MakeContents(600, RichEntry);
  MemoryStorage storage;
  REQUIRE(WriteIndex(storage, contents).ok());
  auto index = ShardIndex::Open(storage, kSidecar);
  REQUIRE(index.ok());
  for (const std::uint64_t record :
       {0u, 1u, 50u, 51u, 102u, 255u, 256u, 599u}) {
    CAPTURE(record);
    const auto entry = (*index)->Entry(record);
    REQUIRE(entry.ok());
    CHECK(*entry == contents.entries[record]);
    const auto key = (*index)->Key(record);
    REQUIRE(key.ok());
    CHECK(*key == contents.keys[record]);
  }
  const std::pair<std::uint64_t, std::uint64_t> runs[] = {
      {0, 0}, {600, 0}, {0, 51}, {50, 2}, {51, 51}, {200, 300}, {255, 2}};
  for (const auto& [first, count] : runs) {
    CAPTURE(first, count);
    std::vector<IndexEntry> entries(3);  // replaced
    std::vector<std::string> keys(3);
    REQUIRE((*index)->Entries(first, count, entries).ok());
    REQUIRE((*index)->Keys(first, count, keys).ok());
    REQUIRE(entries.size() == count);
    REQUIRE(keys.size() == count);
    for (std::uint64_t i = 0; i < count; ++i) {
      REQUIRE(entries[i] == contents.entries[first + i]);
      REQUIRE(keys[i] == contents.keys[first + i]);
    }
  }
}

TEST_CASE("ShardIndex opens with one read and costs one small read a sample",
          "[shard_index]") {
  MemoryStorage memory;
  REQUIRE(WriteIndex(memory, MakeContents(64 * 51 + 1, PhotoEntry)).ok());
  FaultStorage storage(memory, {.call = ~std::uint64_t{0}});
  std::uint64_t before = 0;
  const auto reads = [&storage, &before] {
    const std::uint64_t now = storage.calls(Operation::kRead);
    return now - std::exchange(before, now);
  };
  auto index = ShardIndex::Open(storage, kSidecar);
  REQUIRE(index.ok());
  CHECK(reads() == 1);
  CHECK((*index)->Entry(1234).ok());
  CHECK(reads() == 1);
  CHECK((*index)->Key(1234).ok());
  CHECK(reads() == 2);
  std::vector<IndexEntry> entries;
  CHECK((*index)->Entries(0, (*index)->size(), entries).ok());
  CHECK(reads() == 2);
  std::vector<std::string> keys;
  CHECK((*index)->Keys(0, 512, keys).ok());
  CHECK(reads() == 4);
}

TEST_CASE("ShardIndex reads the overflow of many records in stretches",
          "[shard_index]") {
  IndexContents contents = MakeContents(1000, PhotoEntry);
  for (IndexEntry& entry : contents.entries) entry.labels.emplace_back(9);
  MemoryStorage memory;
  REQUIRE(WriteIndex(memory, contents).ok());
  FaultStorage storage(memory, {.call = ~std::uint64_t{0}});
  auto index = ShardIndex::Open(storage, kSidecar);
  REQUIRE(index.ok());
  std::vector<IndexEntry> entries;
  REQUIRE((*index)->Entries(0, 1000, entries).ok());
  CHECK(entries == contents.entries);
  CHECK(storage.calls(Operation::kRead) == 3);
}

TEST_CASE("ShardIndex passes on what the storage says", "[shard_index]") {
  MemoryStorage memory;
  REQUIRE(WriteIndex(memory, MakeContents(3, RichEntry)).ok());
  for (std::uint64_t call = 0; call < 5; ++call) {
    CAPTURE(call);
    FaultStorage storage(memory, {.operation = Operation::kRead, .call = call});
    const auto read = ReadContents(storage);
    REQUIRE_FALSE(read.ok());
    CHECK(read.status().code() == Code::kIo);
    CHECK(read.status().system_error() == 5);
    CHECK(read.status().where().path == kSidecar);
  }
  MemoryStorage empty;
  CHECK(ShardIndex::Open(empty, "none").status().code() == Code::kNotFound);
}

TEST_CASE("ShardIndexWriter gives the same bytes for the same entries",
          "[shard_index]") {
  const IndexContents contents = MakeContents(300, RichEntry);
  const std::string bytes = IndexBytes(contents);
  CHECK(bytes == IndexBytes(contents));
  IndexBinding other = TestBinding();
  other.plan_digest = {};
  CHECK_FALSE(bytes == IndexBytes(contents, other));

  MemoryStorage storage;
  ShardIndexWriter writer;
  for (std::size_t i = 0; i < 300; ++i) {
    writer.Add(contents.entries[i], contents.keys[i]);
  }
  for (const std::string path : {"a", "b"}) {
    auto file = AtomicFile::Create(storage, path);
    REQUIRE(file.ok());
    REQUIRE(writer.WriteTo(*file, TestBinding()).ok());
    REQUIRE(file->Publish().ok());
    CHECK(*storage.Get(path) == bytes);
  }
}

TEST_CASE("ShardIndexWriter refuses what no reader takes", "[shard_index]") {
  IndexContents contents = MakeContents(3, PhotoEntry);
  SECTION("a key that is too long") {
    contents.keys[1].assign((std::size_t{1} << 16) + 1, 'k');
  }
  SECTION("a field whose shape is not its bytes") {
    contents.entries[1].fields.push_back({"mask", "<f4", {3}, {{7, 13}}});
  }
  SECTION("a type that is not known") {
    contents.entries[1].fields.push_back({"mask", "|O8", {1}, {{7, 8}}});
  }
  MemoryStorage storage;
  const Status status = WriteIndex(storage, contents);
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.where().record == 1u);
  CHECK(storage.Open(kSidecar).status().code() == Code::kNotFound);
}

TEST_CASE("ShardIndexWriter reports what the file could not take",
          "[shard_index]") {
  MemoryStorage memory;
  FaultStorage count(memory, {.call = ~std::uint64_t{0}});
  REQUIRE(WriteIndex(count, MakeContents(600, RichEntry)).ok());
  const std::uint64_t writes = count.calls(Operation::kWrite);
  REQUIRE(writes >= 5);
  for (std::uint64_t call = 0; call < writes; ++call) {
    MemoryStorage below;
    FaultStorage storage(below, {.operation = Operation::kWrite, .call = call});
    CHECK(WriteIndex(storage, MakeContents(600, RichEntry)).code() ==
          Code::kIo);
    CHECK_FALSE(below.Get(kSidecar).ok());
  }
}

// FORMAT.md, byte by byte, without the code under test.
TEST_CASE("ShardIndexWriter writes the layout of FORMAT.md", "[shard_index]") {
  IndexContents contents = MakeContents(1, PhotoEntry);
  contents.entries[0].labels.push_back(Label::FromReal(0.5));
  contents.keys = {"ab"};
  const std::string bytes = IndexBytes(contents);

  std::string overflow =
      "\0\0\0\0\0\0\0\0"
      "\1\0\0\0f\0\0\0\0\0\0\xE0\x3F"
      "\1\0\0\0\5\0\0\0image\2\0\0\0|S\0\0\0\0\0\0\0\0"s;
  AppendLe(Crc32c(AsBytes(overflow)), overflow);
  const std::string frame = ZstdCompress(AsBytes("\2\0\0\0ab"s));

  std::string header = "SHARDSDX\1\0\0\0\0\0\0\0"s;
  AppendLe(std::uint64_t{1}, header);
  AppendLe(std::uint64_t{8192}, header);
  AppendLe(std::uint64_t{8192} + overflow.size(), header);
  AppendLe(std::uint64_t{8192} + overflow.size() + frame.size(), header);
  AppendLe(std::uint64_t{8192} + overflow.size() + frame.size() + 24, header);
  AppendLe(kShardBytes, header);
  for (const std::uint64_t half : {11u, 12u, 13u, 14u}) AppendLe(half, header);
  header.resize(4092);
  const std::uint32_t header_crc = Crc32c(AsBytes(header));
  AppendLe(header_crc, header);

  std::string page;
  AppendLe(std::uint64_t{1000}, page);  // id
  AppendLe(std::uint64_t{0}, page);     // digest
  AppendLe(~std::uint64_t{0}, page);
  AppendLe(std::uint64_t{0}, page);   // label
  AppendLe(std::uint64_t{64}, page);  // extent
  AppendLe(std::uint64_t{900}, page);
  AppendLe(std::uint64_t{0}, page);  // overflow
  AppendLe(static_cast<std::uint32_t>(overflow.size()), page);
  AppendLe(std::uint32_t{0}, page);  // payload CRC
  AppendLe(std::uint32_t{500}, page);
  AppendLe(std::uint32_t{375}, page);
  page += "\1\3\3\10\0\15\0\0"s;  // flags: label, extent, overflow
  page.resize(4080);
  AppendLe(std::uint64_t{0}, page);
  AppendLe(header_crc, page);
  AppendLe(Crc32c(AsBytes(page)), page);

  std::string directory;
  AppendLe(std::uint64_t{8192} + overflow.size(), directory);
  AppendLe(static_cast<std::uint32_t>(frame.size()), directory);
  AppendLe(std::uint32_t{6}, directory);
  AppendLe(Crc32c(AsBytes(frame)), directory);
  std::string place;
  AppendLe(std::uint64_t{0}, place);
  AppendLe(header_crc, place);
  AppendLe(Crc32c(AsBytes(place + directory)), directory);

  CHECK(bytes == header + page + overflow + frame + directory);
}

TEST_CASE("ShardIndexWriter needs no overflow for the common photo",
          "[shard_index]") {
  IndexContents contents = MakeContents(60, PhotoEntry);
  contents.entries[1].labels.clear();
  contents.entries[2].labels = {Label::FromReal(1.5)};
  contents.entries[3].fields.clear();
  const std::string bytes = IndexBytes(contents);
  const std::byte* header = AsBytes(bytes).data();
  CHECK(LoadLe<std::uint64_t>(header + 24) == 3 * 4096);
  CHECK(LoadLe<std::uint64_t>(header + 32) == 3 * 4096);
}

TEST_CASE("ShardIndex serves several threads at once", "[shard_index]") {
  const IndexContents contents = MakeContents(600, RichEntry);
  MemoryStorage storage;
  REQUIRE(WriteIndex(storage, contents).ok());
  auto opened = ShardIndex::Open(storage, kSidecar);
  REQUIRE(opened.ok());
  const ShardIndex& index = **opened;
  std::vector<int> wrong(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < wrong.size(); ++t) {
      threads.emplace_back([&, t] {
        for (std::uint64_t i = t; i < 600; i += 5) {
          const auto entry = index.Entry(i);
          const auto key = index.Key(i);
          wrong[t] += !entry.ok() || !(*entry == contents.entries[i]) ||
                      !key.ok() || *key != contents.keys[i];
        }
      });
    }
  }
  CHECK(wrong == std::vector<int>(4));
}

TEST_CASE("SidecarName adds the sidecar's suffix", "[shard_index]") {
  CHECK(SidecarName("train-00000-of-00008.rec") ==
        ".shardine/train-00000-of-00008.rec.sdx");
}

}  // namespace
}  // namespace shardine::shard_index_test
