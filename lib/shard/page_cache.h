// PageCache: pages of companions (.sdx, .sde) that were read and checked, for
// the next row on them. A fixed number of pages; beyond it, one that is kept
// makes room for each new one.
#ifndef SHARDINE_SHARD_PAGE_CACHE_H_
#define SHARDINE_SHARD_PAGE_CACHE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "shard/sealed_page.h"

namespace shardine {

// Thread-safe, without locks: a thread that reads a page while it makes room
// for another finds that it was not kept.
class PageCache {
 public:
  // 32 MiB, which are the rows of 400,000 samples. Memory is taken page by
  // page, as they come.
  static constexpr std::size_t kDefaultPages = 8192;

  // REQUIRES: pages > 0. Rounded up to a multiple of the pages of a set.
  explicit PageCache(std::size_t pages = kDefaultPages);
  ~PageCache();
  PageCache(const PageCache&) = delete;
  PageCache& operator=(const PageCache&) = delete;

  // A name for the pages of one open file, which no other file gets.
  std::uint64_t NameFile();

  // Copies the bytes of a page from `at` on. False: it is not kept, and `out`
  // is undefined. REQUIRES: `at` and out.size() are multiples of 4.
  bool Find(std::uint64_t file, std::uint64_t page, std::size_t at,
            std::span<std::byte> out) const;
  // Keeps a copy. REQUIRES: bytes.size() == kPageBytes.
  void Keep(std::uint64_t file, std::uint64_t page, ByteView bytes);

 private:
  // A page has its place in one set, in any of the ways.
  static constexpr std::size_t kWays = 8;
  using Words = std::array<std::atomic<std::uint32_t>, kPageBytes / 4>;

  // Read without a lock as a seqlock is: a copy counts if the version is even
  // and the same before and after.
  struct Slot {
    std::atomic<std::uint64_t> version = 0;  // odd: being written; 0: empty
    std::atomic<std::uint64_t> file = 0;
    std::atomic<std::uint64_t> page = 0;
    std::atomic<Words*> words = nullptr;  // once there, it stays
  };

  std::span<Slot> SetOf(std::uint64_t file, std::uint64_t page) const;
  static bool Copy(const Slot& slot, std::uint64_t file, std::uint64_t page,
                   std::size_t at, std::span<std::byte> out);
  Slot& Victim(std::span<Slot> set);

  const std::size_t sets_;
  const std::unique_ptr<Slot[]> slots_;
  std::atomic<std::uint64_t> files_ = 0;
  std::atomic<std::uint32_t> turn_ = 0;  // pages that made room so far
};

}  // namespace shardine

#endif  // SHARDINE_SHARD_PAGE_CACHE_H_
