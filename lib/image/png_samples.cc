#include "image/png_samples.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "image/png_rows.h"
#include "image/png_stream.h"
#include "image/png_unfilter.h"
#include "image/png_unpack.h"

namespace shardine {
namespace {

// Inflated and unfiltered at a time, while the caches have it.
constexpr std::size_t kPieceBytes = 64 * 1024;

PngSampleType TypeOf(const PngHeader& header) {
  return {.size = {header.width, header.height},
          .channels = header.components(),
          .bytes = static_cast<std::uint8_t>(header.bits == 16 ? 2 : 1)};
}

std::size_t PixelBytes(const PngHeader& header) {
  return std::max<std::size_t>(1, header.bits * header.components() / 8U);
}

// The factor of a stored value.
unsigned ScaleOf(const PngHeader& header) {
  const bool spreads =
      header.color == PngColor::kGray && (header.bits == 2 || header.bits == 4);
  return spreads ? 255 / ((1U << header.bits) - 1) : 1;
}

// The samples of one row, as bytes or as numbers whose low byte is the first.
void UnpackRow(const PngHeader& header, const std::uint8_t* from,
               std::size_t pixels, std::uint8_t* to) {
  const std::size_t samples = pixels * header.components();
  if (header.bits == 8) {
    std::memcpy(to, from, samples);
  } else if (header.bits == 16) {
    for (std::size_t i = 0; i < samples; ++i) {
      to[2 * i] = from[2 * i + 1];
      to[2 * i + 1] = from[2 * i];
    }
  } else {
    const unsigned scale = ScaleOf(header);
    for (std::size_t i = 0; i < samples; ++i) {
      to[i] =
          static_cast<std::uint8_t>(PngSampleAt(from, i, header.bits) * scale);
    }
  }
}

}  // namespace

Result<PngSampleType> ReadPngSampleType(ByteView png) {
  PngChunkReader reader(png);
  PngChunk chunk;
  PngHeader header;
  ProbeResult problem;
  if (!reader.Next(chunk, problem) || !ParsePngHeader(chunk, header, problem)) {
    return Status(Code::kCorrupt, problem.detail);
  }
  return TypeOf(header);
}

// Rows lie in the buffer as they are stored, and are unfiltered there.
class PngSamples::Sink final : public PngPixelSink {
 public:
  Sink(PngSamples& samples, std::uint64_t max_memory, std::uint32_t row_end,
       Inflater::Kind inflater)
      : samples_(samples),
        max_memory_(max_memory),
        row_end_(row_end),
        inflater_(inflater) {}

  Status Begin(const PngHeader& header, ByteView /*palette*/) override {
    header_ = header;
    passes_ = PngPasses(header);
    std::uint64_t bytes = PngPixelBytes(header);
    if (!header.interlaced) {
      passes_[0].rows = std::min(passes_[0].rows, row_end_);
      bytes = passes_[0].row_bytes * passes_[0].rows;
    }
    // They may be held twice, and a number takes up to eight times its bits.
    if (bytes > max_memory_ / 9) {
      return Status(
          Code::kUnsupported,
          "decoding needs more than " + std::to_string(max_memory_) + " bytes");
    }
    samples_.stored_.Resize(static_cast<std::size_t>(bytes));
    return {};
  }
  std::span<std::byte> Room() override {
    const auto rest = samples_.stored_.span().subspan(filled_);
    return rest.first(std::min(rest.size(), kPieceBytes));
  }
  bool Take(std::size_t count) override {
    filled_ += count;
    for (; pass_ < passes_.size(); ++pass_, row_ = 0) {
      const auto bytes = static_cast<std::size_t>(passes_[pass_].row_bytes);
      for (; row_ < passes_[pass_].rows; ++row_) {
        if (filled_ - unfiltered_ < bytes) return true;
        if (!Unfilter(bytes)) return false;
      }
    }
    return true;
  }
  // A whole image is read on to its checksums.
  bool IsDone() const override { return is_part() && pass_ == passes_.size(); }
  Inflater::Kind inflater() const override {
    return is_part() ? inflater_ : Inflater::Kind::kZlib;
  }
  bool is_part() const {
    return !header_.interlaced && row_end_ < header_.height;
  }

  const PngHeader& header() const { return header_; }

 private:
  bool Unfilter(std::size_t bytes) {
    auto* const row =
        reinterpret_cast<std::uint8_t*>(samples_.stored_.data()) + unfiltered_;
    const std::uint8_t* const above = row_ == 0 ? nullptr : row - bytes + 1;
    unfiltered_ += bytes;
    return UnfilterPngRow(row[0], row + 1, bytes - 1, above,
                          PixelBytes(header_));
  }

  PngSamples& samples_;
  const std::uint64_t max_memory_;
  const std::uint32_t row_end_;
  const Inflater::Kind inflater_;
  PngHeader header_;
  std::vector<PngPass> passes_;
  std::size_t filled_ = 0;
  std::size_t unfiltered_ = 0;
  std::size_t pass_ = 0;
  std::uint32_t row_ = 0;  // of the pass
};

Status PngSamples::Decode(ByteView png, const DecodeLimits& limits,
                          std::uint32_t row_end) {
  const Status status = DecodeBy(Inflater::Kind::kIsaL, png, limits, row_end);
  // ISA-L looks ahead, and may fail on bytes that are not needed.
  return status.code() == Code::kCorrupt
             ? DecodeBy(Inflater::Kind::kZlib, png, limits, row_end)
             : status;
}

Status PngSamples::DecodeBy(Inflater::Kind inflater, ByteView png,
                            const DecodeLimits& limits, std::uint32_t row_end) {
  Sink sink(*this, limits.max_memory, row_end, inflater);
  SHARDINE_RETURN_IF_ERROR(ReadPng(png, limits, sink));
  const PngHeader& header = sink.header();
  type_ = TypeOf(header);
  if (header.interlaced) {
    Interlace(header);
  } else if (header.bits != 8) {
    Unpack(header, std::min(header.height, row_end));
  } else {
    stride_ = 1 + std::size_t{header.width} * header.components();
    first_ = stored_.data() + 1;
  }
  return {};
}

void PngSamples::Unpack(const PngHeader& header, std::uint32_t rows) {
  stride_ = std::size_t{header.width} * type_.channels * type_.bytes;
  unpacked_.Resize(stride_ * rows);
  const auto row_bytes =
      static_cast<std::size_t>(PngPasses(header)[0].row_bytes);
  const auto* from = reinterpret_cast<const std::uint8_t*>(stored_.data());
  auto* to = reinterpret_cast<std::uint8_t*>(unpacked_.data());
  for (std::uint32_t y = 0; y < rows; ++y) {
    UnpackRow(header, from + row_bytes * y + 1, header.width, to + stride_ * y);
  }
  first_ = unpacked_.data();
}

void PngSamples::Interlace(const PngHeader& header) {
  const std::size_t pixel = std::size_t{type_.channels} * type_.bytes;
  stride_ = header.width * pixel;
  // One row of a pass comes after the image.
  unpacked_.Resize(stride_ * (std::size_t{header.height} + 1));
  auto* const image = reinterpret_cast<std::uint8_t*>(unpacked_.data());
  std::uint8_t* const row = image + stride_ * header.height;
  const auto* from = reinterpret_cast<const std::uint8_t*>(stored_.data());
  for (const PngPass& pass : PngPasses(header)) {
    for (std::uint32_t y = 0; y < pass.rows; ++y, from += pass.row_bytes) {
      UnpackRow(header, from + 1, pass.width, row);
      const std::size_t line = pass.y + std::size_t{y} * pass.step_y;
      std::uint8_t* to = image + stride_ * line + pass.x * pixel;
      for (std::size_t x = 0; x < pass.width; ++x) {
        std::memcpy(to + x * pass.step_x * pixel, row + x * pixel, pixel);
      }
    }
  }
  first_ = unpacked_.data();
}

}  // namespace shardine
