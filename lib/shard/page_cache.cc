#include "shard/page_cache.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/check.h"

namespace shardine {

PageCache::PageCache(std::size_t pages)
    : sets_((pages + kWays - 1) / kWays), slots_(new Slot[sets_ * kWays]) {
  SHARDINE_CHECK(pages > 0);
}

PageCache::~PageCache() {
  for (Slot& slot : std::span(slots_.get(), sets_ * kWays)) {
    delete slot.words.load(std::memory_order_relaxed);
  }
}

std::uint64_t PageCache::NameFile() {
  return files_.fetch_add(1, std::memory_order_relaxed);
}

// Neighbouring pages lie in neighbouring sets; files begin anywhere.
std::span<PageCache::Slot> PageCache::SetOf(std::uint64_t file,
                                            std::uint64_t page) const {
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;
  const std::uint64_t mixed = (file * kGoldenRatio >> 20) + page;
  return {slots_.get() + mixed % sets_ * kWays, kWays};
}

// The words are loaded with acquire, so that the version is looked at again
// after all of them: no fence, which thread sanitizers do not see.
bool PageCache::Copy(const Slot& slot, std::uint64_t file, std::uint64_t page,
                     std::size_t at, std::span<std::byte> out) {
  const std::uint64_t version = slot.version.load(std::memory_order_acquire);
  if (version == 0 || version % 2 == 1 ||
      slot.file.load(std::memory_order_acquire) != file ||
      slot.page.load(std::memory_order_acquire) != page) {
    return false;
  }
  const Words& words = *slot.words.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < out.size(); i += 4) {
    const std::uint32_t word =
        words[(at + i) / 4].load(std::memory_order_acquire);
    std::memcpy(out.data() + i, &word, 4);
  }
  return slot.version.load(std::memory_order_relaxed) == version;
}

bool PageCache::Find(std::uint64_t file, std::uint64_t page, std::size_t at,
                     std::span<std::byte> out) const {
  SHARDINE_CHECK(at % 4 == 0 && out.size() % 4 == 0);
  SHARDINE_CHECK(at <= kPageBytes && out.size() <= kPageBytes - at);
  return std::ranges::any_of(SetOf(file, page), [&](const Slot& slot) {
    return Copy(slot, file, page, at, out);
  });
}

// An empty way, or any: with random access no page is worth more than another.
// Mixed, since sets take turns as pages that come in order do.
PageCache::Slot& PageCache::Victim(std::span<Slot> set) {
  for (Slot& slot : set) {
    if (slot.version.load(std::memory_order_relaxed) == 0) return slot;
  }
  constexpr std::uint32_t kGoldenRatio = 0x9e3779b9;
  const std::uint32_t turn = turn_.fetch_add(1, std::memory_order_relaxed);
  return set[(turn * kGoldenRatio >> 16) % kWays];
}

void PageCache::Keep(std::uint64_t file, std::uint64_t page, ByteView bytes) {
  SHARDINE_CHECK(bytes.size() == kPageBytes);
  std::array<std::byte, 4> first;
  if (Find(file, page, 0, first)) return;  // another thread was faster
  Slot& slot = Victim(SetOf(file, page));
  std::uint64_t version = slot.version.load(std::memory_order_relaxed);
  // A thread that fails to keep this page reads it again: no thread waits.
  if (version % 2 == 1 ||
      !slot.version.compare_exchange_strong(version, version + 1,
                                            std::memory_order_acquire)) {
    return;
  }
  // The version is odd from here on: no other thread writes to this slot.
  Words* words = slot.words.load(std::memory_order_relaxed);
  if (words == nullptr) {
    // Without memory a page is not kept, which is no failure: it is read again.
    words = new (std::nothrow) Words;
    if (words == nullptr) {
      slot.version.store(version, std::memory_order_release);
      return;
    }
    slot.words.store(words, std::memory_order_release);
  }
  slot.file.store(file, std::memory_order_release);
  slot.page.store(page, std::memory_order_release);
  for (std::size_t i = 0; i < words->size(); ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + 4 * i, 4);
    (*words)[i].store(word, std::memory_order_release);
  }
  slot.version.store(version + 2, std::memory_order_release);
}

}  // namespace shardine
