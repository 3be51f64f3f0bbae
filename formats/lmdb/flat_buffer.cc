#include "lmdb/flat_buffer.h"

namespace shardine {

std::size_t FlatBuffer::Follow(std::size_t at) {
  const auto offset = Load<std::uint32_t>(at);
  if (offset != 0 && offset < bytes_.size() - at) return at + offset;
  ok_ = false;
  return 0;
}

// A table begins with the distance back to its vtable: u16 its size, u16 the
// table's, u16 the place of each field in the table, 0 where it is absent.
std::size_t FlatBuffer::FieldAt(Table table, unsigned field) {
  if (table == 0) return 0;
  const std::int64_t vtable =
      static_cast<std::int64_t>(table) - Load<std::int32_t>(table);
  if (vtable < 0 || static_cast<std::uint64_t>(vtable) >= bytes_.size()) {
    ok_ = false;
    return 0;
  }
  const auto begin = static_cast<std::size_t>(vtable);
  const std::size_t entry = 4 + std::size_t{2} * field;
  // A writer of an older schema knows fewer fields.
  if (entry + 2 > Load<std::uint16_t>(begin)) return 0;
  const auto at = Load<std::uint16_t>(begin + entry);
  return at == 0 ? 0 : table + at;
}

FlatBuffer::Vector FlatBuffer::Items(Table table, unsigned field,
                                     std::size_t item_size) {
  const std::size_t at = Child(table, field);
  if (at == 0) return {};
  const auto count = Load<std::uint32_t>(at);
  const std::size_t first = at + sizeof(count);
  if (first <= bytes_.size() && count <= (bytes_.size() - first) / item_size) {
    return {first, count};
  }
  ok_ = false;
  return {};
}

std::string_view FlatBuffer::Text(Table table, unsigned field) {
  const Vector letters = Items(table, field, 1);
  return AsText(bytes_).substr(letters.at, letters.count);
}

}  // namespace shardine
