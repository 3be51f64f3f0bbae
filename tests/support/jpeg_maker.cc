#include "support/jpeg_maker.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

// clang-format off: jpeglib.h needs size_t and FILE declared before it
#include <jpeglib.h>
// clang-format on

namespace shardine {
namespace {

J_COLOR_SPACE InputSpace(JpegColor color) {
  switch (color) {
    case JpegColor::kGray:
      return JCS_GRAYSCALE;
    case JpegColor::kYcc:
    case JpegColor::kRgb:
      return JCS_RGB;
    case JpegColor::kCmyk:
    case JpegColor::kYcck:
      return JCS_CMYK;
  }
  return JCS_UNKNOWN;
}

J_COLOR_SPACE StoredSpace(JpegColor color) {
  switch (color) {
    case JpegColor::kYcc:
      return JCS_YCbCr;
    case JpegColor::kYcck:
      return JCS_YCCK;
    default:
      return InputSpace(color);
  }
}

std::uint32_t Hash(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ x >> 16;
}

std::vector<std::uint8_t> MakeRow(const JpegSpec& spec, std::uint32_t y,
                                  int components) {
  std::vector<std::uint8_t> row;
  for (std::uint32_t x = 0; x < spec.width; ++x) {
    for (int c = 0; c < components; ++c) {
      const std::uint32_t n = static_cast<std::uint32_t>(c);
      const std::uint32_t phase = Hash(spec.seed * 31 + n);
      const std::uint32_t slope =
          (x * (1 + phase % 5) * 128 / spec.width +
           y * (1 + phase / 8 % 5) * 128 / spec.height + phase) %
          512;
      const std::uint32_t smooth = slope < 256 ? slope : 511 - slope;
      const std::uint32_t noise =
          Hash((y * 65536 + x) * 4 + n + spec.seed * 977) % (spec.noise + 1);
      row.push_back(static_cast<std::uint8_t>(std::min(smooth + noise, 255U)));
    }
  }
  return row;
}

void Configure(jpeg_compress_struct& info, const JpegSpec& spec) {
  info.image_width = spec.width;
  info.image_height = spec.height;
  info.in_color_space = InputSpace(spec.color);
  info.input_components = spec.color == JpegColor::kGray   ? 1
                          : info.in_color_space == JCS_RGB ? 3
                                                           : 4;
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, StoredSpace(spec.color));
  jpeg_set_quality(&info, spec.quality, TRUE);
  if (spec.color == JpegColor::kYcc || spec.color == JpegColor::kYcck) {
    info.comp_info[0].h_samp_factor = spec.across;
    info.comp_info[0].v_samp_factor = spec.down;
  }
  info.arith_code = spec.arithmetic ? TRUE : FALSE;
  info.restart_in_rows = static_cast<int>(spec.restart_rows);
  info.restart_interval = spec.restart_mcus;
  info.optimize_coding = spec.optimize ? TRUE : FALSE;
  if (spec.progressive) jpeg_simple_progression(&info);
}

}  // namespace

std::string MakeJpeg(const JpegSpec& spec) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  Configure(info, spec);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    auto row = MakeRow(spec, info.next_scanline, info.input_components);
    JSAMPROW pointer = row.data();
    jpeg_write_scanlines(&info, &pointer, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string jpeg(reinterpret_cast<const char*>(bytes), size);
  std::free(bytes);
  return jpeg;
}

std::string MakeManyScans(std::size_t scans) {
  JpegSpec spec;
  spec.width = 8;
  spec.height = 8;
  spec.color = JpegColor::kGray;
  spec.progressive = true;
  std::string jpeg = MakeJpeg(spec);
  std::size_t have = 0;
  for (std::size_t at = 0; at + 1 < jpeg.size(); ++at) {
    if (jpeg.compare(at, 2, "\xFF\xDA") == 0) ++have;
  }
  const std::size_t last = jpeg.rfind("\xFF\xDA");
  const std::string scan = jpeg.substr(last, jpeg.size() - 2 - last);
  jpeg.resize(jpeg.size() - 2);
  for (; have < scans; ++have) jpeg += scan;
  return jpeg + "\xFF\xD9";
}

std::string JpegSegment(std::uint8_t marker, std::string_view payload) {
  const std::size_t length = payload.size() + 2;
  std::string segment = "\xFF";
  segment += static_cast<char>(marker);
  segment += static_cast<char>(length >> 8);
  segment += static_cast<char>(length & 255);
  return segment.append(payload);
}

std::string TiffWithOrientation(int orientation, bool big_endian) {
  const std::string value(1, static_cast<char>(orientation));
  using namespace std::string_literals;
  return big_endian ? "MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"s +
                          value + "\0\0\0\0\0\0"s
                    : "II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0"s + value +
                          "\0\0\0\0\0\0\0"s;
}

std::string ExifSegment(int orientation, bool big_endian) {
  using namespace std::string_literals;
  return JpegSegment(
      0xE1, "Exif\0\0"s + TiffWithOrientation(orientation, big_endian));
}

std::string InsertAfterSoi(std::string_view jpeg, std::string_view segment) {
  return std::string(jpeg).insert(2, segment);
}

std::vector<JpegMarkerPlace> JpegMarkers(std::string_view jpeg) {
  std::vector<JpegMarkerPlace> places = {{0xD8, 0, 2}};
  while (places.back().marker != 0xDA) {
    const std::size_t at = places.back().offset + places.back().size;
    const auto byte = [&](std::size_t i) {
      return static_cast<std::uint8_t>(jpeg.at(at + i));
    };
    places.push_back({byte(1), at, 2u + byte(2) * 256u + byte(3)});
  }
  return places;
}

JpegMarkerPlace FindJpegMarker(std::string_view jpeg, std::uint8_t marker) {
  const auto places = JpegMarkers(jpeg);
  return *std::find_if(
      places.begin(), places.end(),
      [&](const JpegMarkerPlace& place) { return place.marker == marker; });
}

JpegMarkerPlace FindJpegFrame(std::string_view jpeg) {
  const auto places = JpegMarkers(jpeg);
  return *std::find_if(places.begin(), places.end(),
                       [](const JpegMarkerPlace& place) {
                         return place.marker >= 0xC0 && place.marker <= 0xCF &&
                                place.marker != 0xC4 && place.marker != 0xC8 &&
                                place.marker != 0xCC;
                       });
}

}  // namespace shardine
