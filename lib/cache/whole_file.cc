#include "cache/whole_file.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "io/read_many.h"

namespace shardine {
namespace {

// The answer that opens a file brings as much: all of most, which are some
// hundred kilobytes to a few megabytes for a shard of 256 MiB.
constexpr std::uint64_t kAtOnce = std::uint64_t{8} << 20;
// A larger file is asked for window by window, each in several requests.
constexpr std::uint64_t kWindow = std::uint64_t{16} << 20;
constexpr std::uint64_t kPiece = std::uint64_t{4} << 20;

static_assert(kFetchBytes >= 2 * kAtOnce && kFetchBytes >= kWindow);

Status ReadTogether(const RandomAccessFile& file, std::uint64_t offset,
                    std::span<std::byte> out) {
  std::vector<Piece> pieces;
  for (std::uint64_t at = 0; at < out.size(); at += kPiece) {
    const std::uint64_t size = std::min(kPiece, out.size() - at);
    pieces.push_back(
        {.file = &file, .offset = offset + at, .out = out.subspan(at, size)});
  }
  ReadMany(pieces);
  for (const Piece& piece : pieces) SHARDINE_RETURN_IF_ERROR(piece.status);
  return {};
}

}  // namespace

Status FetchWhole(ReadableStorage& storage, const KnownFile& file,
                  const std::function<Status(ByteView)>& take) {
  SHARDINE_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessFile> opened,
                            file.bytes <= kAtOnce
                                ? storage.OpenWhole(file.path, file.bytes)
                                : storage.Open(file.path));
  // Checked before memory is taken for the size in a manifest.
  if (opened->size() != file.bytes) {
    return Status(Code::kCorrupt, "has " + std::to_string(opened->size()) +
                                      " bytes, the manifest says " +
                                      std::to_string(file.bytes))
        .At({.path = file.path});
  }
  Xxh3Stream digest;
  ByteBuffer window;
  for (std::uint64_t at = 0; at < file.bytes; at += window.size()) {
    window.Resize(std::min(kWindow, file.bytes - at));
    SHARDINE_RETURN_IF_ERROR(ReadTogether(*opened, at, window.span()));
    digest.Update(window.view());
    SHARDINE_RETURN_IF_ERROR(take(window.view()));
  }
  if (digest.Digest() == file.digest) return {};
  return Status(Code::kCorrupt,
                "has other bytes than the manifest says (XXH3-128)")
      .At({.path = file.path});
}

}  // namespace shardine
