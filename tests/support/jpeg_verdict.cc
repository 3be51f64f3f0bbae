#include "support/jpeg_verdict.h"

#include <csetjmp>
#include <cstdio>
#include <vector>

// clang-format off: jpeglib.h needs size_t and FILE declared before it
#include <jpeglib.h>
// clang-format on

namespace shardine {
namespace {

struct Errors {
  jpeg_error_mgr base;
  std::jmp_buf exit;
};

void Exit(j_common_ptr info) {
  std::longjmp(reinterpret_cast<Errors*>(info->err)->exit, 1);
}

// Counts, as the default does, and prints nothing.
void Emit(j_common_ptr info, int level) {
  if (level < 0) ++info->err->num_warnings;
}

void ReadPixels(jpeg_decompress_struct& info, std::vector<JSAMPLE>& row) {
  row.resize(std::size_t{info.output_width} *
             static_cast<std::size_t>(info.output_components));
  while (info.output_scanline < info.output_height) {
    JSAMPROW pointer = row.data();
    jpeg_read_scanlines(&info, &pointer, 1);
  }
  jpeg_finish_decompress(&info);
}

JpegVerdict Judge(std::string_view jpeg, bool pixels) {
  jpeg_decompress_struct info{};
  Errors errors{};
  JpegVerdict verdict;
  std::vector<JSAMPLE> row;
  info.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = &Exit;
  errors.base.emit_message = &Emit;
  if (setjmp(errors.exit) != 0) {
    jpeg_destroy_decompress(&info);
    return {.refused = true};
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(jpeg.data()),
               jpeg.size());
  jpeg_read_header(&info, TRUE);
  jpeg_start_decompress(&info);
  if (pixels) ReadPixels(info, row);
  verdict.warnings = errors.base.num_warnings;
  verdict.width = info.image_width;
  verdict.height = info.image_height;
  verdict.components = static_cast<std::uint32_t>(info.num_components);
  verdict.ycc_or_gray = info.jpeg_color_space == JCS_YCbCr ||
                        info.jpeg_color_space == JCS_GRAYSCALE;
  jpeg_destroy_decompress(&info);
  return verdict;
}

}  // namespace

JpegVerdict HeaderByLibjpeg(std::string_view jpeg) {
  return Judge(jpeg, false);
}

JpegVerdict VerdictByLibjpeg(std::string_view jpeg) {
  return Judge(jpeg, true);
}

}  // namespace shardine
