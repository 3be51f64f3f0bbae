#include "base/decompressor.h"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <string>

#include "base/check.h"

namespace shardine {
namespace {

// The limit that zstd itself accepts by default (ZSTD_WINDOWLOG_LIMIT_DEFAULT).
constexpr int kMaxZstdWindowLog = 27;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // of 32-bit counts

// The contents are complete, but the meaning of the bytes behind them is
// unknown: gzip(1) passes over them.
Status BytesAfterEnd() {
  return Status(Code::kUnsupported,
                "bytes follow the end of the compressed data that are none "
                "themselves; decompress the file, or cut them off");
}

class ZlibDecompressor : public Decompressor {
 public:
  explicit ZlibDecompressor(Compression compression) {
    // zlib.h: 16 added to the window size asks for gzip,
    // and a negative one for no header.
    const int bits = compression == Compression::kGzip      ? 15 + 16
                     : compression == Compression::kDeflate ? -15
                                                            : 15;
    SHARDINE_CHECK(inflateInit2(&stream_, bits) == Z_OK);
  }
  ZlibDecompressor(const ZlibDecompressor&) = delete;
  ZlibDecompressor& operator=(const ZlibDecompressor&) = delete;
  ~ZlibDecompressor() override { inflateEnd(&stream_); }

  Result<Progress> Decompress(ByteView input,
                              std::span<std::byte> output) override {
    Progress progress;
    while (progress.produced < output.size()) {
      const ByteView in = input.subspan(progress.consumed);
      if (in.empty() && at_end_) break;
      // Members follow each other as gzip(1) joins them: a new one begins only
      // where there are bytes, so that at_end() is true after each.
      if (at_end_) BeginMember();
      const std::size_t room = output.size() - progress.produced;
      stream_.next_in =
          const_cast<Bytef*>(reinterpret_cast<const Bytef*>(in.data()));
      stream_.avail_in = static_cast<uInt>(std::min(in.size(), kMostAtOnce));
      stream_.next_out =
          reinterpret_cast<Bytef*>(output.data() + progress.produced);
      stream_.avail_out = static_cast<uInt>(std::min(room, kMostAtOnce));
      const uInt given = stream_.avail_in;
      const uInt asked = stream_.avail_out;
      const int code = inflate(&stream_, Z_NO_FLUSH);
      progress.consumed += given - stream_.avail_in;
      progress.produced += asked - stream_.avail_out;
      at_end_ = code == Z_STREAM_END;
      if (code == Z_BUF_ERROR) break;  // wants more input
      if (code == Z_DATA_ERROR && members_ > 1 &&
          stream_.total_in <= kMagicBytes) {
        return BytesAfterEnd();
      }
      if (code != Z_OK && code != Z_STREAM_END) {
        const char* why = stream_.msg != nullptr ? stream_.msg : zError(code);
        return Status(Code::kCorrupt, std::string("zlib: ") + why);
      }
    }
    return progress;
  }
  bool at_end() const override { return at_end_; }

 private:
  // The bytes that inflate reads before it refuses a header.
  static constexpr uLong kMagicBytes = 2;

  void BeginMember() {
    inflateReset(&stream_);
    ++members_;
  }

  z_stream stream_{};
  std::uint64_t members_ = 0;
  bool at_end_ = true;
};

class ZstdDecompressor : public Decompressor {
 public:
  ZstdDecompressor() : context_(ZSTD_createDCtx()) {
    SHARDINE_CHECK(context_ != nullptr);
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, kMaxZstdWindowLog);
  }
  ZstdDecompressor(const ZstdDecompressor&) = delete;
  ZstdDecompressor& operator=(const ZstdDecompressor&) = delete;
  ~ZstdDecompressor() override { ZSTD_freeDCtx(context_); }

  Result<Progress> Decompress(ByteView input,
                              std::span<std::byte> output) override {
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    ZSTD_outBuffer out{output.data(), output.size(), 0};
    while (out.pos < out.size) {
      if (in.pos == in.size && at_end_) break;
      frames_ += at_end_ ? 1 : 0;
      const std::size_t before = in.pos + out.pos;
      const std::size_t left = ZSTD_decompressStream(context_, &out, &in);
      // The same bytes at the very beginning are no zstd data at all, which is
      // damage; after a whole frame another program has added them.
      if (ZSTD_getErrorCode(left) == ZSTD_error_prefix_unknown && frames_ > 1) {
        return BytesAfterEnd();
      }
      if (ZSTD_isError(left)) {
        return ErrorOf(left);
      }
      at_end_ = left == 0;
      if (in.pos + out.pos == before) break;  // wants more input
    }
    return Progress{in.pos, out.pos};
  }
  bool at_end() const override { return at_end_; }

 private:
  static Status ErrorOf(std::size_t error) {
    if (ZSTD_getErrorCode(error) == ZSTD_error_frameParameter_windowTooLarge) {
      return Status(Code::kUnsupported,
                    "zstd data with a window of more than 128 MiB; compress "
                    "it again with a smaller one");
    }
    return Status(Code::kCorrupt,
                  std::string("zstd: ") + ZSTD_getErrorName(error));
  }

  ZSTD_DCtx* context_;
  std::uint64_t frames_ = 0;
  bool at_end_ = true;
};

}  // namespace

Compression SniffCompression(ByteView head) {
  if (head.size() < 4) return Compression::kNone;
  const auto byte = [&](std::size_t i) {
    return std::to_integer<unsigned>(head[i]);
  };
  if (byte(0) == 0x1f && byte(1) == 0x8b && byte(2) == 8) {
    return Compression::kGzip;
  }
  if (LoadLe<std::uint32_t>(head.data()) == ZSTD_MAGICNUMBER) {
    return Compression::kZstd;
  }
  // RFC 1950: deflate with a 32 KiB window, no preset dictionary.
  const bool zlib = byte(0) == 0x78 && (byte(0) * 256 + byte(1)) % 31 == 0 &&
                    (byte(1) & 0x20) == 0;
  return zlib ? Compression::kZlib : Compression::kNone;
}

std::unique_ptr<Decompressor> MakeDecompressor(Compression compression) {
  SHARDINE_CHECK(compression != Compression::kNone);
  if (compression == Compression::kZstd) {
    return std::make_unique<ZstdDecompressor>();
  }
  return std::make_unique<ZlibDecompressor>(compression);
}

ByteBuffer DecompressHead(Compression compression, ByteView head,
                          std::size_t max_size) {
  ByteBuffer plain;
  plain.Resize(max_size);
  const auto decompressor = MakeDecompressor(compression);
  std::size_t produced = 0;
  while (produced < max_size) {
    // In small steps, since a call that meets damage yields nothing.
    const std::size_t step = std::min<std::size_t>(max_size - produced, 64);
    const auto progress =
        decompressor->Decompress(head, plain.span().subspan(produced, step));
    if (!progress.ok() || progress->produced + progress->consumed == 0) break;
    head = head.subspan(progress->consumed);
    produced += progress->produced;
  }
  plain.Resize(produced);
  return plain;
}

}  // namespace shardine
