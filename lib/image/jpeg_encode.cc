#include "image/jpeg_encode.h"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

// clang-format off: jpeglib.h needs size_t and FILE declared before it
#include <jpeglib.h>
// clang-format on

#include "base/status_macros.h"
#include "image/exif.h"
#include "image/icc_profile.h"

namespace shardine {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::uint32_t kMaxEncodedSide = 65500;
constexpr std::size_t kRowsPerCall = 64;

// One libjpeg compressor that appends to a buffer. Not movable.
class Compressor {
 public:
  explicit Compressor(ByteBuffer& out) {
    info_.err = jpeg_std_error(&errors_.manager);
    errors_.manager.error_exit = &OnError;
    errors_.manager.emit_message = [](j_common_ptr, int) {};
    sink_.manager.init_destination = [](j_compress_ptr info) {
      SinkOf(info).Grow();
    };
    sink_.manager.empty_output_buffer = [](j_compress_ptr info) -> boolean {
      // libjpeg counts the whole buffer as written, whatever the fields say.
      SinkOf(info).manager.free_in_buffer = 0;
      SinkOf(info).Grow();
      return TRUE;
    };
    sink_.manager.term_destination = [](j_compress_ptr info) {
      SinkOf(info).Trim();
    };
    sink_.out = &out;
  }
  ~Compressor() { jpeg_destroy_compress(&info_); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  Status Start(const PixelView& pixels, const JpegEncodeOptions& options) {
    sink_.out->Reserve(sink_.out->size() + GuessSize(pixels, options));
    std::string exif;
    if (options.orientation > 0) {
      exif = "Exif\0\0"sv;
      exif += ExifOf(options.orientation);
    }
    return Run([&] {
      jpeg_create_compress(&info_);
      info_.dest = &sink_.manager;
      Configure(pixels, options);
      jpeg_start_compress(&info_, TRUE);
      if (!exif.empty()) {
        jpeg_write_marker(&info_, JPEG_APP0 + 1,
                          reinterpret_cast<const JOCTET*>(exif.data()),
                          static_cast<unsigned>(exif.size()));
      }
      if (IccProfileFits(options.icc, pixels.channels)) {
        jpeg_write_icc_profile(
            &info_, reinterpret_cast<const JOCTET*>(options.icc.data()),
            static_cast<unsigned>(options.icc.size()));
      }
    });
  }

  Status WriteRows(const PixelView& pixels) {
    return Run([&] {
      std::array<JSAMPROW, kRowsPerCall> rows;
      while (info_.next_scanline < info_.image_height) {
        const std::uint32_t count = std::min<std::uint32_t>(
            kRowsPerCall, info_.image_height - info_.next_scanline);
        for (std::uint32_t i = 0; i < count; ++i) {
          rows[i] = const_cast<JSAMPROW>(pixels.row(info_.next_scanline + i));
        }
        jpeg_write_scanlines(&info_, rows.data(), count);
      }
      jpeg_finish_compress(&info_);
    });
  }

 private:
  struct Errors {
    jpeg_error_mgr manager;  // first, so that libjpeg's pointer is ours
    std::jmp_buf jump;
    char text[JMSG_LENGTH_MAX];
  };
  struct Sink {
    jpeg_destination_mgr manager;  // first
    ByteBuffer* out;

    // All capacity is given to libjpeg; the size counts the bytes that it has
    // used.
    void Grow() {
      if (manager.next_output_byte != nullptr) Trim();
      const std::size_t used = out->size();
      if (out->capacity() == used) out->Reserve(2 * used + 4096);
      manager.next_output_byte = reinterpret_cast<JOCTET*>(out->data() + used);
      manager.free_in_buffer = out->capacity() - used;
    }
    void Trim() { out->Resize(out->capacity() - manager.free_in_buffer); }
  };

  static Sink& SinkOf(j_compress_ptr info) {
    return *reinterpret_cast<Sink*>(info->dest);
  }

  static void OnError(j_common_ptr info) {
    auto* errors = reinterpret_cast<Errors*>(info->err);
    info->err->format_message(info, errors->text);
    std::longjmp(errors->jump, 1);
  }

  // A quarter of the pixels' bytes: unused capacity is never written to, and a
  // full buffer grows.
  static std::size_t GuessSize(const PixelView& pixels,
                               const JpegEncodeOptions& options) {
    return std::size_t{pixels.size.width} * pixels.size.height *
               pixels.channels / 4 +
           options.icc.size() + 4096;
  }

  // A longjmp skips destructors, so `steps` may hold references and plain data
  // only and must call nothing but libjpeg and the sink.
  template <typename Steps>
  Status Run(Steps steps) {
    static_assert(std::is_trivially_destructible_v<Steps>);
    if (setjmp(errors_.jump) != 0) {
      return Status(Code::kFailed, std::string("libjpeg: ") + errors_.text);
    }
    steps();
    return {};
  }

  void Configure(const PixelView& pixels, const JpegEncodeOptions& options) {
    info_.image_width = pixels.size.width;
    info_.image_height = pixels.size.height;
    info_.input_components = pixels.channels;
    info_.in_color_space = pixels.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info_);
    // TRUE keeps steps within 255 at low quality: larger ones are not baseline.
    jpeg_set_quality(&info_, static_cast<int>(options.quality), TRUE);
    info_.optimize_coding = options.optimize ? TRUE : FALSE;
    const int factor = options.subsampling == Subsampling::k420 ? 2 : 1;
    // jpeg_set_defaults has given chroma 1 x 1; only luma's factors make the
    // subsampling.
    if (pixels.channels == 3) {
      info_.comp_info[0].h_samp_factor = factor;
      info_.comp_info[0].v_samp_factor = factor;
    }
  }

  jpeg_compress_struct info_{};
  Errors errors_{};
  Sink sink_{};
};

}  // namespace

Status EncodeJpeg(const PixelView& pixels, const JpegEncodeOptions& options,
                  ByteBuffer& out) {
  const auto [width, height] = pixels.size;
  if (width == 0 || height == 0 || std::max(width, height) > kMaxEncodedSide) {
    return Status(Code::kUnsupported, "no JPEG can be " +
                                          std::to_string(width) + " x " +
                                          std::to_string(height) + " pixels");
  }
  const std::size_t before = out.size();
  Compressor compressor(out);
  Status status = compressor.Start(pixels, options);
  if (status.ok()) status = compressor.WriteRows(pixels);
  // libjpeg wrote straight to `out`: the part of a JPEG that is there goes.
  if (!status.ok()) out.Resize(before);
  return status;
}

}  // namespace shardine
