#include "remote/cache_counts.h"

#include <atomic>

namespace shardine {
namespace {

std::atomic<std::uint64_t> hits = 0;
std::atomic<std::uint64_t> hit_bytes = 0;
std::atomic<std::uint64_t> misses = 0;

}  // namespace

void CountCacheHit(std::uint64_t bytes) {
  hits.fetch_add(1, std::memory_order_relaxed);
  hit_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

void CountCacheMiss() { misses.fetch_add(1, std::memory_order_relaxed); }

void AddCacheCounts(RemoteStats& stats) {
  stats.cache_hits += hits;
  stats.cache_hit_bytes += hit_bytes;
  stats.cache_misses += misses;
}

void ResetCacheCounts() { hits = hit_bytes = misses = 0; }

}  // namespace shardine
