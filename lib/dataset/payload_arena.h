// PayloadArena: memory for payloads that come and go together: those of a
// batch, or those that wait for a decoder. Pieces are cut off blocks of a pool,
// so that a loader keeps as much memory as it once used at a time, whatever the
// sizes of single records.
#ifndef SHARDINE_DATASET_PAYLOAD_ARENA_H_
#define SHARDINE_DATASET_PAYLOAD_ARENA_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace shardine {

// Blocks that are free, those given back last in front: the processor's caches
// still have them. Thread-safe.
class BlockPool {
 public:
  using Block = std::unique_ptr<std::byte[]>;
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
  // Bound on the free blocks: the memory of a whole epoch is given back.
  static constexpr std::size_t kMaxFree = 64;

  Block Get();
  void Return(Block block);

 private:
  std::mutex mutex_;
  std::vector<Block> free_;  // guarded by mutex_
};

// Get() is for any threads; call Clear() only when the pieces are no longer in
// use.
class PayloadArena {
 public:
  explicit PayloadArena(std::shared_ptr<BlockPool> pool);
  ~PayloadArena() { Clear(); }
  PayloadArena(const PayloadArena&) = delete;
  PayloadArena& operator=(const PayloadArena&) = delete;

  // So many bytes, aligned to 64, undefined. Valid until Clear().
  std::span<std::byte> Get(std::size_t bytes);
  // Gives all memory back.
  void Clear();

 private:
  // A piece larger than this is memory of its own: no block loses more at its
  // end.
  static constexpr std::size_t kLargest = BlockPool::kBlockBytes / 2;

  const std::shared_ptr<BlockPool> pool_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<BlockPool::Block> blocks_;
  std::vector<std::unique_ptr<std::byte[]>> large_;
  std::size_t used_ = 0;  // of the last block
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_PAYLOAD_ARENA_H_
