#include "shard/payload.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"
#include "base/status_macros.h"
#include "shard/extent.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

// Extents no further apart than this are cheaper read in one go.
constexpr std::uint64_t kMaxGap = 4096;
// The gaps of a payload take no more memory than it does itself, or than this.
constexpr std::uint64_t kLeastGaps = 16 * kMaxGap;

// The extents of all fields in order. Thread-compatible.
class Extents {
 public:
  // `entry` must outlive it. Photos have one extent: no need for a copy.
  explicit Extents(const IndexEntry& entry) {
    if (entry.fields.size() == 1) {
      extents_ = entry.fields[0].extents;
      return;
    }
    for (const IndexField& field : entry.fields) {
      joined_.insert(joined_.end(), field.extents.begin(), field.extents.end());
    }
    extents_ = joined_;
  }
  Extents(const Extents&) = delete;
  Extents& operator=(const Extents&) = delete;

  std::span<const Extent> span() const { return extents_; }

 private:
  std::vector<Extent> joined_;
  std::span<const Extent> extents_;
};

std::uint64_t BytesOf(std::span<const Extent> extents) {
  std::uint64_t bytes = 0;
  for (const Extent& extent : extents) bytes += extent.length;
  return bytes;
}

// The end of the run of neighbours that these extents start with: ascending,
// with small gaps between them, which are taken off `gaps`.
std::size_t EndOfRun(std::span<const Extent> extents, std::uint64_t& gaps) {
  std::size_t end = 1;
  while (end < extents.size()) {
    const std::uint64_t stop =
        extents[end - 1].offset + extents[end - 1].length;
    // Extents may come in any order, as fields go by their names: one that lies
    // before the last begins a run of its own.
    if (extents[end].offset < stop) break;
    const std::uint64_t gap = extents[end].offset - stop;
    if (gap > std::min(kMaxGap, gaps)) break;
    gaps -= gap;
    ++end;
  }
  return end;
}

std::uint64_t SpanOf(std::span<const Extent> run) {
  return run.back().offset + run.back().length - run.front().offset;
}

// Calls with each run, until one fails. REQUIRES: the extents lie in the file,
// so that no sum wraps.
template <typename Use>
Status ForEachRun(std::span<const Extent> extents, const Use& use) {
  std::uint64_t gaps = std::max(BytesOf(extents), kLeastGaps);
  while (!extents.empty()) {
    const std::size_t end = EndOfRun(extents, gaps);
    SHARDINE_RETURN_IF_ERROR(use(extents.first(end)));
    extents = extents.subspan(end);
  }
  return {};
}

// Bytes that are read: extents and the gaps within runs.
std::size_t RoomFor(std::span<const Extent> extents) {
  std::uint64_t bytes = 0;
  static_cast<void>(ForEachRun(extents, [&](std::span<const Extent> run) {
    bytes += SpanOf(run);
    return Status();
  }));
  return static_cast<std::size_t>(bytes);
}

// Closes the gaps of a run that was read to `from`, at `to`.
void JoinRun(std::span<const Extent> run, const std::byte* from,
             std::byte*& to) {
  for (const Extent& extent : run) {
    const std::byte* const lies = from + (extent.offset - run.front().offset);
    if (lies != to) std::memmove(to, lies, extent.length);
    to += extent.length;
  }
}

// Nothing is allocated for extents that the file cannot hold.
Status CheckAgainstFile(const RandomAccessFile& shard,
                        std::span<const Extent> extents) {
  std::uint64_t left = shard.size();
  for (const Extent& extent : extents) {
    if (extent.offset > shard.size() ||
        extent.length > shard.size() - extent.offset || extent.length > left) {
      return Status(Code::kCorrupt, "the shard is shorter than its index says")
          .At({.path = shard.path(), .offset = extent.offset});
    }
    left -= extent.length;
  }
  return {};
}

// The CRC of each field, or of all together where they have none.
bool MatchesCrcs(const IndexEntry& entry, ByteView payload) {
  if (entry.fields.empty()) return true;
  const auto has_crc = [](const IndexField& field) {
    return field.crc.has_value();
  };
  if (!std::ranges::all_of(entry.fields, has_crc)) {
    return Crc32c(payload) == entry.payload_crc;
  }
  for (const IndexField& field : entry.fields) {
    const auto bytes = static_cast<std::size_t>(FieldBytes(field));
    if (Crc32c(payload.first(bytes)) != *field.crc) return false;
    payload = payload.subspan(bytes);
  }
  return true;
}

}  // namespace

Status PayloadRead::Start(const RandomAccessFile& shard,
                          const IndexEntry& entry, const PayloadRoom& room,
                          std::vector<Piece>& pieces) {
  if (!HasExtents(entry)) {
    return NotInShard(entry).At({.path = shard.path()});
  }
  shard_ = &shard;
  entry_ = &entry;
  const Extents joined(entry);
  SHARDINE_RETURN_IF_ERROR(CheckAgainstFile(shard, joined.span()));
  room_ = room(RoomFor(joined.span()));
  first_ = pieces.size();
  std::size_t used = 0;
  const Status status = ForEachRun(joined.span(), [&](std::span<const Extent>
                                                          run) {
    const auto bytes = static_cast<std::size_t>(SpanOf(run));
    if (bytes == 0) return Status();
    pieces.push_back({&shard, run.front().offset, room_.subspan(used, bytes)});
    used += bytes;
    return Status();
  });
  count_ = pieces.size() - first_;
  return status;
}

// The runs are found again, not kept: the same extents give the same runs, and
// most payloads have one.
Result<ByteView> PayloadRead::Join(std::span<const Piece> pieces) const {
  const Extents joined(*entry_);
  std::byte* end = room_.data();
  SHARDINE_RETURN_IF_ERROR(
      ForEachRun(joined.span(), [&](std::span<const Extent> run) {
        if (SpanOf(run) == 0) return Status();
        if (!pieces.front().status.ok()) return pieces.front().status;
        // A photo is one run without gaps, and lies where it is to be.
        JoinRun(run, pieces.front().out.data(), end);
        pieces = pieces.subspan(1);
        return Status();
      }));
  return ByteView(room_.data(), end);
}

Result<ByteView> PayloadRead::Finish(std::span<const Piece> pieces) {
  const std::span<const Piece> own = pieces.subspan(first_, count_);
  SHARDINE_ASSIGN_OR_RETURN(ByteView payload, Join(own));
  if (MatchesCrcs(*entry_, payload)) return payload;
  std::vector<Piece> again(own.begin(), own.end());
  if (shard_->ReadAgain(again)) {
    SHARDINE_ASSIGN_OR_RETURN(payload, Join(again));
    if (MatchesCrcs(*entry_, payload)) return payload;
  }
  const Extents joined(*entry_);
  Where where{.path = shard_->path()};
  if (!joined.span().empty()) where.offset = joined.span().front().offset;
  return Status(Code::kCorrupt, "the payload does not match its CRC").At(where);
}

Result<ByteView> ReadPayload(const RandomAccessFile& shard,
                             const IndexEntry& entry, const PayloadRoom& room) {
  PayloadRead read;
  std::vector<Piece> pieces;
  SHARDINE_RETURN_IF_ERROR(read.Start(shard, entry, room, pieces));
  ReadMany(pieces);
  return read.Finish(pieces);
}

Status ReadPayload(const RandomAccessFile& shard, const IndexEntry& entry,
                   ByteBuffer& payload) {
  payload.Resize(0);
  return AppendPayload(shard, entry, payload);
}

Status AppendPayload(const RandomAccessFile& shard, const IndexEntry& entry,
                     ByteBuffer& buffer) {
  const std::size_t before = buffer.size();
  const auto read = ReadPayload(shard, entry, [&](std::size_t bytes) {
    buffer.Resize(before + bytes);
    return buffer.span().subspan(before);
  });
  buffer.Resize(before + (read.ok() ? read->size() : 0));
  return read.ok() ? Status() : read.status();
}

const char* WhyUnread(const IndexEntry& entry, std::uint64_t shard_bytes) {
  for (const IndexField& field : entry.fields) {
    for (const Extent& extent : field.extents) {
      if (extent.offset + extent.length > shard_bytes) return "cut-off";
    }
  }
  return "checksum";
}

bool HasExtents(const IndexField& field) {
  return std::ranges::none_of(field.extents, [](const Extent& extent) {
    return extent.offset == kNowhere;
  });
}

bool HasExtents(const IndexEntry& entry) {
  for (const IndexField& field : entry.fields) {
    if (!HasExtents(field)) return false;
  }
  return true;
}

Status NotInShard(const IndexEntry& entry) {
  const auto field = std::ranges::find_if_not(
      entry.fields, [](const IndexField& each) { return HasExtents(each); });
  std::string message = "the field \"" + EscapeBytes(field->name) +
                        "\" is not in the shard as such (it is compressed, or "
                        "numbers in another form); convert the dataset first";
  if (entry.fields.size() > 1 && !field->crc) {
    message +=
        ", or index it anew: this index is of version 1, by which fields can "
        "only be read together";
  }
  return Status(Code::kUnsupported, std::move(message));
}

std::uint64_t FieldBytes(const IndexField& field) {
  return BytesOf(field.extents);
}

std::uint64_t PayloadBytes(const IndexEntry& entry) {
  std::uint64_t bytes = 0;
  for (const IndexField& field : entry.fields) bytes += FieldBytes(field);
  return bytes;
}

std::vector<FieldView> FieldsOf(const IndexEntry& entry, ByteView payload) {
  std::vector<FieldView> fields;
  fields.reserve(entry.fields.size());
  for (const IndexField& field : entry.fields) {
    const std::uint64_t length = FieldBytes(field);
    SHARDINE_CHECK(length <= payload.size());
    fields.push_back(
        {field.name, field.dtype, field.shape, payload.first(length)});
    payload = payload.subspan(length);
  }
  SHARDINE_CHECK(payload.empty());
  return fields;
}

}  // namespace shardine
