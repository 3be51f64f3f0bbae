#include "archive/plain_tar.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "io/byte_stream.h"

namespace shardine {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;

// In chunks, so that it never moves while it grows.
class ChunkedFile : public RandomAccessFile {
 public:
  explicit ChunkedFile(std::string path) : path_(std::move(path)) {}

  // REQUIRES: kChunk bytes, but for the last call.
  void Append(ByteView bytes) {
    chunks_.emplace_back().Append(bytes);
    size_ += bytes.size();
  }

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    std::size_t count = 0;
    while (count < out.size() && offset < size_) {
      const ByteView chunk = chunks_[offset / kChunk].view().subspan(
          static_cast<std::size_t>(offset % kChunk));
      const ByteView part =
          chunk.first(std::min(chunk.size(), out.size() - count));
      std::ranges::copy(part, out.begin() + static_cast<std::ptrdiff_t>(count));
      count += part.size();
      offset += part.size();
    }
    return count;
  }
  std::uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }

 private:
  const std::string path_;
  std::vector<ByteBuffer> chunks_;
  std::uint64_t size_ = 0;
};

}  // namespace

Result<std::unique_ptr<RandomAccessFile>> DecompressTar(
    const RandomAccessFile& file, Compression compression, std::uint64_t most) {
  ByteStream stream(file, compression);
  auto plain = std::make_unique<ChunkedFile>(file.path());
  for (;;) {
    if (CurrentStop().stop_requested()) {
      return Status(Code::kCancelled, "interrupted");
    }
    SHARDINE_ASSIGN_OR_RETURN(const ByteView bytes, stream.Read(kChunk));
    if (bytes.empty())
      return std::unique_ptr<RandomAccessFile>(std::move(plain));
    if (plain->size() + bytes.size() > most) {
      return Status(Code::kUnsupported,
                    "holds more than " + std::to_string(most >> 20) +
                        " MiB, and a tar archive that is compressed as a "
                        "whole is read into memory; decompress it, and give "
                        "the .tar")
          .At({.path = file.path()});
    }
    plain->Append(bytes);
  }
}

}  // namespace shardine
