#include "base/compress.h"

#include <zstd.h>

#include <memory>

#include "base/check.h"

namespace shardine {
namespace {

// No block is longer than the window, and none takes less than four bytes.
constexpr int kDenseWindowLog = 10;

struct ContextDeleter {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

Status Corrupt(const std::string& why) {
  return Status(Code::kCorrupt, "zstd frame " + why);
}

// `window_log`: 0 leaves the choice to zstd.
std::string Compress(ByteView bytes, int level, int window_log) {
  const std::unique_ptr<ZSTD_CCtx, ContextDeleter> context(ZSTD_createCCtx());
  SHARDINE_CHECK(context != nullptr);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, window_log);
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress2(
      context.get(), frame.data(), frame.size(), bytes.data(), bytes.size());
  SHARDINE_CHECK(!ZSTD_isError(size));
  frame.resize(size);
  return frame;
}

}  // namespace

std::string ZstdCompress(ByteView bytes, int level) {
  return Compress(bytes, level, 0);
}

std::string ZstdCompressDense(ByteView bytes) {
  std::string frame = ZstdCompress(bytes);
  if (bytes.size() / kZstdMostRatio >= frame.size()) {
    frame = Compress(bytes, 3, kDenseWindowLog);
    SHARDINE_CHECK(bytes.size() / kZstdMostRatio < frame.size());
  }
  return frame;
}

Result<std::string> ZstdDecompress(ByteView frame, std::size_t max_size) {
  // The library also accepts skippable and legacy frames: ours are neither.
  if (frame.size() < 4 ||
      LoadLe<std::uint32_t>(frame.data()) != ZSTD_MAGICNUMBER) {
    return Corrupt("does not start with its magic number");
  }
  const std::size_t length =
      ZSTD_findFrameCompressedSize(frame.data(), frame.size());
  if (ZSTD_isError(length)) {
    return Corrupt(std::string("is damaged: ") + ZSTD_getErrorName(length));
  }
  if (length != frame.size()) return Corrupt("is followed by other bytes");
  const unsigned long long stated =
      ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (stated == ZSTD_CONTENTSIZE_UNKNOWN || stated == ZSTD_CONTENTSIZE_ERROR) {
    return Corrupt("states no content size");
  }
  if (stated > max_size) {
    return Corrupt("states " + std::to_string(stated) +
                   " bytes of content, more than the " +
                   std::to_string(max_size) + " expected");
  }
  std::string bytes(static_cast<std::size_t>(stated), '\0');
  const std::size_t size =
      ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size());
  if (ZSTD_isError(size)) {
    return Corrupt(std::string("is damaged: ") + ZSTD_getErrorName(size));
  }
  if (size != bytes.size()) return Corrupt("is shorter than it states");
  return bytes;
}

}  // namespace shardine
