#include "archive/tar_header.h"

#include "unit/archive/tar_blocks.h"

namespace shardine::tar_header_test {
namespace {

Result<TarHeader> Parse(const HeaderFields& fields) {
  return ParseTarHeader(AsBytes(HeaderBlock(fields)));
}

TEST_CASE("ParseTarHeader reads name, size and type", "[webdataset][tar]") {
  const auto header =
      Parse({.name = "a/b.jpg", .size = "00000001750", .type = '0'});
  REQUIRE(header.ok());
  CHECK(header->name == "a/b.jpg");
  CHECK(header->size == 01750);
  CHECK(header->type == '0');
}

TEST_CASE("ParseTarHeader reads the numbers of all programs",
          "[webdataset][tar]") {
  const auto size =
      [](const std::string& text) -> std::optional<std::uint64_t> {
    const auto header = Parse({.name = "x", .size = text});
    if (header.ok()) return header->size;
    CHECK(header.status().code() == Code::kCorrupt);
    return std::nullopt;
  };
  CHECK(size(std::string("17\0rubbish", 10)) == 15);
  CHECK(size("        17 ") == 15);
  CHECK(size("17") == 15);
  CHECK(size("") == 0);
  CHECK(size("            ") == 0);
  CHECK(size("777777777777") == 0777777777777);
  CHECK(size("18") == std::nullopt);
  CHECK(size("7x") == std::nullopt);
  CHECK(size("-7") == std::nullopt);
  CHECK(size(std::string("\x80\0\0\0\0\0\0\0\0\0\x01\x02", 12)) == 258);
  CHECK(size(std::string("\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", 12)) ==
        (~0ULL >> 1));
  CHECK(size(std::string("\x80\0\0\0\x80\0\0\0\0\0\0\0", 12)) == std::nullopt);
  CHECK(size(std::string("\x80\0\0\x01\0\0\0\0\0\0\0\0", 12)) == std::nullopt);
  CHECK(size(std::string(12, '\xff')) == std::nullopt);  // -1
}

TEST_CASE("ParseTarHeader accepts checksums of unsigned and signed bytes",
          "[webdataset][tar]") {
  HeaderFields fields{.name =
                          "gr\xc3\xbc\xc3\x9f"
                          "e.jpg",
                      .size = "1"};
  CHECK(Parse(fields).ok());
  fields.signed_sum = true;
  REQUIRE(Parse(fields).ok());
  CHECK(Parse(fields)->name == fields.name);
  fields.checksum = "0000000";
  CHECK(Parse(fields).status().code() == Code::kCorrupt);
  fields.checksum = "nonsense";
  CHECK(Parse(fields).status().code() == Code::kCorrupt);
}

TEST_CASE("ParseTarHeader finds every changed bit of a header",
          "[webdataset][tar][corruption]") {
  const std::string block = HeaderBlock({.name = "00000001.jpg", .size = "7"});
  for (std::size_t bit = 0; bit < 8 * block.size(); ++bit) {
    std::string damaged = block;
    damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
    // A checksum may have other blanks in front of and behind its digits.
    const std::size_t byte = bit / 8;
    if (byte == 155 || (byte >= 148 && byte < 155 && damaged[byte] == ' '))
      continue;
    INFO("bit " << bit);
    REQUIRE(ParseTarHeader(AsBytes(damaged)).status().code() == Code::kCorrupt);
  }
}

TEST_CASE("ParseTarHeader joins the prefix where the header is POSIX's",
          "[webdataset][tar]") {
  HeaderFields fields{.name = "b.jpg", .size = "1", .prefix = "long/path"};
  CHECK(Parse(fields)->name == "long/path/b.jpg");
  fields.magic = std::string("ustar  \0", 8);
  CHECK(Parse(fields)->name == "b.jpg");
  fields.magic = "";
  CHECK(Parse(fields)->name == "b.jpg");
  // A name and a prefix that fill their fields have no NUL.
  fields = {.name = std::string(100, 'n'),
            .size = "1",
            .prefix = std::string(155, 'p')};
  CHECK(Parse(fields)->name ==
        std::string(155, 'p') + "/" + std::string(100, 'n'));
}

TEST_CASE("AppendTarHeader writes what ParseTarHeader reads",
          "[webdataset][tar]") {
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{511}, kTarSizeLimit - 1}) {
    std::string block;
    AppendTarHeader("00000012.points.npy", size, kTarRegular, block);
    REQUIRE(block.size() == kTarBlock);
    const auto header = ParseTarHeader(AsBytes(block));
    REQUIRE(header.ok());
    CHECK(header->name == "00000012.points.npy");
    CHECK(header->size == size);
    CHECK(header->type == kTarRegular);
  }
}

TEST_CASE("AppendTarHeader leaves to pax what does not fit",
          "[webdataset][tar]") {
  std::string block;
  AppendTarHeader(std::string(101, 'n'), kTarSizeLimit, kTarRegular, block);
  const auto header = ParseTarHeader(AsBytes(block));
  REQUIRE(header.ok());
  CHECK(header->name == std::string(100, 'n'));
  CHECK(header->size == 0);
}

TEST_CASE("BeginsWithTarHeader wants one whole right header",
          "[webdataset][tar]") {
  const std::string block = HeaderBlock({.name = "x", .size = "1"});
  CHECK(BeginsWithTarHeader(AsBytes(block)));
  CHECK(BeginsWithTarHeader(AsBytes(block + "more")));
  CHECK_FALSE(BeginsWithTarHeader(AsBytes(block).first(511)));
  CHECK_FALSE(BeginsWithTarHeader(AsBytes(std::string(512, '\0'))));
  CHECK_FALSE(BeginsWithTarHeader(AsBytes(std::string(512, 'x'))));
  CHECK_FALSE(BeginsWithTarHeader({}));
}

TEST_CASE("TarPadding fills up to whole blocks", "[webdataset][tar]") {
  CHECK(TarPadding(0) == 0);
  CHECK(TarPadding(1) == 511);
  CHECK(TarPadding(511) == 1);
  CHECK(TarPadding(512) == 0);
  CHECK(TarPadding(513) == 511);
}

}  // namespace
}  // namespace shardine::tar_header_test
