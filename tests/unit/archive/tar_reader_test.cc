#include "archive/tar_reader.h"

#include "support/fault_storage.h"
#include "unit/archive/tar_blocks.h"

namespace shardine::tar_reader_test {
namespace {

struct Read {
  std::vector<TarMember> members;
  Status status;
};

// All members, each released before the next, and the tail.
Read ReadAll(const std::string& file) {
  MemoryStorage storage;
  storage.Put("x.tar", file);
  const auto opened = storage.Open("x.tar");
  REQUIRE(opened.ok());
  TarReader reader(**opened, Compression::kNone);
  Read read;
  for (;;) {
    auto member = reader.Next();
    if (!member.ok()) {
      read.status = member.status();
      return read;
    }
    if (!*member) break;
    const auto bytes = reader.View((*member)->data, (*member)->size);
    REQUIRE(bytes.ok());
    CHECK(AsText(*bytes) == file.substr((*member)->data, (*member)->size));
    REQUIRE(reader.Release((*member)->end()).ok());
    read.members.push_back(**std::move(member));
  }
  read.status = reader.FinishTail();
  return read;
}

void CheckFails(const std::string& file, Code code, std::uint64_t offset,
                const std::string& text) {
  const Status status = ReadAll(file).status;
  CHECK(status.code() == code);
  CHECK_THAT(status.message(), Catch::Contains(text));
  CHECK(status.where().offset == offset);
  CHECK(status.where().path == "x.tar");
}

TEST_CASE("TarReader gives name, place and size of each file",
          "[webdataset][tar]") {
  const Read read = ReadAll(TarFile("a.jpg", "12345") + TarFile("b.txt", "") +
                            TarFile("c", std::string(1024, 'x')) + kTarEnd);
  REQUIRE(read.status.ToString() == "OK");
  REQUIRE(read.members.size() == 3);
  CHECK(read.members[0].name == "a.jpg");
  CHECK(read.members[0].header == 0);
  CHECK(read.members[0].data == 512);
  CHECK(read.members[0].size == 5);
  CHECK(read.members[0].end() == 1024);
  CHECK(read.members[1].header == 1024);
  CHECK(read.members[1].end() == 1536);
  CHECK(read.members[2].end() == 3072);
}

TEST_CASE("TarReader passes over folders", "[webdataset][tar]") {
  const Read read = ReadAll(
      TarFile("n01/", "", '5') +
      HeaderBlock({.name = "n02", .size = Octal(4096), .type = '5'}) +
      HeaderBlock({.name = "old/", .size = "", .type = '\0', .magic = ""}) +
      TarFile("a.jpg", "1") + kTarEnd);
  REQUIRE(read.status.ToString() == "OK");
  REQUIRE(read.members.size() == 1);
  CHECK(read.members[0].header == 3 * 512);
}

TEST_CASE("TarReader reads old and contiguous files", "[webdataset][tar]") {
  const Read read = ReadAll(
      HeaderBlock({.name = "old", .size = "1", .type = '\0', .magic = ""}) +
      Padded("o") + TarFile("cont", "cc", '7') + kTarEnd);
  REQUIRE(read.status.ToString() == "OK");
  REQUIRE(read.members.size() == 2);
  CHECK(read.members[0].size == 1);
  CHECK(read.members[1].size == 2);
}

TEST_CASE("TarReader takes long names from pax and GNU headers",
          "[webdataset][tar]") {
  const std::string pax(300, 'p');
  const std::string gnu(300, 'g');
  const Read read =
      ReadAll(TarFile("PaxHeader", PaxRecord("path", pax), 'x') +
              TarFile("cut", "1") + TarFile("././@LongLink", gnu + '\0', 'L') +
              TarFile("cut", "2") + TarFile("././@LongLink", "target", 'K') +
              TarFile("plain", "3") + TarFile("././@LongLink", gnu, 'L') +
              TarFile("PaxHeader", PaxRecord("path", "both"), 'X') +
              TarFile("cut", "4") + kTarEnd);
  REQUIRE(read.status.ToString() == "OK");
  REQUIRE(read.members.size() == 4);
  CHECK(read.members[0].name == pax);
  CHECK(read.members[0].header == 0);
  CHECK(read.members[0].data == 3 * 512);
  CHECK(read.members[1].name == gnu);
  CHECK(read.members[2].name == "plain");
  CHECK(read.members[3].name == "both");
  CHECK(read.members[3].header == read.members[2].end());
}

TEST_CASE("TarReader lets a pax size replace that of the header",
          "[webdataset][tar]") {
  const Read read = ReadAll(TarFile("x", PaxRecord("size", "3"), 'x') +
                            HeaderBlock({.name = "a", .size = Octal(0)}) +
                            Padded("abc") + kTarEnd);
  REQUIRE(read.status.ToString() == "OK");
  CHECK(read.members[0].size == 3);
}

TEST_CASE("TarReader lets global records hold for all files behind them",
          "[webdataset][tar]") {
  const Read read =
      ReadAll(TarFile("a", "1") + TarFile("g", PaxRecord("comment", "c"), 'g') +
              TarFile("b", "2") + TarFile("g", PaxRecord("path", "all"), 'g') +
              TarFile("c", "3") + TarFile("x", PaxRecord("path", "one"), 'x') +
              TarFile("d", "4") + TarFile("x", PaxRecord("path", ""), 'x') +
              TarFile("e", "5") + kTarEnd);
  REQUIRE(read.status.ToString() == "OK");
  REQUIRE(read.members.size() == 5);
  CHECK(read.members[1].name == "b");
  CHECK(read.members[1].header == 2048);  // the global header is nobody's
  CHECK(read.members[2].name == "all");
  CHECK(read.members[3].name == "one");
  // Parsers review 10: an empty value takes back a global one, too.
  CHECK(read.members[4].name == "e");
}

// Parsers review 3: each file had a copy of a name of up to 1 MiB.
// parsers review 3.
TEST_CASE("TarReader refuses one global name for several files",
          "[webdataset][tar]") {
  const std::string global = TarFile("g", PaxRecord("path", "all"), 'g');
  CHECK(ReadAll(global + TarFile("a", "1") + kTarEnd).members[0].name == "all");
  CheckFails(global + TarFile("a", "1") + TarFile("b", "2") + kTarEnd,
             Code::kUnsupported, 2048, "several files one path");
}

TEST_CASE("TarReader leaves a global header among those of a file to it",
          "[webdataset][tar]") {
  const std::string headers = TarFile("x", PaxRecord("path", "one"), 'x') +
                              TarFile("g", PaxRecord("comment", "c"), 'g');
  const Read read =
      ReadAll(TarFile("a", "1") + headers + TarFile("b", "2") + kTarEnd);
  REQUIRE(read.status.ToString() == "OK");
  REQUIRE(read.members.size() == 2);
  CHECK(read.members[1].name == "one");
  CHECK(read.members[1].header == 1024);
  CheckFails(TarFile("a", "1") + headers + kTarEnd, Code::kCorrupt, 3072,
             "belongs to a file");
}

TEST_CASE("TarReader accepts any number of zeros behind the end marker",
          "[webdataset][tar]") {
  for (const std::size_t more : {0U, 1U, 511U, 512U, 8192U, 3'000'000U}) {
    CHECK(ReadAll(TarFile("a", "1") + kTarEnd + std::string(more, '\0'))
              .status.ToString() == "OK");
  }
  CHECK(ReadAll(kTarEnd).members.empty());
}

TEST_CASE("TarReader refuses links, devices and sparse files by name",
          "[webdataset][tar]") {
  const auto refused = [](char type, const std::string& text) {
    CheckFails(TarFile("a", "1") + TarFile("b", "", type) + kTarEnd,
               Code::kUnsupported, 1024, text);
  };
  refused('1', "a hard link (\"b\")");
  refused('2', "a symbolic link");
  refused('3', "a device");
  refused('4', "a device");
  refused('6', "a FIFO");
  refused('S', "a sparse file");
  refused('M', "another volume");
  refused('V', "type 'V'");
  refused('\x01', "type '\\x01'");
  CheckFails(TarFile("x", PaxRecord("GNU.sparse.size", "9"), 'x') +
                 TarFile("b", "") + kTarEnd,
             Code::kUnsupported, 0, "sparse");
}

TEST_CASE("TarReader finds an archive that ends early",
          "[webdataset][tar][corruption]") {
  const std::string one = TarFile("a", "1");
  CheckFails("", Code::kCorrupt, 0, "without its end marker");
  CheckFails(one, Code::kCorrupt, 1024, "without its end marker");
  CheckFails(one + std::string(100, '\0'), Code::kCorrupt, 1024,
             "inside a header");
  CheckFails(one + std::string(512, '\0'), Code::kCorrupt, 1024,
             "half of an end marker");
  CheckFails(one + std::string(1023, '\0'), Code::kCorrupt, 1024,
             "half of an end marker");
  CheckFails(one.substr(0, 513), Code::kCorrupt, 0, "beyond the end");
  CheckFails(one.substr(0, 1023), Code::kCorrupt, 0, "beyond the end");
  CheckFails(one + TarFile("x", PaxRecord("path", "b"), 'x') + kTarEnd,
             Code::kCorrupt, 2048, "belongs to a file");
}

TEST_CASE("TarReader finds what follows the end marker",
          "[webdataset][tar][corruption]") {
  const std::string one = TarFile("a", "1");
  CheckFails(one + std::string(512, '\0') + one + kTarEnd, Code::kCorrupt, 1024,
             "half of an end marker");
  CheckFails(one + kTarEnd + one + kTarEnd, Code::kCorrupt, 2048,
             "follows the end marker");
  CheckFails(one + kTarEnd + std::string(1'500'000, '\0') + "x", Code::kCorrupt,
             1'502'048, "follows the end marker");
}

TEST_CASE("TarReader allocates nothing for sizes that the file does not have",
          "[webdataset][tar][corruption]") {
  for (const std::string& size :
       {Octal(0777777777777ULL >> 3), std::string("77777777777\0", 12),
        std::string("\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", 12)}) {
    CheckFails(HeaderBlock({.name = "a", .size = size}) + kTarEnd,
               Code::kCorrupt, 0, "beyond the end");
    const std::string extra =
        HeaderBlock({.name = "x", .size = size, .type = 'x'}) + kTarEnd;
    CHECK(ReadAll(extra).status.code() == Code::kUnsupported);
  }
  CheckFails(TarFile("x", PaxRecord("size", "9223372036854775807"), 'x') +
                 TarFile("a", "1") + kTarEnd,
             Code::kCorrupt, 1024, "beyond the end");
  CheckFails(
      HeaderBlock({.name = "x", .size = Octal(2000), .type = 'L'}) + kTarEnd,
      Code::kCorrupt, 0, "beyond the end");
}

TEST_CASE("TarReader refuses extended headers larger than any name",
          "[webdataset][tar]") {
  CheckFails(TarFile("x", std::string((1 << 20) + 1, ' '), 'x') +
                 TarFile("a", "1") + kTarEnd,
             Code::kUnsupported, 0, "at most 1 MiB");
}

TEST_CASE("TarReader reads headers alone of files of any size",
          "[webdataset][tar]") {
  // 9 GiB of zeros behind a header that says so in base 256.
  constexpr std::uint64_t kSize = std::uint64_t{9} << 30;
  class Huge : public RandomAccessFile {
   public:
    Result<std::size_t> ReadAt(std::uint64_t offset,
                               std::span<std::byte> out) const override {
      std::ranges::fill(out, std::byte{0});
      const ByteView block = AsBytes(header_);
      for (std::size_t i = 0; i < out.size(); ++i) {
        if (offset + i < block.size()) out[i] = block[offset + i];
      }
      return std::min<std::uint64_t>(out.size(), size() - offset);
    }
    std::uint64_t size() const override { return 512 + kSize + 1024; }
    const std::string& path() const override { return path_; }

   private:
    std::string path_ = "huge";
    std::string header_ = HeaderBlock(
        {.name = "a.bin",
         .size = std::string("\x80\0\0\0\0\0\0\x02\x40\0\0\0", 12)});
  };
  const Huge file;
  TarReader reader(file, Compression::kNone);
  const auto member = reader.Next();
  REQUIRE(member.ok());
  CHECK((*member)->size == kSize);
  REQUIRE(reader.Release((*member)->end()).ok());
  const auto end = reader.Next();
  REQUIRE(end.ok());
  CHECK_FALSE(end->has_value());
  CHECK(reader.FinishTail().ok());
}

TEST_CASE("CompressionOfTar believes a header before a magic number",
          "[webdataset][tar]") {
  MemoryStorage storage;
  const auto compression = [&](const std::string& contents) {
    storage.Put("x", contents);
    const auto file = storage.Open("x");
    return *CompressionOfTar(**file);
  };
  CHECK(compression("") == Compression::kNone);
  CHECK(compression(kTarEnd) == Compression::kNone);
  CHECK(compression("\x1f\x8b\x08 gzip") == Compression::kGzip);
  CHECK(compression("\x28\xb5\x2f\xfd zstd") == Compression::kZstd);
  CHECK(compression("\x78\x9c zlib?") == Compression::kNone);
  CHECK(compression(TarFile("\x1f\x8b\x08.jpg", "1")) == Compression::kNone);
}

}  // namespace
}  // namespace shardine::tar_reader_test
