#include "shard/entry_point_file.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "io/memory_storage.h"
#include "shard/entry_point_layout.h"
#include "support/entry_point_fixture.h"

namespace shardine::entry_point_file_test {
namespace {

const std::string kPath = "d/s.rec.sde";
constexpr std::size_t kDamaged = 5;  // sample

IndexBinding Binding() {
  return {.shard_bytes = 1000, .shard_digest = {1, 2}, .plan_digest = {3, 4}};
}

// The points of sample `i`; each third has none.
std::string PointsOf(std::size_t i) {
  std::string points;
  for (std::size_t byte = 0; i % 3 != 2 && byte < 10 + i % 40; ++byte) {
    points += static_cast<char>(i * 31 + byte * 7);
  }
  return points;
}

std::uint32_t CrcOf(std::size_t i) {
  return static_cast<std::uint32_t>(i) * 2654435761u;
}

Status Write(Storage& storage, std::size_t samples,
             const IndexBinding& binding = Binding()) {
  REQUIRE(storage.CreateDirectories("d").ok());
  EntryPointFileWriter writer(storage, kPath);
  std::vector<std::uint32_t> crcs;
  for (std::size_t i = 0; i < samples; ++i) {
    const bool damaged = i == kDamaged;
    REQUIRE(writer.Add(damaged ? "" : PointsOf(i), damaged).ok());
    crcs.push_back(CrcOf(i));
  }
  REQUIRE(writer.size() == samples);
  return writer.Publish(binding, crcs);
}

std::string BytesOf(std::size_t samples,
                    const IndexBinding& binding = Binding()) {
  MemoryStorage storage;
  REQUIRE(Write(storage, samples, binding).ok());
  return *storage.Get(kPath);
}

using AllPoints = std::vector<StoredEntryPoints>;

// Through both ways of reading, which must agree.
Result<AllPoints> ReadAll(MemoryStorage& storage) {
  const auto file = EntryPointFile::Open(storage, kPath);
  if (!file.ok()) return file.status();
  AllPoints points;
  const Status status = ReadPoints(**file, 0, (*file)->size(), points);
  if (!status.ok()) return status;
  ByteBuffer one;
  for (std::size_t i = 0; i < points.size(); ++i) {
    REQUIRE((*file)->Read(i, points[i].payload_crc, one).ok());
    REQUIRE(AsText(one.view()) == points[i].packed);
  }
  return points;
}

Result<AllPoints> ReadAll(const std::string& bytes) {
  MemoryStorage storage;
  storage.Put(kPath, bytes);
  return ReadAll(storage);
}

std::size_t DirectoryOf(const std::string& bytes) {
  return LoadLe<std::uint64_t>(AsBytes(bytes).data() + bytes.size() -
                               kPageBytes + 40);
}

template <Scalar T>
void Put(std::string& bytes, std::size_t at, T value) {
  REQUIRE(at + sizeof(T) <= bytes.size());
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

TEST_CASE("EntryPointFile gives back what was written", "[entry_point_file]") {
  const std::size_t samples = GENERATE(1u, 204u, 205u, 2500u);
  MemoryStorage storage;
  REQUIRE(Write(storage, samples).ok());
  const auto points = ReadAll(storage);
  REQUIRE(points.ok());
  REQUIRE(points->size() == samples);
  EntryPointCounts counts;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::string expected = i == kDamaged ? "" : PointsOf(i);
    CHECK((*points)[i] == StoredEntryPoints{CrcOf(i), expected});
    counts.images += expected.empty() ? 0 : 1;
  }
  counts.damaged = samples > kDamaged ? 1 : 0;
  const auto file = EntryPointFile::Open(storage, kPath);
  REQUIRE(file.ok());
  CHECK((*file)->counts() == counts);
  CHECK((*file)->binding() == Binding());
}

TEST_CASE("EntryPointFile gives any run of samples", "[entry_point_file]") {
  MemoryStorage storage;
  REQUIRE(Write(storage, 1500).ok());
  const auto file = EntryPointFile::Open(storage, kPath);
  REQUIRE(file.ok());
  const auto [first, count] = GENERATE(table<std::size_t, std::size_t>(
      {{0, 0}, {1500, 0}, {0, 1}, {1499, 1}, {203, 2}, {204, 1000}, {7, 900}}));
  AllPoints points;
  REQUIRE(ReadPoints(**file, first, count, points).ok());
  REQUIRE(points.size() == count);
  for (std::size_t i = 0; i < count; ++i) {
    CHECK(points[i].payload_crc == CrcOf(first + i));
  }
}

TEST_CASE("A shard without entry points gets no file", "[entry_point_file]") {
  MemoryStorage storage;
  EntryPointFileWriter writer(storage, kPath);
  for (int i = 0; i < 300; ++i) REQUIRE(writer.Add("").ok());
  REQUIRE(writer.Publish(Binding(), std::vector<std::uint32_t>(300)).ok());
  CHECK(storage.Stat(kPath).status().code() == Code::kNotFound);
}

TEST_CASE("A shard of damaged images gets a file that counts them",
          "[entry_point_file]") {
  MemoryStorage storage;
  REQUIRE(storage.CreateDirectories("d").ok());
  EntryPointFileWriter writer(storage, kPath);
  REQUIRE(writer.Add("", true).ok());
  REQUIRE(writer.Publish(Binding(), std::vector<std::uint32_t>(1)).ok());
  const auto file = EntryPointFile::Open(storage, kPath);
  REQUIRE(file.ok());
  CHECK((*file)->counts() == EntryPointCounts{.images = 0, .damaged = 1});
}

TEST_CASE("A writer of entry points that is left leaves nothing",
          "[entry_point_file]") {
  MemoryStorage storage;
  REQUIRE(storage.CreateDirectories("d").ok());
  {
    EntryPointFileWriter writer(storage, kPath);
    const std::string points(600000, 'x');
    REQUIRE(writer.Add(points).ok());
  }
  const auto entries = storage.List("d");
  CHECK((!entries.ok() || entries->empty()));
}

TEST_CASE("Entry points of another payload are refused", "[entry_point_file]") {
  MemoryStorage storage;
  REQUIRE(Write(storage, 10).ok());
  const auto file = EntryPointFile::Open(storage, kPath);
  ByteBuffer points;
  for (const std::size_t record : {0u, 2u}) {
    const Status status = (*file)->Read(record, CrcOf(record) ^ 1, points);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().record == record);
    CHECK_THAT(status.message(), Catch::Contains("another payload"));
  }
}

TEST_CASE("EntryPointFile notices every flipped bit",
          "[entry_point_file][corruption][one_thread]") {
  const std::string good = BytesOf(9);
  MemoryStorage storage;
  std::size_t unnoticed = 0;
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    storage.Put(kPath, std::move(bad));
    const auto read = ReadAll(storage);
    unnoticed += read.ok() || read.status().code() != Code::kCorrupt ||
                 read.status().where().path != kPath;
  }
  CHECK(unnoticed == 0);
}

TEST_CASE("EntryPointFile notices a cut at every length, and more bytes",
          "[entry_point_file][corruption]") {
  const std::string good = BytesOf(9);
  MemoryStorage storage;
  std::size_t unnoticed = 0;
  for (std::size_t length = 0; length < good.size(); ++length) {
    storage.Put(kPath, good.substr(0, length));
    const auto read = EntryPointFile::Open(storage, kPath);
    unnoticed += read.ok() || read.status().code() != Code::kCorrupt;
  }
  CHECK(unnoticed == 0);
  for (const std::string& more : {std::string(1, '\0'), good}) {
    CHECK(ReadAll(more + good).status().code() == Code::kCorrupt);
    CHECK((more == good || !ReadAll(good + more).ok()));
  }
}

TEST_CASE("EntryPointFile notices parts of another file",
          "[entry_point_file][corruption]") {
  const std::string good = BytesOf(300);
  IndexBinding binding = Binding();
  binding.shard_digest.high ^= 1;
  const std::string other = BytesOf(300, binding);
  REQUIRE(good.size() == other.size());
  const std::size_t page = DirectoryOf(good);
  std::string bytes = good;
  bytes.replace(page, kPageBytes, other, page, kPageBytes);
  CHECK_THAT(ReadAll(bytes).status().message(),
             Catch::Contains("belongs elsewhere"));
  bytes = good;
  bytes.replace(page, kPageBytes, good, page + kPageBytes, kPageBytes);
  CHECK_THAT(ReadAll(bytes).status().message(),
             Catch::Contains("belongs elsewhere"));
}

TEST_CASE("EntryPointFile tells a newer version from damage",
          "[entry_point_file]") {
  std::string bytes = BytesOf(2);
  bytes[bytes.size() - kPageBytes + 8] = 2;
  SealEntryPoints(bytes);
  CHECK(ReadAll(bytes).status().code() == Code::kUnsupported);
}

TEST_CASE("EntryPointFile refuses forged headers",
          "[entry_point_file][hostile]") {
  const std::string good = BytesOf(301);
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  for (const std::size_t at : {16u, 24u, 32u, 40u, 48u}) {
    const std::size_t place = good.size() - kPageBytes + at;
    const auto now = LoadLe<std::uint64_t>(AsBytes(good).data() + place);
    for (const std::uint64_t value :
         {now + 1, now - 1, now + 4096, kHuge, kHuge - 4095, kHuge / 20,
          std::uint64_t{1} << 63, std::uint64_t{204} << 52}) {
      CAPTURE(at, value);
      // One more damaged image is nothing that the rows could say.
      if (at == 32 && value == now + 1) continue;
      if (at == 32 && value == now - 1) continue;
      std::string bytes = good;
      Put(bytes, place, value);
      SealEntryPoints(bytes);
      CHECK(ReadAll(bytes).status().code() == Code::kCorrupt);
    }
  }
}

TEST_CASE("EntryPointFile refuses forged rows", "[entry_point_file][hostile]") {
  struct Forgery {
    std::size_t at;  // in row 1
    std::uint64_t value;
    std::size_t size;
    const char* what;
  };
  const auto forgery = GENERATE(values<Forgery>({
      {0, ~std::uint64_t{0}, 8, "points nowhere"},
      {0, 0, 8, "gap"},
      {0, 11, 8, "gap"},
      {8, 0xFFFFFFFF, 4, "points nowhere"},
      {8, 0, 4, "gap"},
      {8, 12, 4, "gap"},
      {8, kMaxEntryPointBytes + 1, 4, "points nowhere"},
  }));
  CAPTURE(forgery.at, forgery.value);
  std::string bytes = BytesOf(9);
  const std::size_t row = DirectoryOf(bytes) + kEntryPointRowBytes;
  std::memcpy(bytes.data() + row + forgery.at, &forgery.value, forgery.size);
  SealEntryPoints(bytes);
  const Status status = ReadAll(bytes).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK_THAT(status.message(), Catch::Contains(forgery.what));
}

TEST_CASE("EntryPointFile refuses more points than an image can have",
          "[entry_point_file][hostile]") {
  // The points are as long as they say: a sparse file costs its sender nothing.
  std::string points(kMaxEntryPointBytes + 1, '\0');
  MemoryStorage storage;
  REQUIRE(storage.CreateDirectories("d").ok());
  EntryPointFileWriter writer(storage, kPath);
  CHECK(writer.Add(points).code() == Code::kUnsupported);
  points.pop_back();
  REQUIRE(writer.Add(points).ok());
  REQUIRE(writer.Publish(Binding(), std::vector<std::uint32_t>{7}).ok());
  const auto file = EntryPointFile::Open(storage, kPath);
  REQUIRE(file.ok());
  ByteBuffer read;
  CHECK((*file)->Read(0, 7, read).ok());
  CHECK_THAT((*file)->Read(0, 7, read, points.size() - 1).message(),
             Catch::Contains("can have"));

  std::string forged = *storage.Get(kPath);
  forged.insert(0, 1, '\0');
  Put(forged, forged.size() - kPageBytes + 40,
      std::uint64_t{points.size() + 1});
  Put(forged, forged.size() - kPageBytes + 48, std::uint64_t{forged.size()});
  Put(forged, points.size() + 1 + 8,
      static_cast<std::uint32_t>(points.size() + 1));
  SealEntryPoints(forged);
  const Status status = ReadAll(forged).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK_THAT(status.message(), Catch::Contains("can have"));
}

TEST_CASE("Points of many megabytes are handed over one sample at a time",
          "[entry_point_file]") {
  MemoryStorage storage;
  REQUIRE(storage.CreateDirectories("d").ok());
  EntryPointFileWriter writer(storage, kPath);
  std::vector<std::uint32_t> crcs;
  for (std::size_t i = 0; i < 12; ++i) {
    const std::size_t size = i % 4 == 0 ? std::size_t{5} << 20 : i * 100'000;
    REQUIRE(writer.Add(std::string(size, static_cast<char>('a' + i))).ok());
    crcs.push_back(CrcOf(i));
  }
  REQUIRE(writer.Publish(Binding(), crcs).ok());
  const auto points = ReadAll(storage);
  REQUIRE(points.ok());
  for (std::size_t i = 0; i < 12; ++i) {
    const std::size_t size = i % 4 == 0 ? std::size_t{5} << 20 : i * 100'000;
    CHECK(
        ((*points)[i].packed == std::string(size, static_cast<char>('a' + i))));
  }
}

TEST_CASE("Entry points lie where the sidecar does", "[entry_point_file]") {
  CHECK(EntryPointName("d/s.rec.sdx") == "d/s.rec.sde");
}

}  // namespace
}  // namespace shardine::entry_point_file_test
