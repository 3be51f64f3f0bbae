#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "load/batch_buffers.h"

namespace shardine::batch_pool_test {
namespace {

// About 10 MB of pixels.
std::shared_ptr<BatchBuffers> Filled(BatchPool& pool) {
  auto batch = pool.Get();
  batch->Reset({.samples = 50, .height = 256, .width = 256, .channels = 3},
               std::make_shared<const BatchLayout>());
  return batch;
}

TEST_CASE("BatchPool gives back what an epoch in somebody's hands took",
          "[batch_pool]") {
  BatchPool pool;
  std::vector<std::shared_ptr<BatchBuffers>> held;
  for (int i = 0; i < 40; ++i) held.push_back(Filled(pool));
  const std::size_t each = held[0]->memory();
  CHECK(each >= 50 * 256 * 256 * 3);
  CHECK(pool.free_bytes() == 0);
  held.clear();
  CHECK(pool.free_bytes() <= BatchPool::kMaxFreeBytes);
  CHECK(pool.free_bytes() > BatchPool::kMaxFreeBytes - each);
  for (int i = 0; i < 10; ++i) held.push_back(pool.Get());
  CHECK(pool.free_bytes() == 0);
}

TEST_CASE("BatchPool keeps one batch of any size", "[batch_pool]") {
  BatchPool pool;
  std::size_t each = 0;
  {
    const auto first = pool.Get();
    const auto second = pool.Get();
    for (const auto& batch : {first, second}) {
      batch->Reset({.samples = 1, .height = 5000, .width = 5000, .channels = 3},
                   std::make_shared<const BatchLayout>());
      each = batch->memory();
    }
  }
  CHECK(each > BatchPool::kMaxFreeBytes);
  CHECK(pool.free_bytes() == each);
  const auto again = pool.Get();
  CHECK(pool.free_bytes() == 0);
}

TEST_CASE("Batches outlive their pool", "[batch_pool]") {
  std::shared_ptr<BatchBuffers> batch;
  {
    BatchPool pool;
    batch = Filled(pool);
  }
  batch->views[0].pixels.bytes()[0] = std::byte{7};
  CHECK(batch->views[0].pixels.bytes()[0] == std::byte{7});
}

}  // namespace
}  // namespace shardine::batch_pool_test
