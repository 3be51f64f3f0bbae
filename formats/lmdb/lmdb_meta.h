// The two meta pages of an LMDB file, and the contents of the newer one. Byte
// layout: FORMAT.md, "Meta pages".
#ifndef SHARDINE_FORMATS_LMDB_LMDB_META_H_
#define SHARDINE_FORMATS_LMDB_LMDB_META_H_

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

inline constexpr std::size_t kLmdbPageHeader = 16;
// The root of a database without entries.
inline constexpr std::uint64_t kLmdbNoPage = ~std::uint64_t{0};
// liblmdb itself goes no deeper.
inline constexpr std::uint16_t kLmdbMaxDepth = 32;

// The size of a database's record, bytes.
inline constexpr std::size_t kLmdbRecord = 48;
// Where the numbers of a database lie, from where its record begins.
inline constexpr std::uint64_t kLmdbBranchPagesAt = 8;
inline constexpr std::uint64_t kLmdbLeafPagesAt = 16;
inline constexpr std::uint64_t kLmdbOverflowPagesAt = 24;
inline constexpr std::uint64_t kLmdbEntriesAt = 32;
inline constexpr std::uint64_t kLmdbRootAt = 40;

// Page flags.
inline constexpr std::uint16_t kLmdbBranch = 0x01;
inline constexpr std::uint16_t kLmdbLeaf = 0x02;
inline constexpr std::uint16_t kLmdbOverflow = 0x04;
inline constexpr std::uint16_t kLmdbMetaPage = 0x08;

struct LmdbMeta {
  std::uint32_t page_size = 0;  // bytes
  std::uint64_t last_page = 0;
  // Where the record of the main or named database begins in the file.
  std::uint64_t database_at = 0;
  std::uint64_t root = kLmdbNoPage;
  std::uint16_t depth = 0;
  std::uint64_t branch_pages = 0;
  std::uint64_t leaf_pages = 0;
  std::uint64_t overflow_pages = 0;
  std::uint64_t entries = 0;
};

// Could a file that begins with `head` be an LMDB file of a 64-bit machine?
bool IsLmdbHead(ByteView head);

// Reads both and returns the newer. kCorrupt where one is damaged, or where
// they are not of two transactions in a row; kUnsupported, by name, for another
// version of the format and for a main database with flags (DUPSORT, ...).
Result<LmdbMeta> ReadLmdbMeta(const RandomAccessFile& file);

// The same of a named database of that file, whose record of kLmdbRecord bytes
// lies at `at`.
Result<LmdbMeta> ReadNamedDatabase(const RandomAccessFile& file,
                                   const LmdbMeta& main, ByteView record,
                                   std::uint64_t at);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_LMDB_META_H_
