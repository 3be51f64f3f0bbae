#include "shard/shard_index_layout.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "base/checksum.h"
#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr std::string_view kMagic = "SHARDSDX";
constexpr std::uint32_t kVersion = 1;

constexpr std::size_t kHeaderUsed = 96;
constexpr std::size_t kCrcAt = kIndexPageBytes - 4;
constexpr std::size_t kHeaderCrcAt = kIndexPageBytes - 8;
constexpr std::size_t kPageNumberAt = kIndexPageBytes - 16;
static_assert(kIndexRowsPerPage * kIndexRowBytes == kPageNumberAt);

// Fixed-width fields one after the other; bounds are the caller's constants.
class Store {
 public:
  explicit Store(std::byte* at) : at_(at) {}
  template <Scalar T>
  void Put(T value) {
    StoreLe(value, at_);
    at_ += sizeof(T);
  }
  void Put(const Digest128& digest) {
    Put(digest.low);
    Put(digest.high);
  }

 private:
  std::byte* at_;
};

class Load {
 public:
  explicit Load(const std::byte* at) : at_(at) {}
  template <Scalar T>
  void Get(T& value) {
    value = LoadLe<T>(at_);
    at_ += sizeof(T);
  }
  void Get(Digest128& digest) {
    Get(digest.low);
    Get(digest.high);
  }

 private:
  const std::byte* at_;
};

// A frame is bound to its number and sidecar without storing either.
std::uint32_t DirectoryCrc(ByteView entry, std::uint64_t number,
                           std::uint32_t header_crc) {
  std::byte place[12];
  StoreLe(number, place);
  StoreLe(header_crc, place + 8);
  return Crc32c(entry.first(kIndexDirectoryBytes - 4), Crc32c(place));
}

Status CheckSections(const IndexHeader& header, std::uint64_t file_bytes) {
  if (header.file_bytes != file_bytes) {
    return DamagedIndex("the file has " + std::to_string(file_bytes) +
                        " bytes, its header says " +
                        std::to_string(header.file_bytes));
  }
  const std::uint64_t pages = IndexPages(header.samples);
  const std::uint64_t frames = IndexFrames(header.samples);
  // Divisions, since a product of hostile numbers may wrap.
  const bool rows_fit = pages <= file_bytes / kIndexPageBytes - 1;
  if (!rows_fit || header.overflow_offset != (pages + 1) * kIndexPageBytes ||
      header.frames_offset < header.overflow_offset ||
      header.directory_offset < header.frames_offset ||
      file_bytes < header.directory_offset ||
      file_bytes - header.directory_offset != frames * kIndexDirectoryBytes) {
    return DamagedIndex("the header's sections contradict one another");
  }
  return {};
}

}  // namespace

Status DamagedIndex(std::string_view what) {
  return Status(Code::kCorrupt, "sidecar index: " + std::string(what));
}

std::uint32_t IndexPageCrc(ByteView page) { return Crc32c(page.first(kCrcAt)); }

void EncodeIndexHeader(const IndexHeader& header, std::span<std::byte> page) {
  SHARDINE_CHECK(page.size() == kIndexPageBytes);
  std::ranges::fill(page, std::byte{0});
  std::memcpy(page.data(), kMagic.data(), kMagic.size());
  Store store(page.data() + kMagic.size());
  store.Put(kVersion);
  store.Put(std::uint32_t{0});
  store.Put(header.samples);
  store.Put(header.overflow_offset);
  store.Put(header.frames_offset);
  store.Put(header.directory_offset);
  store.Put(header.file_bytes);
  store.Put(header.binding.shard_bytes);
  store.Put(header.binding.shard_digest);
  store.Put(header.binding.plan_digest);
  StoreLe(IndexPageCrc(page), page.data() + kCrcAt);
}

Result<IndexHeader> DecodeIndexHeader(ByteView page, std::uint64_t file_bytes) {
  SHARDINE_CHECK(page.size() == kIndexPageBytes);
  if (AsText(page.first(kMagic.size())) != kMagic) {
    return DamagedIndex("does not begin with \"SHARDSDX\"");
  }
  if (LoadLe<std::uint32_t>(page.data() + kCrcAt) != IndexPageCrc(page)) {
    return DamagedIndex("the header does not match its CRC");
  }
  Load load(page.data() + kMagic.size());
  std::uint32_t version = 0;
  std::uint32_t reserved = 0;
  load.Get(version);
  load.Get(reserved);
  if (version != kVersion) {
    return Status(Code::kUnsupported, "sidecar index: version " +
                                          std::to_string(version) +
                                          "; this program reads version " +
                                          std::to_string(kVersion));
  }
  IndexHeader header;
  load.Get(header.samples);
  load.Get(header.overflow_offset);
  load.Get(header.frames_offset);
  load.Get(header.directory_offset);
  load.Get(header.file_bytes);
  load.Get(header.binding.shard_bytes);
  load.Get(header.binding.shard_digest);
  load.Get(header.binding.plan_digest);
  static constexpr std::byte kZeros[kCrcAt - kHeaderUsed] = {};
  if (reserved != 0 ||
      std::memcmp(page.data() + kHeaderUsed, kZeros, sizeof(kZeros)) != 0) {
    return DamagedIndex("the header's padding is not zero");
  }
  SHARDINE_RETURN_IF_ERROR(CheckSections(header, file_bytes));
  return header;
}

void SealIndexPage(std::uint64_t number, std::uint32_t header_crc,
                   std::span<std::byte> page) {
  SHARDINE_CHECK(page.size() == kIndexPageBytes);
  StoreLe(number, page.data() + kPageNumberAt);
  StoreLe(header_crc, page.data() + kHeaderCrcAt);
  StoreLe(IndexPageCrc(page), page.data() + kCrcAt);
}

Status CheckIndexPage(std::uint64_t number, std::uint32_t header_crc,
                      ByteView page) {
  SHARDINE_CHECK(page.size() == kIndexPageBytes);
  if (LoadLe<std::uint32_t>(page.data() + kCrcAt) != IndexPageCrc(page)) {
    return DamagedIndex("a page of rows does not match its CRC");
  }
  if (LoadLe<std::uint64_t>(page.data() + kPageNumberAt) != number ||
      LoadLe<std::uint32_t>(page.data() + kHeaderCrcAt) != header_crc) {
    return DamagedIndex("a page of rows belongs elsewhere");
  }
  return {};
}

void EncodeKeyFrame(const KeyFrame& frame, std::uint64_t number,
                    std::uint32_t header_crc, std::span<std::byte> entry) {
  SHARDINE_CHECK(entry.size() == kIndexDirectoryBytes);
  Store store(entry.data());
  store.Put(frame.offset);
  store.Put(frame.stored_bytes);
  store.Put(frame.key_bytes);
  store.Put(frame.crc);
  store.Put(DirectoryCrc(entry, number, header_crc));
}

Result<KeyFrame> DecodeKeyFrame(ByteView entry, std::uint64_t number,
                                std::uint32_t header_crc,
                                const IndexHeader& header) {
  SHARDINE_CHECK(entry.size() == kIndexDirectoryBytes);
  KeyFrame frame;
  std::uint32_t crc = 0;
  Load load(entry.data());
  load.Get(frame.offset);
  load.Get(frame.stored_bytes);
  load.Get(frame.key_bytes);
  load.Get(frame.crc);
  load.Get(crc);
  if (crc != DirectoryCrc(entry, number, header_crc)) {
    return DamagedIndex("an entry of the key directory does not match its CRC");
  }
  if (frame.offset < header.frames_offset ||
      frame.offset > header.directory_offset ||
      frame.stored_bytes > header.directory_offset - frame.offset ||
      frame.key_bytes > kIndexMaxFrameBytes) {
    return DamagedIndex("an entry of the key directory points nowhere");
  }
  return frame;
}

}  // namespace shardine
