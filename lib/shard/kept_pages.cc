#include "shard/kept_pages.h"

#include <cstring>
#include <memory>

namespace shardine {
namespace {

std::atomic<std::size_t> kept_of_all = 0;

bool TakeRoom() {
  if (kept_of_all.fetch_add(1, std::memory_order_relaxed) <
      KeptPages::kMostPages) {
    return true;
  }
  kept_of_all.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

}  // namespace

KeptPages::~KeptPages() {
  for (const std::atomic<const Page*>& kept : pages_) {
    const Page* const page = kept.load(std::memory_order_relaxed);
    if (page == nullptr) continue;
    delete page;
    kept_of_all.fetch_sub(1, std::memory_order_relaxed);
  }
}

ByteView KeptPages::Find(std::uint64_t number) const {
  const Page* const page =
      pages_[static_cast<std::size_t>(number)].load(std::memory_order_acquire);
  return page == nullptr ? ByteView() : ByteView(page->bytes);
}

void KeptPages::Keep(std::uint64_t number, ByteView page) {
  std::atomic<const Page*>& kept = pages_[static_cast<std::size_t>(number)];
  if (!TakeRoom()) return;
  auto copy = std::make_unique<Page>();
  std::memcpy(copy->bytes, page.data(), kPageBytes);
  const Page* nothing = nullptr;
  if (kept.compare_exchange_strong(nothing, copy.get(),
                                   std::memory_order_acq_rel)) {
    static_cast<void>(copy.release());
  } else {  // another thread was faster
    kept_of_all.fetch_sub(1, std::memory_order_relaxed);
  }
}

}  // namespace shardine
