// The memory of batches, used again and again: a batch that its holder lets go
// returns to the pool of its loader, or is freed when that is gone.
#ifndef SHARDINE_LOAD_BATCH_BUFFERS_H_
#define SHARDINE_LOAD_BATCH_BUFFERS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/geometry.h"
#include "dataset/payload_arena.h"
#include "load/batch_layout.h"
#include "shardine/batch.h"

namespace shardine {

// Memory in whole cache lines. Keeps its capacity.
class AlignedBytes {
 public:
  void Resize(std::size_t bytes);
  std::span<std::byte> bytes() {
    return std::as_writable_bytes(std::span(lines_)).first(size_);
  }
  std::size_t capacity() const { return lines_.capacity() * sizeof(Line); }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> lines_;
  std::size_t size_ = 0;
};

// A field of all slots of a batch.
struct FieldColumn {
  std::span<std::byte> Slot(std::uint32_t number) {
    return values.bytes().subspan(number * bytes_each, bytes_each);
  }
  // Room for that many samples of the layout's field, without contents; for a
  // mask, `pixels` is the size of its view.
  void Reset(const FieldSpec& field, std::uint32_t samples, PixelSize pixels);
  // Moves the values of sample `from` to sample `to`.
  void Move(std::uint32_t from, std::uint32_t to);
  // A sample without the field, or a bad one.
  void SetNothing(std::uint32_t number);
  // A sample of a ragged field. `bytes` must stay until the batch is complete;
  // plain bytes as long as it lives.
  void SetRagged(std::uint32_t number, std::span<const std::byte> bytes,
                 std::span<const std::uint64_t> shape);
  // Copies the bytes of ragged arrays' views to `values`, but for dropped
  // samples.
  void Join(std::span<const std::uint8_t> dropped);

  const FieldSpec* spec = nullptr;
  std::vector<std::uint64_t> sides;  // of one sample
  std::size_t bytes_each = 0;        // of arrays that are not ragged
  AlignedBytes values;               // of arrays
  // For fields of bytes: into payloads. For ragged arrays too, until Join().
  std::vector<std::span<const std::byte>> views;
  // Ragged fields have these; the last two are for arrays.
  std::vector<std::uint8_t> present;
  std::vector<std::vector<std::uint64_t>> shapes;
  std::vector<std::uint64_t> offsets;  // of those not dropped
};

// A view of all slots of a batch.
struct ViewColumn {
  std::span<std::byte> Slot(std::uint32_t number) {
    return pixels.bytes().subspan(number * slot_bytes, slot_bytes);
  }
  // Room for that many images of values of so many bytes, without contents.
  void Reset(PixelSize image, std::size_t value_bytes,
             const BatchShape& batch_shape);

  PixelSize size;
  std::size_t slot_bytes = 0;
  AlignedBytes pixels;
  std::vector<CropBox> boxes;
};

// Slots are filled by any threads, each by one; functions of the whole batch
// are for the thread that has the batch.
struct BatchBuffers {
  explicit BatchBuffers(std::shared_ptr<BlockPool> blocks)
      : payloads(std::move(blocks)) {}

  // For that many slots, the first view of that shape, the others as the layout
  // has them; no pixels: `shape` without width. Contents of the slots are
  // undefined afterwards.
  void Reset(const BatchShape& batch_shape,
             std::shared_ptr<const BatchLayout> batch_layout);
  // The steps after all slots are set, which need the whole batch. Joins ragged
  // arrays, takes the slots out whose `dropped` is set, in order, and sets the
  // mix factors, and one_hot. Pixels are mixed after that, by BatchMixer.
  void Complete();

  // Bytes of pixels, arrays and one_hot that there is room for; payloads lie in
  // blocks.
  std::size_t memory() const;

  BatchShape shape;  // of slots that are left
  std::uint64_t epoch = 0;
  std::uint32_t padding = 0;
  std::shared_ptr<const BatchLayout> layout;

  std::vector<std::uint64_t> ids;
  std::vector<std::uint64_t> positions;
  std::vector<std::uint64_t> repetitions;
  std::vector<Label> labels;
  std::vector<ViewColumn> views;  // one at least
  std::vector<std::uint8_t> bad;
  std::vector<std::uint8_t> dropped;
  std::vector<FieldColumn> fields;  // as the layout has them
  // One for each slot, with MixPer::kBatch too; if the layout has_mix().
  std::vector<MixFactor> mix;
  std::vector<float> one_hot;  // rows, if the layout has classes
  PayloadArena payloads;       // if the layout keeps them

 private:
  void Join();
  void Compact();
  void CompleteMix();
  void Move(std::uint32_t from, std::uint32_t to);
};

// Thread-safe. Buffers may outlive the pool.
class BatchPool {
 public:
  // So many bytes of unused buffers are kept, or one buffer: a caller that held
  // a whole epoch gets its memory back after it drops the batches.
  static constexpr std::size_t kMaxFreeBytes = std::size_t{64} << 20;

  BatchPool() : free_(std::make_shared<Free>()) {}

  // A free one or a new one; returns by itself.
  std::shared_ptr<BatchBuffers> Get();
  std::size_t free_bytes() const;
  // Memory for all payloads of a loader.
  const std::shared_ptr<BlockPool>& blocks() const { return blocks_; }

 private:
  struct Free {
    void Take(std::unique_ptr<BatchBuffers> returned);

    std::mutex mutex;
    // Guarded by mutex.
    std::vector<std::unique_ptr<BatchBuffers>> buffers;
    std::size_t bytes = 0;  // of theirs
  };
  std::shared_ptr<Free> free_;
  std::shared_ptr<BlockPool> blocks_ = std::make_shared<BlockPool>();
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_BATCH_BUFFERS_H_
