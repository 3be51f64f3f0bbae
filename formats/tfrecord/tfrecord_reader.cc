#include "tfrecord/tfrecord_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "tfrecord/tfrecord_framing.h"

namespace shardine {

Result<TfRecordReader> TfRecordReader::Open(const RandomAccessFile& file) {
  std::byte head[kTfRecordHeader];
  SHARDINE_ASSIGN_OR_RETURN(const std::size_t read, file.ReadAt(0, head));
  return TfRecordReader(file, TfRecordCompression(ByteView(head).first(read)));
}

Result<std::optional<TfRecord>> TfRecordReader::Next() {
  // Only now: the bytes that Peek returned last must stay in place until this
  // call.
  stream_.Advance(std::exchange(pending_, 0));
  const auto peek = [&](std::uint64_t count) -> Result<ByteView> {
    auto bytes = stream_.Peek(count);
    if (bytes.ok()) return bytes;
    return std::move(bytes).status().At({.record = number_});
  };
  SHARDINE_ASSIGN_OR_RETURN(const ByteView header, peek(kTfRecordHeader));
  if (header.empty()) return std::optional<TfRecord>();
  SHARDINE_ASSIGN_OR_RETURN(const std::uint64_t length, LengthIn(header));
  const std::uint64_t size = length + kTfRecordFraming;
  SHARDINE_ASSIGN_OR_RETURN(const ByteView record, peek(size));
  if (record.size() < size) {
    return Corrupt("truncated record: it has " + std::to_string(length) +
                   " bytes, and the file ends before");
  }
  const ByteView data =
      record.subspan(kTfRecordHeader, static_cast<std::size_t>(length));
  if (LoadLe<std::uint32_t>(data.data() + length) != MaskCrc(Crc32c(data))) {
    damaged_ = size;
    return Corrupt("corrupted record: the checksum of its data is wrong");
  }
  TfRecord found{.number = number_,
                 .offset = stream_.position(),
                 .data = data,
                 .data_offset = std::nullopt};
  if (!compressed()) found.data_offset = found.offset + kTfRecordHeader;
  pending_ = size;
  ++number_;
  return std::optional<TfRecord>(found);
}

bool TfRecordReader::SkipDamaged() {
  if (damaged_ == 0) return false;
  pending_ = std::exchange(damaged_, 0);
  ++number_;
  return true;
}

Result<std::uint64_t> TfRecordReader::LengthIn(ByteView header) const {
  if (header.size() < kTfRecordHeader) {
    return Corrupt("truncated record: the file ends inside its length");
  }
  if (!BeginsWithRecord(header)) {
    return Corrupt("corrupted record: the checksum of its length is wrong");
  }
  const auto length = LoadLe<std::uint64_t>(header.data());
  const std::uint64_t left = compressed()
                                 ? std::numeric_limits<std::uint64_t>::max()
                                 : file_->size() - stream_.position();
  if (left < kTfRecordFraming || length > left - kTfRecordFraming) {
    return Corrupt("truncated record: it has " + std::to_string(length) +
                   " bytes, and the file ends before");
  }
  // No Example is as long, and a sparse file can claim any length.
  if (length >= kMaxTfRecord) {
    Where where{.path = file_->path(), .record = number_};
    if (!compressed()) where.offset = stream_.position();
    return Status(Code::kUnsupported, "a record of " + std::to_string(length) +
                                          " bytes: protobuf's limit is 2 GiB")
        .At(std::move(where));
  }
  return length;
}

Status TfRecordReader::Corrupt(std::string message) const {
  Where where{.path = file_->path(), .record = number_};
  if (compressed()) {
    message += " (byte " + std::to_string(stream_.position()) +
               " of the plain contents)";
  } else {
    where.offset = stream_.position();
  }
  return Status(Code::kCorrupt, std::move(message)).At(where);
}

}  // namespace shardine
