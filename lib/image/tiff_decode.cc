#include "image/tiff_decode.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "image/icc_profile.h"
#include "image/library_image.h"
#include "image/tiff_file.h"

namespace shardine {
namespace {

// For tables of strips, of which a header has some.
constexpr std::uint64_t kProbeMemory = std::uint64_t{1} << 26;

// The same ones in every build. Others take memory without a limit (LZMA), or
// are of few files.
constexpr std::uint16_t kCompressions[] = {
    COMPRESSION_NONE,      COMPRESSION_CCITTRLE,      COMPRESSION_CCITTFAX3,
    COMPRESSION_CCITTFAX4, COMPRESSION_LZW,           COMPRESSION_JPEG,
    COMPRESSION_DEFLATE,   COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS,
    COMPRESSION_ZSTD};

// Whether strips and tiles are read here, sample by sample: libtiff's own way
// to RGB multiplies colors by alpha, and knows no gray.
bool IsPlain(const TiffPage& page) {
  const bool color = page.photometric == PHOTOMETRIC_RGB && page.samples >= 3;
  const bool palette = page.photometric == PHOTOMETRIC_PALETTE &&
                       page.bits == 8 && page.samples == 1;
  return (page.bits == 8 || page.bits == 16) &&
         (page.is_gray() || color || palette);
}

// Why no decoder here reads the form of TIFF; empty: it is read.
std::string UnreadTiff(TIFF* tiff, const TiffPage& page) {
  const bool known = std::ranges::find(kCompressions, page.compression) !=
                     std::end(kCompressions);
  if (!known || TIFFIsCODECConfigured(page.compression) == 0) {
    return "a TIFF of compression " + std::to_string(page.compression) +
           ", which is not decoded";
  }
  if (page.format == SAMPLEFORMAT_IEEEFP || page.bits > 16) {
    return "a TIFF of " + std::to_string(page.bits) +
           " bits a channel, which is not decoded";
  }
  if (page.format != SAMPLEFORMAT_UINT && page.format != SAMPLEFORMAT_VOID) {
    return "a TIFF of signed or complex samples, which is not decoded";
  }
  if (IsPlain(page)) return {};
  std::array<char, 1024> why{};
  if (TIFFRGBAImageOK(tiff, why.data()) != 0) return {};
  return "a form of TIFF that is not decoded: " + std::string(why.data());
}

// Whether all strips or tiles lie within the file.
bool HasAllData(TIFF* tiff, std::uint64_t size) {
  const std::uint32_t count = TIFFIsTiled(tiff) != 0 ? TIFFNumberOfTiles(tiff)
                                                     : TIFFNumberOfStrips(tiff);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t at = TIFFGetStrileOffset(tiff, i);
    const std::uint64_t bytes = TIFFGetStrileByteCount(tiff, i);
    if (at > size || bytes > size - at) return false;
    // A table that ends early.
    if (at == 0 && bytes == 0) return false;
  }
  return count > 0;
}

std::uint8_t TiffComponents(const TiffPage& page) {
  if (page.photometric == PHOTOMETRIC_PALETTE) return 3;
  return static_cast<std::uint8_t>(
      std::clamp<std::uint16_t>(page.samples, 1, 4));
}

// The blocks of one page become pixels, a strip or tile at a time.
class BlockReader {
 public:
  // `kept_bytes`: of a sample, 1 or all.
  BlockReader(const TiffFile& file, const DecodeLimits& limits,
              std::size_t kept_bytes, PixelBuffer& pixels)
      : file_(file),
        page_(file.page()),
        limits_(limits),
        kept_bytes_(kept_bytes),
        pixels_(pixels) {}

  Status Read();

 private:
  Status ReadStrips(std::uint16_t plane);
  Status ReadTiles(std::uint16_t plane);
  Status SetPalette();
  Status Reserve(std::uint64_t bytes);
  void Take(std::size_t bytes, std::size_t stride, const Region& block,
            std::uint16_t plane);
  void TakeRow(const std::uint8_t* from, std::uint8_t* to, std::uint32_t pixels,
               std::uint16_t plane) const;
  std::uint8_t channels() const { return page_.is_gray() ? 1 : 3; }
  std::size_t sample_bytes() const { return page_.bits / 8U; }
  bool is_separate() const { return page_.planes == PLANARCONFIG_SEPARATE; }
  std::size_t pixel_bytes() const {
    return sample_bytes() * (is_separate() ? 1U : page_.samples);
  }

  const TiffFile& file_;
  const TiffPage& page_;
  const DecodeLimits& limits_;
  const std::size_t kept_bytes_;
  PixelBuffer& pixels_;
  ByteBuffer block_;
  bool has_palette_ = false;
  std::array<std::uint8_t, 3 * 256> palette_{};
};

Status BlockReader::SetPalette() {
  has_palette_ = page_.photometric == PHOTOMETRIC_PALETTE;
  if (!has_palette_) return {};
  std::uint16_t* colors[3] = {};
  if (TIFFGetField(file_.get(), TIFFTAG_COLORMAP, &colors[0], &colors[1],
                   &colors[2]) == 0) {
    return Status(Code::kCorrupt, "TIFF: no color map");
  }
  for (std::size_t i = 0; i < 256; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      palette_[3 * i + c] = static_cast<std::uint8_t>(colors[c][i] >> 8);
    }
  }
  return {};
}

Status BlockReader::Reserve(std::uint64_t bytes) {
  if (bytes == 0 || bytes > limits_.max_memory) {
    return Status(Code::kUnsupported, "decoding needs more than " +
                                          std::to_string(limits_.max_memory) +
                                          " bytes");
  }
  block_.Resize(bytes);
  // Rows that a block leaves out are black.
  std::memset(block_.data(), 0, bytes);
  return {};
}

void BlockReader::TakeRow(const std::uint8_t* from, std::uint8_t* to,
                          std::uint32_t pixels, std::uint16_t plane) const {
  // The high bytes, in this machine's order.
  const std::size_t first = sample_bytes() - kept_bytes_;
  const std::size_t step = pixel_bytes();
  if (has_palette_) {
    for (std::uint32_t x = 0; x < pixels; ++x) {
      std::memcpy(to + std::size_t{3} * x, palette_.data() + 3 * from[x], 3);
    }
    return;
  }
  const std::uint8_t turn =
      page_.photometric == PHOTOMETRIC_MINISWHITE ? 255 : 0;
  const std::size_t taken = is_separate() ? 1 : channels();
  to += is_separate() ? plane * kept_bytes_ : 0;
  for (std::uint32_t x = 0; x < pixels; ++x, from += step) {
    for (std::size_t c = 0; c < taken; ++c) {
      for (std::size_t b = 0; b < kept_bytes_; ++b) {
        to[c * kept_bytes_ + b] = from[c * sample_bytes() + first + b] ^ turn;
      }
    }
    to += pixels_.channels();
  }
}

// Rows `stride` bytes apart, of a block of `bytes` whose place is `block`.
void BlockReader::Take(std::size_t bytes, std::size_t stride,
                       const Region& block, std::uint16_t plane) {
  const PixelSize size = pixels_.size();
  const std::uint32_t width = std::min(block.width, size.width - block.x);
  const std::uint32_t height = std::min(block.height, size.height - block.y);
  const auto* from = reinterpret_cast<const std::uint8_t*>(block_.data());
  for (std::uint32_t y = 0; y < height; ++y, from += stride) {
    if (stride * y + width * pixel_bytes() > bytes) break;
    std::uint8_t* const to =
        pixels_.row(block.y + y) + std::size_t{block.x} * pixels_.channels();
    TakeRow(from, to, width, plane);
  }
}

Status BlockReader::ReadStrips(std::uint16_t plane) {
  TIFF* const tiff = file_.get();
  const PixelSize size = pixels_.size();
  std::uint32_t rows = 0;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &rows);
  rows = std::clamp<std::uint32_t>(rows, 1, size.height);
  SHARDINE_RETURN_IF_ERROR(Reserve(TIFFVStripSize64(tiff, rows)));
  const std::uint64_t stride = TIFFScanlineSize64(tiff);
  for (std::uint32_t y = 0; y < size.height; y += rows) {
    const std::uint32_t strip = TIFFComputeStrip(tiff, y, plane);
    const tmsize_t read = TIFFReadEncodedStrip(
        tiff, strip, block_.data(), static_cast<tmsize_t>(block_.size()));
    const std::uint32_t wanted = std::min(rows, size.height - y);
    if (read < 0 || static_cast<std::uint64_t>(read) < stride * wanted) {
      return file_.Fault();
    }
    Take(block_.size(), stride, {0, y, size.width, wanted}, plane);
  }
  return {};
}

Status BlockReader::ReadTiles(std::uint16_t plane) {
  TIFF* const tiff = file_.get();
  const PixelSize size = pixels_.size();
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &width);
  TIFFGetField(tiff, TIFFTAG_TILELENGTH, &height);
  if (width == 0 || height == 0) return file_.Fault();
  SHARDINE_RETURN_IF_ERROR(Reserve(TIFFTileSize64(tiff)));
  const std::uint64_t stride = TIFFTileRowSize64(tiff);
  for (std::uint64_t y = 0; y < size.height; y += height) {
    for (std::uint64_t x = 0; x < size.width; x += width) {
      const auto left = static_cast<std::uint32_t>(x);
      const auto top = static_cast<std::uint32_t>(y);
      const std::uint32_t tile = TIFFComputeTile(tiff, left, top, 0, plane);
      if (TIFFReadEncodedTile(tiff, tile, block_.data(),
                              static_cast<tmsize_t>(block_.size())) < 0) {
        return file_.Fault();
      }
      Take(block_.size(), stride, {left, top, width, height}, plane);
    }
  }
  return {};
}

Status BlockReader::Read() {
  SHARDINE_RETURN_IF_ERROR(SetPalette());
  pixels_.Reset(page_.size,
                static_cast<std::uint8_t>(channels() * kept_bytes_));
  const std::uint16_t planes = is_separate() && !has_palette_ ? channels() : 1;
  for (std::uint16_t plane = 0; plane < planes; ++plane) {
    SHARDINE_RETURN_IF_ERROR(TIFFIsTiled(file_.get()) != 0 ? ReadTiles(plane)
                                                           : ReadStrips(plane));
  }
  return {};
}

// By libtiff's own way: bits, CMYK, YCbCr and the like.
Status ReadByLibrary(const TiffFile& file, PixelBuffer& pixels) {
  const PixelSize size = file.page().size;
  std::array<char, 1024> why{};
  TIFFRGBAImage image;
  if (TIFFRGBAImageBegin(&image, file.get(), 1, why.data()) == 0) {
    return Status(Code::kCorrupt, std::string("TIFF: ") + why.data());
  }
  image.req_orientation = image.orientation;
  ByteBuffer raster;
  raster.Resize(std::size_t{4} * size.width * size.height);
  const int done =
      TIFFRGBAImageGet(&image, reinterpret_cast<std::uint32_t*>(raster.data()),
                       size.width, size.height);
  TIFFRGBAImageEnd(&image);
  if (done == 0) return file.Fault();
  const bool gray = file.page().is_gray();
  pixels.Reset(size, gray ? 1 : 3);
  const auto* from = reinterpret_cast<const std::uint8_t*>(raster.data());
  std::uint8_t* to = pixels.data();
  const std::size_t count = std::size_t{size.width} * size.height;
  for (std::size_t i = 0; i < count; ++i, from += 4) {
    *to++ = from[0];
    if (gray) continue;
    *to++ = from[1];
    *to++ = from[2];
  }
  return {};
}

Status DecodePage(ByteView tiff, const DecodeLimits& limits, bool deep,
                  PixelBuffer& pixels) {
  // A header takes some, whatever its pixels take.
  const TiffFile file(tiff, std::max(limits.max_memory, kProbeMemory));
  if (!file.is_open()) return file.Fault();
  const TiffPage& page = file.page();
  if (page.size.width == 0 || page.size.height == 0) {
    return Status(Code::kCorrupt, "TIFF: has no pixels");
  }
  if (std::string form = UnreadTiff(file.get(), page); !form.empty()) {
    return Status(Code::kUnsupported, std::move(form));
  }
  const bool plain = IsPlain(page);
  if (deep && (!plain || page.bits != 16)) {
    return Status(Code::kUnsupported,
                  "a TIFF of a form whose 16 bits a channel are not kept");
  }
  const std::size_t kept = deep ? 2 : 1;
  const std::uint64_t stored =
      plain ? std::uint64_t{page.samples} * (page.bits / 8U) : 4;
  SHARDINE_RETURN_IF_ERROR(CheckPixelCost(
      page.size, {.pixel_bytes = stored, .memory_bytes = 3 * kept + stored},
      tiff.size(), limits));
  if (!plain) return ReadByLibrary(file, pixels);
  return BlockReader(file, limits, kept, pixels).Read();
}

}  // namespace

ProbeResult ProbeTiff(ByteView tiff) {
  ProbeResult result;
  result.facts.kind = ImageKind::kTiff;
  result.facts.bits = 8;
  const TiffFile file(tiff, kProbeMemory);
  const auto fail = [&](ImageProblem problem, std::string detail) {
    result.problem = problem;
    result.detail = std::move(detail);
    return result;
  };
  if (!file.is_open()) {
    return fail(ImageProblem::kBadHeader, file.Fault().message());
  }
  const TiffPage& page = file.page();
  if (page.size.width == 0 || page.size.height == 0) {
    return fail(ImageProblem::kBadHeader, "has no pixels");
  }
  ImageFacts& facts = result.facts;
  facts.width = page.size.width;
  facts.height = page.size.height;
  facts.components = TiffComponents(page);
  facts.bits = page.bits == 16 ? 16 : 8;
  facts.orientation = static_cast<std::uint8_t>(page.orientation);
  std::uint32_t size = 0;
  const void* profile = nullptr;
  result.icc =
      TIFFGetField(file.get(), TIFFTAG_ICCPROFILE, &size, &profile) != 0;
  if (std::string form = UnreadTiff(file.get(), page); !form.empty()) {
    facts.bits = 0;
    return fail(ImageProblem::kUnsupported, std::move(form));
  }
  if (!HasAllData(file.get(), tiff.size())) {
    return fail(ImageProblem::kNoEndMarker, "ends before its last row");
  }
  result.end_marker = true;
  return result;
}

Status DecodeTiff(ByteView tiff, const DecodeLimits& limits,
                  PixelBuffer& pixels) {
  return DecodePage(tiff, limits, false, pixels);
}

Status DecodeDeepTiff(ByteView tiff, const DecodeLimits& limits,
                      PixelBuffer& pixels) {
  return DecodePage(tiff, limits, true, pixels);
}

ByteBuffer ReadTiffProfile(ByteView tiff) {
  ByteBuffer profile;
  const TiffFile file(tiff, kProbeMemory);
  std::uint32_t size = 0;
  const void* bytes = nullptr;
  if (file.is_open() &&
      TIFFGetField(file.get(), TIFFTAG_ICCPROFILE, &size, &bytes) != 0 &&
      size <= kMaxIccProfile) {
    profile.Append({static_cast<const std::byte*>(bytes), size});
  }
  return profile;
}

}  // namespace shardine
