// KeyList against CPython 3.11's pickles of the same keys, and against
// PickleReader.
#include "lmdb/key_list.h"

#include <cstdlib>

#include "base/checksum.h"
#include "unit/lmdb/pickle_bytes.h"

namespace shardine::key_list_test {
namespace {

// A list of `count` keys, the i-th of them made by `make`.
template <typename Make>
std::string Listed(std::size_t count, Make make) {
  KeyList keys;
  for (std::size_t i = 0; i < count; ++i) keys.Add(make(i));
  return keys.Finish().ToString();
}

std::string Number(std::size_t i) { return std::to_string(i); }

std::string Uneven(std::size_t i) {
  return std::to_string(i) + "-" + std::string(i * 7 % 500, 'k');
}

struct Dumped {
  std::size_t count;
  std::size_t size;
  std::uint32_t crc;
};

TEST_CASE("KeyList makes the bytes of pickle.dumps at every length",
          "[lmdb][pickle]") {
  // Sizes and CRCs of pickle.dumps([b"%d" % i for i in range(count)],
  // protocol=4).
  const Dumped dumps[] = {
      {0, 5, 0xe2b23c35},         {1, 19, 0x0aec37b6},
      {2, 24, 0x3f0f82f0},        {999, 5900, 0x97034f20},
      {1000, 5906, 0xa7e16bdc},   {1001, 5915, 0x06ff111c},
      {2000, 12908, 0xe3afbda2},  {2001, 12917, 0x74a098be},
      {12000, 84937, 0x35fd1223}, {100000, 789212, 0x2e93a233}};
  for (const Dumped& dump : dumps) {
    INFO(dump.count << " keys");
    const std::string list = Listed(dump.count, Number);
    CHECK(list.size() == dump.size);
    CHECK(Crc32c(AsBytes(list)) == dump.crc);
  }
  // Keys are b"%d-" % i + b"k" * (i * 7 % 500): of one and of two size bytes.
  const Dumped uneven[] = {
      {1, 20, 0x98eb2275}, {2, 33, 0xa2b54ab0}, {300, 74388, 0xde9037df}};
  for (const Dumped& dump : uneven) {
    INFO(dump.count << " uneven keys");
    const std::string list = Listed(dump.count, Uneven);
    CHECK(list.size() == dump.size);
    CHECK(Crc32c(AsBytes(list)) == dump.crc);
  }
}

TEST_CASE("KeyList is read back as its keys, in their order",
          "[lmdb][pickle]") {
  for (const std::size_t count : {0U, 1U, 2U, 3U, 998U, 999U, 1000U, 1001U,
                                  1002U, 1999U, 2000U, 2001U, 5000U}) {
    INFO(count << " keys");
    const std::string list = Listed(count, Uneven);
    PickleReader reader(std::uint64_t{1} << 24);
    const auto keys = reader.Read(AsBytes(list), 0);
    REQUIRE(keys.status().ToString() == "OK");
    REQUIRE(keys->kind() == PickleKind::kList);
    REQUIRE(keys->size() == count);
    for (std::size_t i = 0; i < count; ++i) {
      REQUIRE(keys->item(i).kind() == PickleKind::kBytes);
      REQUIRE(AsText(keys->item(i).bytes().bytes) == Uneven(i));
    }
  }
}

TEST_CASE("KeyList tells its size before it is finished, to 16 bytes",
          "[lmdb][pickle]") {
  // Keys of all lengths that LMDB has, a list of one among them.
  for (const std::size_t key_size : {1U, 255U, 256U, 511U}) {
    for (std::size_t count = 0; count < 400; count += count < 5 ? 1 : 13) {
      KeyList keys;
      for (std::size_t i = 0; i < count; ++i) {
        keys.Add(std::string(key_size, 'k'));
      }
      const auto before = static_cast<std::int64_t>(keys.bytes());
      const auto after = static_cast<std::int64_t>(keys.Finish().size());
      INFO(count << " keys of " << key_size << ": " << before << " and "
                 << after);
      REQUIRE(std::abs(before - after) <= 16);
    }
  }
}

}  // namespace
}  // namespace shardine::key_list_test
