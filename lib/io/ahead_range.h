// AheadRange: a byte range being prefetched, and the readers waiting for it.
#ifndef SHARDINE_IO_AHEAD_RANGE_H_
#define SHARDINE_IO_AHEAD_RANGE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/fork_mutex.h"

namespace shardine {

// Thread-safe.
class AheadRange {
 public:
  // Told once whether the bytes came; must not throw.
  using Reader = std::function<void(bool came)>;

  AheadRange(std::uint64_t first, std::uint64_t size);

  // For the thread that fills it, before End().
  std::span<std::byte> room() { return bytes_.span(); }
  // All bytes are there, or none will be: readers are told, here.
  void End(bool came);

  std::uint64_t size() const { return bytes_.size(); }
  // Whether it has, or will have, these bytes of the file. In the child of a
  // fork it covers none.
  bool Covers(std::uint64_t offset, std::uint64_t size) const;
  // Copies them. REQUIRES: it covers them, and they came.
  void Copy(std::uint64_t offset, std::span<std::byte> out) const;
  // Calls `reader` at once if it has ended, else from the thread that ends it.
  void WhenEnded(Reader reader);

 private:
  enum class State : std::uint8_t { kAsked, kCame, kFailed };

  const std::uint64_t first_;
  ByteBuffer bytes_;  // not changed after kAsked
  // The thread that fills it is in the process that asked.
  const std::uint64_t process_ = ForkGeneration();
  // ForkMutex() guards this and all members below.
  State state_ = State::kAsked;
  std::vector<Reader> readers_;
};

// The ranges of a file that are still kept; they may overlap. Thread-safe.
class AheadRanges {
 public:
  void Add(std::uint64_t first, const std::shared_ptr<AheadRange>& range);
  // Ranges that cover these bytes are not found from now on.
  void Forget(std::uint64_t offset, std::uint64_t size);
  // Null: none covers these bytes.
  std::shared_ptr<AheadRange> Find(std::uint64_t offset,
                                   std::uint64_t size) const;

 private:
  // By their first byte. ForkMutex() guards this and all members below.
  std::multimap<std::uint64_t, std::weak_ptr<AheadRange>> ranges_;
  std::uint64_t longest_ = 0;  // bytes, of all that were added
};

}  // namespace shardine

#endif  // SHARDINE_IO_AHEAD_RANGE_H_
