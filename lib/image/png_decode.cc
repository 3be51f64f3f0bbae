#include "image/png_decode.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "image/png_rows.h"
#include "image/png_stream.h"
#include "image/png_unfilter.h"
#include "image/png_unpack.h"
#include "pixels/row_emitter.h"

namespace shardine {
namespace {

// zlib is fastest when it has much room at once.
constexpr std::size_t kBatchBytes = 64 * 1024;

// Collects whole rows, as many at once as fill a batch, after the last row of
// the batch before.
class RowDecoder final : public PngPixelSink {
 public:
  RowDecoder(const DecodeLimits& limits, const ColorTarget& color,
             RowSink& sink)
      : limits_(limits), samples_(color.samples), emitter_(sink, color) {}

  Status Begin(const PngHeader& header, ByteView palette) override;
  std::span<std::byte> Room() override;
  bool Take(std::size_t count) override;

 private:
  void BeginPass();
  bool TakeBatch();
  bool Unfilter();
  void UnpackPass();

  std::uint8_t* bytes() {
    return reinterpret_cast<std::uint8_t*>(buffer_.data());
  }
  const PngPass& pass() const { return passes_[pass_]; }
  std::size_t row_bytes() const {
    return static_cast<std::size_t>(pass().row_bytes);
  }

  DecodeLimits limits_;
  ColorRule samples_;
  RowEmitter emitter_;
  PngHeader header_;
  std::optional<PngUnpacker> unpacker_;
  std::vector<PngPass> passes_;
  std::size_t pass_ = 0;
  std::uint32_t row_ = 0;          // of the pass: the first of the batch
  std::uint32_t batch_ = 0;        // rows
  std::size_t filled_ = 0;         // bytes of the batch
  ByteBuffer buffer_;              // a row, then the batch
  ByteBuffer pixels_;              // one row of a pass, unpacked
  std::uint8_t* image_ = nullptr;  // all pixels, if interlaced
};

Status RowDecoder::Begin(const PngHeader& header, ByteView palette) {
  header_ = header;
  unpacker_.emplace(header, palette, samples_);
  passes_ = PngPasses(header);
  std::uint64_t longest = 0;
  for (const PngPass& pass : passes_) {
    longest = std::max(longest, pass.row_bytes);
  }
  // The most that BeginPass allocates: a row and a batch, which is one row
  // where a row is longer than a batch.
  if (2 * longest + kBatchBytes > limits_.max_memory) {
    return Status(Code::kUnsupported, "decoding needs more than " +
                                          std::to_string(limits_.max_memory) +
                                          " bytes");
  }
  BeginPass();
  const StoredColor stored =
      unpacker_->channels() == 1 ? StoredColor::kGray : StoredColor::kRgb;
  const PixelSize size = {header.width, header.height};
  // The passes of an interlaced image each touch rows from top to bottom: no
  // row is done before the last pass.
  SHARDINE_RETURN_IF_ERROR(
      emitter_.Begin(size, stored, header.interlaced ? size.height : batch_,
                     limits_.max_memory));
  if (header.interlaced) {
    image_ = emitter_.Room(size.height);
    pixels_.Resize(std::size_t{size.width} * unpacker_->channels());
  }
  return {};
}

void RowDecoder::BeginPass() {
  row_ = 0;
  batch_ = static_cast<std::uint32_t>(
      std::clamp<std::size_t>(kBatchBytes / row_bytes(), 1, pass().rows));
  buffer_.Resize(row_bytes() * (batch_ + 1));
}

std::span<std::byte> RowDecoder::Room() {
  return buffer_.span()
      .first(row_bytes() * (batch_ + 1))
      .subspan(row_bytes() + filled_);
}

bool RowDecoder::Take(std::size_t count) {
  filled_ += count;
  if (filled_ < row_bytes() * batch_) return true;
  filled_ = 0;
  if (!TakeBatch()) return false;
  row_ += batch_;
  batch_ = std::min(batch_, pass().rows - row_);
  if (batch_ == 0 && ++pass_ < passes_.size()) BeginPass();
  if (pass_ == passes_.size() && header_.interlaced) {
    emitter_.Emit(header_.height);
  }
  return true;
}

bool RowDecoder::TakeBatch() {
  if (!Unfilter()) return false;
  if (header_.interlaced) {
    UnpackPass();
  } else {
    std::uint8_t* to = emitter_.Room(batch_);
    for (std::uint32_t y = 0; y < batch_; ++y) {
      unpacker_->Unpack(bytes() + row_bytes() * (y + 1) + 1,
                        to + emitter_.stride() * y, header_.width);
    }
    emitter_.Emit(batch_);
  }
  // The first row of the next batch is filtered against the last one of this.
  std::memcpy(bytes(), bytes() + row_bytes() * batch_, row_bytes());
  return true;
}

bool RowDecoder::Unfilter() {
  // Filters take the byte before where a pixel has less than one (ISO/IEC
  // 15948, 9.2).
  const std::size_t pixel =
      std::max<std::size_t>(1, header_.bits * header_.components() / 8U);
  for (std::uint32_t y = 0; y < batch_; ++y) {
    std::uint8_t* row = bytes() + row_bytes() * (y + 1);
    const std::uint8_t* above = row_ + y == 0 ? nullptr : row - row_bytes() + 1;
    if (!UnfilterPngRow(row[0], row + 1, row_bytes() - 1, above, pixel)) {
      return false;
    }
  }
  return true;
}

void RowDecoder::UnpackPass() {
  const std::size_t channels = unpacker_->channels();
  auto* row = reinterpret_cast<std::uint8_t*>(pixels_.data());
  for (std::uint32_t y = 0; y < batch_; ++y) {
    unpacker_->Unpack(bytes() + row_bytes() * (y + 1) + 1, row, pass().width);
    const std::size_t line = pass().y + std::size_t{row_ + y} * pass().step_y;
    std::uint8_t* to = image_ + emitter_.stride() * line + pass().x * channels;
    for (std::size_t x = 0; x < pass().width; ++x) {
      std::memcpy(to + x * pass().step_x * channels, row + x * channels,
                  channels);
    }
  }
}

}  // namespace

Status DecodePng(ByteView png, const DecodeLimits& limits,
                 const ColorTarget& color, RowSink& sink) {
  RowDecoder decoder(limits, color, sink);
  return ReadPng(png, limits, decoder);
}

}  // namespace shardine
