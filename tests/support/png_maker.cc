#include "support/png_maker.h"

#include <algorithm>

namespace shardine {
namespace {

std::string BigEndian(std::uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) {
    text += static_cast<char>(value >> shift & 255);
  }
  return text;
}

std::uint32_t CrcOf(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : bytes) {
    crc ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) {
      crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320U : 0U);
    }
  }
  return ~crc;
}

std::uint32_t Adler(std::string_view bytes) {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<std::uint8_t>(c)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

std::uint32_t Channels(std::uint8_t color_type) {
  switch (color_type) {
    case 2:
      return 3;
    case 4:
      return 2;
    case 6:
      return 4;
    default:
      return 1;
  }
}

void AppendPass(const PngSpec& spec, std::uint32_t width, std::uint32_t height,
                std::string& data) {
  if (width == 0) return;
  std::uint32_t state = spec.seed * 2654435761U + width;
  const std::uint32_t row =
      (width * spec.bits * Channels(spec.color_type) + 7) / 8;
  for (std::uint32_t y = 0; y < height; ++y) {
    data += '\0';
    for (std::uint32_t i = 0; i < row; ++i) {
      state = state * 1664525U + 1013904223U;
      data += static_cast<char>(state >> 24);
    }
  }
}

}  // namespace

std::string PngSignature() { return "\x89PNG\r\n\x1A\n"; }

std::string MakePngChunk(std::string_view type, std::string_view data) {
  const std::string covered = std::string(type).append(data);
  return BigEndian(static_cast<std::uint32_t>(data.size())) + covered +
         BigEndian(CrcOf(covered));
}

std::string PngHeaderChunk(const PngSpec& spec) {
  std::string data = BigEndian(spec.width) + BigEndian(spec.height);
  data += static_cast<char>(spec.bits);
  data += static_cast<char>(spec.color_type);
  data += std::string(2, '\0');
  data += static_cast<char>(spec.interlaced ? 1 : 0);
  return MakePngChunk("IHDR", data);
}

std::string PngPixelData(const PngSpec& spec) {
  std::string data;
  if (!spec.interlaced) {
    AppendPass(spec, spec.width, spec.height, data);
    return data;
  }
  const std::uint32_t w = spec.width;
  const std::uint32_t h = spec.height;
  AppendPass(spec, (w + 7) / 8, (h + 7) / 8, data);
  AppendPass(spec, (w + 3) / 8, (h + 7) / 8, data);
  AppendPass(spec, (w + 3) / 4, (h + 3) / 8, data);
  AppendPass(spec, (w + 1) / 4, (h + 3) / 4, data);
  AppendPass(spec, (w + 1) / 2, (h + 1) / 4, data);
  AppendPass(spec, w / 2, (h + 1) / 2, data);
  AppendPass(spec, w, h / 2, data);
  return data;
}

std::string ZlibStored(std::string_view data) {
  constexpr std::size_t kMaxBlock = 65535;
  std::string stream = "\x78\x01";
  std::size_t at = 0;
  do {
    const std::size_t size = std::min(kMaxBlock, data.size() - at);
    const std::uint32_t n = static_cast<std::uint32_t>(size);
    stream += at + size == data.size() ? '\x01' : '\0';
    for (const std::uint32_t field : {n, ~n}) {
      stream += static_cast<char>(field & 255);
      stream += static_cast<char>(field >> 8 & 255);
    }
    stream += data.substr(at, size);
    at += size;
  } while (at < data.size());
  return stream + BigEndian(Adler(data));
}

std::string MakePng(const PngSpec& spec) {
  std::string png = PngSignature() + PngHeaderChunk(spec);
  if (spec.color_type == 3) {
    png += MakePngChunk("PLTE", std::string(3 * 256, '\x7F'));
  }
  const std::string stream = ZlibStored(PngPixelData(spec));
  const std::size_t piece =
      spec.idat_size == 0 ? stream.size() : spec.idat_size;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    png += MakePngChunk("IDAT", stream.substr(at, piece));
  }
  return png + MakePngChunk("IEND", "");
}

}  // namespace shardine
