#include "hdf5/sandbox/program/describe_dataset.h"

#include <catch2/catch.hpp>
#include <utility>

#include "unit/hdf5_program/hdf5_maker.h"

namespace shardine::describe_dataset_test {
namespace {

Hdf5Dataset Describe(const Hdf5Id& dataset) {
  Hdf5Dataset info;
  REQUIRE(DescribeDataset(dataset.get(), info));
  info.name = "d";
  // Whatever is found, the other side takes it for an answer of ours.
  std::string text;
  EncodeDataset(info, text);
  CHECK(DecodeDataset(AsBytes(text)).ok());
  return info;
}

Hdf5Dataset DescribeType(const Hdf5Id& type) {
  REQUIRE(type.valid());
  const Hdf5Id file = NewFile();
  return Describe(MakeDataset(file.get(), "d", type.get(), {2}));
}

Hdf5Id Copy(hid_t type) { return {H5Tcopy(type), H5Tclose}; }

Hdf5Id Enumeration(hid_t base,
                   const std::vector<std::pair<const char*, int>>& members) {
  Hdf5Id type(H5Tenum_create(base), H5Tclose);
  for (const auto& [name, value] : members) {
    // All bytes of a small number, in either order, for any base.
    const std::uint64_t wide =
        H5Tget_order(base) == H5T_ORDER_BE && H5Tget_size(base) > 1
            ? static_cast<std::uint64_t>(value) << 8
            : static_cast<std::uint64_t>(value);
    REQUIRE(H5Tenum_insert(type.get(), name, &wide) >= 0);
  }
  return type;
}

Hdf5Id Text(std::size_t size) {
  Hdf5Id type = Copy(H5T_C_S1);
  H5Tset_size(type.get(), size);
  return type;
}

Hdf5Id Sequence(const Hdf5Id& base) {
  return {H5Tvlen_create(base.get()), H5Tclose};
}

struct FloatForm {
  std::size_t size, sign, exponent, exponent_bits, mantissa_bits, bias;
};

Hdf5Id Float(const FloatForm& form, H5T_order_t order = H5T_ORDER_LE) {
  Hdf5Id type = Copy(H5T_IEEE_F64LE);
  H5Tset_fields(type.get(), form.sign, form.exponent, form.exponent_bits, 0,
                form.mantissa_bits);
  H5Tset_precision(type.get(), form.sign + 1);
  H5Tset_size(type.get(), form.size);
  H5Tset_ebias(type.get(), form.bias);
  H5Tset_order(type.get(), order);
  return type;
}

constexpr FloatForm kHalf = {2, 15, 10, 5, 10, 15};

bool Is(const Hdf5Dataset& info, char kind, std::uint32_t size,
        bool big_endian) {
  INFO(info.element.kind << info.element.size << " big "
                         << info.element.big_endian << " " << info.type_name);
  CHECK(info.type_name.empty());
  CHECK(info.element.kind == kind);
  CHECK(info.element.size == size);
  CHECK(info.element.big_endian == big_endian);
  return true;
}

TEST_CASE("DescribeDataset knows integers of all sizes, signs and orders",
          "[hdf5][describe]") {
  for (const std::uint32_t size : {1U, 2U, 4U, 8U}) {
    for (const bool is_signed : {false, true}) {
      for (const bool big : {false, true}) {
        const Hdf5Id type = Copy(H5T_STD_I8LE);
        H5Tset_size(type.get(), size);
        H5Tset_precision(type.get(), 8 * size);
        H5Tset_sign(type.get(), is_signed ? H5T_SGN_2 : H5T_SGN_NONE);
        H5Tset_order(type.get(), big ? H5T_ORDER_BE : H5T_ORDER_LE);
        const Hdf5Dataset info = DescribeType(type);
        CHECK(Is(info, is_signed ? 'i' : 'u', size, big && size > 1));
        CHECK(info.row == Hdf5Row::kFixed);
      }
    }
  }
}

TEST_CASE("DescribeDataset knows the three floats of IEEE in both orders",
          "[hdf5][describe]") {
  CHECK(Is(DescribeType(Float(kHalf)), 'f', 2, false));
  CHECK(Is(DescribeType(Float(kHalf, H5T_ORDER_BE)), 'f', 2, true));
  CHECK(Is(DescribeType(Copy(H5T_IEEE_F32LE)), 'f', 4, false));
  CHECK(Is(DescribeType(Copy(H5T_IEEE_F32BE)), 'f', 4, true));
  CHECK(Is(DescribeType(Copy(H5T_IEEE_F64LE)), 'f', 8, false));
  CHECK(Is(DescribeType(Copy(H5T_IEEE_F64BE)), 'f', 8, true));
}

TEST_CASE("DescribeDataset takes h5py's bool alone for a bool",
          "[hdf5][describe]") {
  CHECK(Is(DescribeType(Enumeration(H5T_STD_I8LE, {{"FALSE", 0}, {"TRUE", 1}})),
           'b', 1, false));
  CHECK(Is(DescribeType(Enumeration(H5T_STD_U8BE, {{"TRUE", 1}, {"FALSE", 0}})),
           'b', 1, false));
  const std::vector<std::vector<std::pair<const char*, int>>> others = {
      {{"FALSE", 1}, {"TRUE", 0}},
      {{"FALSE", 0}, {"TRUE", 2}},
      {{"FALSE", 0}, {"TRUE", -1}},
      {{"FALSE", 0}},
      {{"TRUE", 1}},
      {{"FALSE", 0}, {"TRUE", 1}, {"MAYBE", 2}},
      {{"false", 0}, {"true", 1}},
      {{"FALSE", 0}, {"TRUE ", 1}}};
  for (const auto& members : others) {
    INFO(members[0].first << " " << members[0].second << ", "
                          << members.back().first << " "
                          << members.back().second);
    const auto info = DescribeType(Enumeration(H5T_STD_I8LE, members));
    CHECK(info.element.kind == 'O');
    CHECK(info.type_name == "enumeration");
  }
  for (const hid_t base : {H5T_STD_I16LE, H5T_STD_I16BE, H5T_STD_U64LE}) {
    const auto info =
        DescribeType(Enumeration(base, {{"FALSE", 0}, {"TRUE", 1}}));
    CHECK(info.element.kind == 'O');
  }
}

TEST_CASE("DescribeDataset tells texts of fixed size from others",
          "[hdf5][describe]") {
  for (const std::size_t size : {1UL, 5UL, 300UL}) {
    for (const H5T_str_t pad :
         {H5T_STR_NULLTERM, H5T_STR_NULLPAD, H5T_STR_SPACEPAD}) {
      const Hdf5Id type = Text(size);
      H5Tset_strpad(type.get(), pad);
      H5Tset_cset(type.get(), size == 5 ? H5T_CSET_UTF8 : H5T_CSET_ASCII);
      const auto info = DescribeType(type);
      CHECK(Is(info, 'S', static_cast<std::uint32_t>(size), false));
      CHECK(info.row == Hdf5Row::kFixed);
    }
  }
  const auto text = DescribeType(Text(H5T_VARIABLE));
  CHECK(Is(text, 'u', 1, false));
  CHECK(text.row == Hdf5Row::kString);
}

TEST_CASE("DescribeDataset gives the elements of rows of variable length",
          "[hdf5][describe]") {
  const auto bytes = DescribeType(Sequence(Copy(H5T_STD_U8LE)));
  CHECK(Is(bytes, 'u', 1, false));
  CHECK(bytes.row == Hdf5Row::kSequence);
  CHECK(Is(DescribeType(Sequence(Copy(H5T_IEEE_F64BE))), 'f', 8, true));
  CHECK(Is(DescribeType(Sequence(Copy(H5T_STD_I16LE))), 'i', 2, false));
  const Hdf5Id compound(H5Tcreate(H5T_COMPOUND, 8), H5Tclose);
  H5Tinsert(compound.get(), "x", 0, H5T_STD_I64LE);
  Hdf5Id unread[] = {Text(5), Text(H5T_VARIABLE), Sequence(Copy(H5T_STD_U8LE)),
                     Copy(compound.get()), Copy(H5T_STD_REF_OBJ)};
  for (const Hdf5Id& base : unread) {
    const auto info = DescribeType(Sequence(base));
    CHECK(info.element.kind == 'O');
    CHECK(info.type_name == "variable-length");
    CHECK(info.row == Hdf5Row::kSequence);
  }
}

TEST_CASE("DescribeDataset names the types that are not read",
          "[hdf5][describe]") {
  const Hdf5Id compound(H5Tcreate(H5T_COMPOUND, 8), H5Tclose);
  H5Tinsert(compound.get(), "x", 0, H5T_STD_I64LE);
  const hsize_t three = 3;
  const std::pair<const char*, Hdf5Id> cases[] = {
      {"compound", Copy(compound.get())},
      {"reference", Copy(H5T_STD_REF_OBJ)},
      {"reference", Copy(H5T_STD_REF_DSETREG)},
      {"array", Hdf5Id(H5Tarray_create2(H5T_STD_U8LE, 1, &three), H5Tclose)},
      {"opaque", Opaque(16)},
      {"bit field", Copy(H5T_STD_B8LE)},
      {"time", Copy(H5T_UNIX_D32LE)}};
  for (const auto& [name, type] : cases) {
    const auto info = DescribeType(type);
    CHECK(info.element.kind == 'O');
    CHECK(info.type_name == name);
  }
}

TEST_CASE("DescribeDataset refuses numbers that are not their bytes",
          "[hdf5][describe]") {
  std::vector<Hdf5Id> types;
  const auto add = [&](Hdf5Id type, auto change) {
    change(type.get());
    types.push_back(std::move(type));
  };
  add(Copy(H5T_STD_U32LE), [](hid_t type) { H5Tset_precision(type, 24); });
  add(Copy(H5T_STD_U32LE), [](hid_t type) {
    H5Tset_precision(type, 24);
    H5Tset_offset(type, 8);
  });
  add(Copy(H5T_STD_U32LE), [](hid_t type) {
    H5Tset_precision(type, 24);
    H5Tset_size(type, 3);
  });
  add(Copy(H5T_STD_I64BE), [](hid_t type) {
    H5Tset_size(type, 16);
    H5Tset_precision(type, 128);
  });
  add(Copy(H5T_NATIVE_LDOUBLE), [](hid_t) {});
  add(Copy(H5T_VAX_F32), [](hid_t) {});
  add(Copy(H5T_IEEE_F32LE), [](hid_t type) { H5Tset_ebias(type, 126); });
  add(Copy(H5T_IEEE_F64LE),
      [](hid_t type) { H5Tset_norm(type, H5T_NORM_NONE); });
  // bfloat16, two floats of eight bits, a half in four bytes.
  for (const FloatForm& form :
       {FloatForm{2, 15, 7, 8, 7, 127}, FloatForm{1, 7, 3, 4, 3, 7},
        FloatForm{1, 7, 2, 5, 2, 15}, FloatForm{4, 15, 10, 5, 10, 15}}) {
    add(Float(form), [](hid_t) {});
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    INFO("type " << i);
    const auto info = DescribeType(types[i]);
    CHECK(info.element.kind == 'O');
    CHECK(info.type_name == "unusual");
  }
}

TEST_CASE("DescribeDataset gives the sizes of all ranks", "[hdf5][describe]") {
  const Hdf5Id file = NewFile();
  for (std::size_t rank = 0; rank <= 32; ++rank) {
    Dims dims;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      dims.push_back(axis % 7 == 0 ? 2 + axis : 1);
    }
    const std::string name = "rank" + std::to_string(rank);
    const Hdf5Id dataset =
        rank == 0
            ? Hdf5Id(H5Dcreate2(file.get(), name.c_str(), H5T_STD_U8LE,
                                Hdf5Id(H5Screate(H5S_SCALAR), H5Sclose).get(),
                                H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                     H5Dclose)
            : MakeDataset(file.get(), name.c_str(), H5T_STD_U8LE, dims);
    const auto info = Describe(dataset);
    CHECK(info.dims == std::vector<std::uint64_t>(dims.begin(), dims.end()));
  }
  const auto none =
      Describe(MakeDataset(file.get(), "e", H5T_STD_U8LE, {0, 3}));
  CHECK(none.dims == std::vector<std::uint64_t>{0, 3});
  CHECK(none.element.kind == 'u');
  const Hdf5Id null(H5Screate(H5S_NULL), H5Sclose);
  const auto empty =
      Describe(Hdf5Id(H5Dcreate2(file.get(), "null", H5T_STD_U8LE, null.get(),
                                 H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                      H5Dclose));
  CHECK(empty.element.kind == 'O');
  CHECK(empty.type_name == "empty");
}

// Bytes as a dataset of this form.
Hdf5Dataset DescribeStored(const Hdf5Id& file, const Hdf5Id& creation,
                           const std::string& data) {
  const Hdf5Id dataset =
      MakeDataset(file.get(), "d", H5T_STD_U8LE, {data.size()}, creation.get());
  if (!data.empty()) WriteAll(dataset, H5T_STD_U8LE, data.data());
  return Describe(dataset);
}

TEST_CASE("DescribeDataset finds the bytes of a contiguous dataset",
          "[hdf5][describe]") {
  const Hdf5Id file = NewFile();
  const std::string data = Draws(1).Bytes(500);
  const auto info = DescribeStored(file, NewCreation(), data);
  CHECK(info.storage == Hdf5Storage::kContiguous);
  CHECK((ImageOf(file).substr(info.offset, 500) == data));
  CHECK(info.chunk.empty());
  CHECK(info.filter.empty());
  // Where nothing was written, there are no bytes to find.
  CHECK(Describe(MakeDataset(file.get(), "e", H5T_STD_U8LE, {9})).storage ==
        Hdf5Storage::kDelivered);
}

TEST_CASE("DescribeDataset calls in place what has no filter but a checksum",
          "[hdf5][describe]") {
  using Change = void (*)(hid_t);
  const struct {
    Change change;
    Hdf5Storage storage;
  } cases[] = {{[](hid_t) {}, Hdf5Storage::kChunked},
               {[](hid_t c) { H5Pset_fletcher32(c); }, Hdf5Storage::kChunked},
               {[](hid_t c) { H5Pset_shuffle(c); }, Hdf5Storage::kDelivered},
               {[](hid_t c) { H5Pset_deflate(c, 1); }, Hdf5Storage::kDelivered},
               {[](hid_t c) {
                  H5Pset_fletcher32(c);
                  H5Pset_deflate(c, 1);
                },
                Hdf5Storage::kDelivered}};
  for (const auto& c : cases) {
    const Hdf5Id file = NewFile();
    const Hdf5Id creation = Chunked({32});
    c.change(creation.get());
    const auto info = DescribeStored(file, creation, std::string(100, 'x'));
    CHECK(info.storage == c.storage);
    const bool chunked = c.storage == Hdf5Storage::kChunked;
    CHECK(info.chunk == (chunked ? std::vector<std::uint64_t>{32}
                                 : std::vector<std::uint64_t>{}));
    CHECK(info.filter.empty());
  }
  const Hdf5Id compact = NewCreation();
  H5Pset_layout(compact.get(), H5D_COMPACT);
  CHECK(DescribeStored(NewFile(), compact, "abc").storage ==
        Hdf5Storage::kDelivered);
}

TEST_CASE("DescribeDataset refuses datasets whose bytes are in other files",
          "[hdf5][describe]") {
  const Hdf5Id external = NewCreation();
  REQUIRE(H5Pset_external(external.get(), "/etc/hostname", 0, 4) >= 0);
  const auto outside = DescribeStored(NewFile(), external, "");
  CHECK(outside.element.kind == 'O');
  CHECK(outside.type_name == "stored in other files");
  const Hdf5Id mapped = NewCreation();
  const Hdf5Id space = Space({4});
  REQUIRE(H5Pset_virtual(mapped.get(), space.get(), "/etc/hostname", "d",
                         space.get()) >= 0);
  const Hdf5Id file = NewFile();
  const auto virtual_one =
      Describe(MakeDataset(file.get(), "v", H5T_STD_U8LE, {4}, mapped.get()));
  CHECK(virtual_one.element.kind == 'O');
  CHECK(virtual_one.type_name == "virtual");
}

TEST_CASE("DescribeDataset names the first filter that is not undone",
          "[hdf5][describe]") {
  const auto keep = [](unsigned, std::size_t, const unsigned*,
                       std::size_t bytes, std::size_t*,
                       void**) -> std::size_t { return bytes; };
  const std::pair<H5Z_filter_t, const char*> unknown[] = {
      {32015, "any name"}, {307, "any"}, {32098, nullptr}, {32099, "our own"}};
  for (const auto& [number, name] : unknown) {
    const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, number,  1,   1, name,
                                 nullptr,          nullptr, keep};
    REQUIRE(H5Zregister(&filter) >= 0);
  }
  const auto filter_of = [](const std::vector<H5Z_filter_t>& numbers) {
    const Hdf5Id creation = Chunked({32});
    for (const H5Z_filter_t number : numbers) {
      const unsigned level = 4;
      const bool deflates = number == H5Z_FILTER_DEFLATE;
      REQUIRE(H5Pset_filter(creation.get(), number, H5Z_FLAG_OPTIONAL,
                            deflates ? 1 : 0, &level) >= 0);
    }
    return DescribeStored(NewFile(), creation, std::string(64, 'x')).filter;
  };
  CHECK(filter_of({32015}) == "zstd (32015)");
  CHECK(filter_of({307}) == "bzip2 (307)");
  CHECK(filter_of({32098}) == "without a name (32098)");
  CHECK(filter_of({H5Z_FILTER_SHUFFLE, 32099}) == "our own (32099)");
  CHECK(filter_of({H5Z_FILTER_DEFLATE, 32015, 307}) == "zstd (32015)");
  CHECK(filter_of({H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32,
                   H5Z_FILTER_DEFLATE}) == "deflate (1) after another");
  for (const auto& [number, name] : unknown) H5Zunregister(number);
}

TEST_CASE("ChunkRowBytes counts the chunks that lie side by side",
          "[hdf5][describe]") {
  const Hdf5Id file = NewFile();
  int count = 0;
  const auto bytes = [&](const Dims& dims, const Dims& chunk) {
    const std::string name = std::to_string(++count);
    const Hdf5Id dataset = MakeDataset(file.get(), name.c_str(), H5T_STD_U64LE,
                                       dims, Chunked(chunk).get());
    return ChunkRowBytes(dataset.get(), Describe(dataset));
  };
  CHECK(bytes({10}, {4}) == 4 * 8);
  CHECK(bytes({10, 7, 5}, {4, 3, 2}) == 4 * 9 * 6 * 8);
  CHECK(bytes({10, 6, 4}, {1, 3, 2}) == 1 * 6 * 4 * 8);
  CHECK(bytes({0, 6}, {2, 6}) == 2 * 6 * 8);
  // A size beyond 63 bits.
  CHECK(bytes({1, hsize_t{1} << 60, 2}, {1, 9, 2}) == 0);
  const Hdf5Id plain = MakeDataset(file.get(), "p", H5T_STD_U8LE, {4});
  CHECK(ChunkRowBytes(plain.get(), Describe(plain)) == 0);
}

TEST_CASE("DescribeDataset says no to what is no dataset", "[hdf5][describe]") {
  const Hdf5Id file = NewFile();
  Hdf5Dataset info;
  CHECK_FALSE(DescribeDataset(file.get(), info));
  CHECK_FALSE(DescribeDataset(H5I_INVALID_HID, info));
}

}  // namespace
}  // namespace shardine::describe_dataset_test
