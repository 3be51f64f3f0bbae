// Samples to a .rec with its .idx and back. Requirements on every format are
// tested in tests/conformance; this test covers RecordIO's own.
#include <sys/mman.h>

#include <catch2/catch.hpp>

#include "io/local_storage.h"
#include "io/memory_storage.h"
#include "recordio/irheader.h"
#include "recordio/recordio_format.h"
#include "recordio/recordio_index.h"
#include "unit/recordio/record_bytes.h"

namespace shardine::recordio_shard_test {
namespace {

struct Sample {
  std::uint64_t id = 0;
  std::vector<Label> labels;
  std::string image;

  friend bool operator==(const Sample&, const Sample&) = default;
};

const ShardPaths kPaths = {.shard = "x.rec", .companion = "x.idx"};

std::unique_ptr<ShardWriter> NewWriter(Storage& storage) {
  auto writer = kRecordIoFormat.create_writer(storage, kPaths, {});
  REQUIRE(writer.ok());
  return *std::move(writer);
}

Status Append(ShardWriter& writer, std::uint64_t id,
              std::span<const Label> labels, ByteView image) {
  const FieldView field{
      .name = kImageField, .dtype = kBytesDtype, .shape = {}, .bytes = image};
  return writer.Append({.id = id,
                        .key = "key\xff of " + std::to_string(id),
                        .labels = labels,
                        .fields = {&field, 1}});
}

void Pack(MemoryStorage& storage, const std::vector<Sample>& samples) {
  const auto writer = NewWriter(storage);
  for (const Sample& sample : samples) {
    REQUIRE(
        Append(*writer, sample.id, sample.labels, AsBytes(sample.image)).ok());
  }
  const auto summary = writer->Finish();
  REQUIRE(summary.ok());
  CHECK(summary->samples == samples.size());
  CHECK(summary->bytes == storage.Get("x.rec")->size());
}

struct Scan {
  std::vector<Sample> samples;
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint64_t> ids;
  std::vector<std::vector<Extent>> extents;
  Status status;
};

Scan ScanFile(MemoryStorage& storage) {
  const auto file = storage.Open("x.rec");
  REQUIRE(file.ok());
  const auto scanner = kRecordIoFormat.open_scanner(**file, {});
  REQUIRE(scanner.ok());
  Scan scan;
  for (;;) {
    auto next = (*scanner)->Next();
    scan.status = next.status();
    if (!next.ok() || !*next) return scan;
    const ScannedSample& sample = **next;
    REQUIRE(sample.id);
    CHECK(!sample.key);
    REQUIRE(sample.fields.size() == 1);
    const ScannedField& image = sample.fields[0];
    CHECK(sample.record == scan.samples.size());
    scan.samples.push_back({*sample.id,
                            {sample.labels.begin(), sample.labels.end()},
                            std::string(AsText(image.bytes))});
    scan.offsets.push_back(sample.record_offset);
    scan.ids.push_back(*sample.id);
    scan.extents.emplace_back(image.extents.begin(), image.extents.end());
  }
}

TEST_CASE("RecordIoWriter frames one photo as im2rec does", "[recordio]") {
  MemoryStorage storage;
  Pack(storage, {{5, {Label(2)}, "abcde"}});
  CHECK(*storage.Get("x.rec") ==
        FromHex("0a23d7ce 1d000000"
                "00000000 00000040 0500000000000000 0000000000000000"
                "61626364 65000000"));
  CHECK(*storage.Get("x.idx") == "5\t0\n");
}

TEST_CASE("RecordIoScanner returns what RecordIoWriter was given",
          "[recordio]") {
  Draws draws(6);
  std::vector<Sample> samples;
  for (std::uint32_t i = 0; i < 300; ++i) {
    Sample sample;
    sample.id = i % 3 == 0 ? ~std::uint64_t{i} : i;
    // The magic as an id, at an aligned place in the header.
    if (i == 100) sample.id = 0xced7230a;
    if (i == 101) sample.id = 0xced7230aULL << 32;
    for (std::uint32_t n = draws.Below(4); n > 0; --n) {
      sample.labels.push_back(Label::FromReal(0.25 * draws.Below(1000)));
    }
    sample.image = MagicRichBytes(draws, draws.Below(200));
    samples.push_back(std::move(sample));
  }
  MemoryStorage storage;
  Pack(storage, samples);
  const Scan scan = ScanFile(storage);
  REQUIRE(scan.status.ToString() == "OK");
  CHECK((scan.samples == samples));
  const std::string file = *storage.Get("x.rec");
  for (std::size_t i = 0; i < samples.size(); ++i) {
    REQUIRE_FALSE(scan.extents[i].empty());
    CHECK(JoinExtents(file, scan.extents[i]) == samples[i].image);
  }
  CHECK(kRecordIoFormat.check_companion(storage, kPaths, scan.offsets, scan.ids)
            .ToString() == "OK");
}

TEST_CASE("RecordIoScanner keeps ids of 2^63 and more", "[recordio]") {
  MemoryStorage storage;
  Pack(storage, {{std::uint64_t{1} << 63, {}, "a"}, {~0ULL, {}, "b"}});
  CHECK(ScanFile(storage).ids ==
        std::vector<std::uint64_t>{std::uint64_t{1} << 63, ~0ULL});
  CHECK(*storage.Get("x.idx") ==
        "9223372036854775808\t0\n18446744073709551615\t36\n");
}

TEST_CASE("RecordIoScanner gives an empty image an empty extent",
          "[recordio]") {
  MemoryStorage storage;
  Pack(storage, {{1, {Label(1), Label(2)}, ""}, {2, {}, kMagicBytes}});
  const Scan scan = ScanFile(storage);
  REQUIRE(scan.samples.size() == 2);
  CHECK(scan.extents[0] == std::vector<Extent>{{40, 0}});
  // The header of record 1 ends at 72; its image is the magic that begins the
  // second part.
  CHECK(scan.extents[1] == std::vector<Extent>{{72, 4}});
}

TEST_CASE("RecordIoScanner reads a record with an id2", "[recordio]") {
  std::string record;
  AppendIrHeader({.flag = 0, .label = 1, .id = 2, .id2 = 3}, record);
  MemoryStorage storage;
  storage.Put("x.rec", EncodeRecords(std::vector{record + "image"}));
  const Scan scan = ScanFile(storage);
  CHECK(scan.status.ok());
  CHECK((scan.samples == std::vector<Sample>{{2, {Label(1)}, "image"}}));
}

TEST_CASE("RecordIoScanner rejects records that hold no image header",
          "[recordio][corruption]") {
  std::string good;
  AppendIrHeader({}, good);
  MemoryStorage storage;
  storage.Put("x.rec", EncodeRecords(std::vector<std::string>{
                           good + "image", good.substr(1), good}));
  const Scan scan = ScanFile(storage);
  CHECK(scan.samples.size() == 1);
  CHECK(scan.status.ToString() ==
        "x.rec: record 1, byte 40: a record of 23 bytes is too short for the "
        "header of an image");
}

TEST_CASE("RecordIoScanner says that a file is of another layout of RecordIO",
          "[recordio]") {
  MemoryStorage storage;
  for (const std::string& first :
       {std::string("{\"id\": 7, \"caption\": \"a tench in a brook\"}"),
        std::string("short"), std::string()}) {
    storage.Put("x.rec", EncodeRecords(std::vector<std::string>{first, first}));
    const Scan scan = ScanFile(storage);
    CHECK(scan.samples.empty());
    CHECK(scan.status.code() == Code::kUnsupported);
    CHECK(scan.status.where().record == 0u);
    CHECK_THAT(scan.status.message(),
               Catch::StartsWith("not recordio/mxnet but another layout"));
  }
}

TEST_CASE("RecordIoScanner survives each flipped byte and each cut",
          "[recordio][corruption]") {
  MemoryStorage storage;
  Pack(storage, {{1, {Label(1)}, "first"},
                 {2, {Label(2), Label(3)}, "1234" + kMagicBytes + "5"},
                 {3, {}, "third"}});
  const std::string file = *storage.Get("x.rec");
  const Scan intact = ScanFile(storage);
  REQUIRE(intact.samples.size() == 3);
  for (std::size_t i = 0; i < file.size(); ++i) {
    std::string damaged = file;
    damaged[i] = static_cast<char>(~damaged[i]);
    storage.Put("x.rec", damaged);
    const Scan flipped = ScanFile(storage);
    INFO("byte " << i);
    CHECK((!flipped.status.ok() || flipped.samples.size() == 3));
    for (std::size_t r = 0; r < 2 && intact.offsets[r + 1] <= i; ++r) {
      REQUIRE(flipped.samples.size() > r);
      CHECK((flipped.samples[r] == intact.samples[r]));
    }

    storage.Put("x.rec", file.substr(0, i));
    const Scan cut = ScanFile(storage);
    const bool between =
        i == 0 || i == intact.offsets[1] || i == intact.offsets[2];
    CHECK(cut.status.ok() == between);
    for (std::size_t r = 0; r < cut.samples.size(); ++r) {
      CHECK((cut.samples[r] == intact.samples[r]));
    }
  }
}

TEST_CASE("RecordIoWriter refuses an image of 512 MiB by key and goes on",
          "[recordio]") {
  const std::size_t size = (std::size_t{1} << 29) - 24;
  void* pages = mmap(nullptr, size, PROT_READ,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  MemoryStorage storage;
  const auto writer = NewWriter(storage);
  REQUIRE(Append(*writer, 1, {}, AsBytes("one")).ok());
  const Status status =
      Append(*writer, 2, {}, {static_cast<const std::byte*>(pages), size});
  munmap(pages, size);
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.where().key == "key\xff of 2");
  CHECK_THAT(status.message(), Catch::Contains("536870912 bytes"));
  REQUIRE(Append(*writer, 3, {}, AsBytes("three")).ok());
  REQUIRE(writer->Finish().ok());
  CHECK(ScanFile(storage).ids == std::vector<std::uint64_t>{1, 3});
  CHECK(*storage.Get("x.idx") == "1\t0\n3\t36\n");
}

TEST_CASE("RecordIoWriter refuses a sample that is not one plain image",
          "[recordio]") {
  FieldView image;
  image.name = kImageField;
  FieldView other;
  other.name = "points";
  FieldView array = image;
  array.dtype = "|u1";
  const std::vector<std::vector<FieldView>> refused = {
      {}, {other}, {array}, {image, other}};
  MemoryStorage storage;
  const auto writer = NewWriter(storage);
  for (const std::vector<FieldView>& fields : refused) {
    const Status status = writer->Append(
        {.id = 1, .key = "a.jpg", .labels = {}, .fields = fields});
    CHECK(status.code() == Code::kUnsupported);
    CHECK(status.where().key == "a.jpg");
  }
  REQUIRE(writer->Finish().ok());
  CHECK(storage.Get("x.rec")->empty());
}

TEST_CASE("RecordIoWriter writes MXNet's golden file byte for byte",
          "[recordio][golden]") {
  const std::string stem = SHARDINE_TESTDATA "/golden/recordio/single";
  const auto golden = [&](const char* suffix) {
    auto bytes = ReadFile(LocalStorage(), stem + suffix, 1 << 20);
    REQUIRE(bytes.ok());
    return *std::move(bytes);
  };
  MemoryStorage storage;
  storage.Put("golden.rec", golden(".rec"));
  const auto file = storage.Open("golden.rec");
  REQUIRE(file.ok());
  const auto scanner = kRecordIoFormat.open_scanner(**file, {});
  REQUIRE(scanner.ok());
  const auto writer = NewWriter(storage);
  for (;;) {
    const auto sample = (*scanner)->Next();
    REQUIRE(sample.ok());
    if (!*sample) break;
    REQUIRE(Append(*writer, *(*sample)->id, (*sample)->labels,
                   (*sample)->fields[0].bytes)
                .ok());
  }
  REQUIRE(writer->Finish().ok());
  CHECK(*storage.Get("x.rec") == golden(".rec"));
  CHECK(*storage.Get("x.idx") == golden(".idx"));
}

TEST_CASE("The RecordIO probe tells records from other files", "[recordio]") {
  const auto probe = [](const std::string& head) {
    return kRecordIoFormat.probe(AsBytes(head));
  };
  CHECK(probe(""));
  CHECK(probe(FromHex("0a23d7ce 1d000000 00")));
  CHECK(probe(FromHex("0a23d7ce 1d000020 00")));
  CHECK_FALSE(probe(FromHex("0a23d7ce 1d000040 00")));
  CHECK_FALSE(probe(FromHex("0a23d7ce 1d000060 00")));
  CHECK_FALSE(probe(FromHex("0a23d7ce 1d0000")));
  CHECK_FALSE(probe(FromHex("ced7230a 1d000000 00")));
  CHECK_FALSE(probe("\xff\xd8\xff\xe0 a JPEG"));
}

}  // namespace
}  // namespace shardine::recordio_shard_test
