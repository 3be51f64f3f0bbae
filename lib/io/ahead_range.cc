#include "io/ahead_range.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/fork_mutex.h"

namespace shardine {

AheadRange::AheadRange(std::uint64_t first, std::uint64_t size)
    : first_(first) {
  bytes_.Resize(static_cast<std::size_t>(size));
}

void AheadRange::End(bool came) {
  std::vector<Reader> readers;
  {
    const std::lock_guard lock(ForkMutex());
    state_ = came ? State::kCame : State::kFailed;
    readers.swap(readers_);
  }
  for (const Reader& reader : readers) reader(came);
}

bool AheadRange::Covers(std::uint64_t offset, std::uint64_t size) const {
  return process_ == ForkGeneration() && offset >= first_ &&
         size <= bytes_.size() && offset - first_ <= bytes_.size() - size;
}

void AheadRange::Copy(std::uint64_t offset, std::span<std::byte> out) const {
  SHARDINE_CHECK(Covers(offset, out.size()));
  const ByteView bytes = bytes_.view().subspan(
      static_cast<std::size_t>(offset - first_), out.size());
  std::ranges::copy(bytes, out.begin());
}

void AheadRange::WhenEnded(Reader reader) {
  bool came = false;
  {
    const std::lock_guard lock(ForkMutex());
    if (state_ == State::kAsked) {
      readers_.push_back(std::move(reader));
      return;
    }
    came = state_ == State::kCame;
  }
  reader(came);
}

void AheadRanges::Add(std::uint64_t first,
                      const std::shared_ptr<AheadRange>& range) {
  const std::lock_guard lock(ForkMutex());
  std::erase_if(ranges_,
                [](const auto& entry) { return entry.second.expired(); });
  ranges_.emplace(first, range);
  longest_ = std::max(longest_, range->size());
}

void AheadRanges::Forget(std::uint64_t offset, std::uint64_t size) {
  const std::lock_guard lock(ForkMutex());
  std::erase_if(ranges_, [&](const auto& entry) {
    const auto range = entry.second.lock();
    return range != nullptr && range->Covers(offset, size);
  });
}

std::shared_ptr<AheadRange> AheadRanges::Find(std::uint64_t offset,
                                              std::uint64_t size) const {
  const std::lock_guard lock(ForkMutex());
  // The last that begins before the bytes may be shorter than one before it.
  for (auto next = ranges_.upper_bound(offset); next != ranges_.begin();) {
    --next;
    if (offset - next->first > longest_) break;
    auto range = next->second.lock();
    if (range != nullptr && range->Covers(offset, size)) return range;
  }
  return nullptr;
}

}  // namespace shardine
