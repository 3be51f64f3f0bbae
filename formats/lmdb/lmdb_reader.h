// Reads the entries of an LMDB file, in key order and by key, without liblmdb
// and without a map: every page number, offset and size is checked first. Byte
// layout: FORMAT.md.
#ifndef SHARDINE_FORMATS_LMDB_LMDB_READER_H_
#define SHARDINE_FORMATS_LMDB_LMDB_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/file_window.h"
#include "io/storage.h"
#include "lmdb/lmdb_page_cache.h"
#include "shard/extent.h"

namespace shardine {

// Where an entry is found again, while the file stays as it is.
using LmdbPlace = std::uint64_t;

// Views: valid until the next call of the reader.
struct LmdbEntry {
  LmdbPlace place = 0;
  std::uint64_t offset = 0;  // in the file, of its node
  ByteView key;
  Extent value;                     // where it lies in the file
  std::uint64_t overflow_page = 0;  // of the value; 0 if it lies in the leaf
};

// Errors are kCorrupt, kUnsupported or kIo with path and byte.
// Thread-compatible. The file must outlive the reader.
class LmdbReader {
 public:
  // Walks all of the tree: each page is met once and by its own number, keys
  // ascend, each leaf has the depth and the tree as many pages and entries as
  // the meta page says, no two values share a page.
  // `database`: the named database to read; empty: the main one, which must
  // have none in it. kUnsupported with their names otherwise, or if no database
  // has that name.
  static Result<std::unique_ptr<LmdbReader>> Open(
      const RandomAccessFile& file, std::string_view database = {});
  // The names of those in the main database, in their order.
  static Result<std::vector<std::string>> DatabasesOf(
      const RandomAccessFile& file);

  std::uint64_t size() const { return meta_.entries; }
  const std::string& path() const { return file_->path(); }

  // The entries in key order. nullopt after the last one.
  Result<std::optional<LmdbEntry>> First();
  Result<std::optional<LmdbEntry>> After(LmdbPlace place);
  // The entry that was found there.
  Result<LmdbEntry> At(LmdbPlace place);
  // nullopt if no entry has that key.
  Result<std::optional<LmdbEntry>> Find(ByteView key);
  // The value of an entry of this reader. Checks the header of an overflow
  // page. A value on overflow pages is valid only until the next call of
  // Value().
  Result<ByteView> Value(const LmdbEntry& entry);

 private:
  LmdbReader(const RandomAccessFile& file, const LmdbMeta& meta);

  // With the main database walked.
  static Result<std::unique_ptr<LmdbReader>> Walked(
      const RandomAccessFile& file);
  Status Walk();
  // After the walk over the main database.
  Status Choose(std::string_view database);
  Status SayNames(std::string_view asked) const;
  Status WalkPage(std::uint64_t number, std::uint16_t depth);
  Status WalkLeaf(const LmdbPage& page, std::uint64_t number);
  Status WalkBranch(const LmdbPage& page, std::uint16_t depth);
  // Each page of the file once. kCorrupt for one met before.
  Status Visit(std::uint64_t number, std::uint64_t count, std::uint64_t from);
  Status CheckCounts() const;
  Status Miscounted(std::string_view what, std::uint64_t found,
                    std::uint64_t said, std::uint64_t at) const;
  LmdbEntry EntryOf(const LmdbPage& page, std::uint64_t number,
                    std::size_t i) const;
  Result<std::optional<LmdbEntry>> FirstOf(std::size_t leaf);
  std::uint64_t ValuePages(std::uint64_t size) const;
  Status Corrupt(std::uint64_t offset, std::string message) const;

  // The state of a walk over the part that it has done.
  struct Progress {
    std::vector<bool> visited;
    std::string last_key;  // of the leaves so far
    std::string floor;     // the next leaf's first key is not less
    std::uint64_t entries = 0;
    std::uint64_t branch_pages = 0;
    std::uint64_t value_pages = 0;
    std::vector<std::string> names;  // of the databases in it
    std::uint64_t name_at = 0;       // the first one's node, in the file
  };

  const RandomAccessFile* file_;
  LmdbMeta meta_;
  LmdbPageCache pages_;
  FileWindow window_;
  std::vector<std::uint64_t> leaves_;  // page numbers, in key order
  Progress walk_;
  std::size_t leaf_ = 0;  // index in leaves_ of the entry returned last
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_LMDB_READER_H_
