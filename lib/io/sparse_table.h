// SparseTable: the files of one directory of which only name and size matter,
// in little more than the memory of their names (about 16 bytes each on top),
// so that the fourteen million photos of ImageNet fit beside a test.
#ifndef SHARDINE_IO_SPARSE_TABLE_H_
#define SHARDINE_IO_SPARSE_TABLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardine {

// A hash table of offsets into an append-only arena of records: varint serial,
// varint size, name length (1 byte), name. Replaced and erased records stay in
// the arena. Thread-compatible.
class SparseTable {
 public:
  struct Entry {
    std::uint64_t size = 0;
    std::uint64_t serial = 0;
  };

  // Adds or replaces. REQUIRES: name.size() <= 255; 4 GiB of records at most.
  void Put(std::string_view name, Entry entry);
  std::optional<Entry> Find(std::string_view name) const;
  void Erase(std::string_view name);
  bool empty() const { return count_ == 0; }
  std::vector<std::string> Names() const;

 private:
  struct Record {
    Entry entry;
    std::string_view name;
  };

  Record RecordAt(std::uint32_t offset) const;
  std::uint32_t AppendRecord(std::string_view name, Entry entry);
  // The slot that holds `name`, or the one where it would go.
  std::size_t SlotOf(std::string_view name) const;
  // The empty slot for a name with this hash that is not there yet.
  std::size_t FreeSlot(std::uint64_t hash) const;
  std::size_t After(std::size_t slot) const {
    return slot + 1 == tags_.size() ? 0 : slot + 1;
  }
  void Grow();

  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t chunk_used_ = 0;  // bytes of the last chunk
  // One of each a slot. A tag is a byte of the name's hash, or says that the
  // slot is empty or erased: probing seldom needs the far away records.
  std::vector<std::uint8_t> tags_;
  std::vector<std::uint32_t> offsets_;
  std::size_t used_ = 0;   // slots that are not empty
  std::size_t count_ = 0;  // names
};

}  // namespace shardine

#endif  // SHARDINE_IO_SPARSE_TABLE_H_
