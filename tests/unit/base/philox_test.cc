#include "base/philox.h"

#include <catch2/catch.hpp>
#include <set>

namespace shardine::philox_test {
namespace {

using Words = std::array<std::uint32_t, 4>;

// kat_vectors of Random123, "philox4x32 10".
TEST_CASE("Philox4x32 gives the published known answers", "[philox]") {
  constexpr std::uint32_t kOnes = 0xFFFFFFFF;
  CHECK(Philox4x32({0, 0, 0, 0}, {0, 0}) ==
        Words{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8});
  CHECK(Philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}) ==
        Words{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD});
  // The digits of pi.
  CHECK(Philox4x32({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344},
                   {0xA4093822, 0x299F31D0}) ==
        Words{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1});
}

TEST_CASE("Philox4x32 differs for neighbouring counters and keys", "[philox]") {
  std::set<Words> seen;
  for (std::uint32_t i = 0; i < 100; ++i) {
    seen.insert(Philox4x32({i, 0, 0, 0}, {0, 0}));
    seen.insert(Philox4x32({0, i + 1, 0, 0}, {0, 0}));
    seen.insert(Philox4x32({0, 0, i + 1, 0}, {0, 0}));
    seen.insert(Philox4x32({0, 0, 0, i + 1}, {0, 0}));
    seen.insert(Philox4x32({0, 0, 0, 0}, {i + 1, 0}));
    seen.insert(Philox4x32({0, 0, 0, 0}, {0, i + 1}));
  }
  CHECK(seen.size() == 600);
}

}  // namespace
}  // namespace shardine::philox_test
