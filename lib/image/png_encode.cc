#include "image/png_encode.h"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/deflate.h"
#include "base/status_macros.h"
#include "image/exif.h"
#include "image/icc_profile.h"

namespace shardine {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::uint32_t kMaxPngSide = 0x7FFFFFFF;

std::uint8_t Channels(const PixelView& pixels,
                      const PngEncodeOptions& options) {
  return static_cast<std::uint8_t>(pixels.channels / (options.bits / 8U));
}

// One libpng writer that appends to a buffer. Not movable.
class Writer {
 public:
  explicit Writer(ByteBuffer& out) {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, &errors_, &OnError,
                                   [](png_structp, png_const_charp) {});
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) return;
    png_set_write_fn(png_, &out, &OnBytes, [](png_structp) {});
  }
  ~Writer() { png_destroy_write_struct(&png_, &info_); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Contents of chunks; empty: there is no such chunk.
  struct Chunks {
    std::string iccp;
    std::string exif;
  };
  Status Start(const PixelView& pixels, const PngEncodeOptions& options,
               const Chunks& chunks) {
    if (info_ == nullptr) return Status(Code::kFailed, "libpng: no memory");
    return Run([&] {
      // libpng's own limit is a million pixels a side.
      png_set_user_limits(png_, kMaxPngSide, kMaxPngSide);
      png_set_compression_level(png_, static_cast<int>(options.level));
      png_set_filter(png_, PNG_FILTER_TYPE_BASE, PNG_ALL_FILTERS);
      png_set_IHDR(
          png_, info_, pixels.size.width, pixels.size.height, options.bits,
          Channels(pixels, options) == 1 ? PNG_COLOR_TYPE_GRAY
                                         : PNG_COLOR_TYPE_RGB,
          PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
      png_write_info(png_, info_);
      if (options.bits == 16) png_set_swap(png_);
      // Not png_set_iCCP, which adds chunks of its own that it derives.
      WriteChunk("iCCP", chunks.iccp);
      WriteChunk("eXIf", chunks.exif);
    });
  }

  Status WriteRows(const PixelView& pixels) {
    return Run([&] {
      for (std::uint32_t y = 0; y < pixels.size.height; ++y) {
        png_write_row(png_, pixels.row(y));
      }
      png_write_end(png_, nullptr);
    });
  }

 private:
  void WriteChunk(const char* name, const std::string& contents) {
    if (contents.empty()) return;
    png_write_chunk(png_, reinterpret_cast<png_const_bytep>(name),
                    reinterpret_cast<png_const_bytep>(contents.data()),
                    contents.size());
  }

  struct Errors {
    std::jmp_buf jump;
    char text[256];
  };

  [[noreturn]] static void OnError(png_structp png, png_const_charp message) {
    auto* errors = static_cast<Errors*>(png_get_error_ptr(png));
    std::snprintf(errors->text, sizeof(errors->text), "%s", message);
    std::longjmp(errors->jump, 1);
  }

  static void OnBytes(png_structp png, png_bytep bytes, std::size_t size) {
    auto* out = static_cast<ByteBuffer*>(png_get_io_ptr(png));
    out->Append({reinterpret_cast<const std::byte*>(bytes), size});
  }

  // A longjmp skips destructors, so `steps` may hold references and plain data
  // only and must call nothing but libpng.
  template <typename Steps>
  Status Run(Steps steps) {
    static_assert(std::is_trivially_destructible_v<Steps>);
    if (setjmp(errors_.jump) != 0) {
      return Status(Code::kFailed, std::string("libpng: ") + errors_.text);
    }
    steps();
    return {};
  }

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  Errors errors_{};
};

}  // namespace

Status EncodePng(const PixelView& pixels, const PngEncodeOptions& options,
                 ByteBuffer& out) {
  const auto [width, height] = pixels.size;
  if (width == 0 || height == 0 || std::max(width, height) > kMaxPngSide) {
    return Status(Code::kUnsupported, "no PNG can be " + std::to_string(width) +
                                          " x " + std::to_string(height) +
                                          " pixels");
  }
  Writer::Chunks chunks;
  if (IccProfileFits(options.icc, Channels(pixels, options))) {
    // A name, its zero, and compression method 0 (ISO/IEC 15948, 11.3.3.3).
    chunks.iccp = "ICC Profile\0\0"sv;
    chunks.iccp += ZlibCompress(options.icc);
  }
  if (options.orientation > 0) chunks.exif = ExifOf(options.orientation);
  const std::size_t before = out.size();
  Writer writer(out);
  Status status = writer.Start(pixels, options, chunks);
  if (status.ok()) status = writer.WriteRows(pixels);
  // libpng wrote straight to `out`: the part of a PNG that is there goes.
  if (!status.ok()) out.Resize(before);
  return status;
}

}  // namespace shardine
