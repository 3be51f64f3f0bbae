// KeptPages: pages of a sidecar index that were read and checked, for the next
// sample on them. All indexes of the process together keep a bounded number;
// beyond it pages are just read again.
#ifndef SHARDINE_SHARD_KEPT_PAGES_H_
#define SHARDINE_SHARD_KEPT_PAGES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "shard/sealed_page.h"

namespace shardine {

// Of one index. Thread-safe, without locks: what is kept does not change.
class KeptPages {
 public:
  explicit KeptPages(std::uint64_t pages)
      : pages_(static_cast<std::size_t>(pages)) {}
  ~KeptPages();
  KeptPages(const KeptPages&) = delete;
  KeptPages& operator=(const KeptPages&) = delete;

  // Empty if it is not kept. Valid as long as this is.
  ByteView Find(std::uint64_t number) const;
  // Keeps a copy, if there is room.
  void Keep(std::uint64_t number, ByteView page);

  // Of the whole process: 16 MiB, which are 200,000 samples.
  static constexpr std::size_t kMostPages = 4096;

 private:
  struct Page {
    std::byte bytes[kPageBytes];
  };
  std::vector<std::atomic<const Page*>> pages_;  // null: not kept
};

}  // namespace shardine

#endif  // SHARDINE_SHARD_KEPT_PAGES_H_
