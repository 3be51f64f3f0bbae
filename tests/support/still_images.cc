#include "support/still_images.h"

#include <gif_lib.h>
#include <tiffio.h>
#include <webp/encode.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/bytes.h"

namespace shardine {
namespace {

void Demand(bool condition) {
  if (!condition) std::abort();
}

std::string RiffChunk(std::string_view name, std::string_view data) {
  std::string chunk(name);
  AppendLe(static_cast<std::uint32_t>(data.size()), chunk);
  chunk += data;
  if (data.size() % 2 != 0) chunk += '\0';
  return chunk;
}

void AppendLe24(std::uint32_t value, std::string& to) {
  for (int shift = 0; shift < 24; shift += 8) {
    to += static_cast<char>(value >> shift & 0xFF);
  }
}

std::string Extended(std::uint8_t flags, PixelSize size) {
  std::string data(1, static_cast<char>(flags));
  AppendLe24(0, data);
  AppendLe24(size.width - 1, data);
  AppendLe24(size.height - 1, data);
  return RiffChunk("VP8X", data);
}

std::string Riff(const std::string& chunks) {
  return RiffChunk("RIFF", "WEBP" + chunks);
}

// The file in memory that libtiff writes.
struct TiffTarget {
  std::string bytes;
  std::uint64_t at = 0;
};

tmsize_t ReadTarget(thandle_t handle, void* to, tmsize_t count) {
  auto& file = *static_cast<TiffTarget*>(handle);
  const auto room =
      file.bytes.size() - std::min<std::uint64_t>(file.bytes.size(), file.at);
  const auto size = std::min<std::uint64_t>(room, std::uint64_t(count));
  std::memcpy(to, file.bytes.data() + file.at, size);
  file.at += size;
  return tmsize_t(size);
}

tmsize_t WriteTarget(thandle_t handle, void* from, tmsize_t count) {
  auto& file = *static_cast<TiffTarget*>(handle);
  const std::uint64_t end = file.at + std::uint64_t(count);
  if (file.bytes.size() < end) file.bytes.resize(end);
  std::memcpy(file.bytes.data() + file.at, from, std::size_t(count));
  file.at = end;
  return count;
}

toff_t SeekTarget(thandle_t handle, toff_t offset, int whence) {
  auto& file = *static_cast<TiffTarget*>(handle);
  if (whence == SEEK_CUR) offset += file.at;
  if (whence == SEEK_END) offset += file.bytes.size();
  file.at = offset;
  return offset;
}

int CloseTarget(thandle_t) { return 0; }

toff_t SizeOfTarget(thandle_t handle) {
  return static_cast<TiffTarget*>(handle)->bytes.size();
}

std::string SamplesOf(const TiffSpec& spec, std::uint32_t x0, std::uint32_t y0,
                      PixelSize size, int plane) {
  std::string bytes;
  for (std::uint32_t y = y0; y < y0 + size.height; ++y) {
    for (std::uint32_t x = x0; x < x0 + size.width; ++x) {
      for (std::uint16_t c = 0; c < spec.samples; ++c) {
        if (plane >= 0 && c != plane) continue;
        const std::uint32_t sample = TiffSampleAt(spec, x, y, c);
        if (spec.bits == 32) {
          AppendLe(sample, bytes);
        } else if (spec.bits == 16) {
          AppendLe(static_cast<std::uint16_t>(sample), bytes);
        } else {
          AppendLe(static_cast<std::uint8_t>(sample), bytes);
        }
      }
    }
  }
  return bytes;
}

void WriteBlocks(TIFF* tiff, const TiffSpec& spec, int plane) {
  const PixelSize size = spec.size;
  if (spec.tile > 0) {
    for (std::uint32_t y = 0; y < size.height; y += spec.tile) {
      for (std::uint32_t x = 0; x < size.width; x += spec.tile) {
        std::string block =
            SamplesOf(spec, x, y, {spec.tile, spec.tile}, plane);
        const auto tile =
            TIFFComputeTile(tiff, x, y, 0, std::uint16_t(std::max(plane, 0)));
        Demand(TIFFWriteEncodedTile(tiff, tile, block.data(),
                                    tmsize_t(block.size())) >= 0);
      }
    }
    return;
  }
  for (std::uint32_t y = 0; y < size.height; y += 4) {
    const std::uint32_t rows = std::min(4U, size.height - y);
    std::string block = SamplesOf(spec, 0, y, {size.width, rows}, plane);
    const auto strip =
        TIFFComputeStrip(tiff, y, std::uint16_t(std::max(plane, 0)));
    Demand(TIFFWriteEncodedStrip(tiff, strip, block.data(),
                                 tmsize_t(block.size())) >= 0);
  }
}

}  // namespace

std::string MakeWebp(const PixelView& rgb, float quality) {
  const int width = static_cast<int>(rgb.size.width);
  const int height = static_cast<int>(rgb.size.height);
  const int stride = static_cast<int>(rgb.stride);
  std::uint8_t* out = nullptr;
  const std::size_t size =
      quality > 100
          ? WebPEncodeLosslessRGB(rgb.data, width, height, stride, &out)
          : WebPEncodeRGB(rgb.data, width, height, stride, quality, &out);
  Demand(size > 0);
  std::string webp(reinterpret_cast<const char*>(out), size);
  WebPFree(out);
  return webp;
}

std::string WithWebpOrientation(std::string_view webp, PixelSize size,
                                std::uint8_t orientation) {
  std::string exif("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0", 18);
  exif += static_cast<char>(orientation);
  exif += std::string(7, '\0');
  return Riff(Extended(8, size) + std::string(webp.substr(12)) +
              RiffChunk("EXIF", exif));
}

std::string MakeWebpAnimation(std::string_view frame, PixelSize frame_size,
                              PixelSize canvas, std::uint32_t x,
                              std::uint32_t y) {
  std::string data;
  AppendLe24(x / 2, data);
  AppendLe24(y / 2, data);
  AppendLe24(frame_size.width - 1, data);
  AppendLe24(frame_size.height - 1, data);
  AppendLe24(100, data);
  data += '\0';
  data += frame.substr(12);
  return Riff(Extended(2, canvas) + RiffChunk("ANIM", std::string(6, '\0')) +
              RiffChunk("ANMF", data));
}

std::string MakeGif(const GifSpec& spec) {
  std::string gif;
  int error = 0;
  GifFileType* const file = EGifOpen(
      &gif,
      [](GifFileType* to, const GifByteType* bytes, int count) {
        static_cast<std::string*>(to->UserData)
            ->append(reinterpret_cast<const char*>(bytes), std::size_t(count));
        return count;
      },
      &error);
  Demand(file != nullptr);
  EGifSetGifVersion(file, true);
  GifColorType colors[16];
  for (int i = 0; i < 16; ++i) {
    colors[i] = {GifByteType(i * 16), GifByteType(255 - i), GifByteType(i * i)};
  }
  ColorMapObject* const map = GifMakeMapObject(16, colors);
  const auto width = int(spec.frame.width);
  const auto height = int(spec.frame.height);
  Demand(EGifPutScreenDesc(file, int(spec.canvas.width),
                           int(spec.canvas.height), 8, 0,
                           spec.local_palette ? nullptr : map) == GIF_OK);
  for (std::uint32_t frame = 0; frame < spec.frames; ++frame) {
    if (spec.transparent >= 0) {
      GraphicsControlBlock block = {0, false, 0, spec.transparent};
      GifByteType bytes[4];
      const auto size = EGifGCBToExtension(&block, bytes);
      Demand(EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, int(size), bytes) ==
             GIF_OK);
    }
    Demand(EGifPutImageDesc(file, int(spec.left), int(spec.top), width, height,
                            spec.interlaced,
                            spec.local_palette ? map : nullptr) == GIF_OK);
    std::vector<int> rows;
    for (const auto& [first, step] :
         {std::pair{0, 8}, {4, 8}, {2, 4}, {1, 2}}) {
      for (int y = first; y < height; y += step) rows.push_back(y);
    }
    if (!spec.interlaced) std::sort(rows.begin(), rows.end());
    for (const int y : rows) {
      std::vector<GifPixelType> row;
      for (int x = 0; x < width; ++x) {
        row.push_back(GifPixelType((x + 3 * y) % 16));
      }
      Demand(EGifPutLine(file, row.data(), width) == GIF_OK);
    }
  }
  GifFreeMapObject(map);
  Demand(EGifCloseFile(file, &error) == GIF_OK);
  return gif;
}

std::string MakeBmp(const PixelView& rgb) {
  std::string bmp = "BM";
  const std::uint32_t row = (rgb.size.width * 3 + 3) / 4 * 4;
  AppendLe(54 + row * rgb.size.height, bmp);
  AppendLe(std::uint32_t{0}, bmp);
  AppendLe(std::uint32_t{54}, bmp);
  AppendLe(std::uint32_t{40}, bmp);
  AppendLe(rgb.size.width, bmp);
  AppendLe(rgb.size.height, bmp);
  AppendLe(std::uint16_t{1}, bmp);
  AppendLe(std::uint16_t{24}, bmp);
  bmp += std::string(24, '\0');
  for (std::uint32_t y = rgb.size.height; y-- > 0;) {
    const std::uint8_t* const from = rgb.row(y);
    for (std::uint32_t x = 0; x < rgb.size.width; ++x) {
      for (const unsigned c : {2U, 1U, 0U}) {
        bmp += static_cast<char>(from[3 * x + c]);
      }
    }
    bmp += std::string(row - rgb.size.width * 3, '\0');
  }
  return bmp;
}

std::uint32_t TiffSampleAt(const TiffSpec& spec, std::uint32_t x,
                           std::uint32_t y, std::uint16_t channel) {
  const std::uint32_t value = x * 37 + y * 101 + channel * 73U;
  return spec.bits == 8 ? value % 256 : value * 257 % 65536;
}

std::string MakeTiff(const TiffSpec& spec) {
  TiffTarget file;
  std::string mode = spec.big_endian ? "wb" : "wl";
  if (spec.big_tiff) mode += "8";
  TIFF* const tiff =
      TIFFClientOpen("image", mode.c_str(), &file, ReadTarget, WriteTarget,
                     SeekTarget, CloseTarget, SizeOfTarget, nullptr, nullptr);
  Demand(tiff != nullptr);
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, spec.size.width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, spec.size.height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, spec.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, spec.samples);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, spec.photometric);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, spec.compression);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, spec.planes);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, spec.format);
  TIFFSetField(tiff, TIFFTAG_ORIENTATION, spec.orientation);
  if (spec.tile > 0) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, spec.tile);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, spec.tile);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 4);
  }
  if (spec.photometric == PHOTOMETRIC_PALETTE) {
    std::vector<std::uint16_t> map(256);
    for (int i = 0; i < 256; ++i) map[std::size_t(i)] = std::uint16_t(i * 257);
    TIFFSetField(tiff, TIFFTAG_COLORMAP, map.data(), map.data(), map.data());
  }
  const bool separate = spec.planes == PLANARCONFIG_SEPARATE;
  for (int plane = separate ? 0 : -1; plane < (separate ? spec.samples : 0);
       ++plane) {
    WriteBlocks(tiff, spec, plane);
  }
  TIFFClose(tiff);
  return file.bytes;
}

}  // namespace shardine
