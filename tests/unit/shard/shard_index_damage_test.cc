#include <catch2/catch.hpp>
#include <string>

#include "base/checksum.h"
#include "base/compress.h"
#include "shard/shard_index_layout.h"
#include "shard/shard_index_row.h"
#include "support/seal_sidecar.h"
#include "unit/shard/index_fixture.h"

namespace shardine::shard_index_damage_test {
namespace {

constexpr std::size_t kPage = kPageBytes;
constexpr std::uint64_t kHuge = ~std::uint64_t{0};

template <Scalar T>
void Put(std::string& bytes, std::size_t at, T value) {
  REQUIRE(at + sizeof(T) <= bytes.size());
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

std::uint64_t Get64(const std::string& bytes, std::size_t at) {
  return LoadLe<std::uint64_t>(AsBytes(bytes).data() + at);
}

std::span<std::byte> Part(std::string& bytes, std::size_t at,
                          std::size_t size) {
  return std::as_writable_bytes(std::span(bytes)).subspan(at, size);
}

// Expects kCorrupt from reading it all, with `what` in the message.
void CheckCorrupt(std::string bytes, const std::string& what) {
  const auto read = ReadContents(std::move(bytes));
  REQUIRE_FALSE(read.ok());
  CHECK(read.status().code() == Code::kCorrupt);
  CHECK(read.status().where().path == kSidecar);
  CHECK(read.status().where().offset.has_value());
  CHECK_THAT(read.status().message(), Catch::Contains(what));
}

TEST_CASE("ShardIndex notices every flipped bit",
          "[shard_index][corruption][one_thread]") {
  const IndexContents contents = MakeContents(8, RichEntry);
  const std::string good = IndexBytes(contents);
  REQUIRE(ReadContents(good).ok());
  MemoryStorage storage;
  std::size_t unnoticed = 0;
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    storage.Put(kSidecar, std::move(bad));
    const auto read = ReadContents(storage);
    unnoticed += read.ok() || read.status().code() != Code::kCorrupt ||
                 read.status().where().path != kSidecar;
  }
  CHECK(unnoticed == 0);
}

TEST_CASE("ShardIndex notices a cut at every length",
          "[shard_index][corruption]") {
  const std::string good = IndexBytes(MakeContents(8, RichEntry));
  MemoryStorage storage;
  std::size_t unnoticed = 0;
  for (std::size_t length = 0; length < good.size(); ++length) {
    storage.Put(kSidecar, good.substr(0, length));
    const auto read = ShardIndex::Open(storage, kSidecar);
    unnoticed += read.ok() || read.status().code() != Code::kCorrupt;
  }
  CHECK(unnoticed == 0);
}

TEST_CASE("ShardIndex notices bytes behind its end",
          "[shard_index][corruption]") {
  const std::string good = IndexBytes(MakeContents(8, RichEntry));
  for (const std::size_t more : {1u, 24u, 4096u}) {
    CheckCorrupt(good + std::string(more, '\0'), "its header says");
  }
  CheckCorrupt(good + good, "its header says");
}

TEST_CASE("ShardIndex names page and record of damage",
          "[shard_index][corruption]") {
  const IndexContents contents = MakeContents(600, PhotoEntry);
  std::string bytes = IndexBytes(contents);
  bytes[3 * kPage + 100] ^= 1;  // rows 102 to 152
  MemoryStorage storage;
  storage.Put(kSidecar, bytes);
  auto index = ShardIndex::Open(storage, kSidecar);
  REQUIRE(index.ok());
  CHECK((*index)->Entry(101).ok());
  CHECK((*index)->Entry(153).ok());
  const Status one = (*index)->Entry(140).status();
  CHECK(one.where().record == 140u);
  CHECK(one.where().offset == 3 * kPage);
  std::vector<IndexEntry> entries;
  const Status all = (*index)->Entries(0, 600, entries);
  CHECK(all.where().record == 102u);
  CHECK(all.where().offset == 3 * kPage);

  const std::uint64_t frames = Get64(bytes, 32);
  Put(bytes, frames + 10, std::uint8_t{0xA5});
  storage.Put(kSidecar, bytes);
  index = ShardIndex::Open(storage, kSidecar);
  REQUIRE(index.ok());
  CHECK((*index)->Key(256).ok());
  CHECK((*index)->Key(7).status().where().record == 7u);
  CHECK((*index)->Key(7).status().where().offset == frames);
}

TEST_CASE("ShardIndex notices pages that changed places",
          "[shard_index][corruption]") {
  std::string bytes = IndexBytes(MakeContents(102, PhotoEntry));
  const std::string first = bytes.substr(kPage, kPage);
  bytes.replace(kPage, kPage, bytes.substr(2 * kPage, kPage));
  bytes.replace(2 * kPage, kPage, first);
  CheckCorrupt(bytes, "belongs elsewhere");
}

TEST_CASE("ShardIndex notices parts of another sidecar",
          "[shard_index][corruption]") {
  const IndexContents contents = MakeContents(8, RichEntry);
  IndexBinding binding = TestBinding();
  const std::string good = IndexBytes(contents);
  binding.plan_digest.low ^= 1;
  const std::string other = IndexBytes(contents, binding);
  REQUIRE(good.size() == other.size());

  std::string bytes = good;
  bytes.replace(kPage, kPage, other, kPage, kPage);
  CheckCorrupt(bytes, "belongs elsewhere");
  bytes = good;
  bytes.replace(good.size() - 24, 24, other, good.size() - 24, 24);
  CheckCorrupt(bytes, "directory does not match");
}

TEST_CASE("ShardIndex notices overflow records that changed rows",
          "[shard_index][corruption]") {
  IndexContents contents = MakeContents(2, PhotoEntry);
  for (IndexEntry& entry : contents.entries) entry.labels.emplace_back(1);
  std::string bytes = IndexBytes(contents);
  const std::uint64_t second = Get64(bytes, kPage + 80 + 48);
  Put(bytes, kPage + 48, second);
  Put(bytes, kPage + 80 + 48, std::uint64_t{0});
  SealSidecar(bytes);
  CheckCorrupt(bytes, "belongs to another row");
}

TEST_CASE("ShardIndex tells a newer version from damage", "[shard_index]") {
  std::string bytes = IndexBytes(MakeContents(2, PhotoEntry));
  bytes[8] = 3;
  SealSidecar(bytes);
  const Status status = ReadContents(bytes).status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK_THAT(status.message(),
             Catch::Contains("version 3; this program reads version "
                             "1 to 2"));
  CheckCorrupt("NOTMYSDX" + bytes.substr(8), "does not begin");
}

TEST_CASE("ShardIndex refuses forged headers", "[shard_index][hostile]") {
  const std::string good = IndexBytes(MakeContents(60, RichEntry));
  std::string reserved = good;
  reserved[12] = 1;
  SealSidecar(reserved);
  CheckCorrupt(reserved, "padding");
  for (const std::size_t at : {96u, 4000u, 4091u}) {
    std::string bytes = good;
    bytes[at] = 1;
    SealSidecar(bytes);
    CheckCorrupt(bytes, "padding");
  }
  // samples and the four offsets.
  for (const std::size_t at : {16u, 24u, 32u, 40u}) {
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4096},
          Get64(good, at) - 1, Get64(good, at) + 52, Get64(good, at) + 4096,
          std::uint64_t{1} << 63, kHuge, kHuge - 4095, kHuge / 24}) {
      CAPTURE(at, value);
      std::string bytes = good;
      Put(bytes, at, value);
      Put(bytes, kPage - 4, PageCrc(Part(bytes, 0, kPage)));
      const Status status = ReadContents(bytes).status();
      CHECK(status.code() == Code::kCorrupt);
    }
  }
}

TEST_CASE("ShardIndex refuses forged rows", "[shard_index][hostile]") {
  struct Forgery {
    std::size_t at;  // in row 0, a photo with one label
    std::uint64_t value;
    std::size_t size;
    const char* what;
  };
  const auto forgery = GENERATE(values<Forgery>({
      {77, 16 | 5, 1, "row contradicts"},  // unknown flag
      {77, 4, 1, "row contradicts"},       // a label that is not there
      {77, 7, 1, "row contradicts"},       // 1.0 as a real
      {77, 1, 1, "row contradicts"},       // an extent without its flag
      {77, 13, 1, "row contradicts"},      // overflow of no bytes
      {78, 1, 2, "row contradicts"},       // padding
      {48, 1, 8, "row contradicts"},       // overflow without its flag
      {56, 1, 4, "row contradicts"},
      {32, kShardBytes, 8, "beyond the shard"},
      {32, kHuge - 1, 8, "beyond the shard"},
      {40, kHuge, 8, "beyond the shard"},
      {40, kShardBytes, 8, "beyond the shard"},
  }));
  CAPTURE(forgery.at, forgery.value);
  IndexContents contents = MakeContents(2, PhotoEntry);
  contents.entries[0].labels = {Label(4607182418800017408)};  // bits of 1.0
  std::string bytes = IndexBytes(contents);
  std::memcpy(bytes.data() + kPage + forgery.at, &forgery.value, forgery.size);
  SealSidecar(bytes);
  CheckCorrupt(bytes, forgery.what);
}

TEST_CASE("ShardIndex refuses a label that is not a number",
          "[shard_index][hostile]") {
  IndexContents contents = MakeContents(1, PhotoEntry);
  contents.entries[0].labels = {Label::FromReal(0.5)};
  std::string bytes = IndexBytes(contents);
  Put(bytes, kPage + 24, std::numeric_limits<double>::quiet_NaN());
  SealSidecar(bytes);
  CheckCorrupt(bytes, "row contradicts");
}

// The overflow record of one sample with two labels and two fields.
struct OverflowForgery {
  OverflowForgery() {
    IndexContents contents = MakeContents(1, PhotoEntry);
    contents.entries[0].labels.push_back(Label::FromReal(0.5));
    contents.entries[0].fields.push_back({"mask", "|u1", {3}, {{7, 3}}});
    bytes = IndexBytes(contents);
    begin = Get64(bytes, 24);
  }
  std::string bytes;
  std::size_t begin;
};

TEST_CASE("ShardIndex refuses forged overflow records",
          "[shard_index][hostile]") {
  // label count 8, label kind 12, field count 21, "image" 25, rank 40,
  // extents 44, "mask" 48, rank 63, dimension 67, extents 75.
  const std::size_t at = GENERATE(8u, 21u, 25u, 34u, 40u, 44u, 48u, 63u, 75u);
  const std::uint32_t value = GENERATE(2u, 1u << 20, 0x7FFFFFFFu, 0xFFFFFFFFu);
  CAPTURE(at, value);
  OverflowForgery forgery;
  Put(forgery.bytes, forgery.begin + at, value);
  SealSidecar(forgery.bytes);
  if (at == 21 && value == 2) {
    CHECK(ReadContents(forgery.bytes).ok());  // that is how many there are
  } else if (at == 34 && value == 2) {
    CHECK(ReadContents(forgery.bytes).ok());
  } else {
    CheckCorrupt(forgery.bytes, "overflow record contradicts");
  }
}

TEST_CASE("ShardIndex takes CRCs of fields in version 2 alone, one for each",
          "[shard_index][hostile]") {
  IndexContents contents = MakeContents(1, RichEntry);
  contents.entries[0] = RichEntry(5);
  const std::size_t plain = IndexBytes(contents).size();
  for (IndexField& field : contents.entries[0].fields) field.crc = 7;
  std::string bytes = IndexBytes(contents);
  CHECK(bytes.size() == plain + 8);
  bytes[8] = 1;
  SealSidecar(bytes);
  CheckCorrupt(bytes, "overflow record contradicts");
}

TEST_CASE("ShardIndex refuses an overflow record with wrong contents",
          "[shard_index][hostile]") {
  OverflowForgery forgery;
  SECTION("a label of a kind that is not there") {
    forgery.bytes[forgery.begin + 12] = 'x';
  }
  SECTION("a real label that is an integer") {
    Put(forgery.bytes, forgery.begin + 13, 1.0);
  }
  SECTION("no fields although the row has an extent") {
    Put(forgery.bytes, forgery.begin + 21, 0u);
  }
  SECTION("fields out of order") { forgery.bytes[forgery.begin + 29] = 'z'; }
  SealSidecar(forgery.bytes);
  CheckCorrupt(forgery.bytes, "overflow record contradicts");
}

TEST_CASE("ShardIndex refuses overflow that lies nowhere",
          "[shard_index][hostile]") {
  for (const std::uint64_t offset :
       {std::uint64_t{1}, std::uint64_t{1} << 40, kHuge, kHuge - 50}) {
    OverflowForgery forgery;
    Put(forgery.bytes, kPage + 48, offset);
    SealSidecar(forgery.bytes);
    CheckCorrupt(forgery.bytes, "beyond the overflow area");
  }
  OverflowForgery forgery;
  for (const std::uint32_t size : {1u, 4u, 11u}) {
    Put(forgery.bytes, kPage + 56, size);
    SealSidecar(forgery.bytes);
    CheckCorrupt(forgery.bytes, "overflow record");
  }
}

// One sample of a photo and one more field.
std::string WithField(IndexField field) {
  IndexContents contents = MakeContents(2, PhotoEntry);
  contents.entries[1].fields.push_back({"mask", "|u1", {3}, {{7, 3}}});
  std::string bytes = IndexBytes(contents);
  // A forged field: the writer writes no such field.
  IndexEntry forged = contents.entries[1];
  forged.fields[1] = std::move(field);
  std::string overflow;
  AppendOverflow(forged, 1, overflow);
  const std::uint64_t begin = Get64(bytes, 24);
  const std::uint64_t old_size = Get64(bytes, 32) - begin;
  const std::uint64_t moved = overflow.size() - old_size;  // modulo 2^64
  bytes.replace(begin, old_size, overflow);
  Put(bytes, kPage + 80 + 56, static_cast<std::uint32_t>(overflow.size()));
  for (const std::size_t at : {32u, 40u, 48u}) {
    Put(bytes, at, Get64(bytes, at) + moved);
  }
  Put(bytes, bytes.size() - 24, Get64(bytes, bytes.size() - 24) + moved);
  SealSidecar(bytes);
  return bytes;
}

TEST_CASE("ShardIndex refuses a field whose shape is not its bytes",
          "[shard_index][hostile]") {
  CHECK(ReadContents(WithField({"mask", "<f4", {3}, {{7, 12}}})).ok());
  CHECK(ReadContents(WithField({"mask", "|S", {}, {{7, 999}}})).ok());
  CHECK(ReadContents(WithField({"mask", "<f4", {0, 9}, {}})).ok());
  CHECK(ReadContents(WithField({"mask", "<i8", {5}, {{kNowhere, 40}}})).ok());
  const auto field = GENERATE(values<IndexField>({
      {"mask", "<f4", {3}, {{7, 65536}}},
      {"mask", "<f4", {3}, {{7, 11}}},
      {"mask", "|u1", {1024, 1024, 64}, {{0, 12}}},
      {"mask", "<f4", {3}, {}},
      {"mask", "<f4", {0, 9}, {{7, 1}}},
      {"mask", "<f8", {1ULL << 61}, {{7, 0}}},
      {"mask", "<f8", {1ULL << 62, 1ULL << 62}, {{7, 0}}},
      {"mask", "<U4", {1ULL << 60, 16}, {{7, 0}}},
      {"mask", "<i8", {5}, {{kNowhere, 41}}},
  }));
  CAPTURE(field.dtype, field.shape);
  const Status status = ReadContents(WithField(field)).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().path == kSidecar);
  CHECK(status.where().record == 1u);
  CHECK_THAT(status.message(), Catch::StartsWith("sidecar index: the field "
                                                 "\"mask\" has "));
}

TEST_CASE("ShardIndex refuses a type that it does not know",
          "[shard_index][hostile]") {
  const std::string dtype =
      GENERATE("", "O", "|O8", ">f4", "<f3", "|S ", "float32", "<f4x",
               "[('a','<f4')]", "\xff\xfe\n", "<i18446744073709551616");
  CAPTURE(dtype);
  const Status status =
      ReadContents(WithField({"mask", dtype, {1}, {{7, 4}}})).status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.where().path == kSidecar);
  CHECK(status.where().record == 1u);
  CHECK_THAT(status.message(),
             Catch::Contains("\"mask\"") && Catch::Contains("does not know"));
}

TEST_CASE("ShardIndex refuses bytes that have a shape, and too many axes",
          "[shard_index][hostile]") {
  CHECK(
      ReadContents(WithField({"mask", "|S", {4}, {{7, 4}}})).status().code() ==
      Code::kUnsupported);
  std::vector<std::uint64_t> shape(64, 1);
  CHECK(ReadContents(WithField({"mask", "|u1", shape, {{7, 1}}})).ok());
  shape.push_back(1);
  CHECK(ReadContents(WithField({"mask", "|u1", shape, {{7, 1}}}))
            .status()
            .code() == Code::kUnsupported);
}

TEST_CASE("ShardIndex refuses a field that is in the shard in part",
          "[shard_index][hostile]") {
  CheckCorrupt(WithField({"mask", "|u1", {5}, {{7, 3}, {kNowhere, 2}}}),
               "in the shard and does not");
  CheckCorrupt(WithField({"mask", "|u1", {5}, {{kNowhere, 1ULL << 32}}}),
               "longer than any can be");
}

TEST_CASE("ShardIndex refuses names and keys longer than any can be",
          "[shard_index][hostile]") {
  const std::string longest(65536, 'n');
  CHECK(ReadContents(WithField({longest, "|u1", {3}, {{7, 3}}})).ok());
  CheckCorrupt(WithField({longest + "n", "|u1", {3}, {{7, 3}}}),
               "longer than any can be");
}

// A record inside another would be held as often as rows point at it.
TEST_CASE("ShardIndex refuses overflow records inside one another",
          "[shard_index][hostile]") {
  IndexContents contents = MakeContents(2, PhotoEntry);
  std::string inner;
  contents.entries[1].labels.emplace_back(1);
  AppendOverflow(contents.entries[1], 1, inner);
  contents.entries[0].fields.push_back({"mask" + inner, "|S", {}, {{7, 3}}});
  std::string bytes = IndexBytes(contents);
  const std::uint64_t begin = Get64(bytes, 24);
  const std::size_t inside = bytes.find(inner, begin);
  REQUIRE(inside < Get64(bytes, kPage + 80 + 48) + begin);
  Put(bytes, kPage + 80 + 48, std::uint64_t{inside - begin});
  SealSidecar(bytes);
  CheckCorrupt(bytes, "overflow record of another");
}

TEST_CASE("ShardIndex refuses extents that add up to more than the shard",
          "[shard_index][hostile]") {
  IndexContents contents = MakeContents(1, PhotoEntry);
  contents.entries[0].fields[0].extents = {{0, 600}, {0, 401}};
  IndexBinding binding = TestBinding();
  binding.shard_bytes = 1000;
  CheckCorrupt(IndexBytes(contents, binding), "beyond the shard");
  binding.shard_bytes = 1001;
  CHECK(ReadContents(IndexBytes(contents, binding)).ok());
}

TEST_CASE("ShardIndex refuses forged key frames", "[shard_index][hostile]") {
  const IndexContents contents = MakeContents(3, PhotoEntry);
  const std::string good = IndexBytes(contents);
  const std::size_t entry = good.size() - 24;
  const auto forge = [&](std::size_t at, auto value) {
    std::string bytes = good;
    Put(bytes, entry + at, value);
    SealSidecar(bytes);
    return bytes;
  };
  CheckCorrupt(forge(0, std::uint64_t{0}), "points nowhere");
  CheckCorrupt(forge(0, kHuge), "points nowhere");
  CheckCorrupt(forge(0, Get64(good, entry) + 1), "points nowhere");
  CheckCorrupt(forge(8, 0xFFFFFFFFu), "points nowhere");
  CheckCorrupt(forge(8, 5u), "");
  CheckCorrupt(forge(12, 0xFFFFFFFFu), "points nowhere");
  constexpr auto kMost = static_cast<std::uint32_t>(kIndexMaxFrameBytes);
  CheckCorrupt(forge(12, kMost + 1), "points nowhere");
  CheckCorrupt(forge(12, std::uint32_t{60'000}), "not as long");
  CheckCorrupt(forge(12, kMost), "claims more than its bytes allow");
  CheckCorrupt(forge(12, 1u), "");
}

// A sidecar of three samples whose one frame holds `keys`.
std::string WithFrame(const std::string& keys) {
  std::string bytes = IndexBytes(MakeContents(3, PhotoEntry));
  const std::string frame = ZstdCompress(AsBytes(keys));
  const std::size_t begin = Get64(bytes, 32);
  bytes.resize(begin);
  bytes += frame;
  std::string entry;
  AppendLe(std::uint64_t{begin}, entry);
  AppendLe(static_cast<std::uint32_t>(frame.size()), entry);
  AppendLe(static_cast<std::uint32_t>(keys.size()), entry);
  AppendLe(Crc32c(AsBytes(frame)), entry);
  bytes += entry + "CRC.";
  Put(bytes, 40, std::uint64_t{begin + frame.size()});
  Put(bytes, 48, std::uint64_t{bytes.size()});
  SealSidecar(bytes);
  return bytes;
}

TEST_CASE("ShardIndex refuses a frame with other than its number of keys",
          "[shard_index][hostile]") {
  using namespace std::string_literals;
  const std::string two = "\1\0\0\0a\0\0\0\0"s;
  CHECK(ReadContents(WithFrame(two + "\1\0\0\0c"s)).ok());
  CheckCorrupt(WithFrame(two), "number of keys");
  CheckCorrupt(WithFrame(two + "\1\0\0\0cd"s), "number of keys");
  CheckCorrupt(WithFrame(two + "\2\0\0\0c"s), "number of keys");
  CheckCorrupt(WithFrame(two + "\xFF\xFF\xFF\xFF"s), "number of keys");
  CheckCorrupt(WithFrame(two + "\0\0\0"s), "number of keys");
  const std::string longest(65536, 'k');
  CHECK(ReadContents(WithFrame(two + "\0\0\1\0"s + longest)).ok());
  CheckCorrupt(WithFrame(two + "\1\0\1\0k"s + longest), "number of keys");
}

TEST_CASE("ShardIndex survives forgeries at random", "[shard_index][hostile]") {
  const IndexContents contents = MakeContents(60, RichEntry);
  const std::string good = IndexBytes(contents);
  std::uint64_t state = 1;
  const auto draw = [&state](std::uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  std::size_t refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = good;
    for (std::uint64_t i = 0; i <= draw(4); ++i) {
      bytes[draw(bytes.size())] = static_cast<char>(draw(256));
    }
    Put(bytes, 48, std::uint64_t{bytes.size()});
    SealSidecar(bytes);
    refused += !ReadContents(bytes).ok();
  }
  CHECK(refused > 100);
  CHECK(refused < 2000);
}

TEST_CASE("ShardIndex refuses bytes at random", "[shard_index][hostile]") {
  std::string bytes(9000, '\0');
  std::uint64_t state = 7;
  for (int round = 0; round < 50; ++round) {
    for (char& c : bytes) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      c = static_cast<char>(state >> 56);
    }
    CHECK_FALSE(ReadContents(bytes).ok());
    std::memcpy(bytes.data(), "SHARDSDX\1\0\0\0", 12);
    CHECK_FALSE(ReadContents(bytes).ok());
  }
}

}  // namespace
}  // namespace shardine::shard_index_damage_test
