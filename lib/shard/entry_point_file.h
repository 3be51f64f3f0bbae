// The entry points (.sde) of the images of one shard: where decoding can begin
// in the middle of each (jpeg/entry_points.h, to whose compact form this file
// gives no meaning). Layout: shard/FORMAT.md.
//
// Opening reads one page; a sample costs two small reads, or one where the page
// of its row was kept. Nothing is mapped, so a shrinking file is an error.
#ifndef SHARDINE_SHARD_ENTRY_POINT_FILE_H_
#define SHARDINE_SHARD_ENTRY_POINT_FILE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "io/atomic_file.h"
#include "io/storage.h"
#include "shard/row_pages.h"
#include "shard/shard_index.h"
#include "shardine/entry_points.h"
#include "shardine/status.h"

namespace shardine {

// Writes a shard's file, sample after sample, in the memory of a row each.
// Ends in Publish() or destruction, which abandons. Thread-compatible.
class EntryPointFileWriter {
 public:
  // Creates nothing yet. `storage` must outlive the writer.
  EntryPointFileWriter(Storage& storage, std::string path);

  // The next sample, which may have none. `damaged`: it was to have some, and
  // its image is not sound. kUnsupported: more than kMaxEntryPointBytes.
  Status Add(std::string_view packed, bool damaged = false);

  std::uint64_t size() const { return rows_.size(); }

  // A shard without images that have, or were to have, entry points gets no
  // file. Same samples, same bytes. `payload_crcs` has the CRCs in the rows of
  // the sidecar index. REQUIRES: one of them for each sample; called once, and
  // last.
  Status Publish(const IndexBinding& binding,
                 std::span<const std::uint32_t> payload_crcs) {
    return PublishBy(&AtomicFile::Publish, binding, payload_crcs);
  }
  // The same, but kAlreadyExists where something has the name.
  Status PublishNew(const IndexBinding& binding,
                    std::span<const std::uint32_t> payload_crcs) {
    return PublishBy(&AtomicFile::PublishNew, binding, payload_crcs);
  }

 private:
  Status PublishBy(Status (AtomicFile::*publish)(), const IndexBinding& binding,
                   std::span<const std::uint32_t> payload_crcs);
  struct Row {
    std::uint32_t bytes = 0;
    std::uint32_t crc = 0;
  };
  Status Append(ByteView bytes);
  Status AppendDirectory(std::uint32_t header_crc,
                         std::span<const std::uint32_t> payload_crcs);
  Status Flush();

  Storage* storage_;
  std::string path_;
  std::optional<AtomicFile> file_;
  ByteBuffer buffer_;  // not yet in the file
  std::uint64_t points_bytes_ = 0;
  std::vector<Row> rows_;
  EntryPointCounts counts_;
};

// No image's points are longer: an image that decodes with them has at most
// 2^21 blocks (frame_limits.h), and segments of one block have a place each.
inline constexpr std::uint64_t kMaxEntryPointBytes = std::uint64_t{1} << 24;

// The points of a sample on their way, in steps of EntryPointFile. Its memory
// is used again.
struct EntryPointRead {
  static constexpr std::size_t kNoPiece = ~std::size_t{0};

  std::uint64_t record = 0;
  RowRead row;
  // Where the points lie, and which of the pieces they are.
  std::uint64_t offset = 0;
  std::uint32_t crc = 0;
  std::size_t piece = kNoPiece;
};

// Thread-safe.
class EntryPointFile {
 public:
  // Reads and checks the header only. kCorrupt if it is damaged or the file's
  // size is another than it states; kUnsupported for a newer version. Pages
  // are kept in `pages`, if it is not null.
  static Result<std::unique_ptr<EntryPointFile>> Open(
      ReadableStorage& storage, const std::string& path,
      std::shared_ptr<PageCache> pages = nullptr);
  // The same of a file that is open.
  static Result<std::unique_ptr<EntryPointFile>> Open(
      std::unique_ptr<RandomAccessFile> file,
      std::shared_ptr<PageCache> pages = nullptr);
  ~EntryPointFile();

  std::uint64_t size() const;  // samples
  const EntryPointCounts& counts() const;
  const IndexBinding& binding() const;
  const std::string& path() const;

  // Replaces the contents of `packed`; empty: the sample has none. kCorrupt if
  // they are damaged, belong to another payload or have more than `most` bytes,
  // with path, byte and record. REQUIRES: record < size().
  Status Read(std::uint64_t record, std::uint32_t payload_crc,
              ByteBuffer& packed,
              std::uint64_t most = kMaxEntryPointBytes) const;

  // A hint that samples [first, first + count) will be read soon; `room` and
  // the returned object as in RandomAccessFile::ReadAhead. Reads pages of the
  // directory. REQUIRES: they are samples of the file, count > 0.
  std::vector<std::shared_ptr<const void>> ReadAhead(std::uint64_t first,
                                                     std::uint64_t count,
                                                     std::uint64_t& room) const;

  // Reads in steps, so that the points of many samples are read together:
  // Start, a ReadMany, Locate, a ReadMany of the pieces it added, Finish.
  // Failures are as of Read.
  void Start(std::uint64_t record, EntryPointRead& read,
             std::vector<Piece>& pieces) const;
  // The points for Locate to find. `packed` gets room, and later the points.
  struct Wanted {
    std::uint32_t payload_crc = 0;
    std::uint64_t most = kMaxEntryPointBytes;  // bytes
  };
  Status Locate(std::span<const Piece> pieces, const Wanted& wanted,
                EntryPointRead& read, ByteBuffer& packed,
                std::vector<Piece>& points) const;
  Status Finish(std::span<const Piece> points, const EntryPointRead& read,
                const ByteBuffer& packed) const;

  // Called with the points of a sample, which may be none; a failure ends the
  // visit and gets path, byte and record.
  using Visitor = std::function<Status(
      std::uint64_t record, std::uint32_t payload_crc, ByteView packed)>;
  // Visits the points of samples [first, first + count), in order, a few
  // megabytes at a time. Visiting all of them checks every byte but the
  // header's; the payload's CRC is for the caller to compare. REQUIRES: first +
  // count <= size().
  Status ForEach(std::uint64_t first, std::uint64_t count,
                 const Visitor& visit) const;

 private:
  struct Parts;
  explicit EntryPointFile(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// kCorrupt "stale entry points", with their path: they belong to another shard,
// or another pack, than the sidecar index.
Status CheckBelongs(const EntryPointFile& points, const ShardIndex& index);

inline constexpr std::string_view kEntryPointSuffix = ".sde";

// In the folder of the sidecar index: "s.rec.sdx" -> "s.rec.sde".
// REQUIRES: `sidecar` ends in ".sdx".
std::string EntryPointName(const std::string& sidecar);

}  // namespace shardine

#endif  // SHARDINE_SHARD_ENTRY_POINT_FILE_H_
