#include "dataset/shard_entry_points.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/index_entry.h"
#include "dataset/index_walk.h"
#include "image/image_checker.h"
#include "shard/encoded_image.h"

namespace shardine {
namespace {

// The CRCs of the payloads, in record order, and whether some image may have
// points.
Status ReadCrcs(const ShardIndex& index, std::vector<std::uint32_t>& crcs,
                bool& any_jpeg) {
  crcs.reserve(static_cast<std::size_t>(index.size()));
  return WalkIndex(
      index, [&](std::uint64_t, const IndexEntry& entry, const std::string&) {
        crcs.push_back(entry.payload_crc);
        // Only JPEG has points. A shard of PNG files is not even read.
        any_jpeg = any_jpeg || entry.facts.kind == ImageKind::kJpeg;
        return Status();
      });
}

std::uint32_t CrcOf(const ScannedSample& scanned) {
  std::uint32_t crc = 0;
  for (const ScannedField& field : scanned.fields) {
    crc = Crc32c(field.bytes, crc);
  }
  return crc;
}

std::uint64_t BytesOf(const ScannedSample& scanned) {
  std::uint64_t bytes = 0;
  for (const ScannedField& field : scanned.fields) bytes += field.bytes.size();
  return bytes;
}

// The scan of one shard.
class Finder {
 public:
  Finder(const std::vector<std::uint32_t>& crcs, EntryPointFileWriter& writer)
      : crcs_(crcs),
        writer_(writer),
        checker_({.level = ImageCheck::kNone, .find_entry_points = true}) {}

  Status Add(const ScannedSample& scanned) {
    const std::uint64_t record = writer_.size();
    // The scan is not trusted to end where the index does: the file may have
    // been appended to since.
    if (record == crcs_.size()) return OtherNumber();
    // The file is published with the CRCs of the index. Points found in a
    // payload that changed since would pass for those of the one that was
    // indexed.
    if (CrcOf(scanned) != crcs_[record]) {
      return Status(Code::kCorrupt, "content differs from what was indexed")
          .At({.offset = scanned.record_offset, .record = record});
    }
    const ScannedField* image = FindEncodedImage(scanned.fields);
    if (image == nullptr) return writer_.Add("");
    const CheckedImage checked = checker_.Check(image->bytes);
    return writer_.Add(checked.entry_points, checked.damaged);
  }

  Status Finish() const {
    return writer_.size() == crcs_.size() ? Status() : OtherNumber();
  }

 private:
  Status OtherNumber() const {
    return Status(Code::kCorrupt,
                  "holds another number of records than were "
                  "indexed: " +
                      std::to_string(crcs_.size()));
  }

  const std::vector<std::uint32_t>& crcs_;
  EntryPointFileWriter& writer_;
  ImageChecker checker_;
};

}  // namespace

Status FindEntryPoints(Storage& storage, const FormatAndLayout& format,
                       const IndexedShard& shard, const std::string& path,
                       const std::function<void(std::uint64_t)>& on_record,
                       const std::stop_token& stop) {
  std::vector<std::uint32_t> crcs;
  bool any_jpeg = false;
  SHARDINE_RETURN_IF_ERROR(ReadCrcs(shard.index, crcs, any_jpeg));
  if (!any_jpeg) return Status();
  const std::string shard_path = shard.dataset.ShardPath(shard.ref);
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(shard_path));
  SHARDINE_ASSIGN_OR_RETURN(auto scanner, format.OpenScanner(*file));
  EntryPointFileWriter writer(storage, path);
  Finder finder(crcs, writer);
  while (true) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    SHARDINE_ASSIGN_OR_RETURN(const auto scanned, scanner->Next());
    if (!scanned) break;
    Status status = finder.Add(*scanned);
    if (!status.ok()) return std::move(status).At({.path = shard_path});
    on_record(BytesOf(*scanned));
  }
  SHARDINE_RETURN_IF_ERROR(finder.Finish().At({.path = shard_path}));
  // The file gets its name with its header, after all records: a run that is
  // stopped leaves none.
  return writer.Publish(shard.index.binding(), crcs);
}

Status CheckEntryPoints(const EntryPointFile& points, const ShardIndex& index) {
  SHARDINE_RETURN_IF_ERROR(CheckBelongs(points, index));
  std::vector<IndexEntry> entries;
  std::uint64_t images = 0;
  for (std::uint64_t first = 0; first < index.size(); first += kEntryPointRun) {
    const std::uint64_t count = std::min(kEntryPointRun, index.size() - first);
    SHARDINE_RETURN_IF_ERROR(index.Entries(first, count, entries));
    SHARDINE_RETURN_IF_ERROR(points.ForEach(
        first, count,
        [&](std::uint64_t record, std::uint32_t payload_crc, ByteView packed) {
          images += packed.empty() ? 0 : 1;
          return payload_crc == entries[record - first].payload_crc
                     ? Status()
                     : Status(Code::kCorrupt,
                              "entry points: made for another payload");
        }));
  }
  // The rows' own CRCs say nothing about how many there are; the manifest sums
  // up the header's numbers.
  if (images == points.counts().images) return Status();
  return Status(Code::kCorrupt,
                "entry points: the header counts other images than have some")
      .At({.path = points.path()});
}

}  // namespace shardine
