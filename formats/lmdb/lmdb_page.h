// A branch or leaf page of an LMDB B+tree: checked as a whole first, then read
// without further checks. Byte layout: FORMAT.md, "Pages".
#ifndef SHARDINE_FORMATS_LMDB_LMDB_PAGE_H_
#define SHARDINE_FORMATS_LMDB_LMDB_PAGE_H_

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "lmdb/lmdb_meta.h"
#include "shardine/status.h"

namespace shardine {

// A node of a leaf. The key is a view of the page.
struct LmdbLeafNode {
  ByteView key;
  std::uint32_t size = 0;    // of the value, bytes
  bool overflow = false;     // the value lies on pages of its own
  bool database = false;     // the value is the record of a named database
  std::uint64_t page = 0;    // the first of them, if overflow
  std::size_t value_at = 0;  // offset of the value in this page, if not
};

// Byte order, a prefix before longer keys: the order of LMDB's keys.
int CompareLmdbKeys(ByteView a, ByteView b);

// A view. Thread-safe.
class LmdbPage {
 public:
  LmdbPage() = default;

  // Checks number, flags, bounds, node offsets and sizes and the order of the
  // keys, so that nothing below can leave the page. kCorrupt names the fault
  // and its offset in the page.
  static Result<LmdbPage> Parse(ByteView bytes, std::uint64_t number);

  bool is_leaf() const { return leaf_; }
  std::size_t count() const { return count_; }
  ByteView bytes() const { return bytes_; }

  // REQUIRES: i < count(); a page of the right kind.
  ByteView key(std::size_t i) const;
  LmdbLeafNode leaf(std::size_t i) const;
  std::uint64_t child(std::size_t i) const;
  // The first whose key is not less than `key`; count() if there is none. In a
  // branch the first key counts as less than any.
  std::size_t LowerBound(ByteView key) const;

 private:
  std::size_t NodeAt(std::size_t i) const;
  Status CheckNodes() const;
  Result<std::size_t> CheckNode(std::size_t i) const;
  Status CheckOrder() const;

  ByteView bytes_;
  bool leaf_ = false;
  std::size_t count_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_LMDB_PAGE_H_
