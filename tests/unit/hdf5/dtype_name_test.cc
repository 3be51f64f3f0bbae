#include "hdf5/dtype_name.h"

#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "base/bytes.h"
#include "unit/hdf5/library_file.h"

namespace shardine::dtype_name_test {
namespace {

// NumPy's names of the types that FORMAT.md allows for a field.
const std::set<std::string> kNames = {"|b1", "|i1", "|u1", "<i2", "<u2", "<i4",
                                      "<u4", "<i8", "<u8", "<f2", "<f4", "<f8"};

TEST_CASE(
    "ParseDtype takes twelve names, which Name() gives back, and no other",
    "[hdf5][dtype]") {
  std::set<std::string> taken;
  const std::string letters = "|<>=biufcSUOV0123489 ";
  for (const char order : letters) {
    for (const char kind : letters) {
      for (const char size : letters) {
        const std::string name = {order, kind, size};
        const auto dtype = ParseDtype(name);
        if (!dtype) continue;
        taken.insert(name);
        CHECK(dtype->Name() == name);
        CHECK(dtype->kind == kind);
        CHECK(dtype->size == static_cast<std::uint32_t>(size - '0'));
      }
    }
  }
  CHECK(taken == kNames);
  for (const char* name : {"", "|", "u1", "|u", "|u1 ", "|u10", "<f16", "<i16",
                           "|S", "<M8[ns]", "int64"}) {
    INFO(name);
    CHECK_FALSE(ParseDtype(name));
  }
  CHECK_FALSE(ParseDtype(std::string_view("|u1\0", 4)));
}

TEST_CASE("MakeHdf5Type makes the library's little-endian types",
          "[hdf5][dtype]") {
  const Hdf5Lock lock;
  const std::pair<const char*, hid_t> types[] = {
      {"|i1", H5T_STD_I8LE},  {"|u1", H5T_STD_U8LE},  {"<i2", H5T_STD_I16LE},
      {"<u2", H5T_STD_U16LE}, {"<i4", H5T_STD_I32LE}, {"<u4", H5T_STD_U32LE},
      {"<i8", H5T_STD_I64LE}, {"<u8", H5T_STD_U64LE}, {"<f4", H5T_IEEE_F32LE},
      {"<f8", H5T_IEEE_F64LE}};
  for (const auto& [name, type] : types) {
    INFO(name);
    const Hdf5Id made = MakeHdf5Type(*ParseDtype(name));
    CHECK(H5Tequal(made.get(), type) > 0);
  }
  for (const std::string& name : kNames) {
    const auto dtype = ParseDtype(name);
    CHECK(H5Tget_size(MakeHdf5Type(*dtype).get()) == dtype->size);
  }
}

TEST_CASE("MakeHdf5Type makes a half float that the library reads as IEEE's",
          "[hdf5][dtype]") {
  const Hdf5Lock lock;
  const Hdf5Id half = MakeHdf5Type({'f', 2});
  std::string bytes;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    AppendLe(static_cast<std::uint16_t>(bits), bytes);
  }
  bytes.resize(65536 * sizeof(float));
  REQUIRE(H5Tconvert(half.get(), H5T_NATIVE_FLOAT, 65536, bytes.data(), nullptr,
                     H5P_DEFAULT) >= 0);
  const auto found = ValuesOf<float>(bytes);
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const std::uint32_t exponent = bits >> 10 & 31;
    const std::uint32_t mantissa = bits & 1023;
    float expected = 0;
    if (exponent == 31) {
      expected = mantissa == 0 ? std::numeric_limits<float>::infinity()
                               : std::numeric_limits<float>::quiet_NaN();
    } else if (exponent == 0) {
      expected = static_cast<float>(mantissa) * 0x1p-24F;
    } else {
      // The exponent's bias is 127 there, the mantissa's bits are 23.
      expected = std::bit_cast<float>((exponent + 112) << 23 | mantissa << 13);
    }
    if ((bits & 0x8000) != 0) expected = -expected;
    const bool same = std::isnan(expected)
                          ? std::isnan(found[bits])
                          : std::bit_cast<std::uint32_t>(found[bits]) ==
                                std::bit_cast<std::uint32_t>(expected);
    if (!same) FAIL("half " << bits << " is " << found[bits]);
  }
}

TEST_CASE("MakeHdf5Type makes h5py's bool", "[hdf5][dtype]") {
  const Hdf5Lock lock;
  const Hdf5Id type = MakeHdf5Type({'b', 1});
  CHECK(H5Tget_class(type.get()) == H5T_ENUM);
  CHECK(H5Tget_nmembers(type.get()) == 2);
  const Hdf5Id base(H5Tget_super(type.get()), H5Tclose);
  CHECK(H5Tequal(base.get(), H5T_STD_I8LE) > 0);
  for (const std::int8_t value : {std::int8_t{0}, std::int8_t{1}}) {
    char name[8] = {};
    REQUIRE(H5Tenum_nameof(type.get(), &value, name, sizeof(name)) >= 0);
    CHECK(std::string(name) == (value == 0 ? "FALSE" : "TRUE"));
  }
}

}  // namespace
}  // namespace shardine::dtype_name_test
