// The arrays that PickleReader builds, of every dtype, order and shape, against
// a second reading of NumPy's two forms.
#include <numeric>

#include "unit/lmdb/lmdb_oracle.h"
#include "unit/lmdb/pickle_bytes.h"

namespace shardine::pickle_numpy_test {
namespace {

constexpr std::uint64_t kMemory = std::uint64_t{1} << 20;

struct Drawn {
  std::string code;  // "i2"
  char order = '<';
  std::uint32_t item = 1;
  std::uint32_t number = 1;  // of the numbers that an item is made of
  std::vector<std::uint64_t> shape = {};
  bool fortran = false;
  std::string stored = {};  // as the pickle has it
};

std::uint64_t Items(const Drawn& array) {
  return std::accumulate(array.shape.begin(), array.shape.end(),
                         std::uint64_t{1}, std::multiplies<>());
}

Drawn DrawArray(OracleDraws& draws) {
  struct Type {
    const char* code;
    std::uint32_t item;
    std::uint32_t number;
  };
  const Type types[] = {
      {"u1", 1, 1}, {"b1", 1, 1},   {"i2", 2, 2}, {"u4", 4, 4},  {"f8", 8, 8},
      {"c8", 8, 4}, {"c16", 16, 8}, {"S5", 5, 1}, {"U3", 12, 4}, {"f2", 2, 2}};
  const Type& type = types[draws.Below(10)];
  Drawn array{.code = type.code, .item = type.item, .number = type.number};
  array.order = type.number == 1 ? '|' : draws.Below(2) == 0 ? '<' : '>';
  for (std::uint32_t rank = draws.Below(5); rank > 0; --rank) {
    array.shape.push_back(draws.Below(12) == 0 ? 0 : 1 + draws.Below(4));
  }
  array.fortran = draws.Below(2) == 0;
  array.stored =
      draws.Bytes(static_cast<std::size_t>(Items(array)) * array.item);
  return array;
}

// The item of each index in C order, taken from its place in the stored order
// by its own coordinates, each of its numbers turned around where it is stored
// so.
std::string Expected(const Drawn& array) {
  std::string bytes;
  for (std::uint64_t i = 0; i < Items(array); ++i) {
    std::uint64_t rest = i;
    std::uint64_t place = 0;
    std::uint64_t block = Items(array);
    std::uint64_t step = 1;
    for (const std::uint64_t side : array.shape) {
      block /= side;
      const std::uint64_t at = rest / block;
      rest %= block;
      place += at * (array.fortran ? step : block);
      step *= side;
    }
    std::string item = array.stored.substr(
        static_cast<std::size_t>(place) * array.item, array.item);
    for (std::size_t n = 0; array.order == '>' && n < item.size();
         n += array.number) {
      std::reverse(
          item.begin() + static_cast<std::ptrdiff_t>(n),
          item.begin() + static_cast<std::ptrdiff_t>(n + array.number));
    }
    bytes += item;
  }
  return bytes;
}

void PutGlobal(PickleWriter& pickle, std::string_view module,
               std::string_view name) {
  pickle.Text(module);
  pickle.Text(name);
  pickle.Op(kOpStackGlobal);
}

void PutDtype(PickleWriter& pickle, const Drawn& array) {
  PutGlobal(pickle, "numpy", "dtype");
  pickle.Text(array.code);
  pickle.Op(kOpNewFalse);
  pickle.Op(kOpNewTrue);
  pickle.Op(kOpTuple3);
  pickle.Op(kOpReduce);
  pickle.Op(kOpMark);
  pickle.Int(3);
  pickle.Text(std::string(1, array.order));
  for (int i = 0; i < 3; ++i) pickle.None();
  for (int i = 0; i < 2; ++i) pickle.Int(-1);
  pickle.Int(0);
  pickle.Op(kOpTuple);
  pickle.Op(kOpBuild);
}

void PutShape(PickleWriter& pickle, const Drawn& array) {
  pickle.Op(kOpMark);
  for (const std::uint64_t side : array.shape) {
    pickle.Int(static_cast<std::int64_t>(side));
  }
  pickle.Op(kOpTuple);
}

// ndarray.__reduce__: an empty array, then its state.
void PutReconstructed(PickleWriter& pickle, const Drawn& array,
                      std::string_view module) {
  PutGlobal(pickle, module, "_reconstruct");
  PutGlobal(pickle, "numpy", "ndarray");
  pickle.Int(0);
  pickle.Op(kOpTuple1);
  pickle.Bytes(AsBytes("b"));
  pickle.Op(kOpTuple3);
  pickle.Op(kOpReduce);
  pickle.Op(kOpMemoize);
  pickle.Op(kOpMark);
  pickle.Int(1);
  PutShape(pickle, array);
  PutDtype(pickle, array);
  pickle.Op(array.fortran ? kOpNewTrue : kOpNewFalse);
  pickle.Bytes(AsBytes(array.stored));
  pickle.Op(kOpTuple);
  pickle.Op(kOpBuild);
}

// ndarray.__reduce_ex__(5).
void PutFromBuffer(PickleWriter& pickle, const Drawn& array,
                   std::string_view module) {
  PutGlobal(pickle, module, "_frombuffer");
  pickle.Op(kOpMark);
  pickle.Bytes(AsBytes(array.stored));
  PutDtype(pickle, array);
  PutShape(pickle, array);
  pickle.Text(array.fortran ? "F" : "C");
  pickle.Op(kOpTuple);
  pickle.Op(kOpReduce);
}

void CheckArray(const PickleValue& value, const Drawn& array,
                const std::string& pickle) {
  REQUIRE(value.kind() == PickleKind::kArray);
  const PickleArray& read = value.array();
  REQUIRE(read.dtype == (array.order == '|' ? "|" : "<") + array.code);
  REQUIRE(read.shape == array.shape);
  const std::string expected = Expected(array);
  REQUIRE(AsText(read.data.bytes) == expected);
  // Nothing is copied that need not be.
  if (expected == array.stored && array.order != '>' && !array.fortran) {
    REQUIRE(read.data.offset);
  }
  if (!read.data.offset) return;
  REQUIRE(pickle.substr(*read.data.offset - 1000, expected.size()) == expected);
}

TEST_CASE("Arrays of every dtype, order and shape become C order of <",
          "[pickle][numpy]") {
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    INFO("array " << seed);
    OracleDraws draws(seed);
    const Drawn array = DrawArray(draws);
    const bool core = draws.Below(2) == 0;  // NumPy 1 or 2
    const bool buffer = draws.Below(2) == 0;
    const std::string pickle = Pickled([&](PickleWriter& writer) {
      if (buffer) {
        PutFromBuffer(writer, array,
                      core ? "numpy.core.numeric" : "numpy._core.numeric");
      } else {
        PutReconstructed(
            writer, array,
            core ? "numpy.core.multiarray" : "numpy._core.multiarray");
      }
    });
    PickleReader reader(kMemory);
    const auto value = reader.Read(AsBytes(pickle), 1000);
    REQUIRE(value.status().ToString() == "OK");
    CheckArray(*value, array, pickle);
  }
}

TEST_CASE("An array that was remembered before it had its data has them",
          "[pickle][numpy]") {
  OracleDraws draws(1);
  const Drawn array{.code = "i2",
                    .item = 2,
                    .number = 2,
                    .shape = {3},
                    .stored = draws.Bytes(6)};
  const std::string pickle = Pickled([&](PickleWriter& writer) {
    PutReconstructed(writer, array, "numpy.core.multiarray");
    writer.Op(kOpBinGet);
    writer.Op(0);
    writer.Op(kOpTuple2);
  });
  PickleReader reader(kMemory);
  const auto pair = reader.Read(AsBytes(pickle), 1000);
  REQUIRE(pair.status().ToString() == "OK");
  CheckArray(pair->item(0), array, pickle);
  CheckArray(pair->item(1), array, pickle);
}

TEST_CASE("Arrays of 64 dimensions are read, and of 65 not",
          "[pickle][numpy]") {
  for (const std::size_t rank : {64U, 65U}) {
    const Drawn array{.code = "u1",
                      .order = '|',
                      .shape = std::vector<std::uint64_t>(rank, 1),
                      .stored = "x"};
    const std::string pickle = Pickled([&](PickleWriter& writer) {
      PutFromBuffer(writer, array, "numpy.core.numeric");
    });
    PickleReader reader(kMemory);
    const Status status = reader.Read(AsBytes(pickle), 0).status();
    CHECK(status.ok() == (rank == 64));
    if (!status.ok()) CHECK(status.code() == Code::kCorrupt);
  }
}

TEST_CASE("What is converted counts as memory", "[pickle][numpy]") {
  Drawn array{.code = "f8",
              .item = 8,
              .number = 8,
              .shape = {1000},
              .stored = std::string(8000, 'x')};
  const auto with = [&](std::uint64_t memory) {
    const std::string pickle = Pickled([&](PickleWriter& writer) {
      PutFromBuffer(writer, array, "numpy.core.numeric");
    });
    PickleReader reader(memory);
    return reader.Read(AsBytes(pickle), 0).status();
  };
  CHECK(with(6000).ok());
  array.order = '>';
  CHECK(with(6000).code() == Code::kUnsupported);
  CHECK(with(16'000).ok());
}

TEST_CASE("Python 3's bytes in protocol 2 may be any byte, and no other letter",
          "[pickle]") {
  // encode(text, encoding)
  const auto read = [](const std::string& text, const std::string& encoding,
                       std::string& bytes) {
    const std::string pickle = Pickled([&](PickleWriter& writer) {
      PutGlobal(writer, "_codecs", "encode");
      writer.Text(text);
      writer.Text(encoding);
      writer.Op(kOpTuple2);
      writer.Op(kOpReduce);
    });
    PickleReader reader(kMemory);
    const auto value = reader.Read(AsBytes(pickle), 0);
    if (value.ok()) bytes = AsText(value->bytes().bytes);
    return value.status();
  };
  std::string all;
  std::string utf8;
  for (int byte = 0; byte < 256; ++byte) {
    all += static_cast<char>(byte);
    if (byte >= 0x80) utf8 += static_cast<char>(0xc0 | byte >> 6);
    utf8 += static_cast<char>(byte < 0x80 ? byte : 0x80 | (byte & 0x3f));
  }
  std::string bytes;
  REQUIRE(read(utf8, "latin1", bytes).ToString() == "OK");
  CHECK(bytes == all);
  for (const char* text :
       {"\xc4\x80", "\xc2", "\xc2z", "\x80", "\xff", "\xe2\x82\xac", "a\xc3"}) {
    CHECK(read(text, "latin1", bytes).code() == Code::kCorrupt);
  }
  CHECK(read("a", "utf8", bytes).code() == Code::kUnsupported);
  CHECK(read("a", "latin1 ", bytes).code() == Code::kUnsupported);
}

}  // namespace
}  // namespace shardine::pickle_numpy_test
