#include "recordio/recordio_scanner.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "recordio/irheader.h"
#include "recordio/recordio_reader.h"

namespace shardine {
namespace {

// Replaces `to` by the rest of `extents` after their first `skip` bytes: at
// least one extent, which is empty when no byte is left.
void SkipBytes(std::span<const Extent> extents, std::uint64_t skip,
               std::vector<Extent>& to) {
  to.clear();
  for (Extent extent : extents) {
    const std::uint64_t dropped = std::min(skip, extent.length);
    skip -= dropped;
    extent.offset += dropped;
    extent.length -= dropped;
    if (extent.length > 0) to.push_back(extent);
  }
  if (to.empty()) {
    to.push_back({extents.back().offset + extents.back().length, 0});
  }
}

class RecordIoScanner : public ShardScanner {
 public:
  explicit RecordIoScanner(const RandomAccessFile& file)
      : path_(file.path()), reader_(file) {}

  Result<std::optional<ScannedSample>> Next() override {
    // The reader itself would go on after a record whose header is damaged.
    if (!failed_.ok()) return failed_;
    auto sample = NextSample();
    failed_ = sample.status();
    return sample;
  }

  // A record whose header is damaged has its frame.
  bool SkipDamaged() override {
    if (!framed_ || failed_.code() != Code::kCorrupt) return false;
    failed_ = Status();
    return true;
  }

 private:
  Result<std::optional<ScannedSample>> NextSample() {
    framed_ = false;
    SHARDINE_ASSIGN_OR_RETURN(const auto record, reader_.Next());
    if (!record) return std::optional<ScannedSample>();
    framed_ = true;
    auto prefix = ParseRecordPrefix(record->bytes, labels_);
    if (prefix.status().code() == Code::kCorrupt && record->number == 0) {
      return Status(Code::kUnsupported,
                    "not recordio/mxnet but another layout of RecordIO: the "
                    "first record does not begin with the header of MXNet's "
                    "image records (" +
                        prefix.status().message() + ")")
          .At({.path = path_, .offset = record->offset, .record = 0});
    }
    if (!prefix.ok()) {
      return std::move(prefix).status().At(
          {.path = path_, .offset = record->offset, .record = record->number});
    }
    SkipBytes(record->extents, prefix->bytes, extents_);
    image_.bytes = record->bytes.subspan(prefix->bytes);
    image_.extents = extents_;
    return std::optional<ScannedSample>(
        ScannedSample{.record = record->number,
                      .record_offset = record->offset,
                      .id = prefix->id,
                      .key = std::nullopt,
                      .labels = labels_,
                      .fields = {&image_, 1}});
  }

  const std::string path_;
  RecordIoReader reader_;
  Status failed_;
  bool framed_ = false;  // the record of the last call
  std::vector<Label> labels_;
  std::vector<Extent> extents_;
  ScannedField image_{.name = kImageField,
                      .dtype = kBytesDtype,
                      .shape = {},
                      .bytes = {},
                      .extents = {}};
};

}  // namespace

Result<std::unique_ptr<ShardScanner>> OpenRecordIoScanner(
    const RandomAccessFile& file, const LayoutChoice&) {
  std::unique_ptr<ShardScanner> scanner =
      std::make_unique<RecordIoScanner>(file);
  return scanner;
}

std::optional<RecordHead> ReadRecordIoHead(ByteView head, std::uint64_t bytes,
                                           std::vector<Label>& labels) {
  if (head.size() < kRecordIoPartHeader) return std::nullopt;
  const auto lrec = LoadLe<std::uint32_t>(head.data() + 4);
  // Labels of a record of several parts may lie anywhere in it.
  if (LoadLe<std::uint32_t>(head.data()) != kRecordIoMagic ||
      static_cast<RecordIoPart>(lrec >> 29) != RecordIoPart::kWhole) {
    return std::nullopt;
  }
  const std::uint64_t padded = (std::uint64_t{lrec} + 3) / 4 * 4;
  if (padded != bytes - kRecordIoPartHeader) return std::nullopt;
  const ByteView content = head.subspan(kRecordIoPartHeader);
  const auto prefix = ParseRecordPrefix(
      content.first(std::min<std::size_t>(content.size(), lrec)), labels);
  if (!prefix.ok()) return std::nullopt;
  return RecordHead{.id = prefix->id,
                    .image = kRecordIoPartHeader + prefix->bytes};
}

}  // namespace shardine
