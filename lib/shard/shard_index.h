// The sidecar index (.sdx) of one shard: where each sample's payload lies, its
// checksum, digest, labels, header facts and key. Layout: shard/FORMAT.md.
//
// Opening reads one header; a sample costs one small read, or none where its
// page was kept. Nothing is mapped, so a shrinking file is an error.
#ifndef SHARDINE_SHARD_SHARD_INDEX_H_
#define SHARDINE_SHARD_SHARD_INDEX_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "image/image_facts.h"
#include "io/atomic_file.h"
#include "io/readable_storage.h"
#include "shard/extent.h"
#include "shard/index_binding.h"
#include "shard/row_pages.h"
#include "shardine/digest.h"
#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

struct IndexField {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::vector<Extent> extents;  // joined in order: the payload
  // CRC-32C of its bytes, in a sample of several fields, so that each can be
  // read alone. None in indexes of version 1; of an only field, payload_crc.
  std::optional<std::uint32_t> crc = {};

  friend bool operator==(const IndexField&, const IndexField&) = default;
};

// Everything about one sample except its key.
// Extents lie inside the shard, all together no longer than it, and a field has
// the bytes that its type and shape take: a reader refuses anything else. One
// whose bytes are not in the shard as such has one extent at kNowhere.
struct IndexEntry {
  std::uint64_t id = 0;
  std::vector<Label> labels;
  std::vector<IndexField> fields;  // by ascending name
  std::uint32_t payload_crc = 0;   // CRC-32C of the fields' bytes, in order
  Digest128 content_digest;
  ImageFacts facts;  // of the image field; else all zero

  friend bool operator==(const IndexEntry&, const IndexEntry&) = default;
};

// Collects a shard's entries in record order, then writes the sidecar.
// Thread-compatible.
class ShardIndexWriter {
 public:
  ShardIndexWriter();
  ~ShardIndexWriter();

  // REQUIRES: fields by ascending name, names unique.
  void Add(const IndexEntry& entry, std::string_view key);
  std::uint64_t size() const;
  // kUnsupported, naming the record added last, if the added samples take more
  // memory than a shard of that many bytes gives cause for: a sample needs
  // bytes of its own, which a small compressed or sparse file does not have.
  Status CheckMemory(std::uint64_t shard_bytes) const;

  // Writes the whole sidecar; the caller publishes. Same entries, same bytes.
  // kUnsupported, naming the record, where keys or labels are longer than a
  // sidecar can hold (FORMAT.md, "Bounds").
  Status WriteTo(AtomicFile& file, const IndexBinding& binding) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// An entry on its way, in steps of ShardIndex. Its memory is used again.
struct EntryRead {
  std::uint64_t record = 0;
  RowRead row;
  // For a sample that is more than a photo with one label: the bytes that its
  // row has no room for, and where they lie.
  ByteBuffer overflow;
  std::uint64_t overflow_offset = 0;
  std::size_t overflow_piece = 0;
};

// Thread-safe.
class ShardIndex {
 public:
  // Reads and checks the header only. kCorrupt if it is damaged or the file's
  // size is another than it states; kUnsupported for a newer version. Pages
  // are kept in `pages`, if it is not null.
  static Result<std::unique_ptr<ShardIndex>> Open(
      ReadableStorage& storage, const std::string& path,
      std::shared_ptr<PageCache> pages = nullptr);
  // The same of a file that is open.
  static Result<std::unique_ptr<ShardIndex>> Open(
      std::unique_ptr<RandomAccessFile> file,
      std::shared_ptr<PageCache> pages = nullptr);
  ~ShardIndex();

  std::uint64_t size() const;        // samples
  std::uint64_t file_bytes() const;  // of the sidecar
  const IndexBinding& binding() const;
  const std::string& path() const;  // of the sidecar

  // REQUIRES: record < size(). kCorrupt if the page, overflow or frame that
  // holds it is damaged, with path, byte and record.
  Result<IndexEntry> Entry(std::uint64_t record) const;
  // The same in the memory of `entry`, replacing its contents: with entries of
  // one kind nothing is allocated. After a failure its contents are undefined.
  Status ReadEntry(std::uint64_t record, IndexEntry& entry) const;
  // A hint that the rows of [first, first + count) will be read soon; `room`
  // and the returned object as in RandomAccessFile::ReadAhead. REQUIRES: they
  // are samples of the shard, count > 0.
  std::shared_ptr<const void> ReadAhead(std::uint64_t first,
                                        std::uint64_t count,
                                        std::uint64_t& room) const;
  Result<std::string> Key(std::uint64_t record) const;

  // ReadEntry in steps, so that many entries are read together: Start, a
  // ReadMany, Decode, a ReadMany of the pieces it added (often none), Finish.
  // Each adds to the pieces to be read next; failures are as of ReadEntry.
  void Start(std::uint64_t record, EntryRead& read,
             std::vector<Piece>& pieces) const;
  Status Decode(std::span<const Piece> pieces, EntryRead& read,
                IndexEntry& entry, std::vector<Piece>& overflows) const;
  Status Finish(std::span<const Piece> overflows, const EntryRead& read,
                IndexEntry& entry) const;

  // Records [first, first + count), each page and frame read once. The contents
  // of the vector are replaced. REQUIRES: first + count <= size(). A failure
  // names the first record of the page or frame where nearer is not known.
  Status Entries(std::uint64_t first, std::uint64_t count,
                 std::vector<IndexEntry>& entries) const;
  Status Keys(std::uint64_t first, std::uint64_t count,
              std::vector<std::string>& keys) const;

 private:
  struct Parts;
  explicit ShardIndex(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

inline constexpr std::string_view kSidecarSuffix = ".sdx";

// "train-00000-of-00008.rec" -> ".shardine/train-00000-of-00008.rec.sdx".
std::string SidecarName(const std::string& shard);

}  // namespace shardine

#endif  // SHARDINE_SHARD_SHARD_INDEX_H_
