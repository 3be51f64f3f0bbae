// The memory of batches, used again and again: a batch that its holder lets go
// returns to the pool of its loader, or is freed when that is gone.
#ifndef SHARDINE_LOAD_BATCH_BUFFERS_H_
#define SHARDINE_LOAD_BATCH_BUFFERS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "shardine/loader.h"

namespace shardine {

// Slots are filled by any threads, each by one; what is said of the whole batch
// is for the one that has the batch.
struct BatchBuffers {
  // For `samples` slots of pixels in `format`, or of records: `shape` without
  // width. Contents of the slots are undefined afterwards.
  void Reset(const BatchShape& batch_shape, PixelType type,
             std::uint32_t labels);
  // Takes the slots out whose `dropped` is set; order stays.
  void Compact();

  // The pixels of one slot, and of all.
  std::span<std::byte> Slot(std::uint32_t number);
  std::span<std::byte> pixels() {
    return std::as_writable_bytes(std::span(pixels_));
  }

  BatchShape shape;  // of slots that are left
  std::uint64_t epoch = 0;
  std::uint32_t padding = 0;
  std::uint32_t labels_per_sample = 0;
  std::size_t slot_bytes = 0;

  std::vector<std::uint64_t> ids;
  std::vector<std::uint64_t> positions;
  std::vector<Label> labels;
  std::vector<CropBox> boxes;
  std::vector<std::uint8_t> bad;
  std::vector<std::uint8_t> dropped;
  // Without a transform: of each slot its payload, and the image in it.
  std::vector<ByteBuffer> payloads;
  std::vector<std::span<const std::byte>> records;

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> pixels_;
};

// Thread-safe. Buffers may outlive the pool.
class BatchPool {
 public:
  BatchPool() : free_(std::make_shared<Free>()) {}

  // A free one or a new one; returns by itself.
  std::shared_ptr<BatchBuffers> Get();

 private:
  struct Free {
    std::mutex mutex;
    std::vector<std::unique_ptr<BatchBuffers>> buffers;  // guarded by mutex
  };
  std::shared_ptr<Free> free_;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_BATCH_BUFFERS_H_
