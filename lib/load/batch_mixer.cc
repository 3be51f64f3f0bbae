#include "load/batch_mixer.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "pixels/normalizer.h"
#include "pixels/value_blend.h"

namespace shardine {
namespace {

// Bytes of each image at a time: those of two images fit the first-level cache.
constexpr std::size_t kPieceBytes = 8192;

// The rows of pixels in memory, each of all channels or of one.
struct PixelRows {
  explicit PixelRows(const BatchBuffers& batch);

  std::size_t count = 0;   // in an image
  std::size_t values = 0;  // in a row
  std::size_t bytes = 0;   // of a row
  std::uint32_t height = 0;
  std::uint32_t channels = 0;  // of a pixel in a row
};

PixelRows::PixelRows(const BatchBuffers& batch) {
  const ViewColumn& view = batch.views[0];
  const bool planar = batch.layout->pixels == PixelLayout::kNchw;
  height = view.size.height;
  channels = planar ? 1 : batch.shape.channels;
  count = planar ? std::size_t{height} * batch.shape.channels : height;
  values = std::size_t{view.size.width} * channels;
  bytes = values * BytesPerValue(batch.layout->type);
}

// The rows from `first` on, of each image.
struct RowRange {
  std::size_t first = 0;
  std::size_t count = 0;
};

std::span<std::byte> PartOf(ViewColumn& view, std::uint32_t slot,
                            const PixelRows& rows, const RowRange& piece) {
  return view.Slot(slot).subspan(piece.first * rows.bytes,
                                 piece.count * rows.bytes);
}

void Cut(const MixFactor& factor, const PixelRows& rows, const RowRange& piece,
         const std::byte* other, std::byte* own) {
  const std::size_t value = rows.bytes / rows.values;
  const std::size_t begin = std::size_t{factor.x} * rows.channels * value;
  const std::size_t length = std::size_t{factor.width} * rows.channels * value;
  for (std::size_t i = 0; i < piece.count; ++i) {
    const std::size_t y = (piece.first + i) % rows.height;
    if (y < factor.y || y - factor.y >= factor.height) continue;
    const std::size_t at = i * rows.bytes + begin;
    std::memcpy(own + at, other + at, length);
  }
}

}  // namespace

std::size_t BatchMixer::Begin(BatchBuffers& batch) {
  batch_ = &batch;
  const bool is_mixed = std::ranges::any_of(
      batch.mix, [](const MixFactor& factor) { return factor.weight != 1; });
  if (!is_mixed) return 0;
  pieces_ = std::clamp<std::size_t>(batch.views[0].slot_bytes / kPieceBytes, 1,
                                    PixelRows(batch).count);
  return pieces_;
}

bool BatchMixer::Mix() {
  std::size_t piece = begun_.fetch_add(1);
  // A thread that comes after the last piece was taken may come after the batch
  // was handed out, and must not look at it.
  if (piece >= pieces_) return false;
  std::size_t ended = 0;
  for (; piece < pieces_; piece = begun_.fetch_add(1)) {
    MixPiece(piece);
    ended = ended_.fetch_add(1) + 1;
  }
  return ended == pieces_;
}

// From the last image to the first: each needs the one before it unmixed. Only
// the first needs the last, which is kept for it.
void BatchMixer::MixPiece(std::size_t number) {
  const PixelRows rows(*batch_);
  ViewColumn& view = batch_->views[0];
  const PixelType type = batch_->layout->type;
  const std::size_t first = number * rows.count / pieces_;
  const RowRange piece{first, (number + 1) * rows.count / pieces_ - first};
  const std::uint32_t samples = batch_->shape.samples;
  const std::span<std::byte> last = PartOf(view, samples - 1, rows, piece);
  const std::vector<std::byte> kept(last.begin(), last.end());
  for (std::uint32_t i = samples; i-- > 0;) {
    const MixFactor& factor = batch_->mix[i];
    if (factor.weight == 1) continue;
    const std::byte* const other =
        i > 0 ? PartOf(view, i - 1, rows, piece).data() : kept.data();
    std::byte* const own = PartOf(view, i, rows, piece).data();
    if (factor.is_cut()) {
      Cut(factor, rows, piece, other, own);
    } else {
      BlendValues(type, other, piece.count * rows.values, factor.weight, own);
    }
  }
}

}  // namespace shardine
