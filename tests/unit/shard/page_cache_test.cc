#include "shard/page_cache.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <thread>
#include <vector>

namespace shardine::page_cache_test {
namespace {

using PageBytes = std::array<std::byte, kPageBytes>;

// No two pages have a word in common.
PageBytes PageOf(std::uint64_t file, std::uint64_t page) {
  PageBytes bytes;
  for (std::uint32_t i = 0; i < kPageBytes / 4; ++i) {
    const auto word =
        static_cast<std::uint32_t>((file * 5003 + page) * 1024 + i);
    std::memcpy(bytes.data() + std::size_t{4} * i, &word, 4);
  }
  return bytes;
}

// Whether it is kept; then its bytes must be the same.
bool IsKept(const PageCache& cache, std::uint64_t file, std::uint64_t page) {
  PageBytes found;
  if (!cache.Find(file, page, 0, found)) return false;
  REQUIRE(found == PageOf(file, page));
  return true;
}

std::size_t CountKept(const PageCache& cache, std::uint64_t file,
                      std::uint64_t pages) {
  std::size_t count = 0;
  for (std::uint64_t page = 0; page < pages; ++page) {
    count += IsKept(cache, file, page) ? 1 : 0;
  }
  return count;
}

TEST_CASE("PageCache has what was kept and nothing else", "[page_cache]") {
  PageCache cache(64);
  const std::uint64_t one = cache.NameFile();
  const std::uint64_t other = cache.NameFile();
  CHECK(CountKept(cache, one, 40) == 0);
  cache.Keep(one, 8, PageOf(one, 8));
  cache.Keep(one, 3, PageOf(one, 3));
  cache.Keep(one, 3, PageOf(one, 3));
  CHECK(CountKept(cache, one, 40) == 2);
  CHECK(CountKept(cache, other, 40) == 0);
  cache.Keep(other, 3, PageOf(other, 3));
  CHECK(IsKept(cache, other, 3));
  CHECK(IsKept(cache, one, 3));
}

TEST_CASE("PageCache gives any part of a page", "[page_cache]") {
  PageCache cache(8);
  const PageBytes page = PageOf(0, 5);
  cache.Keep(0, 5, page);
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{80}, std::size_t{4060}, kPageBytes - 4}) {
    std::array<std::byte, 36> row;
    const auto out = std::span(row).first(
        std::min<std::size_t>(row.size(), kPageBytes - at));
    REQUIRE(cache.Find(0, 5, at, out));
    CHECK(std::ranges::equal(out, std::span(page).subspan(at, out.size())));
  }
}

TEST_CASE("PageCache lets new pages in when it is full, and stays bounded",
          "[page_cache]") {
  constexpr std::uint64_t kPages = 512;
  PageCache cache(128);
  for (std::uint64_t page = 0; page < kPages; ++page) {
    cache.Keep(7, page, PageOf(7, page));
    REQUIRE(IsKept(cache, 7, page));
  }
  CHECK(CountKept(cache, 7, kPages) == 128);
  // The last pages took the place of the first.
  CHECK(CountKept(cache, 7, kPages / 2) < 64);
}

TEST_CASE("Threads that read pages that make room find them whole or not",
          "[page_cache]") {
  constexpr std::uint64_t kPages = 64;
  PageCache cache(16);  // each page makes room over and over
  std::atomic<std::uint64_t> found = 0;
  std::atomic<bool> torn = false;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        PageBytes bytes;
        for (std::uint64_t i = 0; i < 20'000; ++i) {
          // Each again at once: found, unless another made it go.
          const std::uint64_t page = (i / 2 * 7 + t * 13) % kPages;
          if (!cache.Find(t % 2, page, 0, bytes)) {
            cache.Keep(t % 2, page, PageOf(t % 2, page));
          } else {
            ++found;
            if (bytes != PageOf(t % 2, page)) torn = true;
          }
        }
      });
    }
  }
  CHECK_FALSE(torn);
  CHECK(found > 0);
}

}  // namespace
}  // namespace shardine::page_cache_test
