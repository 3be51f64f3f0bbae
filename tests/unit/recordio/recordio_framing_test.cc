#include "recordio/recordio_framing.h"

#include <sys/mman.h>

#include <catch2/catch.hpp>

#include "unit/recordio/record_bytes.h"

namespace shardine::recordio_framing_test {
namespace {

// The vectors of FORMAT.md, confirmed with dmlc-core's own writer and reader.
struct Vector {
  const char* record;
  const char* file;
};
constexpr Vector kVectors[] = {
    {"6162636465", "0a23d7ce 05000000 61626364 65000000"},
    {"41414141 0a23d7ce 4242",
     "0a23d7ce 04000020 41414141  0a23d7ce 02000060 42420000"},
    {"0a23d7ce", "0a23d7ce 00000020  0a23d7ce 00000060"},
    {"0a23d7ce 0a23d7ce 78",
     "0a23d7ce 00000020  0a23d7ce 00000040  0a23d7ce 01000060 78000000"},
    {"61 0a23d7ce 626364", "0a23d7ce 08000000 610a23d7 ce626364"},
    {"", "0a23d7ce 00000000"},
};

// Takes all, keeps the sizes of the appends only.
class CountingFile : public WritableFile {
 public:
  explicit CountingFile(std::vector<std::size_t>& appends)
      : appends_(appends) {}
  Status Append(ByteView bytes) override {
    appends_.push_back(bytes.size());
    return {};
  }
  Status Sync() override { return {}; }
  Status Close() override { return {}; }
  const std::string& path() const override { return path_; }

 private:
  std::vector<std::size_t>& appends_;
  std::string path_ = "counting";
};

// Zeros that take no memory.
class ZeroPages {
 public:
  explicit ZeroPages(std::size_t size)
      : size_(size),
        data_(mmap(nullptr, size, PROT_READ,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    REQUIRE(data_ != MAP_FAILED);
  }
  ~ZeroPages() { munmap(data_, size_); }
  ZeroPages(const ZeroPages&) = delete;
  ZeroPages& operator=(const ZeroPages&) = delete;
  ByteView view() const {
    return {static_cast<const std::byte*>(data_), size_};
  }

 private:
  std::size_t size_;
  void* data_;
};

std::size_t Sum(const std::vector<std::size_t>& sizes) {
  std::size_t sum = 0;
  for (const std::size_t size : sizes) sum += size;
  return sum;
}

TEST_CASE("RecordIoFileWriter writes the reference vectors", "[recordio]") {
  for (const Vector& vector : kVectors) {
    const std::string record = FromHex(vector.record);
    CHECK(EncodeRecords({&record, 1}) == FromHex(vector.file));
  }
}

TEST_CASE("RecordIoReader reads the reference vectors", "[recordio]") {
  for (const Vector& vector : kVectors) {
    const ReadRecords found = DecodeRecords(FromHex(vector.file));
    CHECK(found.status.ToString() == "OK");
    REQUIRE(found.records.size() == 1);
    CHECK(found.records[0].bytes == FromHex(vector.record));
  }
}

TEST_CASE("RecordIoFileWriter cuts at a magic whichever view holds it",
          "[recordio]") {
  Draws draws(1);
  for (std::size_t split = 0; split <= 64; split += 4) {
    std::string record = MagicRichBytes(draws, 80);
    MemoryStorage storage;
    auto file = storage.Create("x.rec");
    REQUIRE(file.ok());
    RecordIoFileWriter writer(*std::move(file));
    REQUIRE(writer
                .Append(AsBytes(record).first(split),
                        AsBytes(record).subspan(split))
                .ok());
    REQUIRE(writer.Finish().ok());
    CHECK(*storage.Get("x.rec") == EncodeRecords({&record, 1}));
  }
}

TEST_CASE("FindAlignedMagic finds the first aligned magic at any distance",
          "[recordio]") {
  for (std::size_t at = 0; at < 1100; ++at) {
    std::string bytes(1100 + 7, '\x0a');
    bytes.replace(at, 4, kMagicBytes);
    const std::size_t expected = at % 4 == 0 ? at : bytes.size();
    CHECK(FindAlignedMagic(AsBytes(bytes), 0) == expected);
    if (at >= 4) CHECK(FindAlignedMagic(AsBytes(bytes), 4) == expected);
    if (expected == at) {
      CHECK(FindAlignedMagic(AsBytes(bytes), at) == at);
      CHECK(FindAlignedMagic(AsBytes(bytes), at + 4) == bytes.size());
    }
  }
}

TEST_CASE("FindAlignedMagic ignores a magic that the end cuts off",
          "[recordio]") {
  for (std::size_t size = 0; size < 12; ++size) {
    const std::string bytes =
        (std::string(8, 'x') + kMagicBytes).substr(0, size);
    CHECK(FindAlignedMagic(AsBytes(bytes), 0) == size);
  }
}

TEST_CASE("RecordIoFileWriter gathers small records and passes large ones on",
          "[recordio]") {
  std::vector<std::size_t> appends;
  RecordIoFileWriter writer(std::make_unique<CountingFile>(appends));
  const std::string small(1000, 's');
  for (int i = 0; i < 1000; ++i)
    REQUIRE(writer.Append({}, AsBytes(small)).ok());
  CHECK(appends.empty());
  const std::string large(300'000, 'l');
  REQUIRE(writer.Append({}, AsBytes(large)).ok());
  CHECK(appends == std::vector<std::size_t>{1000 * 1008 + 8, 300'000});
  REQUIRE(writer.Append({}, AsBytes(small)).ok());
  CHECK(appends.size() == 2);
  REQUIRE(writer.Finish().ok());
  CHECK(Sum(appends) == writer.bytes());
}

TEST_CASE("RecordIoFileWriter never holds back more than its buffer",
          "[recordio]") {
  std::vector<std::size_t> appends;
  RecordIoFileWriter writer(std::make_unique<CountingFile>(appends));
  const std::string record(100'001, 'r');
  for (int i = 0; i < 50; ++i) {
    REQUIRE(writer.Append({}, AsBytes(record)).ok());
    CHECK(writer.bytes() - Sum(appends) <= 1 << 20);
  }
  for (const std::size_t size : appends) CHECK(size > 900'000);
}

TEST_CASE("RecordIoFileWriter refuses a record of 512 MiB and writes nothing",
          "[recordio]") {
  const ZeroPages zeros(kRecordIoRecordLimit);
  const std::string prefix(24, 'p');
  std::vector<std::size_t> appends;
  RecordIoFileWriter writer(std::make_unique<CountingFile>(appends));
  for (const std::size_t size :
       {kRecordIoRecordLimit - 24, kRecordIoRecordLimit - 23,
        kRecordIoRecordLimit}) {
    const Status status =
        writer.Append(AsBytes(prefix), zeros.view().first(size));
    CHECK(status.code() == Code::kUnsupported);
    CHECK_THAT(status.message(), Catch::Contains(std::to_string(size + 24)));
  }
  CHECK(writer.bytes() == 0);
  REQUIRE(writer.Finish().ok());
  CHECK(appends.empty());
}

TEST_CASE("RecordIoFileWriter writes the largest record there can be",
          "[recordio]") {
  const ZeroPages zeros(kRecordIoRecordLimit);
  const std::string prefix(24, 'p');
  std::vector<std::size_t> appends;
  RecordIoFileWriter writer(std::make_unique<CountingFile>(appends));
  REQUIRE(writer
              .Append(AsBytes(prefix),
                      zeros.view().first(kRecordIoRecordLimit - 25))
              .ok());
  REQUIRE(writer.Finish().ok());
  CHECK(Sum(appends) == kRecordIoRecordLimit + 8);
  CHECK(writer.bytes() == kRecordIoRecordLimit + 8);
}

}  // namespace
}  // namespace shardine::recordio_framing_test
