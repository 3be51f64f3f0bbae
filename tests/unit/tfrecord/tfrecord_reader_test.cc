#include "tfrecord/tfrecord_reader.h"

#include "support/sparse_file.h"
#include "unit/tfrecord/tfrecord_bytes.h"

namespace shardine::tfrecord_reader_test {
namespace {

struct Read {
  std::vector<std::string> records;
  std::vector<std::uint64_t> offsets;
  Status status;
};

Read ReadAll(const std::string& contents) {
  MemoryStorage storage;
  storage.Put("x", contents);
  const auto file = storage.Open("x");
  REQUIRE(file.ok());
  auto reader = TfRecordReader::Open(**file);
  REQUIRE(reader.ok());
  Read read;
  for (;;) {
    const auto record = reader->Next();
    if (!record.ok()) {
      read.status = record.status();
      CHECK(reader->Next().status().ToString() == read.status.ToString());
      return read;
    }
    if (!*record) return read;
    CHECK((*record)->number == read.records.size());
    read.records.emplace_back(AsText((*record)->data));
    read.offsets.push_back((*record)->offset);
    const auto at = (*record)->data_offset;
    CHECK(at.has_value() == !reader->compressed());
    if (at)
      CHECK(contents.substr(*at, read.records.back().size()) ==
            read.records.back());
  }
}

// Vector of the reference: TensorFlow's framing of "hello".
const std::string kHello = "0500000000000000 eab2043e 68656c6c6f bb1f1c19";

TEST_CASE("MaskCrc gives the vectors of TensorFlow", "[tfrecord]") {
  CHECK(Crc32c(AsBytes("123456789")) == 0xe3069283);
  CHECK(MaskCrc(0xe3069283) == 0xc78ab0e5);
  CHECK(MaskCrc(0) == 0xa282ead8);
}

TEST_CASE("TfRecordFileWriter writes what TensorFlow writes", "[tfrecord]") {
  MemoryStorage storage;
  auto file = storage.Create("x");
  REQUIRE(file.ok());
  TfRecordFileWriter writer(*std::move(file));
  // A record is written in pieces, some of them empty.
  const ByteView pieces[] = {AsBytes("he"), ByteView(), AsBytes("l"),
                             AsBytes("lo")};
  REQUIRE(writer.Append(pieces).ok());
  CHECK(writer.bytes() == 21);
  REQUIRE(writer.Append({}).ok());
  CHECK(writer.bytes() == 37);
  REQUIRE(writer.Finish().ok());
  CHECK(*storage.Get("x") ==
        FromHex(kHello) + FromHex("0000000000000000 29039807 d8ea82a2"));
}

TEST_CASE("TfRecordReader reads records of every size in order", "[tfrecord]") {
  Draws draws(1);
  std::vector<std::string> records = {""};
  for (std::uint32_t i = 0; i < 300; ++i) records.push_back(draws.Bytes(i));
  records.push_back(std::string(3'000'000, 'x'));
  records.push_back("behind what no window holds");
  const std::string file = FileOf(records);
  const Read read = ReadAll(file);
  CHECK(read.status.ok());
  CHECK((read.records == records));
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    CHECK(read.offsets[i] == at);
    at += records[i].size() + 16;
  }
  CHECK(ReadAll(FromHex(kHello)).records == std::vector<std::string>{"hello"});
  CHECK(ReadAll("").records.empty());

  for (const int bits : {31, 15}) {
    const Read inflated = ReadAll(Deflated(file, bits));
    CHECK(inflated.status.ok());
    CHECK((inflated.records == records));
    CHECK(inflated.offsets == read.offsets);
  }
}

TEST_CASE("TfRecordReader takes a right length for no magic number",
          "[tfrecord]") {
  // The lengths begin with the bytes of gzip and zlib.
  for (const std::size_t size : {0x088b1fUL, 0x9c78UL, 0x0178UL}) {
    const std::vector<std::string> records = {std::string(size, 'g'), "next"};
    const Read read = ReadAll(FileOf(records));
    CHECK(read.status.ok());
    CHECK((read.records == records));
  }
}

TEST_CASE("TfRecordReader tells a truncated from a corrupted record",
          "[tfrecord][corruption]") {
  const std::vector<std::string> records = {"first", "", "the third"};
  const std::string file = FileOf(records);
  const std::size_t starts[] = {0, 21, 37, file.size()};
  for (std::size_t at = 0; at < file.size(); ++at) {
    INFO("byte " << at);
    const auto number = static_cast<std::size_t>(
        std::upper_bound(starts, starts + 4, at) - starts - 1);
    const Read cut = ReadAll(file.substr(0, at));
    CHECK(cut.records.size() == number);
    if (at == starts[number]) {
      CHECK(cut.status.ok());
    } else {
      CHECK(cut.status.code() == Code::kCorrupt);
      CHECK_THAT(cut.status.message(), Catch::StartsWith("truncated record"));
      CHECK(cut.status.where().path == "x");
      CHECK(cut.status.where().offset == starts[number]);
      CHECK(cut.status.where().record == number);
    }

    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = file;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      const Read flipped = ReadAll(damaged);
      CHECK(flipped.records.size() == number);
      CHECK(flipped.status.code() == Code::kCorrupt);
      CHECK_THAT(flipped.status.message(),
                 Catch::StartsWith("corrupted record"));
      CHECK(flipped.status.where().offset == starts[number]);
      CHECK(flipped.status.where().record == number);
    }
  }
}

// A header with a right checksum.
std::string HeaderOf(std::uint64_t length) {
  std::string header;
  AppendLe(length, header);
  AppendLe(MaskCrc(Crc32c(AsBytes(header))), header);
  return header;
}

TEST_CASE("TfRecordReader allocates nothing for a length beyond the file",
          "[tfrecord][corruption]") {
  for (const std::uint64_t length :
       {std::uint64_t{5}, std::uint64_t{1} << 40, ~std::uint64_t{0},
        ~std::uint64_t{0} - 15, std::uint64_t{1} << 63}) {
    const std::string file = HeaderOf(length) + "data";
    const Read plain = ReadAll(file);
    CHECK_THAT(plain.status.ToString(),
               Catch::StartsWith("x: record 0, byte 0: truncated record: it "
                                 "has " +
                                 std::to_string(length)));
    const Read inflated = ReadAll(Deflated(file, 31));
    CHECK_FALSE(inflated.status.ok());
    CHECK(inflated.status.where().record == 0);
  }
}

TEST_CASE("TfRecordReader asks for no memory for a record of a sparse file",
          "[tfrecord][hostile]") {
  const SparseFile file("x", HeaderOf(std::uint64_t{60} << 30),
                        std::uint64_t{61} << 30);
  auto reader = TfRecordReader::Open(file);
  REQUIRE(reader.ok());
  const Status status = reader->Next().status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.where().record == 0u);
  CHECK_THAT(status.message(), Catch::Contains("protobuf's limit is 2 GiB"));
  CHECK(file.longest() < std::size_t{4} << 20);
}

TEST_CASE("TfRecordReader bounds what a compressed file may inflate to",
          "[tfrecord][corruption]") {
  const std::string file = HeaderOf(std::uint64_t{80} << 20);
  const Read read = ReadAll(Deflated(file + std::string(100'000, 'x'), 15));
  CHECK(read.status.code() == Code::kUnsupported);
}

TEST_CASE("TfRecordReader reports damage of the compression",
          "[tfrecord][corruption]") {
  const std::vector<std::string> records = {std::string(100, 'a'), "b"};
  for (const int bits : {31, 15}) {
    const std::string file = Deflated(FileOf(records), bits);
    for (std::size_t size = 12; size < file.size(); ++size) {
      const Read cut = ReadAll(file.substr(0, size));
      INFO("cut at " << size);
      CHECK(cut.status.code() == Code::kCorrupt);
      CHECK(cut.status.where().record == cut.records.size());
    }
    for (std::size_t at = 2; at < file.size(); ++at) {
      std::string damaged = file;
      damaged[at] = static_cast<char>(~damaged[at]);
      const Read flipped = ReadAll(damaged);
      // gzip's header has bytes that mean nothing.
      CHECK((!flipped.status.ok() || flipped.records == records));
    }
  }
}

TEST_CASE("TfRecordReader says where a record in plain contents is corrupted",
          "[tfrecord][corruption]") {
  std::string file = FileOf(std::vector<std::string>{"one", "two"});
  file[19 + 12] = 'T';
  const Status status = ReadAll(Deflated(file, 31)).status;
  CHECK(status.ToString() ==
        "x: record 1: corrupted record: the checksum of its data is wrong "
        "(byte 19 of the plain contents)");
}

}  // namespace
}  // namespace shardine::tfrecord_reader_test
