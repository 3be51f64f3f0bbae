#include "image/png_check.h"

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "image/png_rows.h"
#include "image/png_stream.h"

namespace shardine {
namespace {

// Looks at the filter types and keeps nothing.
class FilterCheck final : public PngPixelSink {
 public:
  Status Begin(const PngHeader& header, ByteView) override {
    rows_.emplace(header);
    return {};
  }
  std::span<std::byte> Room() override { return scratch_; }
  bool Take(std::size_t count) override {
    return rows_->Advance(ByteView(scratch_).first(count));
  }

 private:
  std::optional<PngRowWalk> rows_;
  std::array<std::byte, 32 * 1024> scratch_;
};

}  // namespace

Status CheckPng(ByteView png, const DecodeLimits& limits) {
  FilterCheck check;
  return ReadPng(png, limits, check);
}

}  // namespace shardine
