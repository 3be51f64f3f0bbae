#include "hdf5/global_heap.h"

#include <string>
#include <utility>

#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr std::string_view kMagic = "GCOL";

std::uint64_t RoundUp8(std::uint64_t size) { return (size + 7) / 8 * 8; }

std::uint64_t LoadNumber(const std::byte* from, std::size_t width) {
  switch (width) {
    case 2:
      return LoadLe<std::uint16_t>(from);
    case 4:
      return LoadLe<std::uint32_t>(from);
    default:
      return LoadLe<std::uint64_t>(from);
  }
}

Status Corrupt(std::uint64_t offset, std::string message) {
  return Status(Code::kCorrupt, std::move(message)).At({.offset = offset});
}

}  // namespace

HeapReference HeapReference::Load(ByteView bytes, const Hdf5Widths& widths) {
  HeapReference reference;
  reference.length = LoadLe<std::uint32_t>(bytes.data());
  reference.address = LoadNumber(bytes.data() + 4, widths.address);
  reference.index = LoadLe<std::uint32_t>(bytes.data() + 4 + widths.address);
  return reference;
}

// Rows come in the order in which they were written, so the next one is in one
// of the collections that were used last.
void GlobalHeap::Forget() {
  while (kept_ > kMaxKept && collections_.size() > 1) {
    const Collection& oldest = collections_.back();
    kept_ -= oldest.objects.size() + kCollectionWeight;
    by_offset_.erase(oldest.offset);
    collections_.pop_back();
  }
}

Result<GlobalHeap::Collection*> GlobalHeap::Open(FileWindow& window,
                                                 std::uint64_t address) {
  // Both numbers are the file's own, so they are added only after this.
  if (address > file_size_ || widths_.base > file_size_ - address) {
    return Corrupt(file_size_, "a row in a heap beyond the end of the file");
  }
  const std::uint64_t offset = address + widths_.base;
  const auto known = by_offset_.find(offset);
  if (known != by_offset_.end()) {
    collections_.splice(collections_.begin(), collections_, known->second);
    return &collections_.front();
  }
  const std::uint64_t header = RoundUp8(8 + widths_.length);
  SHARDINE_ASSIGN_OR_RETURN(const ByteView bytes, window.Read(offset, header));
  const std::uint64_t size = LoadNumber(bytes.data() + 8, widths_.length);
  if (AsText(bytes.first(4)) != kMagic || bytes[4] != std::byte{1}) {
    return Corrupt(offset, "no global heap collection where a row should be");
  }
  if (size < header || size > file_size_ - offset) {
    return Corrupt(offset + 8, "a global heap collection of " +
                                   std::to_string(size) +
                                   " bytes does not fit in the file");
  }
  collections_.push_front({offset, offset + size, offset + header, {}});
  by_offset_.emplace(offset, collections_.begin());
  kept_ += kCollectionWeight;
  Forget();
  return &collections_.front();
}

Result<bool> GlobalHeap::ReadObject(FileWindow& window,
                                    Collection& collection) {
  const std::uint64_t header = RoundUp8(8 + widths_.length);
  const std::uint64_t at = collection.next;
  if (collection.end - at < header) return false;
  if (!budget_.Step(kHeaderSteps)) {
    return Status(Code::kUnsupported,
                  "rows that ask for the objects of their heaps in such an "
                  "order that these are searched over and over; h5repack puts "
                  "them in order");
  }
  SHARDINE_ASSIGN_OR_RETURN(const ByteView bytes, window.Read(at, header));
  const auto index = LoadLe<std::uint16_t>(bytes.data());
  const std::uint64_t size = LoadNumber(bytes.data() + 8, widths_.length);
  // Free space comes last in a collection.
  if (index == 0) return false;
  const std::uint64_t room = collection.end - at - header;
  // A size near 2^64 rounds up to 0, so it is compared before that too.
  if (size > room || RoundUp8(size) > room) {
    return Corrupt(at + 8, "a heap object of " + std::to_string(size) +
                               " bytes does not fit in its collection");
  }
  // With two of one number, which one a row is would depend on the order in
  // which rows are asked for.
  if (!collection.objects.emplace(index, Extent{at + header, size}).second) {
    return Corrupt(at, "two heap objects of number " + std::to_string(index));
  }
  ++kept_;
  collection.next = at + header + RoundUp8(size);
  return true;
}

Result<Extent> GlobalHeap::Find(FileWindow& window,
                                const HeapReference& reference,
                                std::uint64_t bytes) {
  if (reference.length == 0) return Extent{};
  SHARDINE_ASSIGN_OR_RETURN(Collection* const collection,
                            Open(window, reference.address));
  for (;;) {
    const auto found = collection->objects.find(reference.index);
    if (found != collection->objects.end()) {
      // An object of another length is another row's, or the reference is
      // damaged.
      if (found->second.length == bytes) return found->second;
      return Corrupt(found->second.offset,
                     "a heap object of " +
                         std::to_string(found->second.length) +
                         " bytes for a row of " + std::to_string(bytes));
    }
    SHARDINE_ASSIGN_OR_RETURN(const bool more, ReadObject(window, *collection));
    if (!more) {
      return Corrupt(collection->offset, "no heap object of number " +
                                             std::to_string(reference.index) +
                                             " where a row should be");
    }
  }
}

}  // namespace shardine
