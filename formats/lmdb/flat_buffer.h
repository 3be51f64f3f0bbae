// FlatBuffer: reads tables of an untrusted flatbuffer; each offset is checked.
// https://flatbuffers.dev/internals/
#ifndef SHARDINE_FORMATS_LMDB_FLAT_BUFFER_H_
#define SHARDINE_FORMATS_LMDB_FLAT_BUFFER_H_

#include <cstdint>
#include <string_view>

#include "base/bytes.h"

namespace shardine {

// A damaged place reads as absent, and is remembered: ask ok() when all was
// read. Thread-compatible.
class FlatBuffer {
 public:
  // 0: absent.
  using Table = std::size_t;
  struct Vector {
    std::size_t at = 0;  // of its first item
    std::size_t count = 0;
  };

  explicit FlatBuffer(ByteView bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }

  Table Root() { return Follow(0); }
  // Fields are numbered from 0, as the schema lists them; a union is two.
  template <Scalar T>
  T Number(Table table, unsigned field, T absent = 0) {
    const std::size_t at = FieldAt(table, field);
    return at == 0 ? absent : Load<T>(at);
  }
  // Where a struct lies that is a field of its own.
  std::size_t Struct(Table table, unsigned field) {
    return FieldAt(table, field);
  }
  Table Child(Table table, unsigned field) {
    const std::size_t at = FieldAt(table, field);
    return at == 0 ? 0 : Follow(at);
  }
  std::string_view Text(Table table, unsigned field);
  Vector Items(Table table, unsigned field, std::size_t item_size);
  // The i-th table of a vector of tables. REQUIRES: i < items.count.
  Table Item(const Vector& items, std::size_t i) {
    return Follow(items.at + i * sizeof(std::uint32_t));
  }
  template <Scalar T>
  T Load(std::size_t at) {
    if (at <= bytes_.size() && bytes_.size() - at >= sizeof(T)) {
      return LoadLe<T>(bytes_.data() + at);
    }
    ok_ = false;
    return 0;
  }

 private:
  // Offsets lead forward alone, so that tables cannot hold themselves.
  std::size_t Follow(std::size_t at);
  std::size_t FieldAt(Table table, unsigned field);

  ByteView bytes_;
  bool ok_ = true;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_FLAT_BUFFER_H_
