#include "io/sparse_table.h"

#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"

namespace shardine {
namespace {

// An erased slot is not an empty one: a search that ended there would miss the
// names that were put after it while it was taken.
constexpr std::uint8_t kEmpty = 0;
constexpr std::uint8_t kErased = 1;
// A record is found by 32 bits: which chunk, and where in it. Chunks of one
// size never move, so that growth copies no name and never needs the old and
// the new memory at once.
constexpr unsigned kChunkBits = 14;
constexpr std::size_t kChunkSize = std::size_t{1} << kChunkBits;
constexpr std::size_t kMaxChunks = (std::size_t{1} << (32 - kChunkBits)) - 1;
constexpr std::size_t kMaxNameSize = 255;

std::uint64_t HashOf(std::string_view name) { return Xxh3_64(AsBytes(name)); }

// The highest bits make the tag, since the slot comes from a remainder, in
// which the lowest ones count most: names that meet in one slot should differ
// in their tags.
std::uint8_t TagOf(std::uint64_t hash) {
  const auto tag = static_cast<std::uint8_t>(hash >> 56);
  return tag > kErased ? tag : static_cast<std::uint8_t>(tag + 2);
}

void AppendVarint(std::uint64_t value, std::string& to) {
  while (value >= 0x80) {
    to += static_cast<char>((value & 0x7F) | 0x80);
    value >>= 7;
  }
  to += static_cast<char>(value);
}

std::uint64_t ReadVarint(const char*& from) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(*from++);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
}

}  // namespace

void SparseTable::Put(std::string_view name, Entry entry) {
  SHARDINE_CHECK(name.size() <= kMaxNameSize);
  if (used_ >= tags_.size() / 4 * 3) Grow();
  const std::size_t slot = SlotOf(name);
  if (tags_[slot] == kEmpty) {
    tags_[slot] = TagOf(HashOf(name));
    ++used_;
    ++count_;
  }
  offsets_[slot] = AppendRecord(name, entry);
}

std::optional<SparseTable::Entry> SparseTable::Find(
    std::string_view name) const {
  if (count_ == 0) return std::nullopt;
  const std::size_t slot = SlotOf(name);
  if (tags_[slot] == kEmpty) return std::nullopt;
  return RecordAt(offsets_[slot]).entry;
}

void SparseTable::Erase(std::string_view name) {
  if (count_ == 0) return;
  const std::size_t slot = SlotOf(name);
  if (tags_[slot] == kEmpty) return;
  tags_[slot] = kErased;
  --count_;
}

std::vector<std::string> SparseTable::Names() const {
  std::vector<std::string> names;
  names.reserve(count_);
  for (std::size_t slot = 0; slot < tags_.size(); ++slot) {
    if (tags_[slot] > kErased) {
      names.emplace_back(RecordAt(offsets_[slot]).name);
    }
  }
  return names;
}

SparseTable::Record SparseTable::RecordAt(std::uint32_t offset) const {
  const char* from =
      chunks_[offset >> kChunkBits].get() + (offset & (kChunkSize - 1));
  Record record;
  record.entry.serial = ReadVarint(from);
  record.entry.size = ReadVarint(from);
  const auto length = static_cast<std::uint8_t>(*from++);
  record.name = std::string_view(from, length);
  return record;
}

std::uint32_t SparseTable::AppendRecord(std::string_view name, Entry entry) {
  std::string record;
  AppendVarint(entry.serial, record);
  AppendVarint(entry.size, record);
  record += static_cast<char>(name.size());
  record += name;
  if (chunks_.empty() || chunk_used_ + record.size() > kChunkSize) {
    SHARDINE_CHECK(chunks_.size() < kMaxChunks);
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(kChunkSize));
    chunk_used_ = 0;
  }
  std::memcpy(chunks_.back().get() + chunk_used_, record.data(), record.size());
  const std::size_t offset = ((chunks_.size() - 1) << kChunkBits) + chunk_used_;
  chunk_used_ += record.size();
  return static_cast<std::uint32_t>(offset);
}

// This ends, since Put leaves a quarter of all slots empty.
std::size_t SparseTable::SlotOf(std::string_view name) const {
  const std::uint64_t hash = HashOf(name);
  const std::uint8_t tag = TagOf(hash);
  std::size_t slot = hash % tags_.size();
  while (tags_[slot] != kEmpty &&
         (tags_[slot] != tag || RecordAt(offsets_[slot]).name != name)) {
    slot = After(slot);
  }
  return slot;
}

std::size_t SparseTable::FreeSlot(std::uint64_t hash) const {
  std::size_t slot = hash % tags_.size();
  while (tags_[slot] != kEmpty) slot = After(slot);
  return slot;
}

// The new size goes by names, not by slots used: erased ones are shed here, and
// a table of many files that came and went does not grow for ever.
void SparseTable::Grow() {
  const std::size_t size = count_ * 2 + 8;
  const auto old_tags = std::exchange(tags_, std::vector(size, kEmpty));
  const auto old_offsets =
      std::exchange(offsets_, std::vector<std::uint32_t>(size));
  for (std::size_t old = 0; old < old_tags.size(); ++old) {
    if (old_tags[old] <= kErased) continue;
    const std::size_t slot = FreeSlot(HashOf(RecordAt(old_offsets[old]).name));
    tags_[slot] = old_tags[old];
    offsets_[slot] = old_offsets[old];
  }
  used_ = count_;
}

}  // namespace shardine
