#include "support/jpeg_coefficients.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

// clang-format off: jpeglib.h needs size_t and FILE declared before it
#include <jpeglib.h>
// clang-format on

namespace shardine {
namespace {

// Steps beyond 8 bits are worth a remark to libjpeg.
void SayNothing(j_common_ptr, int) {}

class Reader {
 public:
  explicit Reader(std::string_view jpeg) {
    info_.err = jpeg_std_error(&errors_);
    jpeg_create_decompress(&info_);
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(jpeg.data()),
                 jpeg.size());
    jpeg_read_header(&info_, TRUE);
  }
  ~Reader() { jpeg_destroy_decompress(&info_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  jpeg_decompress_struct& info() { return info_; }

  std::uint32_t components() const {
    return static_cast<std::uint32_t>(info_.num_components);
  }
  // Blocks with those that fill up the last MCU.
  static std::uint32_t Filled(JDIMENSION blocks, int factor) {
    const auto unit = static_cast<std::uint32_t>(factor);
    return (blocks + unit - 1) / unit * unit;
  }
  JBLOCKROW Row(jvirt_barray_ptr array, std::uint32_t y) {
    return info_.mem->access_virt_barray(reinterpret_cast<j_common_ptr>(&info_),
                                         array, y, 1, TRUE)[0];
  }

 private:
  jpeg_decompress_struct info_{};
  jpeg_error_mgr errors_{};
};

CoefficientPlane Describe(const jpeg_component_info& component) {
  CoefficientPlane plane;
  plane.blocks_across =
      Reader::Filled(component.width_in_blocks, component.h_samp_factor);
  plane.blocks_down =
      Reader::Filled(component.height_in_blocks, component.v_samp_factor);
  std::copy_n(component.quant_table->quantval, 64, plane.steps.begin());
  return plane;
}

}  // namespace

CoefficientPlanes ReadCoefficients(std::string_view jpeg) {
  Reader reader(jpeg);
  jvirt_barray_ptr* const arrays = jpeg_read_coefficients(&reader.info());
  CoefficientPlanes planes;
  for (std::uint32_t c = 0; c < reader.components(); ++c) {
    CoefficientPlane plane = Describe(reader.info().comp_info[c]);
    for (std::uint32_t y = 0; y < plane.blocks_down; ++y) {
      const JBLOCKROW row = reader.Row(arrays[c], y);
      for (std::uint32_t x = 0; x < plane.blocks_across; ++x) {
        std::copy_n(row[x], 64, plane.blocks.emplace_back().begin());
      }
    }
    planes.push_back(std::move(plane));
  }
  return planes;
}

std::string ReplaceCoefficients(std::string_view jpeg,
                                const CoefficientPlanes& planes) {
  Reader reader(jpeg);
  jvirt_barray_ptr* const arrays = jpeg_read_coefficients(&reader.info());
  for (std::uint32_t c = 0; c < planes.size(); ++c) {
    const CoefficientPlane& plane = planes[c];
    for (std::size_t i = 0; i < plane.blocks.size(); ++i) {
      const auto y = static_cast<std::uint32_t>(i / plane.blocks_across);
      std::copy_n(plane.blocks[i].begin(), 64,
                  reader.Row(arrays[c], y)[i % plane.blocks_across]);
    }
    std::copy_n(plane.steps.begin(), 64,
                reader.info().comp_info[c].quant_table->quantval);
    const int table = reader.info().comp_info[c].quant_tbl_no;
    std::copy_n(plane.steps.begin(), 64,
                reader.info().quant_tbl_ptrs[table]->quantval);
  }
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  errors.emit_message = &SayNothing;
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  jpeg_copy_critical_parameters(&reader.info(), &info);
  info.optimize_coding = TRUE;
  info.restart_interval = reader.info().restart_interval;
  jpeg_write_coefficients(&info, arrays);
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string made(reinterpret_cast<const char*>(bytes), size);
  std::free(bytes);
  return made;
}

DecodedJpeg DecodeByLibjpeg(std::string_view jpeg) {
  Reader reader(jpeg);
  jpeg_decompress_struct& info = reader.info();
  jpeg_start_decompress(&info);
  DecodedJpeg decoded;
  decoded.width = info.output_width;
  decoded.height = info.output_height;
  decoded.channels = static_cast<std::uint32_t>(info.output_components);
  const std::size_t stride = std::size_t{decoded.width} * decoded.channels;
  decoded.pixels.resize(stride * decoded.height);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = decoded.pixels.data() + info.output_scanline * stride;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  return decoded;
}

}  // namespace shardine
