#include "lmdb/lmdb_meta.h"

#include <bit>
#include <string>
#include <utility>

#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr std::uint32_t kMagic = 0xbeefc0de;
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kMinPage = 512;
constexpr std::uint32_t kMaxPage = 65536;

// Offsets in a meta page.
constexpr std::size_t kPageFlagsAt = 10;
constexpr std::size_t kMagicAt = 16;
constexpr std::size_t kVersionAt = 20;
constexpr std::size_t kFreeDbAt = 40;
constexpr std::size_t kMainDbAt = 88;
constexpr std::size_t kLastPageAt = 136;
constexpr std::size_t kTxnIdAt = 144;
constexpr std::size_t kMetaEnd = 152;

// Offsets in the record of a database.
constexpr std::size_t kDbFlagsAt = 4;
constexpr std::size_t kDbDepthAt = 6;

// The flags that a main database may be created with.
constexpr std::pair<std::uint16_t, std::string_view> kFlagNames[] = {
    {0x02, "REVERSEKEY"}, {0x04, "DUPSORT"},    {0x08, "INTEGERKEY"},
    {0x10, "DUPFIXED"},   {0x20, "INTEGERDUP"}, {0x40, "REVERSEDUP"}};

struct RawMeta {
  LmdbMeta meta;
  std::uint16_t flags = 0;
  std::uint64_t txn_id = 0;
};

Status CorruptMeta(std::uint64_t offset, std::string message) {
  return Status(Code::kCorrupt, std::move(message)).At({.offset = offset});
}

// Loads the record of a database, which describes its tree.
void LoadRecord(ByteView record, LmdbMeta& meta) {
  meta.root = LoadLe<std::uint64_t>(&record[kLmdbRootAt]);
  meta.depth = LoadLe<std::uint16_t>(&record[kDbDepthAt]);
  meta.branch_pages = LoadLe<std::uint64_t>(&record[kLmdbBranchPagesAt]);
  meta.leaf_pages = LoadLe<std::uint64_t>(&record[kLmdbLeafPagesAt]);
  meta.overflow_pages = LoadLe<std::uint64_t>(&record[kLmdbOverflowPagesAt]);
  meta.entries = LoadLe<std::uint64_t>(&record[kLmdbEntriesAt]);
}

// `offset` is the page's, for messages.
Result<RawMeta> ParseMeta(ByteView page, std::uint64_t number,
                          std::uint64_t offset) {
  const auto u16 = [&](std::size_t at) {
    return LoadLe<std::uint16_t>(&page[at]);
  };
  const auto u32 = [&](std::size_t at) {
    return LoadLe<std::uint32_t>(&page[at]);
  };
  const auto u64 = [&](std::size_t at) {
    return LoadLe<std::uint64_t>(&page[at]);
  };
  if (u64(0) != number || u16(kPageFlagsAt) != kLmdbMetaPage ||
      u32(kMagicAt) != kMagic) {
    return CorruptMeta(offset, "no LMDB meta page");
  }
  // The version is looked at before the rest, since it says where the rest is.
  if (u32(kVersionAt) != kVersion) {
    return Status(Code::kUnsupported,
                  "version " + std::to_string(u32(kVersionAt)) +
                      " of LMDB's file format; only version 1 is read")
        .At({.offset = offset + kVersionAt});
  }
  RawMeta raw{.meta = {.page_size = u32(kFreeDbAt),
                       .last_page = u64(kLastPageAt),
                       .database_at = offset + kMainDbAt},
              .flags = u16(kMainDbAt + kDbFlagsAt),
              .txn_id = u64(kTxnIdAt)};
  LoadRecord(page.subspan(kMainDbAt, kLmdbRecord), raw.meta);
  const std::uint32_t size = raw.meta.page_size;
  // Page numbers are multiplied by this size all over the reader, and a page
  // must have room for its header and nodes.
  if (size < kMinPage || size > kMaxPage || !std::has_single_bit(size)) {
    return CorruptMeta(offset + kFreeDbAt,
                       "a page size of " + std::to_string(size) + " bytes");
  }
  return raw;
}

Status CheckFlags(std::uint16_t flags, std::string_view which,
                  std::uint64_t offset) {
  if (flags == 0) return {};
  std::string names;
  std::uint16_t unknown = flags;
  for (const auto& [flag, name] : kFlagNames) {
    if ((flags & flag) == 0) continue;
    names += (names.empty() ? "" : " and ") + std::string(name);
    unknown = static_cast<std::uint16_t>(unknown & ~flag);
  }
  if (unknown != 0) return CorruptMeta(offset, "unknown flags of the database");
  return Status(Code::kUnsupported,
                "the " + std::string(which) + " database is made with " +
                    names + "; copy its entries into a plain one first")
      .At({.offset = offset});
}

// The numbers of pages bound the walk over the tree, so they must be possible
// before it starts. `last_page_at`: where a root beyond the last page is to be
// looked for.
Status CheckMeta(const LmdbMeta& meta, std::uint64_t pages,
                 std::uint64_t last_page_at) {
  const bool empty = meta.root == kLmdbNoPage;
  const bool no_pages = meta.depth == 0 && meta.entries == 0 &&
                        meta.branch_pages == 0 && meta.leaf_pages == 0 &&
                        meta.overflow_pages == 0;
  if (empty != no_pages || (!empty && meta.depth == 0) ||
      meta.depth > kLmdbMaxDepth) {
    return CorruptMeta(meta.database_at,
                       "the root, depth and sizes of the database contradict "
                       "each other");
  }
  if (meta.last_page < 1 || (!empty && meta.root > meta.last_page)) {
    return CorruptMeta(last_page_at,
                       "the root of the database lies after its last page");
  }
  if (meta.branch_pages > pages || meta.leaf_pages > pages ||
      meta.overflow_pages > meta.last_page) {
    return CorruptMeta(meta.database_at, "more pages than the file has");
  }
  return {};
}

// A commit writes the page that the one before did not, txn % 2, and a file
// never becomes shorter. A new file has two equal pages.
bool AreNeighbours(const RawMeta& even, const RawMeta& odd) {
  if (even.txn_id == 0 && odd.txn_id == 0) {
    return even.meta.root == kLmdbNoPage && odd.meta.root == kLmdbNoPage;
  }
  if (even.txn_id % 2 != 0 || odd.txn_id % 2 != 1) return false;
  if (odd.txn_id - even.txn_id == 1) {
    return odd.meta.last_page >= even.meta.last_page;
  }
  return even.txn_id - odd.txn_id == 1 &&
         even.meta.last_page >= odd.meta.last_page;
}

}  // namespace

bool IsLmdbHead(ByteView head) {
  return head.size() >= kMetaEnd && LoadLe<std::uint64_t>(&head[0]) == 0 &&
         LoadLe<std::uint16_t>(&head[kPageFlagsAt]) == kLmdbMetaPage &&
         LoadLe<std::uint32_t>(&head[kMagicAt]) == kMagic;
}

Result<LmdbMeta> ReadLmdbMeta(const RandomAccessFile& file) {
  std::byte page[kMetaEnd];
  SHARDINE_RETURN_IF_ERROR(file.ReadExactly(0, page));
  SHARDINE_ASSIGN_OR_RETURN(const RawMeta even, ParseMeta(page, 0, 0));
  // The first page says where the second one is, and has to be believed so far.
  const std::uint64_t second = even.meta.page_size;
  SHARDINE_RETURN_IF_ERROR(file.ReadExactly(second, page));
  SHARDINE_ASSIGN_OR_RETURN(const RawMeta odd, ParseMeta(page, 1, second));
  if (odd.meta.page_size != second) {
    return CorruptMeta(second + kFreeDbAt, "two different page sizes");
  }
  // Commits keep the two one transaction apart, so anything else means that a
  // page was lost. liblmdb would open the file as the other page has it, and
  // samples may be missing from that without a word.
  if (!AreNeighbours(even, odd)) {
    return CorruptMeta(
        kTxnIdAt,
        "the two meta pages are not of neighbouring transactions; "
        "if LMDB opens the file, read a copy made by mdb_copy -c");
  }
  const RawMeta& newer = odd.txn_id > even.txn_id ? odd : even;
  SHARDINE_RETURN_IF_ERROR(
      CheckFlags(newer.flags, "main", newer.meta.database_at + kDbFlagsAt));
  SHARDINE_RETURN_IF_ERROR(
      CheckMeta(newer.meta, file.size() / second,
                newer.meta.database_at - kMainDbAt + kLastPageAt));
  return newer.meta;
}

Result<LmdbMeta> ReadNamedDatabase(const RandomAccessFile& file,
                                   const LmdbMeta& main, ByteView record,
                                   std::uint64_t at) {
  LmdbMeta meta = main;
  meta.database_at = at;
  LoadRecord(record, meta);
  SHARDINE_RETURN_IF_ERROR(CheckFlags(
      LoadLe<std::uint16_t>(&record[kDbFlagsAt]), "named", at + kDbFlagsAt));
  SHARDINE_RETURN_IF_ERROR(
      CheckMeta(meta, file.size() / meta.page_size, at + kLmdbRootAt));
  return meta;
}

}  // namespace shardine
