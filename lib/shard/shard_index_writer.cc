#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "base/checksum.h"
#include "base/compress.h"
#include "base/status_macros.h"
#include "shard/shard_index.h"
#include "shard/shard_index_layout.h"
#include "shard/shard_index_row.h"

namespace shardine {
namespace {

// The keys of up to kIndexKeysPerFrame records, compressed.
struct SealedFrame {
  std::string stored;
  std::uint32_t key_bytes = 0;
};

SealedFrame SealFrame(std::string_view keys) {
  return {ZstdCompressDense(AsBytes(keys)),
          static_cast<std::uint32_t>(keys.size())};
}

using Frames = std::vector<const SealedFrame*>;

// The frames and their directory. `offset` is the first frame's.
Status AppendKeys(const Frames& frames, std::uint64_t offset,
                  std::uint32_t header_crc, AtomicFile& file) {
  ByteBuffer directory;
  for (const SealedFrame* frame : frames) {
    const ByteView stored = AsBytes(frame->stored);
    const KeyFrame where{offset, static_cast<std::uint32_t>(stored.size()),
                         frame->key_bytes, Crc32c(stored)};
    std::array<std::byte, kIndexDirectoryBytes> entry;
    EncodeKeyFrame(where, directory.size() / entry.size(), header_crc, entry);
    directory.Append(entry);
    SHARDINE_RETURN_IF_ERROR(file.Append(stored));
    offset += stored.size();
  }
  return frames.empty() ? Status() : file.Append(directory.view());
}

}  // namespace

// All is kept until the end: every page is closed by the CRC of the header, and
// the header states the number of samples and the digest of the whole shard.
// Keys wait compressed.
struct ShardIndexWriter::Parts {
  std::uint64_t samples = 0;
  std::uint32_t version = 1;
  std::string rows;
  std::string overflow;
  std::string open_keys;  // of the frame being filled
  std::vector<SealedFrame> frames;
  Status failure;  // the first thing that no sidecar can hold

  void Refuse(std::string what);
  void AddRow(const IndexEntry& entry);
  void AddKey(std::string_view key);
  IndexHeader Header(const IndexBinding& binding,
                     const Frames& all_frames) const;
  Status AppendPages(AtomicFile& file, std::uint32_t header_crc) const;
};

// Add has no result: a shard's writer goes on with it, and learns here, at its
// end, that no sidecar can be written.
void ShardIndexWriter::Parts::Refuse(std::string what) {
  if (!failure.ok()) return;
  failure = Status(Code::kUnsupported, std::move(what)).At({.record = samples});
}

void ShardIndexWriter::Parts::AddRow(const IndexEntry& entry) {
  OverflowRef ref;
  version = std::max(version, IndexVersionOf(entry));
  // A sample that no reader takes is not written.
  if (const Status status = CheckFields(entry); !status.ok()) {
    Refuse(status.message());
  }
  if (NeedsOverflow(entry)) {
    ref.offset = overflow.size();
    AppendOverflow(entry, samples, overflow);
    const std::uint64_t bytes = overflow.size() - ref.offset;
    if (bytes > std::numeric_limits<std::uint32_t>::max()) {
      Refuse(
          "sidecar index: labels, fields and extents of one record take 4 GiB "
          "or more");
    }
    ref.bytes = static_cast<std::uint32_t>(bytes);
  }
  AppendIndexRow(entry, ref, rows);
}

void ShardIndexWriter::Parts::AddKey(std::string_view key) {
  if (key.size() > kIndexMaxKeyBytes) {
    return Refuse("sidecar index: a key of " + std::to_string(key.size()) +
                  " bytes, more than " + std::to_string(kIndexMaxKeyBytes));
  }
  AppendLe(static_cast<std::uint32_t>(key.size()), open_keys);
  open_keys += key;
}

Status ShardIndexWriter::Parts::AppendPages(AtomicFile& file,
                                            std::uint32_t header_crc) const {
  constexpr std::size_t kPageRows = kIndexRowsPerPage * kIndexRowBytes;
  constexpr std::size_t kChunkBytes = 64 * kPageBytes;
  const ByteView all = AsBytes(rows);
  ByteBuffer chunk;
  for (std::size_t at = 0; at < all.size(); at += kPageRows) {
    const ByteView some = all.subspan(at, std::min(kPageRows, all.size() - at));
    std::array<std::byte, kPageBytes> page = {};
    std::ranges::copy(some, page.begin());
    SealPage(at / kPageRows, header_crc, page);
    chunk.Append(page);
    if (chunk.size() == kChunkBytes) {
      SHARDINE_RETURN_IF_ERROR(file.Append(chunk.view()));
      chunk.Resize(0);
    }
  }
  return chunk.size() == 0 ? Status() : file.Append(chunk.view());
}

IndexHeader ShardIndexWriter::Parts::Header(const IndexBinding& binding,
                                            const Frames& all_frames) const {
  IndexHeader header;
  header.version = version;
  header.binding = binding;
  header.samples = samples;
  header.overflow_offset = (1 + IndexPages(samples)) * kPageBytes;
  header.frames_offset = header.overflow_offset + overflow.size();
  header.directory_offset = header.frames_offset;
  for (const SealedFrame* frame : all_frames) {
    header.directory_offset += frame->stored.size();
  }
  header.file_bytes =
      header.directory_offset + all_frames.size() * kIndexDirectoryBytes;
  return header;
}

ShardIndexWriter::ShardIndexWriter() : parts_(std::make_unique<Parts>()) {}
ShardIndexWriter::~ShardIndexWriter() = default;

std::uint64_t ShardIndexWriter::size() const { return parts_->samples; }

Status ShardIndexWriter::CheckMemory(std::uint64_t shard_bytes) const {
  // Rows and overflow records of bytes in a file take a few times these bytes
  // at worst; kFree they may take in any case, and never more than kMost.
  constexpr std::uint64_t kFree = std::uint64_t{64} << 20;
  constexpr std::uint64_t kPerByte = 16;
  constexpr std::uint64_t kMost = std::uint64_t{4} << 30;
  const std::uint64_t most = shard_bytes > (kMost - kFree) / kPerByte
                                 ? kMost
                                 : kFree + shard_bytes * kPerByte;
  if (parts_->rows.size() + parts_->overflow.size() <= most) return {};
  return Status(Code::kUnsupported,
                "more records, or fields of them, than a file of " +
                    std::to_string(shard_bytes) +
                    " bytes has room for: what is known of them takes more "
                    "than " +
                    std::to_string(most >> 20) + " MiB of memory")
      .At({.record = parts_->samples - 1});
}

void ShardIndexWriter::Add(const IndexEntry& entry, std::string_view key) {
  parts_->AddRow(entry);
  parts_->AddKey(key);
  if (++parts_->samples % kIndexKeysPerFrame == 0) {
    parts_->frames.push_back(SealFrame(parts_->open_keys));
    parts_->open_keys.clear();
  }
}

Status ShardIndexWriter::WriteTo(AtomicFile& file,
                                 const IndexBinding& binding) const {
  SHARDINE_RETURN_IF_ERROR(parts_->failure);
  Frames frames;
  for (const SealedFrame& frame : parts_->frames) frames.push_back(&frame);
  // The frame that is not full is sealed apart, so that writing changes
  // nothing.
  SealedFrame last;
  if (!parts_->open_keys.empty()) {
    last = SealFrame(parts_->open_keys);
    frames.push_back(&last);
  }
  const IndexHeader header = parts_->Header(binding, frames);
  std::array<std::byte, kPageBytes> page;
  EncodeIndexHeader(header, page);
  const std::uint32_t header_crc = PageCrc(page);
  SHARDINE_RETURN_IF_ERROR(file.Append(page));
  SHARDINE_RETURN_IF_ERROR(parts_->AppendPages(file, header_crc));
  if (!parts_->overflow.empty()) {
    SHARDINE_RETURN_IF_ERROR(file.Append(AsBytes(parts_->overflow)));
  }
  return AppendKeys(frames, header.frames_offset, header_crc, file);
}

}  // namespace shardine
