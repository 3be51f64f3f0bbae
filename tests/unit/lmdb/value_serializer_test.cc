// The serialisers against the Python packages' bytes of the same objects,
// written down as sizes and checksums, and pickles against PickleReader.
#include "lmdb/value_serializer.h"

#include <optional>
#include <span>

#include "base/checksum.h"
#include "lmdb/value_codec.h"
#include "unit/lmdb/pickle_bytes.h"

namespace shardine::value_serializer_test {
namespace {

struct DumpedPair {
  std::size_t bytes;
  std::optional<std::int64_t> label;
  std::size_t size;
  std::uint32_t crc;
};
struct DumpedCount {
  std::uint64_t count;
  std::size_t size;
  std::uint32_t crc;
};

// bytes((7 * i + size) % 251 for i in range(size)).
std::string ImageOf(std::size_t size) {
  std::string image;
  for (std::size_t i = 0; i < size; ++i) {
    image += static_cast<char>((7 * i + size) % 251);
  }
  return image;
}

std::string PairOf(const ValueSerializer& serializer, const std::string& image,
                   std::optional<std::int64_t> label) {
  SplicedBytes value;
  value.Append(AsBytes("what was there"));
  serializer.WritePair(AsBytes(image), label, value);
  return value.ToString();
}

void CheckPairs(const ValueSerializer& serializer,
                std::span<const DumpedPair> dumps) {
  for (const DumpedPair& dump : dumps) {
    INFO(dump.bytes << " bytes, label " << dump.label.value_or(-1));
    const std::string pair =
        PairOf(serializer, ImageOf(dump.bytes), dump.label);
    CHECK(pair.size() == dump.size);
    CHECK(Crc32c(AsBytes(pair)) == dump.crc);
  }
}

// Checks lists of [b"%d" % i for i in range(count)].
void CheckKeyLists(const ValueSerializer& serializer,
                   std::span<const DumpedCount> dumps) {
  for (const DumpedCount& dump : dumps) {
    INFO(dump.count << " keys");
    const auto list = serializer.NewKeyList();
    std::uint64_t keys = 0;
    for (std::uint64_t i = 0; i < dump.count; ++i) {
      list->Add(std::to_string(i));
      keys += std::to_string(i).size();
    }
    const std::uint64_t said = list->bytes();
    const std::string value = list->Finish().ToString();
    CHECK(value.size() == dump.size);
    CHECK(Crc32c(AsBytes(value)) == dump.crc);
    CHECK(said >= keys);
    CHECK(said <= value.size() + 4096);
    CHECK(value.size() <= said + 4096);
  }
}

// Checks lists of ["n%07d" % i + "\u00fc" * (i % 40) for i in range(count)].
void CheckTextLists(const ValueSerializer& serializer,
                    std::span<const DumpedCount> dumps) {
  for (const DumpedCount& dump : dumps) {
    INFO(dump.count << " texts");
    const auto list = serializer.NewTextList();
    for (std::uint64_t i = 0; i < dump.count; ++i) {
      std::string text = std::to_string(i);
      text = "n" + std::string(7 - text.size(), '0') + text;
      for (std::uint64_t u = 0; u < i % 40; ++u) text += "\xc3\xbc";
      list->Add(text);
    }
    const std::string value = list->Finish().ToString();
    CHECK(value.size() == dump.size);
    CHECK(Crc32c(AsBytes(value)) == dump.crc);
  }
}

TEST_CASE("Lists of texts are those of pickle, pyarrow and msgpack",
          "[lmdb][classes]") {
  const DumpedCount pickled[] = {
      {0, 5, 0xe2b23c35},          {1, 26, 0x2897b349},
      {2, 40, 0x234f5499},         {17, 475, 0x53d4a6b4},
      {1000, 50016, 0x79b953f0},   {1001, 50029, 0x41b2b288},
      {21841, 1092213, 0xb986eb97}};
  CheckTextLists(PickleSerializer(), pickled);
  const DumpedCount arrow[] = {
      {0, 704, 0xd8afac9f},        {1, 832, 0x1aaade20},
      {2, 832, 0xcd46d9f6},        {17, 1344, 0x2a407189},
      {1000, 56768, 0xe8e2a7cc},   {1001, 56832, 0xbc389a06},
      {21841, 1223872, 0x9aab55f9}};
  CheckTextLists(ArrowSerializer(), arrow);
  const DumpedCount msgpack[] = {
      {0, 1, 0xc0d5af46},          {1, 10, 0x620bc750},
      {2, 21, 0x2697ce62},         {17, 433, 0xf3909c90},
      {1000, 48703, 0xcf5ff2ee},   {1001, 48712, 0x2638b3ca},
      {21841, 1063620, 0x036a2803}};
  CheckTextLists(MsgpackSerializer(), msgpack);
}

void CheckLengths(const ValueSerializer& serializer,
                  std::span<const DumpedCount> dumps) {
  for (const DumpedCount& dump : dumps) {
    INFO("length " << dump.count);
    SplicedBytes value;
    serializer.WriteLength(dump.count, value);
    CHECK(value.size() == dump.size);
    CHECK(Crc32c(AsBytes(value.ToString())) == dump.crc);
  }
}

TEST_CASE("Arrow values are those of pyarrow.serialize", "[lmdb][arrow]") {
  // pyarrow 10.0.1: serialize((image, label)).to_buffer().
  const DumpedPair pairs[] = {{0, 0, 896, 0xcab52b50},
                              {1, -1, 960, 0xf8891915},
                              {7, 5, 960, 0xe1a5ca18},
                              {8, 127, 960, 0xf1d4e691},
                              {9, 128, 960, 0x04745cd3},
                              {63, 255, 960, 0x6fcafb37},
                              {64, 256, 960, 0xa0934553},
                              {65, -32, 1024, 0x8a596a5d},
                              {255, -33, 1152, 0x460fc462},
                              {256, 65535, 1152, 0xc1a8ea33},
                              {1023, 65536, 1920, 0x8c2ebcbf},
                              {1024, -129, 1920, 0x2d1dc612},
                              {1025, -32769, 1984, 0x14151b18},
                              {65535, 2147483648, 66432, 0x5f8865dd},
                              {65536, 4294967296, 66432, 0x4abd9996},
                              {70001, -2147483649, 70912, 0x6ec494d1},
                              {0, std::nullopt, 832, 0x230bcb2e},
                              {1, std::nullopt, 832, 0x22ef36ff},
                              {64, std::nullopt, 896, 0x0f09fd67},
                              {5000, std::nullopt, 5824, 0x18fd183e}};
  CheckPairs(ArrowSerializer(), pairs);
  const DumpedCount lists[] = {
      {0, 704, 0xd8afac9f},       {1, 832, 0x335e820f},
      {2, 832, 0x6c0b6261},       {15, 960, 0x7587e2fa},
      {16, 960, 0x4a20f134},      {17, 960, 0x679e634a},
      {63, 1472, 0xdea05107},     {1000, 12672, 0x83c172a6},
      {70000, 969664, 0xae2bd652}};
  CheckKeyLists(ArrowSerializer(), lists);
  const DumpedCount lengths[] = {
      {0, 512, 0x2963dd48},          {1, 512, 0x932c1fc6},
      {127, 512, 0x56fe34c6},        {128, 512, 0x138a2554},
      {255, 512, 0x6c17ccda},        {256, 512, 0x5cb02d70},
      {65535, 512, 0x74aa395e},      {65536, 512, 0x757633fc},
      {4294967295, 512, 0x5267ce59}, {4294967296, 512, 0x1e202af5}};
  CheckLengths(ArrowSerializer(), lengths);
}

TEST_CASE("msgpack values are those of msgpack-numpy", "[lmdb][msgpack]") {
  // msgpack 1.0.8 patched by msgpack-numpy 0.4.8, as tensorpack calls it:
  // dumps([numpy.asarray(bytearray(image), "uint8"), label],
  // use_bin_type=True).
  const DumpedPair pairs[] = {{0, 0, 43, 0x24988872},
                              {1, -1, 44, 0x4e1541ba},
                              {7, 5, 50, 0xaa689d77},
                              {8, 127, 51, 0xdf2f939e},
                              {9, 128, 53, 0xd7aad457},
                              {63, 255, 107, 0xc64219d7},
                              {64, 256, 109, 0xbcf3bf4f},
                              {65, -32, 108, 0xbb003e73},
                              {255, -33, 300, 0x7615e434},
                              {256, 65535, 304, 0x7807c1e0},
                              {1023, 65536, 1073, 0x3a93aae9},
                              {1024, -129, 1072, 0x239c7ea0},
                              {1025, -32769, 1075, 0x5e46c018},
                              {65535, 2147483648, 65585, 0x03e7858c},
                              {65536, 4294967296, 65594, 0xbffd4da9},
                              {70001, -2147483649, 70059, 0x25bfc66d},
                              {0, std::nullopt, 43, 0xe715aeb6},
                              {1, std::nullopt, 44, 0x20e5342f},
                              {64, std::nullopt, 107, 0x605c06e0},
                              {5000, std::nullopt, 5046, 0xdd167c1a}};
  CheckPairs(MsgpackSerializer(), pairs);
  const DumpedCount lists[] = {
      {0, 1, 0xc0d5af46},         {1, 4, 0xdf3b1b3b},
      {2, 7, 0xa712d7ba},         {15, 51, 0x5b159934},
      {16, 57, 0xedd422ff},       {17, 61, 0x5b681eca},
      {63, 245, 0x70b7d9b5},      {1000, 4893, 0x45637a8c},
      {70000, 478895, 0x48252399}};
  CheckKeyLists(MsgpackSerializer(), lists);
  const DumpedCount lengths[] = {
      {0, 1, 0x527d5351},          {1, 1, 0xa016d052},
      {127, 1, 0x7df63b78},        {128, 2, 0xa4ddd233},
      {255, 2, 0x8b56ba1a},        {256, 3, 0x3c4ac436},
      {65535, 3, 0x21762b93},      {65536, 5, 0xecc031c0},
      {4294967295, 5, 0xfe191786}, {4294967296, 9, 0x8b4d07e4}};
  CheckLengths(MsgpackSerializer(), lengths);
}

TEST_CASE("A pickled array and label are read as a list of both",
          "[lmdb][pickle]") {
  for (const std::size_t size : {0U, 1U, 255U, 256U, 70000U}) {
    for (const auto& label :
         {std::optional<std::int64_t>(), std::optional<std::int64_t>(-7)}) {
      INFO(size << " bytes");
      const std::string image = ImageOf(size);
      const std::string value = PairOf(PickledArraySerializer(), image, label);
      PickleReader reader(std::uint64_t{1} << 20);
      const auto list = reader.Read(AsBytes(value), 0);
      REQUIRE(list.status().ToString() == "OK");
      REQUIRE(list->kind() == PickleKind::kList);
      REQUIRE(list->size() == 2);
      REQUIRE(list->item(0).kind() == PickleKind::kArray);
      CHECK(list->item(0).array().dtype == "|u1");
      CHECK(list->item(0).array().shape == std::vector<std::uint64_t>{size});
      CHECK(AsText(list->item(0).array().data.bytes) == image);
      if (label) {
        CHECK(list->item(1).integer() == *label);
      } else {
        CHECK(list->item(1).kind() == PickleKind::kNone);
      }
    }
  }
}

TEST_CASE("A pickled batch of one is read as a list and an array",
          "[lmdb][pickle]") {
  for (const std::size_t size : {0U, 255U, 70000U}) {
    const std::string image = ImageOf(size);
    const std::string value = PairOf(PickledBatchSerializer(), image, -7);
    PickleReader reader(std::uint64_t{1} << 20);
    const auto pair = reader.Read(AsBytes(value), 0);
    REQUIRE(pair.status().ToString() == "OK");
    REQUIRE((pair->kind() == PickleKind::kTuple && pair->size() == 2));
    REQUIRE(pair->item(0).kind() == PickleKind::kList);
    REQUIRE(pair->item(0).size() == 1);
    CHECK(AsText(pair->item(0).item(0).bytes().bytes) == image);
    const auto& label = pair->item(1).array();
    CHECK(label.dtype == "<i8");
    CHECK(label.shape == std::vector<std::uint64_t>{1});
    CHECK(LoadLe<std::int64_t>(label.data.bytes.data()) == -7);
  }
}

TEST_CASE("No value of a pair outgrows LMDB's", "[lmdb][pickle]") {
  const std::int64_t widest = std::numeric_limits<std::int64_t>::min();
  const std::string image = ImageOf(70000);
  for (const ValueSerializer* serializer :
       {&PickleSerializer(), &ArrowSerializer(), &PickledArraySerializer(),
        &PickledBatchSerializer(), &MsgpackSerializer()}) {
    const std::string value = PairOf(*serializer, image, widest);
    const std::uint64_t overhead = value.size() - image.size();
    // Sizes and shapes take a few bytes more in a larger value.
    CHECK(serializer->max_bytes() + overhead + 16 <= kMaxLmdbValue);
  }
}

}  // namespace
}  // namespace shardine::value_serializer_test
