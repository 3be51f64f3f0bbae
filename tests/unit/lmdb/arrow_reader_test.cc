// Bytes of pyarrow.serialize, whole and damaged.
#include "lmdb/arrow_reader.h"

#include "lmdb/value_reader.h"
#include "unit/lmdb/arrow_maker.h"
#include "unit/lmdb/serialised_bytes.h"

namespace shardine::arrow_reader_test {
namespace {

constexpr std::uint64_t kMemory = std::uint64_t{1} << 20;

// All that a value shows, as Python writes it. "..." below four levels.
std::string Shown(const PickleValue& value, int depth = 0) {
  if (depth == 4) return "...";
  switch (value.kind()) {
    case PickleKind::kNone:
      return "None";
    case PickleKind::kBool:
      return value.integer() != 0 ? "True" : "False";
    case PickleKind::kInt:
      return std::to_string(value.integer());
    case PickleKind::kFloat:
      return std::to_string(value.real());
    case PickleKind::kBytes:
      return "b'" + std::string(AsText(value.bytes().bytes)) + "'";
    case PickleKind::kText:
      return "'" + std::string(AsText(value.bytes().bytes)) + "'";
    case PickleKind::kArray: {
      std::string text = value.array().dtype;
      for (const auto side : value.array().shape) {
        text += "," + std::to_string(side);
      }
      return text + ":" + std::string(AsText(value.array().data.bytes));
    }
    default: {
      std::string text = std::string(PickleKindName(value.kind())) + "(";
      for (std::size_t i = 0; i < value.size(); ++i) {
        text += Shown(value.item(i), depth + 1) + " ";
      }
      return text + ")";
    }
  }
}

struct Read {
  std::string shown;
  Status status;
};

Read ReadBytes(const std::string& bytes, std::uint64_t max_memory = kMemory) {
  ArrowReader reader(max_memory);
  const auto value = reader.Read(AsBytes(bytes), 1000);
  if (!value.ok()) return {"", value.status()};
  return {Shown(*value), {}};
}

TEST_CASE("ArrowReader reads what pyarrow.serialize wrote", "[lmdb][arrow]") {
  CHECK(ReadBytes(ArrowPair()).shown == "tuple(b'a jpg' 300 )");
  using namespace std::string_literals;
  CHECK(ReadBytes(ArrowArrays()).shown ==
        "list(|u1,5:a jpg <i2,1,2:\1\0\2\0 )"s);
  CHECK(ReadBytes(ArrowDict()).shown ==
        "dict('image' b'a jpg' 'label' 7 't' "
        "tuple(None True 2.500000 'x' list(3 ) ) )");
}

TEST_CASE("Items of a union are of the first child with their type's number",
          "[lmdb][arrow]") {
  const auto shown = [](const std::string& kinds,
                        const std::vector<std::int32_t>& ids) {
    const std::vector<std::int32_t> rows(kinds.size(), 0);
    const auto count = static_cast<std::int32_t>(kinds.size());
    const ArrowMade items = ArrowUnion(
        "item", kinds, rows,
        {ArrowTexts({0, 1}, "x"), ArrowInts({7}), ArrowInts({8})}, ids);
    const Read read =
        ReadBytes(ArrowValue(ArrowRoot(ArrowList("10", {0, count}, items))));
    return read.status.ok() ? read.shown : read.status.message();
  };
  using namespace std::string_literals;
  CHECK(shown("\0\1\2\1"s, {}) == "list('x' 7 8 7 )");
  CHECK(shown("\5\x7f\x80", {5, 127, -128}) == "list('x' 7 8 )");
  // The first of equal numbers is taken; others are no child's.
  CHECK(shown("\5\5", {300, 5, 5}) == "list(7 7 )");
  for (const std::string kinds : {"\x2c", "\6", "\xff"}) {
    CHECK(shown(kinds, {300, 5, 5}) ==
          "an Arrow union with an item of no type");
  }
}

TEST_CASE("Bytes and arrays of pyarrow lie in the file where it says",
          "[lmdb][arrow]") {
  for (const std::string& bytes : {ArrowPair(), ArrowArrays()}) {
    ArrowReader reader(kMemory);
    const auto value = reader.Read(AsBytes(bytes), 1000);
    REQUIRE(value.ok());
    const PickleValue image = value->item(0);
    const PickleBytes data =
        image.kind() == PickleKind::kArray ? image.array().data : image.bytes();
    REQUIRE(data.offset);
    CHECK(bytes.substr(*data.offset - 1000, 5) == "a jpg");
    CHECK(*data.offset - 1000 == bytes.find("a jpg"));
  }
}

// Before 0.15, a message began with its size alone.
TEST_CASE("ArrowReader reads messages without ff ff ff ff", "[lmdb][arrow]") {
  std::string old = ArrowPair();
  const std::string mark("\xff\xff\xff\xff");
  std::size_t count = 0;
  for (std::size_t at; (at = old.find(mark, 16)) != old.npos; ++count) {
    old.erase(at, mark.size());
  }
  CHECK(count == 3);
  CHECK(ReadBytes(old).shown == "tuple(b'a jpg' 300 )");
}

// A damaged value is refused with a byte inside it, or is one that has as many
// bytes; and it never takes more memory than it is given.
void CheckDamaged(const std::string& bytes) {
  const Read read = ReadBytes(bytes);
  if (read.status.ok()) return;
  const bool known = read.status.code() == Code::kCorrupt ||
                     read.status.code() == Code::kUnsupported;
  const std::uint64_t offset = read.status.where().offset.value_or(0);
  INFO(read.status.ToString());
  REQUIRE((known && offset >= 1000 && offset <= 1000 + bytes.size()));
}

TEST_CASE("Each byte of a value of pyarrow may be any other",
          "[lmdb][arrow][corruption]") {
  for (const std::string& whole : {ArrowPair(), ArrowArrays(), ArrowDict()}) {
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string damaged = whole;
      for (const int byte :
           {0, 1, 2, 4, 8, 0x10, 0x40, 0x7f, 0x80, 0xfe, 0xff}) {
        damaged[at] = static_cast<char>(byte);
        CheckDamaged(damaged);
      }
    }
  }
}

TEST_CASE("A value of pyarrow may end at each of its bytes",
          "[lmdb][arrow][corruption]") {
  for (const std::string& whole : {ArrowPair(), ArrowArrays(), ArrowDict()}) {
    const std::string shown = ReadBytes(whole).shown;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const std::string cut = whole.substr(0, size);
      CheckDamaged(cut);
      // Only padding stands after the last array.
      const Read read = ReadBytes(cut);
      REQUIRE((!read.status.ok() || read.shown == shown));
    }
  }
}

TEST_CASE("Words of a value of pyarrow may be as large as they can be",
          "[lmdb][arrow][corruption]") {
  for (const std::string& whole : {ArrowPair(), ArrowArrays(), ArrowDict()}) {
    for (std::size_t at = 0; at + 8 <= whole.size(); at += 4) {
      for (const std::uint64_t word :
           {std::uint64_t{0x7fffffff}, std::uint64_t{0xfffffffe},
            ~std::uint64_t{0} >> 1, ~std::uint64_t{0}, std::uint64_t{1} << 62,
            std::uint64_t{whole.size()}}) {
        std::string damaged = whole;
        const std::size_t size = word >> 32 == 0 ? 4 : 8;
        for (std::size_t i = 0; i < size; ++i) {
          damaged[at + i] = static_cast<char>(word >> (8 * i));
        }
        CheckDamaged(damaged);
      }
    }
  }
}

TEST_CASE("ArrowReader takes no more memory than it is given",
          "[lmdb][arrow][corruption]") {
  const Status status = ReadBytes(ArrowDict(), 200).status;
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message() ==
        "a value of pyarrow that takes more than 200 bytes of memory");
}

TEST_CASE("ArrowReader refuses bytes that pyarrow did not write",
          "[lmdb][arrow][corruption]") {
  CHECK(ReadBytes("").status.code() == Code::kCorrupt);
  CHECK(ReadBytes(std::string(200, '\0')).status.code() == Code::kCorrupt);
  std::string tensors = ArrowPair();
  tensors[0] = 1;
  CHECK_FALSE(IsArrow(AsBytes(tensors)));
  // Arrays that are not there.
  std::string arrays = ArrowPair();
  arrays[8] = 1;
  CHECK(ReadBytes(arrays).status.code() == Code::kCorrupt);
}

}  // namespace
}  // namespace shardine::arrow_reader_test
