#include "lmdb/lmdb_page_cache.h"

#include <algorithm>
#include <string>
#include <utility>

namespace shardine {
namespace {

constexpr std::uint64_t kCacheBytes = std::uint64_t{16} << 20;

}  // namespace

LmdbPageCache::LmdbPageCache(const RandomAccessFile& file, const LmdbMeta& meta)
    : file_(&file), page_size_(meta.page_size), last_page_(meta.last_page) {
  const std::uint64_t pages = file.size() / page_size_ + 1;
  slots_.resize(
      static_cast<std::size_t>(std::min(pages, kCacheBytes / page_size_)));
}

Result<LmdbPage> LmdbPageCache::Load(std::uint64_t number) {
  if (number > last_page_ || number >= file_->size() / page_size_) {
    return Status(Code::kCorrupt, "page " + std::to_string(number) +
                                      " lies beyond the end of the database")
        .At({.path = file_->path()});
  }
  // An empty slot bears a number that is beyond any end.
  Slot& slot = slots_[static_cast<std::size_t>(number % slots_.size())];
  if (slot.number == number) return slot.page;
  slot.number = kLmdbNoPage;
  slot.bytes.Resize(page_size_);
  const std::uint64_t offset = number * page_size_;
  Status status = file_->ReadExactly(offset, slot.bytes.span());
  if (!status.ok()) return std::move(status).At({.path = file_->path()});
  auto page = LmdbPage::Parse(slot.bytes.view(), number);
  if (!page.ok()) {
    // The page speaks of places in itself.
    const Status fault = page.status();
    return Status(fault.code(), fault.message())
        .At({.path = file_->path(),
             .offset = offset + fault.where().offset.value_or(0)});
  }
  slot.number = number;
  slot.page = *page;
  return slot.page;
}

}  // namespace shardine
