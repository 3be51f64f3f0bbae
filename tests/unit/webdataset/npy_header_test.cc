#include "webdataset/npy_header.h"

#include <catch2/catch.hpp>

namespace shardine::npy_header_test {
namespace {

std::string Npy(const std::string& dict, const std::string& data = "",
                int version = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  if (version == 1) {
    AppendLe(static_cast<std::uint16_t>(dict.size()), file);
  } else {
    AppendLe(static_cast<std::uint32_t>(dict.size()), file);
  }
  return file + dict + data;
}

std::string Dict(const std::string& descr, const std::string& shape,
                 const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order +
         ", 'shape': " + shape + ", }          \n";
}

Code CodeOf(const std::string& file) {
  return ParseNpyHeader(AsBytes(file)).status().code();
}

TEST_CASE("ParseNpyHeader reads all versions of the form",
          "[webdataset][npy]") {
  for (const int version : {1, 2, 3}) {
    const auto header = ParseNpyHeader(
        AsBytes(Npy(Dict("<f8", "(2, 3)"), std::string(48, 'x'), version)));
    REQUIRE(header.ok());
    CHECK(header->dtype == "<f8");
    CHECK(header->shape == std::vector<std::uint64_t>{2, 3});
    CHECK(header->data_bytes == 48);
    CHECK(header->in_place());
  }
}

TEST_CASE("ParseNpyHeader reads the dict whatever its order and blanks",
          "[webdataset][npy]") {
  for (const char* dict :
       {"{\"shape\":(2,3),\"descr\":\"|u1\",\"fortran_order\":False}",
        "{ 'fortran_order' : False , 'shape' : ( 2 , 3 , ) , 'descr' : '|u1' }",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2L, 3L), }\n"}) {
    INFO(dict);
    const auto header = ParseNpyHeader(AsBytes(Npy(dict, "123456")));
    REQUIRE(header.ok());
    CHECK(header->shape == std::vector<std::uint64_t>{2, 3});
  }
  CHECK(ParseNpyHeader(AsBytes(Npy(Dict("|u1", "()"), "1")))->shape.empty());
  CHECK(ParseNpyHeader(AsBytes(Npy(Dict("<f8", "(0, 5)"))))->data_bytes == 0);
}

TEST_CASE("ParseNpyHeader refuses what is no header",
          "[webdataset][npy][corruption]") {
  const std::string good = Npy(Dict("|u1", "(3,)"), "abc");
  REQUIRE(CodeOf(good) == Code::kOk);
  for (std::size_t size = 0; size < good.size(); ++size) {
    INFO("cut at " << size);
    REQUIRE(CodeOf(good.substr(0, size)) == Code::kCorrupt);
  }
  CHECK(CodeOf(good + "d") == Code::kCorrupt);
  for (const char* dict :
       {"", "{}", "{", "('descr', '|u1')",
        "{'descr': '|u1', 'fortran_order': False}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), 'x': 1}",
        "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': "
        "(3,)}",
        "{'descr': '|u1', 'fortran_order': 0, 'shape': (3,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': 3}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (-3,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (3.0,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (3,)} x",
        "{'descr': '|u1' 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '|u1, 'fortran_order': False, 'shape': (3,)}",
        "{'descr': u1, 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (3 3)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': "
        "(9223372036854775808,)}"}) {
    INFO(dict);
    CHECK(CodeOf(Npy(dict, "abc")) == Code::kCorrupt);
  }
  CHECK(CodeOf(Npy(Dict("<f8", "(4294967296, 4294967296)"), "x")) ==
        Code::kCorrupt);
}

TEST_CASE("ParseNpyHeader refuses objects, records and odd versions by name",
          "[webdataset][npy]") {
  const auto message = [](const std::string& file) {
    const Status status = ParseNpyHeader(AsBytes(file)).status();
    CHECK(status.code() == Code::kUnsupported);
    return status.message();
  };
  using Catch::Contains;
  CHECK_THAT(message(Npy(Dict("|O", "(1,)"), "\x80\x04.")),
             Contains("pickled objects"));
  CHECK_THAT(message(Npy("{'descr': [('a', '<f8')], 'fortran_order': False, "
                         "'shape': (1,)}",
                         "12345678")),
             Contains("records"));
  CHECK_THAT(message(Npy(Dict("<f8", "(1,)"), "12345678", 4)),
             Contains("version 4.0"));
  CHECK_THAT(message(Npy(Dict("=f8", "(1,)"), "12345678")),
             Contains("element type"));
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "1,";
  CHECK_THAT(message(Npy(Dict("|u1", many + ")"), "1")), Contains("64"));
  CHECK_THAT(message(Npy(std::string(70'000, ' '), "", 2)), Contains("64 KiB"));
}

TEST_CASE("AppendNpyHeader writes what ParseNpyHeader reads, aligned to 64",
          "[webdataset][npy]") {
  std::vector<std::uint64_t> shape;
  for (std::size_t rank = 0; rank <= kMaxNpyRank; ++rank) {
    std::string file;
    AppendNpyHeader("<i2", shape, file);
    CHECK(file.size() % 64 == 0);
    CHECK(file.back() == '\n');
    const std::size_t header_bytes = file.size();
    file += std::string(*ArrayBytes(shape, 2), 'x');
    const auto header = ParseNpyHeader(AsBytes(file));
    REQUIRE(header.ok());
    CHECK(header->dtype == "<i2");
    CHECK(header->shape == shape);
    CHECK(header->header_bytes == header_bytes);
    shape.push_back(rank < 3 ? rank + 2 : 1);
  }
  std::string file;
  AppendNpyHeader("<f8", std::vector<std::uint64_t>{3}, file);
  CHECK(file.substr(10, 57) ==
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }");
}

// The data of a file after conversion.
std::string Converted(const std::string& file) {
  const auto header = ParseNpyHeader(AsBytes(file));
  REQUIRE(header.ok());
  CHECK_FALSE(header->in_place());
  ByteBuffer data;
  ConvertNpyData(*header, AsBytes(file).subspan(header->header_bytes), data);
  return std::string(AsText(data.view()));
}

TEST_CASE("ConvertNpyData makes numbers little-endian", "[webdataset][npy]") {
  CHECK(Converted(Npy(Dict(">i2", "(3,)"), "abcdef")) == "badcfe");
  CHECK(Converted(Npy(Dict(">c8", "(1,)"), "abcdefgh")) == "dcbahgfe");
  CHECK(Converted(Npy(Dict(">U2", "(1,)"), "abcdefgh")) == "dcbahgfe");
  CHECK(Converted(Npy(Dict(">f8", "()"), "abcdefgh")) == "hgfedcba");
  CHECK(ParseNpyHeader(AsBytes(Npy(Dict(">i2", "(1,)"), "ab")))->dtype ==
        "<i2");
}

TEST_CASE("ConvertNpyData puts Fortran's order into C's", "[webdataset][npy]") {
  CHECK(Converted(Npy(Dict("|u1", "(2, 3)", "True"), "adbecf")) == "abcdef");
  CHECK(Converted(Npy(Dict(">u2", "(2, 2)", "True"), "aAcCbBdD")) ==
        "AaBbCcDd");
  // Index (i, j, k) of (2, 3, 2) holds 'a' + its place in C order.
  std::string fortran;
  for (int k = 0; k < 2; ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 2; ++i) {
        fortran += static_cast<char>('a' + 6 * i + 2 * j + k);
      }
    }
  }
  CHECK(Converted(Npy(Dict("|u1", "(2, 3, 2)", "True"), fortran)) ==
        "abcdefghijkl");
}

TEST_CASE("NpyHeader knows what lies in C order as it is",
          "[webdataset][npy]") {
  const auto in_place = [](const std::string& dict, std::size_t bytes) {
    const auto header =
        ParseNpyHeader(AsBytes(Npy(dict, std::string(bytes, 'x'))));
    REQUIRE(header.ok());
    return header->in_place();
  };
  CHECK(in_place(Dict("<f4", "(5,)", "True"), 20));
  CHECK(in_place(Dict("<f4", "(1, 5, 1)", "True"), 20));
  CHECK_FALSE(in_place(Dict("<f4", "(2, 5)", "True"), 40));
  CHECK(in_place(Dict(">f4", "(0,)"), 0));
  CHECK(in_place(Dict(">f4", "(2, 0)", "True"), 0));
  CHECK(in_place(Dict(">i1", "(2,)"), 2));
}

TEST_CASE("ParseNpyType knows the plain types of NumPy", "[webdataset][npy]") {
  const auto bytes = [](const char* dtype) {
    const auto type = ParseNpyType(dtype);
    return type ? static_cast<int>(type->bytes) : -1;
  };
  CHECK(bytes("<f8") == 8);
  CHECK(bytes("|b1") == 1);
  CHECK(bytes("|u1") == 1);
  CHECK(bytes("<f2") == 2);
  CHECK(bytes("<f16") == 16);
  CHECK(bytes("<c16") == 16);
  CHECK(bytes("<U5") == 20);
  CHECK(bytes("|S7") == 7);
  CHECK(bytes("|S0") == 0);
  CHECK(bytes("|V12") == 12);
  CHECK(bytes("<M8[ns]") == 8);
  CHECK(bytes("<m8[25us]") == 8);
  CHECK(bytes("<M8") == 8);
  for (const char* dtype : {"",
                            "f8",
                            "<f",
                            "<f3",
                            "|f8",
                            "=f8",
                            "@f8",
                            "<i16",
                            "<u0",
                            "<b2",
                            "|O",
                            "|O8",
                            "<O8",
                            "<f8 ",
                            "<f8[ns]",
                            "<M4[ns]",
                            "<M8[",
                            "<M8[]",
                            "<M8[n;s]",
                            "<f08",
                            "<x8",
                            "|S",
                            "<U9223372036854775807",
                            "|S9223372036854775808",
                            "<f-8",
                            "<f+8",
                            "<f8,<f8"}) {
    INFO(dtype);
    CHECK_FALSE(ParseNpyType(dtype).has_value());
  }
}

TEST_CASE("ArrayBytes never overflows", "[webdataset][npy]") {
  using Shape = std::vector<std::uint64_t>;
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 32;
  CHECK(ArrayBytes(Shape{}, 8) == 8);
  CHECK(ArrayBytes(Shape{3, 4}, 8) == 96);
  CHECK(ArrayBytes(Shape{kHalf, kHalf, 0}, 8) == 0);
  CHECK(ArrayBytes(Shape{kHalf, kHalf}, 0) == 0);
  CHECK(ArrayBytes(Shape{kHalf, kHalf}, 1) == std::nullopt);
  CHECK(ArrayBytes(Shape{kHalf, kHalf / 2}, 1) == std::nullopt);
  CHECK(ArrayBytes(Shape{kHalf, kHalf / 4}, 1) == std::uint64_t{1} << 62);
}

}  // namespace
}  // namespace shardine::npy_header_test
