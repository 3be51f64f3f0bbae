#include "shard/kept_pages.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace shardine {
namespace {

std::array<std::byte, kPageBytes> PageOf(std::uint64_t number) {
  std::array<std::byte, kPageBytes> page;
  page.fill(static_cast<std::byte>(number * 7 + 1));
  return page;
}

// How many of them are kept; each must be what it was.
std::size_t CountKept(const KeptPages& kept, std::uint64_t pages) {
  std::size_t count = 0;
  for (std::uint64_t number = 0; number < pages; ++number) {
    const ByteView page = kept.Find(number);
    if (page.empty()) continue;
    const auto expected = PageOf(number);
    REQUIRE(std::ranges::equal(page, expected));
    ++count;
  }
  return count;
}

TEST_CASE("KeptPages has what was kept and nothing else", "[shard_index]") {
  KeptPages kept(9);
  CHECK(CountKept(kept, 9) == 0);
  kept.Keep(8, PageOf(8));
  kept.Keep(3, PageOf(3));
  kept.Keep(3, PageOf(3));
  CHECK(CountKept(kept, 9) == 2);
}

TEST_CASE("All KeptPages of the process together are bounded",
          "[shard_index]") {
  constexpr std::uint64_t kPages = KeptPages::kMostPages;
  for (int round = 0; round < 2; ++round) {  // what is gone makes room
    KeptPages one(kPages);
    KeptPages other(kPages);
    for (std::uint64_t number = 0; number < kPages; ++number) {
      one.Keep(number, PageOf(number));
      other.Keep(number, PageOf(number));
    }
    CHECK(CountKept(one, kPages) + CountKept(other, kPages) == kPages);
  }
}

TEST_CASE("Threads that keep the same pages keep each once", "[shard_index]") {
  constexpr std::uint64_t kPages = 500;
  for (int round = 0; round < 10; ++round) {
    KeptPages kept(kPages);
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
          for (std::uint64_t number = 0; number < kPages; ++number) {
            if (kept.Find(number).empty()) kept.Keep(number, PageOf(number));
          }
        });
      }
    }
    CHECK(CountKept(kept, kPages) == kPages);
  }
}

}  // namespace
}  // namespace shardine
