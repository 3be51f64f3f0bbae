#include "io/sparse_table.h"

#include <cstring>

#include "base/check.h"
#include "base/checksum.h"

namespace shardine {
namespace {

constexpr std::uint32_t kEmpty = 0xFFFFFFFF;
constexpr std::uint32_t kErased = 0xFFFFFFFE;
constexpr unsigned kChunkBits = 14;
constexpr std::size_t kChunkSize = std::size_t{1} << kChunkBits;
constexpr std::size_t kMaxChunks = (std::size_t{1} << (32 - kChunkBits)) - 1;
constexpr std::size_t kMaxNameSize = 255;

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
  if (used_ >= slots_.size() / 4 * 3) Grow();
  std::uint32_t& slot = slots_[SlotOf(name)];
  if (slot == kEmpty) {
    ++used_;
    ++count_;
  }
  slot = AppendRecord(name, entry);
}

std::optional<SparseTable::Entry> SparseTable::Find(
    std::string_view name) const {
  if (slots_.empty()) return std::nullopt;
  const std::uint32_t offset = slots_[SlotOf(name)];
  if (offset == kEmpty) return std::nullopt;
  return RecordAt(offset).entry;
}

void SparseTable::Erase(std::string_view name) {
  if (slots_.empty()) return;
  std::uint32_t& slot = slots_[SlotOf(name)];
  if (slot == kEmpty) return;
  slot = kErased;
  --count_;
}

std::vector<std::string> SparseTable::Names() const {
  std::vector<std::string> names;
  names.reserve(count_);
  for (const std::uint32_t offset : slots_) {
    if (offset < kErased) names.emplace_back(RecordAt(offset).name);
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

std::size_t SparseTable::SlotOf(std::string_view name) const {
  std::size_t slot = Xxh3_64(AsBytes(name)) % slots_.size();
  while (slots_[slot] != kEmpty &&
         (slots_[slot] == kErased || RecordAt(slots_[slot]).name != name)) {
    if (++slot == slots_.size()) slot = 0;
  }
  return slot;
}

void SparseTable::Grow() {
  std::vector<std::uint32_t> old(count_ * 2 + 8, kEmpty);
  old.swap(slots_);
  for (const std::uint32_t offset : old) {
    if (offset < kErased) slots_[SlotOf(RecordAt(offset).name)] = offset;
  }
  used_ = count_;
}

}  // namespace shardine
