#include "recordio/recordio_reader.h"

#include <cstdio>
#include <string>
#include <utility>

#include "base/status_macros.h"

namespace shardine {
namespace {

std::string Hex(std::uint32_t word) {
  char text[11];
  std::snprintf(text, sizeof(text), "0x%08x", word);
  return text;
}

// Empty: a part of this kind may stand here.
std::string_view OrderFault(RecordIoPart kind, bool inside) {
  switch (kind) {
    case RecordIoPart::kWhole:
    case RecordIoPart::kFirst:
      return inside ? "a record begins before the last part of the one before"
                    : "";
    case RecordIoPart::kMiddle:
    case RecordIoPart::kLast:
      return inside ? "" : "a part of a record without its first part";
  }
  return "a part flag that is none of 0 to 3";
}

}  // namespace

Result<std::optional<RecordIoRecord>> RecordIoReader::Next() {
  if (position_ == file_.size()) return std::optional<RecordIoRecord>();
  joined_.Resize(0);
  extents_.clear();
  std::uint64_t end = position_;
  ByteView bytes;
  for (bool inside = false, more = true; more; inside = true) {
    SHARDINE_ASSIGN_OR_RETURN(const Part part, ReadPart(end, inside));
    SHARDINE_ASSIGN_OR_RETURN(const ByteView data, ReadData(part));
    if (part.kind == RecordIoPart::kWhole) {
      bytes = data;
      extents_.push_back(part.data);
    } else {
      SHARDINE_RETURN_IF_ERROR(Join(part, data));
      bytes = joined_.view();
    }
    end = part.end();
    more = !part.ends_record();
  }
  // The position moves only here, after the last part, so an error is met again
  // by the next call.
  return std::optional<RecordIoRecord>(RecordIoRecord{
      number_++, std::exchange(position_, end), bytes, extents_});
}

Result<RecordIoReader::Part> RecordIoReader::ReadPart(std::uint64_t offset,
                                                      bool inside) {
  const std::uint64_t rest = file_.size() - offset;
  if (rest < kRecordIoPartHeader) {
    return Corrupt(offset, rest == 0 ? "the file ends before the last part of "
                                       "a record"
                                     : "the file ends inside a record header");
  }
  SHARDINE_ASSIGN_OR_RETURN(const ByteView header,
                            Window(offset, kRecordIoPartHeader));
  const auto magic = LoadLe<std::uint32_t>(header.data());
  const auto lrec = LoadLe<std::uint32_t>(header.data() + 4);
  if (magic != kRecordIoMagic) {
    return Corrupt(offset, "no RecordIO magic but " + Hex(magic));
  }
  Part part;
  // Three bits hold more kinds than there are; OrderFault refuses the others.
  part.kind = static_cast<RecordIoPart>(lrec >> 29);
  part.data = {offset + kRecordIoPartHeader, lrec & (kRecordIoRecordLimit - 1)};
  part.padding = (4 - part.data.length % 4) % 4;
  const std::string_view fault = OrderFault(part.kind, inside);
  if (!fault.empty()) return Corrupt(offset + 4, std::string(fault));
  // A length is believed only after this line, before which nothing is
  // allocated.
  if (part.data.length + part.padding > rest - kRecordIoPartHeader) {
    return Corrupt(offset + 4, "a part of " + std::to_string(part.data.length) +
                                   " bytes reaches beyond the end of the file");
  }
  // The writer cuts only at multiples of four. With padding between two parts,
  // the extents of the record would not be its bytes.
  if (part.padding != 0 && !part.ends_record()) {
    return Corrupt(offset + 4,
                   "a part before the last has a length that is "
                   "no multiple of 4");
  }
  return part;
}

Result<ByteView> RecordIoReader::ReadData(const Part& part) {
  SHARDINE_ASSIGN_OR_RETURN(
      const ByteView data,
      Window(part.data.offset, part.data.length + part.padding));
  const auto length = static_cast<std::size_t>(part.data.length);
  // The format has no checksum. Padding that is not zero shows a length whose
  // low bits are damaged.
  for (std::size_t i = length; i < data.size(); ++i) {
    if (data[i] != std::byte{0}) {
      return Corrupt(part.data.offset + i, "padding that is not zero");
    }
  }
  return data.first(length);
}

Status RecordIoReader::Join(const Part& part, ByteView data) {
  Extent extent = part.data;
  if (!part.ends_record()) extent.length += sizeof(kRecordIoMagic);
  // Each part is below the limit by its field of 29 bits, but a record can have
  // as many parts as the file has room for.
  if (joined_.size() + extent.length >= kRecordIoRecordLimit) {
    return Corrupt(position_, "a record of 512 MiB or more");
  }
  joined_.Append(data);
  if (!part.ends_record()) {
    std::byte magic[sizeof(kRecordIoMagic)];
    StoreLe(kRecordIoMagic, magic);
    joined_.Append(magic);
  }
  // Only a last part can be empty; the ones before it cover their magic.
  if (extent.length > 0) extents_.push_back(extent);
  return {};
}

Result<ByteView> RecordIoReader::Window(std::uint64_t offset,
                                        std::uint64_t length) {
  auto bytes = window_.Read(offset, length);
  if (bytes.ok()) return bytes;
  return std::move(bytes).status().At({.record = number_});
}

Status RecordIoReader::Corrupt(std::uint64_t offset,
                               std::string message) const {
  return Status(Code::kCorrupt, std::move(message))
      .At({.path = file_.path(), .offset = offset, .record = number_});
}

}  // namespace shardine
