#include "dataset/payload_arena.h"

#include <cstdint>
#include <utility>

namespace shardine {
namespace {

constexpr std::size_t kAlignment = 64;

// Operator new aligns to 16: the first piece begins where a line does.
std::size_t FirstIn(const BlockPool::Block& block) {
  const auto address = reinterpret_cast<std::uintptr_t>(block.get());
  return static_cast<std::size_t>(-address % kAlignment);
}

}  // namespace

BlockPool::Block BlockPool::Get() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      Block block = std::move(free_.back());
      free_.pop_back();
      return block;
    }
  }
  return std::make_unique_for_overwrite<std::byte[]>(kBlockBytes);
}

void BlockPool::Return(Block block) {
  const std::lock_guard lock(mutex_);
  if (free_.size() < kMaxFree) free_.push_back(std::move(block));
}

PayloadArena::PayloadArena(std::shared_ptr<BlockPool> pool)
    : pool_(std::move(pool)) {}

std::span<std::byte> PayloadArena::Get(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > kLargest) {
    auto& piece =
        large_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
    return {piece.get(), bytes};
  }
  const std::size_t taken = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (blocks_.empty() || BlockPool::kBlockBytes - used_ < taken) {
    used_ = FirstIn(blocks_.emplace_back(pool_->Get()));
  }
  std::byte* const begin = blocks_.back().get() + used_;
  used_ += taken;
  return {begin, bytes};
}

void PayloadArena::Clear() {
  const std::lock_guard lock(mutex_);
  // The first block was used first: it leaves the caches first.
  for (BlockPool::Block& block : blocks_) pool_->Return(std::move(block));
  blocks_.clear();
  large_.clear();
}

}  // namespace shardine
